from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from curriculum.models import Run
from tests.factories import RunFactory
from tests.seed import Example
from tests.webrl_site.runs.test_runs import form_data
from webrl_site.runs.document import describe_run, write_document


def json_view(document: str, **more: Any) -> dict[str, Any]:
    return {"view": "json", "document": document, **more}


def test_a_run_like_another_starts_with_its_settings(
    researcher: Client, example: Example
):
    Run.objects.filter(pk=example.run.pk).update(seed=99)

    form = researcher.get(f"/runs/new/?from={example.run.pk}").context["form"]

    assert form["seed"].value() == 99
    assert form["name"].value() == "first-light 2"
    assert form.differences() == []


@pytest.mark.parametrize(
    ("name", "taken", "proposed"),
    [
        ("calm", [], "calm 2"),
        ("calm", ["calm 2"], "calm 3"),
        ("day 7", ["day 3"], "day 8"),
        ("day 7", ["day 8", "day 9"], "day 10"),
        ("day 20261122", [], "day 20261122 2"),
    ],
)
def test_a_run_like_another_is_named_after_it_with_the_next_number(
    name: str, taken: list[str], proposed: str, researcher: Client
):
    parent = RunFactory(name=name)
    for other in taken:
        RunFactory(name=other)

    form = researcher.get(f"/runs/new/?from={parent.pk}").context["form"]

    assert form["name"].value() == proposed


def test_the_seed_counts_among_what_differs(researcher: Client, example: Example):
    data = form_data(check="yes", seed="8", **{"rollout.contexts": "9"})

    response = researcher.post(f"/runs/new/?from={example.run.pk}", data)

    keys = {one.key for one in response.context["form"].differences()}
    assert keys == {"seed", "rollout.contexts"}


def test_what_differs_from_the_parent_is_listed_before_the_launch(
    researcher: Client, example: Example
):
    data = form_data(check="yes", **{"rollout.contexts": "9"})

    response = researcher.post(f"/runs/new/?from={example.run.pk}", data)

    keys = {one.key: one.after for one in response.context["form"].differences()}
    assert keys["rollout.contexts"] == "9"
    assert not Run.objects.filter(name="fresh").exists()


def test_the_new_run_knows_its_parent_and_says_what_changed(
    researcher: Client, example: Example
):
    changes = {"seed": "7", "rollout.contexts": "9"}
    researcher.post(f"/runs/new/?from={example.run.pk}", form_data(**changes))

    run = Run.objects.get(name="fresh")
    differences = researcher.get(f"/runs/{run.pk}/").context["differences"]
    assert run.parent == example.run
    assert [one.key for one in differences] == ["rollout.contexts"]


@pytest.mark.parametrize("source", ["999999", "x", "1" * 30, "-1"])
def test_a_parent_that_is_not_there_is_not_found(source: str, researcher: Client):
    assert researcher.get(f"/runs/new/?from={source}").status_code == 404


def test_the_json_view_shows_what_was_typed_into_the_form(researcher: Client):
    data = form_data(show="json", **{"algorithm.beta": "0.7"})

    seen = researcher.post("/runs/new/", data).context

    assert seen["view"] == "json"
    assert json.loads(seen["document"])["config"]["algorithm"]["beta"] == 0.7


def test_the_form_shows_what_was_typed_into_the_json_view(researcher: Client):
    data = json_view('{"name": "typed", "seed": 5}', show="form")

    seen = researcher.post("/runs/new/", data).context

    assert seen["view"] == "form"
    assert seen["form"]["seed"].value() == 5


def test_a_wrong_value_goes_through_both_views_unchanged(researcher: Client):
    first = researcher.post(
        "/runs/new/", form_data(show="json", **{"algorithm.beta": "much"})
    ).context["document"]
    second = researcher.post("/runs/new/", json_view(first, show="form")).context

    assert second["form"]["algorithm.beta"].value() == "much"
    assert "algorithm.beta" in second["form"].errors


def test_a_broken_document_stays_as_it_was_typed(researcher: Client):
    seen = researcher.post("/runs/new/", json_view("{oh", show="form")).context

    assert (seen["view"], seen["document"]) == ("json", "{oh")


def test_a_run_is_created_from_the_json_view(researcher: Client, example: Example):
    document = describe_run(example.run) | {"name": "fresh"}

    researcher.post("/runs/new/", json_view(write_document(document)))

    assert Run.objects.get(name="fresh").config == example.run.config


def test_a_downloaded_file_can_be_loaded_again(researcher: Client, example: Example):
    saved = researcher.get(f"/runs/{example.run.pk}/config.json")
    file = SimpleUploadedFile("run.json", saved.content)

    loaded = researcher.post("/runs/new/", form_data(load="yes", file=file))

    assert "attachment" in saved["Content-Disposition"]
    assert loaded.context["form"].document() == describe_run(example.run)


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe"])
def test_a_file_that_cannot_be_read_costs_nothing_of_what_was_typed(
    content: bytes, researcher: Client
):
    file = SimpleUploadedFile("run.json", content)

    form = researcher.post("/runs/new/", form_data(load="yes", file=file)).context[
        "form"
    ]

    assert form["name"].value() == "fresh"
    assert form.non_field_errors()


def test_the_form_downloads_what_it_shows(researcher: Client):
    data = form_data(download="yes", **{"rollout.contexts": "6"})

    saved = json.loads(researcher.post("/runs/new/", data).content)

    assert saved["config"]["rollout"]["contexts"] == 6


def test_a_change_is_checked_without_leaving_the_page(researcher: Client):
    data = form_data(check="part", **{"algorithm.beta": "99"})

    seen = researcher.post("/runs/new/", data, headers={"HX-Request": "true"})

    assert "<html" not in seen.content.decode()
    assert "less than or equal to 10" in seen.content.decode()


def test_a_check_shows_the_pre_flight_checks_and_a_forecast(researcher: Client):
    seen = researcher.post("/runs/new/", form_data(check="yes"))

    assert {check.name for check in seen.context["checks"]} >= {"Policy", "Tasks"}
    assert "unknown" in seen.content.decode()


def test_a_form_with_mistakes_has_no_forecast(researcher: Client):
    data = form_data(check="yes", **{"algorithm.beta": "99"})

    assert "forecast" not in researcher.post("/runs/new/", data).context


def test_a_name_that_nobody_has_typed_yet_is_not_complained_about(researcher: Client):
    data = form_data(check="part", name="")

    seen = researcher.post("/runs/new/", data, headers={"HX-Request": "true"})

    assert "required" not in seen.content.decode()
    assert "forecast" in seen.context


def test_everything_that_is_wrong_is_told_at_once_with_the_way_to_it(
    researcher: Client, example: Example
):
    wrong = {
        "name": example.run.name,
        "policy_uri": "no/such/weights",
        "curriculum.value_low": "0.9",
        "algorithm.beta": "99",
        "algorithm.batch_size": "9",
    }

    seen = researcher.post("/runs/new/", form_data(**wrong))

    text = seen.content.decode()
    assert set(seen.context["form"].errors) == set(wrong)
    assert all(f'href="#id_{name}"' in text for name in wrong)
    assert "Nothing was created: 5 problems." in text


@pytest.mark.parametrize("key", ["critic_uri", "orm_uri"])
def test_a_served_critic_or_reward_model_is_named_at_its_field(
    researcher: Client, key: str
):
    data = form_data(**{key: "http://models.example/v1#model"})

    errors = researcher.post("/runs/new/", data).context["form"].errors

    assert set(errors) == {key}
    assert "must be in a folder" in errors[key][0]


def test_a_refused_launch_shows_its_problems_first_and_goes_there(researcher: Client):
    text = researcher.post("/runs/new/", form_data(name="")).content.decode()

    notice = text.index('id="problems" role="group"')
    assert notice < text.index('id="id_name"')
    assert "autofocus" in text[notice : notice + 150]


def test_a_name_that_is_taken_is_told_at_the_check(
    researcher: Client, example: Example
):
    data = form_data(check="yes", name=example.run.name)

    seen = researcher.post("/runs/new/", data)

    assert "already a run" in seen.content.decode()
    assert "checks" in seen.context


def test_a_good_check_goes_to_its_result(researcher: Client):
    text = researcher.post("/runs/new/", form_data(check="yes")).content.decode()

    assert 'id="preflight-title" tabindex="-1" autofocus' in text
    assert text.count("autofocus") == 1


def test_problems_of_the_json_view_lead_to_the_document(researcher: Client):
    document = '{"name": "typed", "config": {"algorithm": {"beta": 99}}}'

    text = researcher.post("/runs/new/", json_view(document)).content.decode()

    assert 'href="#document"' in text
