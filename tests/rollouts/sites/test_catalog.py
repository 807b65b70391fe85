from __future__ import annotations

import hashlib
import json
from collections import Counter
from random import Random

import pytest

from curriculum.evolution.types import digest_task
from rollouts.sites.kit.drawing import Split, Task, identity_of
from rollouts.sites.sandbox import catalog
from rollouts.sites.sandbox.catalog import (
    GROUPS,
    SITE_GROUPS,
    TEMPLATES,
    Group,
    draw_more_tasks,
    group_of,
    load_tasks,
)

each_group = pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.key)

TEST_SPLIT_SHA256 = {
    "shop": "805b741ef048c1731f5c94c9c4950e2a3a83d3b908753e74b8fe0e2fb5eaa8eb",
    "forum": "b3b6947780228a052c1054091cd98115393f748f90618423443dc7268869aa9d",
    "projects": "9a2343b0d5a98923c62ee36de52c6d9b33a9d2fe5068a396f62d6b1257397f4e",
    "atlas": "cbfd9ada00bdacf20c6b31adbd199894ebb70c745e8c41a62c761d60bd126510",
    "backoffice": "0341d30285ec5fd784c53d9ff616895c4978ab0a5ea73186c506852123ba67c8",
    "across": "d6e1d8902bc91ba0ee7c48d182e20962c5b6d7c3d623b5bd8bc60f444bbe3481",
}


def tasks_of(group: Group, split: Split | None = None) -> list[Task]:
    return [
        task
        for task in load_tasks(split)
        if group_of(TEMPLATES[task["template_key"]]) == group.key
    ]


@each_group
def test_the_splits_have_their_sizes(group: Group) -> None:
    assert Counter(task["split"] for task in tasks_of(group)) == group.sizes


def test_keys_instructions_and_digests_are_unique_across_splits() -> None:
    tasks = load_tasks()
    for values in (
        {task["key"] for task in tasks},
        {task["intent"] for task in tasks},
        {digest_task(task["intent"], task["start_url"]) for task in tasks},
        {identity_of(task) for task in tasks},
    ):
        assert len(values) == len(tasks)


def test_the_catalog_is_the_same_every_time() -> None:
    again = [task for group in GROUPS for task in catalog._group_tasks(group)]
    assert again == load_tasks()


@each_group
def test_the_test_split_is_frozen(group: Group) -> None:
    text = json.dumps(tasks_of(group, "test"), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest == TEST_SPLIT_SHA256[group.key]


@each_group
def test_a_fifth_of_the_test_templates_never_occurs_elsewhere(group: Group) -> None:
    test = {task["template_key"] for task in tasks_of(group, "test")}
    train = {task["template_key"] for task in tasks_of(group, "train")}
    others = train | {task["template_key"] for task in tasks_of(group, "validation")}
    assert len(test - others) / len(test) >= 0.2


def test_tasks_beyond_the_catalog_are_none_of_the_catalogs() -> None:
    more = draw_more_tasks(60, seed=0)
    known = load_tasks()
    for name in (identity_of, lambda task: task["intent"], lambda task: task["key"]):
        names = {name(task) for task in more}
        assert len(names) == len(more) == 60 * len(SITE_GROUPS)
        assert not names & {name(task) for task in known}


def test_tasks_beyond_the_catalog_have_no_held_out_template() -> None:
    more = draw_more_tasks(60, seed=0)
    assert not any(catalog.TEMPLATES[t["template_key"]].is_held_out for t in more)


def test_tasks_beyond_the_catalog_follow_from_their_seed() -> None:
    assert draw_more_tasks(9, seed=1) == draw_more_tasks(9, seed=1)
    assert draw_more_tasks(9, seed=1) != draw_more_tasks(9, seed=2)


@each_group
@pytest.mark.parametrize("split", ["test", "validation", "train"])
def test_short_and_long_tasks_take_turns(group: Group, split: Split) -> None:
    steps = [task["optimal_steps"] for task in tasks_of(group, split)]
    for turn, (low, high) in enumerate(group.lengths):
        assert all(low <= n <= high for n in steps[turn :: len(group.lengths)])


def test_a_task_on_two_sites_opens_each_in_a_tab() -> None:
    for task in (task for task in load_tasks() if len(task["sites"]) > 1):
        starts = [f"__{key.upper()}__/" for key in task["sites"]]
        assert task["start_url"] == " |AND| ".join(starts)


def test_a_catalog_that_asks_for_too_much_ends() -> None:
    template = catalog.TEMPLATES["shop.open_area"]
    rng = Random(0)
    tasks = list(catalog._tasks_of_length([template], (1, 3), rng, set()))
    assert 2 <= len(tasks) <= 4
