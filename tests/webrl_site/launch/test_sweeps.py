"""Several runs from one form, which differ in one setting."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum.models import Phase, Run
from tests.factories import RunFactory
from tests.webrl_site.runs.test_runs import form_data
from webrl_site.launch.sweep import SweepError, list_variants
from webrl_site.runs.config import RunConfig

CONFIG = RunConfig.parse({}).to_json()


def sweep(over: str, values: str, **more: Any) -> dict[str, object]:
    return form_data(sweep_over=over, sweep_values=values, **more)


def list_made() -> list[Run]:
    return list(Run.objects.filter(name__startswith="fresh").order_by("pk"))


def test_a_sweep_makes_a_run_for_each_value(researcher: Client):
    answer = researcher.post("/runs/new/", sweep("algorithm.beta", "0.1, 1,10"))
    runs = list_made()
    assert [run.config["algorithm"]["beta"] for run in runs] == [0.1, 1.0, 10.0]
    assert [run.name for run in runs] == [
        "fresh beta 0.1",
        "fresh beta 1",
        "fresh beta 10",
    ]
    asked = "&".join(f"run={run.pk}" for run in runs)
    assert answer["Location"] == f"/runs/compare/?{asked}"


def test_all_else_of_a_sweep_s_runs_is_the_same(researcher: Client):
    researcher.post("/runs/new/", sweep("algorithm.beta", "0.1, 1"))
    first, second = (run.config for run in list_made())
    first["algorithm"]["beta"] = second["algorithm"]["beta"]
    assert first == second


def test_a_sweep_over_seeds_changes_the_seed_alone(researcher: Client):
    researcher.post("/runs/new/", sweep("seed", "3, 4"))
    runs = list_made()
    assert [run.seed for run in runs] == [3, 4]
    assert runs[0].config == runs[1].config


def test_the_form_takes_every_seed_that_the_database_holds(researcher: Client):
    highest = 2**63 - 1
    researcher.post("/runs/new/", form_data(name="alone", seed=str(highest)))
    parent = Run.objects.get(name="alone")
    like_it = form_data(parent=parent, name="like it")

    researcher.post(f"/runs/new/?from={parent.pk}", like_it)
    researcher.post("/runs/new/", sweep("seed", f"3, {highest}"))

    assert Run.objects.get(name="like it").seed == highest
    assert [run.seed for run in list_made()] == [3, highest]


def test_a_launched_sweep_opens_the_first_phase_of_every_run(researcher: Client):
    researcher.post("/runs/new/", sweep("seed", "3, 4", launch="yes"))
    assert Phase.objects.filter(run__in=list_made(), number=1).count() == 2


def test_a_sweep_of_which_one_run_is_refused_makes_none(researcher: Client):
    RunFactory(name="fresh beta 1")
    answer = researcher.post("/runs/new/", sweep("algorithm.beta", "0.1, 1"))
    assert len(list_made()) == 1
    assert "fresh beta 1" in str(answer.context["form"].errors["sweep_values"])


def look_at_json(researcher: Client, **changes: str) -> dict[str, str]:
    """Fill a sweep in, look at the JSON view and return what that page would send."""
    filled = sweep("seed", "3, 4, 5", view="form")
    shown = researcher.post("/runs/new/", filled | {"show": "json"})
    page = shown.content.decode()
    assert '<option value="seed" selected>' in page and 'value="3, 4, 5"' in page
    sent = {"view": "json", "document": shown.context["document"]}
    form = shown.context["form"]
    return sent | {field.html_name: field.value() for field in form.sweep()} | changes


def test_a_look_at_the_json_view_keeps_the_sweep(researcher: Client):
    researcher.post("/runs/new/", look_at_json(researcher))

    assert [run.seed for run in list_made()] == [3, 4, 5]


def test_a_mistake_in_a_sweep_beside_the_json_leads_to_its_field(researcher: Client):
    sent = look_at_json(researcher, sweep_values="3, x")

    page = researcher.post("/runs/new/", sent).content.decode()

    assert 'href="#id_sweep_values"' in page
    assert list_made() == []


def test_the_form_has_the_sweep_again_after_the_json_view(researcher: Client):
    sent = look_at_json(researcher, show="form")

    form = researcher.post("/runs/new/", sent).context["form"]

    assert [field.value() for field in form.sweep()] == ["seed", "3, 4, 5"]


def test_a_document_that_cannot_be_read_keeps_the_sweep(researcher: Client):
    sent = look_at_json(researcher, document="{")

    form = researcher.post("/runs/new/", sent).context["form"]

    assert [field.value() for field in form.sweep()] == ["seed", "3, 4, 5"]
    assert list_made() == []


def test_without_a_setting_the_values_do_not_count():
    (variant,) = list_variants("calm", 7, CONFIG, "", "1, 2")
    assert (variant.name, variant.seed, variant.config) == ("calm", 7, CONFIG)


@pytest.mark.django_db
def test_words_and_switches_can_be_swept_over():
    words = list_variants("a", 0, CONFIG, "algorithm.objective", "awr, digirl")
    assert [one.config["algorithm"]["objective"] for one in words] == ["awr", "digirl"]
    switches = list_variants("a", 0, CONFIG, "algorithm.use_kl", "true, false")
    assert [one.config["algorithm"]["use_kl"] for one in switches] == [True, False]


@pytest.mark.django_db
def test_equal_values_that_are_written_differently_make_one_run():
    made = list_variants("a", 0, CONFIG, "algorithm.beta", "1, 0.1, 1.0, 0.10")
    assert [one.name for one in made] == ["a beta 1", "a beta 0.1"]


@pytest.mark.parametrize(
    ("over", "values"),
    [
        ("algorithm.beta", "0.1"),
        ("algorithm.beta", "0.1, 0.1"),
        ("algorithm.beta", "0.1, 0.10"),
        ("rollout.contexts", "3, 03"),
        ("seed", "3, 03"),
        ("algorithm.beta", "0.1, , 1"),
        ("algorithm.beta", "1, 2, 3, 4, 5, 6, 7"),
        ("algorithm.beta", "0.1, high"),
        ("algorithm.beta", "0.1, 99"),
        ("algorithm.use_kl", "true, no"),
        ("algorithm.objective", "awr, ppo"),
        ("rollout.contexts", "1, 1.5"),
        ("seed", "1, -1"),
        ("seed", "1, 9223372036854775808"),
    ],
)
def test_values_that_make_no_sweep_are_refused(over: str, values: str):
    with pytest.raises(SweepError):
        list_variants("a", 0, CONFIG, over, values)


def test_a_name_that_gets_too_long_is_refused():
    with pytest.raises(SweepError, match="too long"):
        list_variants("a" * 95, 0, CONFIG, "algorithm.beta", "0.1, 1")
