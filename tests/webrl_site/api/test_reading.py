from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from curriculum.forms import TaskFilterForm
from curriculum.models import Guideline, Phase, Review, ReviewBatch, Task
from rollouts.forms import TrajectoryFilterForm
from rollouts.models import Trajectory
from tests.factories import ReviewFactory, RunFactory
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries, SignIn
from tests.webrl_site.test_query_counts import grow

LISTS = (
    *("sites", "tasks", "reviews", "runs", "phases", "events", "trajectories"),
    *("training-runs", "metrics", "checkpoints"),
)
FOR_ALL = {"sites", "tasks", "reviews", "trajectories"}


def read_all(client: Client, url: str) -> list[dict[str, Any]]:
    """Follow `next` to the end."""
    rows: list[dict[str, Any]] = []
    while url:
        body = client.get(url).json()
        rows += body["results"]
        url = body["next"]
    return rows


@pytest.mark.parametrize("name", LISTS)
def test_pages_hold_every_row_once_and_in_order(name: str, researcher: Client):
    ids = [row["id"] for row in read_all(researcher, f"/api/{name}/?limit=3")]
    whole = [row["id"] for row in read_all(researcher, f"/api/{name}/?limit=500")]

    assert ids == whole
    assert ids in (sorted(ids), sorted(ids, reverse=True))
    assert len(set(ids)) == len(ids) > 0


@pytest.mark.parametrize("name", LISTS)
def test_one_row_is_what_the_list_says_of_it(name: str, researcher: Client):
    row = researcher.get(f"/api/{name}/?limit=1").json()["results"][0]

    one = researcher.get(f"/api/{name}/{row['id']}/").json()

    assert one.items() >= row.items()


@pytest.mark.parametrize("name", LISTS)
def test_a_list_asks_as_often_for_many_rows_as_for_few(
    name: str, researcher: Client, example: Example, count_queries: CountQueries
):
    few = count_queries(researcher, f"/api/{name}/?limit=2")
    grow(example)

    assert count_queries(researcher, f"/api/{name}/?limit=500") == few <= 7


@pytest.mark.parametrize("name", LISTS)
def test_annotators_read_what_their_pages_show(name: str, annotator: Client):
    expected = 200 if name in FOR_ALL else 403

    assert annotator.get(f"/api/{name}/").status_code == expected


def test_rows_written_meanwhile_move_no_page(researcher: Client, example: Example):
    first = researcher.get("/api/tasks/?limit=2").json()
    task = example.evolved[0]
    task.pk, task.key = None, "written.meanwhile"
    task.save()

    second = researcher.get(first["next"]).json()

    seen = [row["id"] for row in first["results"]]
    assert max(row["id"] for row in second["results"]) == min(seen) - 1


def test_lists_filter_as_the_pages_do(researcher: Client):
    rows = read_all(researcher, "/api/tasks/?split=test&site=forum&limit=2")

    assert {(row["split"], row["site"]) for row in rows} == {("test", "forum")}


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("tasks/?splt=test", "splt"),
        ("tasks/?split=tset", "split"),
        ("tasks/?phase=first", "phase"),
        ("tasks/?phase=99999999999999999999", "phase"),
        ("tasks/?text=%00", "text"),
        ("trajectories/?outcome=perhaps", "outcome"),
        ("runs/?limit=501", "limit"),
        ("runs/?limit=0", "limit"),
        ("runs/?limit=²", "limit"),
        ("runs/?cursor=nonsense", "cursor"),
        ("runs/?cursor=aWQ6MQ", "cursor"),
        ("trajectories/1/steps/?outcome=yes", "outcome"),
    ],
)
def test_a_wrong_parameter_is_named_rather_than_left_out(
    query: str, name: str, researcher: Client
):
    query = query.replace("/1/", f"/{Trajectory.objects.first().pk}/")  # type: ignore[union-attr]
    response = researcher.get(f"/api/{query}")

    assert response.status_code == 400
    assert list(response.json()["errors"]) == [name]


def test_a_phase_that_is_too_old_for_the_pages_choice_is_still_found(
    researcher: Client, example: Example
):
    url = f"/api/trajectories/?phase={example.closed_phase.pk}&limit=500"

    rows = researcher.get(url).json()["results"]

    assert {row["phase"] for row in rows} == {example.closed_phase.pk}


@pytest.mark.parametrize(
    ("name", "form"),
    [("tasks", TaskFilterForm), ("trajectories", TrajectoryFilterForm)],
)
def test_the_schema_names_the_pages_filters(name: str, form: Any, researcher: Client):
    schema = researcher.get("/api/schema/", headers={"Accept": "application/json"})

    operation = schema.json()["paths"][f"/api/{name}/"]["get"]
    names = {parameter["name"] for parameter in operation["parameters"]}
    assert names == {*form.base_fields, "cursor", "limit"}


def test_a_trajectory_comes_with_its_checks_and_its_steps(
    researcher: Client, example: Example
):
    url = f"/api/trajectories/{example.trajectory.pk}/"

    one = researcher.get(url).json()
    steps = read_all(researcher, f"{url}steps/?limit=3")

    assert [step["index"] for step in steps] == [0, 1, 2, 3]
    assert one["step_count"] == 4
    assert one["final_observation"] == example.trajectory.final_observation


def test_a_phase_comes_with_its_counts_and_stages(researcher: Client, example: Example):
    phase = researcher.get(f"/api/phases/{example.review_phase.pk}/").json()

    evolved = Task.objects.filter(born_in=example.review_phase)
    assert sum(phase["evolved"].values()) == evolved.count()
    assert phase["counts"]["evaluate"]["judged"] > 0
    assert 0 < phase["counts"]["evaluate"]["success_rate"] < 1
    assert [stage["key"] for stage in phase["stages"]][-1] == "review"


def test_news_of_a_phase_come_after_the_last_one_seen(
    researcher: Client, example: Example
):
    url = f"/api/events/?phase={example.running_phase.pk}"
    seen = read_all(researcher, url)[-1]["id"]

    assert read_all(researcher, f"{url}&after={seen}") == []
    assert read_all(researcher, f"{url}&after={seen - 1}")[0]["id"] == seen


def test_a_training_run_says_what_became_of_its_steps(
    researcher: Client, example: Example
):
    url = f"/api/training-runs/?phase={example.closed_phase.pk}"
    row = researcher.get(url).json()["results"][0]

    one = researcher.get(f"/api/training-runs/{row['id']}/").json()

    assert sum(count["n"] for count in one["experience"]) > 0
    assert {checkpoint["kind"] for checkpoint in one["checkpoints"]} >= {"policy"}


def test_reviews_are_filtered_by_who_decided_and_whether_it_stands(
    researcher: Client, example: Example
):
    review = Review.objects.order_by("-id").first()
    assert review is not None
    name = review.reviewer.get_username()

    rows = read_all(researcher, f"/api/reviews/?reviewer={name}&standing=yes")

    assert review.pk in [row["id"] for row in rows]
    assert {row["undone_at"] for row in rows} == {None}


@pytest.mark.parametrize("path", ["reviews/?limit=500&", "exports/reviews/?"])
def test_agreement_and_blind_changes_can_be_counted_from_reviews(
    path: str, researcher: Client, example: Example
):
    one = {"kind": "bulk", "first_decision": "reject", "skip_to": "last"}
    batch = ReviewBatch.objects.create(author=example.researcher)
    guideline = Guideline.objects.create(version=70, text="Be kind.")
    review = ReviewFactory(**one, batch=batch, guideline=guideline)
    plain = ReviewFactory()

    answer: Any = researcher.get(f"/api/{path}")
    if answer.streaming:
        rows = [json.loads(line) for line in b"".join(answer).splitlines()]
    else:
        rows = answer.json()["results"]

    found = {row["id"]: row for row in rows}
    assert found[review.pk].items() >= one.items()
    assert (found[review.pk]["guideline"], found[review.pk]["batch"]) == (70, batch.pk)
    assert found[plain.pk]["guideline"] is found[plain.pk]["batch"] is None


def test_the_counts_of_a_phase_are_those_of_the_schema(
    researcher: Client, example: Example
):
    phase = researcher.get(f"/api/phases/{example.review_phase.pk}/").json()
    schema = researcher.get("/api/schema/", headers={"Accept": "application/json"})

    described = schema.json()["components"]["schemas"]["Counts"]["properties"]
    assert phase["counts"]["evaluate"].keys() == described.keys()


def test_a_run_says_its_tags_and_what_it_was_made_from(
    researcher: Client, example: Example
):
    made = RunFactory(parent=example.run, tags=" night shop ")

    row = researcher.get(f"/api/runs/{made.pk}/").json()

    assert (row["tags"], row["parent"]) == (["night", "shop"], example.run.pk)


def test_a_metric_names_its_phase(researcher: Client, example: Example):
    phase = Phase.objects.filter(training_run__metrics__isnull=False).first()
    assert phase is not None

    rows = researcher.get(f"/api/metrics/?phase={phase.pk}&limit=2").json()["results"]

    assert {row["phase"] for row in rows} == {phase.pk}


def test_who_is_asking(sign_in: SignIn):
    me = sign_in("annotator").get("/api/me/").json()

    assert me["username"] == "annotator"
    assert me["roles"] == ["annotator"]
    assert "read" in me["scopes"]
