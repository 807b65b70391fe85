from __future__ import annotations

import pytest

from curriculum.models import Phase
from webrl_site.phases.edits import (
    FROZEN,
    KEPT,
    RETRAINS,
    RULES,
    STAGES,
    describe_reuse,
    list_editable,
)
from webrl_site.runs.config import RunConfig
from webrl_site.runs.config_diff import flatten


def resting(stage: str, number: int = 1) -> Phase:
    return Phase(status="stopped", resume_status=stage, number=number)


def test_every_setting_has_a_rule():
    assert set(RULES) == set(flatten(RunConfig().to_json()))


@pytest.mark.parametrize(
    ("stage", "key", "may"),
    [
        ("collecting", "rollout.contexts", True),
        ("evaluating", "rollout.time_limit_s", True),
        ("evolving", "rollout.contexts", False),
        ("planned", "rollout.step_limit", True),
        ("collecting", "rollout.step_limit", False),
        ("collecting", "orm.prompt", True),
        ("scoring", "orm.prompt", False),
        ("training", "algorithm.batch_size", True),
        ("evaluating", "algorithm.batch_size", False),
        ("collecting", "algorithm.max_prompt_tokens", False),
        ("evolving", "curriculum.value_low", True),
        ("review", "curriculum.value_low", False),
        ("review", "curriculum.phases_in_a_row", True),
        ("baseline", "curriculum.tasks_per_phase", False),
    ],
)
def test_a_setting_may_change_as_long_as_that_is_sound(stage: str, key: str, may: bool):
    assert (key in list_editable(resting(stage))) == may


def test_what_is_measured_in_later_phases_is_measured_as_before():
    assert "rollout.step_limit" not in list_editable(resting("planned", number=2))
    assert "rollout.contexts" in list_editable(resting("planned", number=2))


def test_a_training_that_is_done_keeps_its_settings():
    phase = resting("training")
    phase.next_policy_uri = "run-1/phase-1/policy"
    assert "algorithm.beta" not in list_editable(phase)
    assert "rollout.contexts" in list_editable(phase)


def test_a_change_says_what_it_costs():
    assert list_editable(resting("collecting"))["algorithm.beta"] == FROZEN
    assert list_editable(resting("training"))["algorithm.beta"] == RETRAINS
    assert list_editable(resting("collecting"))["rollout.contexts"] == KEPT


@pytest.mark.parametrize("stage", STAGES)
def test_a_resumed_phase_keeps_more_the_later_it_stopped(stage: str):
    kept = describe_reuse(resting(stage), retrains=False)

    # Weights that are handed over are the new weights still.
    made: list[str] = [one for one in STAGES if one != Phase.Status.EVALUATING]
    at = Phase.Status.HANDING_OVER if stage == "evaluating" else Phase.Status(stage)
    assert len(kept) == made.index(at) + 1


def test_other_training_settings_cost_the_training():
    kept = describe_reuse(resting("training"), retrains=True)

    assert "every score" in kept
    assert not any("training" in text for text in kept)
