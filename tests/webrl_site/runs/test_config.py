from __future__ import annotations

from typing import Any

import pytest

from webrl_site.runs.config import (
    PRESETS,
    RunConfig,
    RunConfigError,
    complete,
    list_mistakes,
    preset,
)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_survives_the_way_through_json(name: str) -> None:
    config = preset(name)

    assert RunConfig.parse(config.to_json()) == config


def test_nothing_given_means_the_papers_numbers() -> None:
    config = RunConfig.parse({})

    assert config.curriculum.tasks_per_phase == 500
    assert (config.curriculum.value_low, config.curriculum.value_high) == (0.05, 0.75)
    assert config.algorithm.objective == "webrl_paper"


def test_a_whole_number_is_accepted_where_a_decimal_is_meant() -> None:
    config = RunConfig.parse({"rollout": {"time_limit_s": 5}})

    assert config.rollout.time_limit_s == 5.0


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([], "must be an object"),
        ({"rollout": 5}, "rollout must be an object"),
        ({"rolout": {}}, "Unknown section 'rolout'"),
        ({"rollout": {"speed": 5}}, "rollout has no setting 'speed'"),
        ({"rollout": {"contexts": 0}}, "contexts must lie in [1, 64]"),
        ({"rollout": {"contexts": 1.5}}, "contexts must be a whole number"),
        ({"rollout": {"contexts": "4"}}, "contexts must be a number"),
        ({"rollout": {"contexts": True}}, "contexts must be a number"),
        ({"rollout": {"record_snapshots": 1}}, "must be true or false"),
        ({"rollout": {"time_limit_s": float("nan")}}, "time_limit_s must lie in"),
        ({"rollout": {"time_limit_s": 10**400}}, "time_limit_s must lie in"),
        ({"algorithm": {"beta": -1}}, "beta must lie in"),
        ({"algorithm": {"objective": "mine"}}, "objective must be one of webrl_paper"),
        (
            {"rollout": {"observation": "picture"}},
            "one of compact, webrl, acc",
        ),
        ({"rollout": {"action_dialect": "perl"}}, "one of webrl, webrl_strict"),
        ({"rollout": {"observation": ["html"]}}, "observation must be one of"),
        ({"algorithm": {"objective": "grpo"}}, "set attempts_per_task to 2"),
        ({"curriculum": {"value_low": 0.9}}, "value_low must not exceed"),
        ({"curriculum": {"sites": "shop"}}, "sites must be a list of names"),
        ({"curriculum": {"sites": [1]}}, "sites must be a list of names"),
    ],
)
def test_a_mistake_is_named(data: Any, text: str) -> None:
    with pytest.raises(RunConfigError) as caught:
        RunConfig.parse(data)

    assert text in caught.value.message


def test_sites_are_named_once_and_in_order() -> None:
    config = RunConfig.parse({"curriculum": {"sites": ["shop", "forum", "shop"]}})

    assert config.curriculum.sites == ("forum", "shop")


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(RunConfigError, match="fast"):
        preset("fast")


def test_rules_between_settings_are_told_all_at_once() -> None:
    wrong = {"value_low": 0.9}, {"perplexity_low": 9, "batch_size": 3}
    training = {**wrong[1], "micro_batch_size": 2}

    found = list_mistakes({"curriculum": wrong[0], "algorithm": training})

    assert set(found) == {
        "curriculum.value_low",
        "algorithm.perplexity_low",
        "algorithm.batch_size",
    }


def test_a_step_must_be_longer_than_the_wait_for_its_page() -> None:
    short = {"navigation_limit_s": 30, "step_time_limit_s": 39}
    assert set(list_mistakes({"rollout": short})) == {"rollout.navigation_limit_s"}
    assert list_mistakes({"rollout": {**short, "step_time_limit_s": 40}}) == {}


def test_a_setting_may_clash_with_a_default_that_the_run_replaces() -> None:
    # Either of the two would be wrong beside the other's default.
    quick = {"navigation_limit_s": 1, "step_time_limit_s": 12}
    assert list_mistakes({"rollout": quick}) == {}


def test_a_setting_that_is_wrong_alone_clashes_with_none() -> None:
    found = list_mistakes({"algorithm": {"micro_batch_size": 0, "batch_size": 3}})

    assert set(found) == {"algorithm.micro_batch_size"}


def test_a_run_of_an_older_version_keeps_its_loss() -> None:
    stored = {"algorithm": {"variant": "reference"}}

    assert RunConfig.parse(stored).algorithm.objective == "webrl_reference"
    assert complete(stored)["algorithm"]["objective"] == "webrl_reference"
    assert list_mistakes(stored) == {}


def test_groups_of_one_are_named_beside_the_objective() -> None:
    found = list_mistakes({"algorithm": {"objective": "grpo"}})

    assert "attempts_per_task" in found["algorithm.objective"]


def test_a_value_of_an_older_version_is_read_as_todays():
    config = RunConfig.parse({"rollout": {"observation": "html"}})
    assert config.rollout.observation == "compact"


def test_the_released_models_prompt_wants_their_pages():
    with pytest.raises(RunConfigError, match="needs observation webrl"):
        RunConfig.parse({"rollout": {"served_prompt": "webrl"}})

    config = RunConfig.parse(PRESETS["webrl"])
    assert config.rollout.served_prompt == config.rollout.observation == "webrl"
