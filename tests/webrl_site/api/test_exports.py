from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from curriculum.models import Task
from curriculum.services import import_tasks
from curriculum.services.imported.tasks import ForeignTask, MadeRows, find_or_make_task
from rollouts.models import Step, Trajectory
from tests.factories import TaskFactory
from tests.seed import Example
from tests.webrl_site.api.conftest import Post
from webrl_site.exports import tables
from webrl_site.exports.formats import KINDS
from webrl_site.exports.tables import TABLES, Column
from webrl_site.exports.text import FORMULA, PART, to_cell, write_json_lines

MODELS: dict[str, Any] = {"tasks": Task, "trajectories": Trajectory, "steps": Step}


def fetch(client: Client, query: str) -> bytes:
    response: Any = client.get(f"/api/exports/{query}")
    assert response.status_code == 200, response.content
    return b"".join(response.streaming_content)


def read_lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


@pytest.mark.parametrize("kind", MODELS)
def test_every_row_is_exported_once(kind: str, researcher: Client, monkeypatch: Any):
    monkeypatch.setattr(tables.walk, "__defaults__", (3,))
    monkeypatch.setattr(tables, "EPISODES", 2)

    rows = read_lines(fetch(researcher, f"{kind}/"))

    ids = sorted(row["id"] for row in rows)
    assert ids == sorted(MODELS[kind].objects.values_list("pk", flat=True))


def test_an_export_has_an_end_mark_only_where_it_is_asked_for(researcher: Client):
    plain = fetch(researcher, "tasks/")
    response: Any = researcher.get("/api/exports/tasks/", headers={"X-Export-End": "1"})
    marked = b"".join(response.streaming_content)

    assert marked == plain + response.headers["X-Export-End"].encode()
    assert "X-Export-End" not in researcher.get("/api/exports/tasks/").headers


@pytest.mark.parametrize("kind", KINDS)
def test_the_formats_hold_the_same_rows(kind: str, researcher: Client):
    lines = read_lines(fetch(researcher, f"{kind}/?format=jsonl"))
    table = list(
        csv.DictReader(
            io.StringIO(fetch(researcher, f"{kind}/?format=csv").decode(), newline="")
        )
    )
    columns = parquet.read_table(
        io.BytesIO(fetch(researcher, f"{kind}/?format=parquet"))
    )

    assert len(lines) > 0
    assert [str(row["id"]) for row in lines] == [row["id"] for row in table]
    assert columns.column("id").to_pylist() == [row["id"] for row in lines]
    assert list(lines[0]) == list(table[0]) == columns.column_names


def test_parquet_keeps_types_over_several_row_groups(
    researcher: Client, example: Example, monkeypatch: Any
):
    table = TABLES["trajectories"]
    small = tables.Table(table.columns, table.filter_form, table.rows, group=4)
    monkeypatch.setitem(TABLES, "trajectories", small)

    data = io.BytesIO(fetch(researcher, "trajectories/?format=parquet"))

    file = parquet.ParquetFile(data)
    assert file.num_row_groups > 3
    rows = file.read().to_pylist()
    expected = Trajectory.objects.order_by("pk").values_list("outcome", "started_at")
    assert [(row["outcome"], row["started_at"]) for row in rows] == list(expected)


def test_an_export_takes_the_lists_filters(researcher: Client, example: Example):
    phase = example.closed_phase

    steps = read_lines(fetch(researcher, f"steps/?phase={phase.pk}&purpose=collect"))

    counted = Step.objects.filter(
        trajectory__phase=phase, trajectory__purpose="collect"
    )
    assert len(steps) == counted.count() > 0


def test_only_steps_that_count_are_exported(researcher: Client, example: Example):
    example.trajectory.attempt += 1
    example.trajectory.save(update_fields=["attempt"])

    steps = read_lines(fetch(researcher, "steps/"))

    assert example.trajectory.pk not in {step["trajectory"] for step in steps}


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("tasks/?format=xml", 400),
        ("tasks/?format=webrl", 400),
        ("tasks/?splt=test", 400),
        ("tasks/?limit=5", 400),
        ("runs/", 404),
    ],
)
def test_a_wrong_request_is_told_before_anything_is_sent(
    query: str, status: int, researcher: Client
):
    response = researcher.get(f"/api/exports/{query}")

    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"


def test_a_missing_package_is_said(researcher: Client, monkeypatch: Any):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    response = researcher.get("/api/exports/tasks/?format=parquet")

    assert response.status_code == 501
    assert "pyarrow" in response.json()["detail"]


def test_the_accepted_type_does_not_matter(researcher: Client):
    response = researcher.get(
        "/api/exports/tasks/?format=csv", headers={"Accept": "text/csv"}
    )

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="tasks.csv"'


def test_traces_are_what_webrl_records(researcher: Client, example: Example):
    data = fetch(
        researcher, f"trajectories/?format=webrl&task={example.trajectory.task_id}"
    )

    trace = [
        line for line in read_lines(data) if line["trace_id"] == example.trajectory.pk
    ]
    instruction = example.trajectory.task.instruction
    steps = list(example.trajectory.steps.order_by("index"))
    assert [line["index"] for line in trace] == [0, 1, 2, 3]
    assert [line["response"] for line in trace] == [step.output for step in steps]
    assert [line["html"] for line in trace] == [step.observation for step in steps]
    assert {line["target"] for line in trace} == {instruction}
    assert trace[0]["prompt"] == instruction
    assert trace[1]["prompt"] == "** Simplified html **"


def test_tasks_go_out_and_come_back(researcher: Client, example: Example, post: Post):
    data = fetch(researcher, "tasks/?format=webarena&split=test")
    before = list(Task.objects.filter(split="test").values("key", "digest", "split"))
    Trajectory.objects.all().delete()
    Task.objects.filter(split="test").delete()

    answer = researcher.post(
        "/api/tasks/import/", data, content_type="application/x-ndjson"
    )

    assert answer.status_code == 200, answer.content
    after = Task.objects.filter(split="test").values("key", "digest", "split")
    assert list(after) == before


def test_only_accepted_tasks_come_as_tasks_to_import(
    researcher: Client, example: Example
):
    rejected = example.evolved[0]
    Task.objects.filter(pk=rejected.pk).update(status=Task.Status.REJECTED)

    usual = read_lines(fetch(researcher, "tasks/?format=webarena"))
    asked = read_lines(fetch(researcher, "tasks/?format=webarena&status=rejected"))

    accepted = Task.objects.filter(status=Task.Status.ACCEPTED).order_by("pk")
    assert [line["key"] for line in usual] == [task.key for task in accepted]
    assert rejected.key in {line["key"] for line in asked}


def test_a_task_of_imported_episodes_goes_out_with_what_an_import_needs(
    researcher: Client, example: Example
):
    made = [
        find_or_make_task(foreign=_foreign_task(number, start_url), made=MadeRows())
        for number, start_url in enumerate(("__SHOP__/mugs", ""))
    ]

    data = fetch(researcher, "tasks/?format=webarena&status=filtered")

    ours = [row for row in read_lines(data) if "imported_key" in row]
    assert [row["key"] for row in ours] == [made[0].key]
    Task.objects.filter(pk=made[0].pk).delete()
    import_tasks(tasks=ours)
    again = Task.objects.get(key=made[0].key)
    assert (again.site.key, again.start_url) == ("shop", "__SHOP__/mugs")


def _foreign_task(number: int, start_url: str) -> ForeignTask:
    """As results of VisualAgentBench name a task; some say no page to start on."""
    return ForeignTask(
        key=f"vab.{number}",
        instruction=f"Tell the price of mug {number}",
        known_as=(),
        site="shop",
        start_url=start_url,
        split="train",
        template_key="",
        optimal_steps=None,
        spec={},
    )


@given(st.text(max_size=20), st.sampled_from([*FORMULA, ""]))
def test_no_cell_is_a_formula(text: str, start: str):
    cell = to_cell(start + text)

    assert not cell.startswith(FORMULA)
    assert cell.endswith(text)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        *((None, ""), (True, "true"), (-1.5, "-1.5"), ({"a": "=1"}, '{"a": "=1"}')),
        *((float("nan"), "null"), ([], "[]"), ("plain", "plain")),
    ],
)
def test_cells_are_plain_text(value: Any, cell: str):
    assert to_cell(value) == cell


@pytest.mark.parametrize("kind", KINDS)
def test_an_export_asks_by_the_batch_and_not_by_the_row(kind: str, researcher: Client):
    with CaptureQueriesContext(connection) as queries:
        rows = fetch(researcher, f"{kind}/").splitlines()

    assert len(rows) > 0
    assert len(queries) <= 12


def test_rows_are_made_while_they_are_sent():
    made: list[int] = []

    def rows() -> Iterator[tuple[Any, ...]]:
        for number in range(100_000):
            made.append(number)
            yield (number, "x" * 100)

    parts = write_json_lines([Column("id", "id"), Column("text", "text")], rows())
    first = next(parts)

    assert PART <= len(first) < 2 * PART
    assert len(made) < 1000


def test_an_edited_tasks_first_words_stay_here(researcher: Client) -> None:
    first = {"sites": ["shop"], "intent": "Buy a mug"}
    TaskFactory(instruction="Buy a cup", spec=first | {"before_edit": first})
    tasks = read_lines(fetch(researcher, "tasks/?format=webarena"))
    assert "Buy a cup" in [task["intent"] for task in tasks]
    assert not any("before_edit" in task for task in tasks)
