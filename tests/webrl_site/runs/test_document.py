from __future__ import annotations

import json
from typing import Any

import pytest

from tests.factories import RunFactory
from webrl_site.launch.forms import RunForm
from webrl_site.runs.config import RunConfig, complete, list_mistakes
from webrl_site.runs.document import describe_run, read_document, write_document

GENERAL = {
    "name": "fresh",
    "seed": 3,
    "auto_accept": True,
    "policy_uri": "starter/policy",
    "critic_uri": "starter/critic",
    "orm_uri": "starter/orm",
}


def read(config: Any, **general: Any) -> RunForm:
    document = {**GENERAL, **general, "config": config}
    return RunForm(reading=read_document(json.dumps(document)))


@pytest.mark.django_db
def test_form_document_and_form_again_are_the_same():
    run = RunFactory()
    document = describe_run(run) | {"name": "another"}

    form = RunForm(reading=read_document(write_document(document)))

    assert form.is_valid(), form.errors
    assert form.document() == document
    assert form.cleaned_data["config"] == run.config


@pytest.mark.django_db
def test_settings_left_out_have_the_papers_value():
    form = read({"rollout": {"contexts": 2}})

    assert form.is_valid(), form.errors
    assert form.cleaned_data["config"] == (
        RunConfig.parse({"rollout": {"contexts": 2}}).to_json()
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("config", "field", "text"),
    [
        ({"rollout": {"contexts": "4"}}, "rollout.contexts", "must be a number"),
        ({"rollout": {"record_snapshots": 1}}, "rollout.record_snapshots", "true or"),
        ({"algorithm": {"beta": 99}}, "algorithm.beta", "[0.001, 10]"),
        ({"algorithm": {"beta": None}}, "algorithm.beta", "number"),
        ({"algorithm": {"beta": 10**400}}, "algorithm.beta", "[0.001, 10]"),
        ({"curriculum": {"sites": [1]}}, "curriculum.sites", "list of names"),
        ({"rollout": {"nonsense": 1}}, "__all__", "no setting 'nonsense'"),
        ({"more": {}}, "__all__", "Unknown section 'more'"),
        ([], "__all__", "must be an object"),
        ({"curriculum": {"value_low": 0.9}}, "curriculum.value_low", "not exceed"),
    ],
)
def test_a_mistake_stands_at_its_field(config: Any, field: str, text: str):
    form = read(config)

    assert not form.is_valid()
    assert text in str(form.errors[field].as_data())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"seed": "3"}, "seed"),
        ({"seed": True}, "seed"),
        ({"auto_accept": 1}, "auto_accept"),
    ],
)
def test_a_general_value_of_the_wrong_kind_is_named(change: dict[str, Any], field: str):
    assert "must be" in str(read({}, **change).errors[field].as_data())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        ('{"seed": 1, "seed": 2}', "twice"),
        ('{"seed": NaN}', "NaN"),
        ("[" * 100_000, "nested too deeply"),
        (" " * 2**19, "longer than"),
    ],
)
def test_a_text_that_is_no_document_has_one_error(text: str, message: str):
    form = RunForm(reading=read_document(text))

    assert message in str(form.errors["__all__"].as_data())
    assert set(form.errors) == {"__all__"}


def test_a_configuration_of_an_older_version_is_completed():
    old = {"rollout": {"contexts": 2, "gone": 1}, "algorithm": {"beta": "wrong"}}

    assert complete(old) == RunConfig.parse({"rollout": {"contexts": 2}}).to_json()


def test_a_sound_configuration_has_no_mistakes():
    assert list_mistakes(RunConfig().to_json()) == {}
