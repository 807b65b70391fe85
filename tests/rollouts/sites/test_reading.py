"""What an edited instruction asks for, by the sandbox's grammar."""

from __future__ import annotations

from typing import Any

import pytest

from rollouts.sites.sandbox.catalog import TEMPLATES, load_tasks
from rollouts.sites.sandbox.reading import read_task

STATUS = "backoffice.find_order_status"


def has_template_of(task: dict[str, Any], *, read: bool) -> bool:
    """Whether the task's template is one that is read, or one that is not."""
    template = TEMPLATES[task["template_key"]]
    return read is (template.is_possible and not template.is_held_out)


def test_every_task_that_can_be_done_is_read_as_itself():
    tasks = [task for task in load_tasks() if has_template_of(task, read=True)]
    found = [read_task(task["sites"], task["intent"]) for task in tasks]

    assert len(tasks) > 1000
    assert [one and one["eval"] for one in found] == [task["eval"] for task in tasks]


def test_tasks_of_unseen_templates_and_impossible_ones_are_not_read():
    tasks = [task for task in load_tasks() if has_template_of(task, read=False)]

    assert len(tasks) > 100
    assert not any(read_task(task["sites"], task["intent"]) for task in tasks)


def list_tasks(template_key: str) -> list[dict[str, Any]]:
    return [one for one in load_tasks() if one["template_key"] == template_key]


def test_another_name_has_other_checks():
    first, *_, other = list_tasks(STATUS)
    [name], [another] = (
        list(one["instantiation_dict"].values()) for one in (first, other)
    )
    read = read_task(["backoffice"], first["intent"].replace(name, another))

    assert read is not None
    assert read["eval"] == other["eval"]


@pytest.mark.parametrize(
    "instruction",
    ["Do something nice.", "", "Tell me how far order 1 is.", "Order " * 200],
)
def test_other_words_are_not_read(instruction: str):
    assert read_task(["backoffice"], instruction) is None


def test_sites_of_others_are_not_read():
    assert read_task(["wiki"], list_tasks(STATUS)[0]["intent"]) is None
