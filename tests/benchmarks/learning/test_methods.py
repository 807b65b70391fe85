from __future__ import annotations

import pytest

from benchmarks import __main__ as runner
from benchmarks.learning.command import ChoiceError, parse_choices
from benchmarks.learning.loop import SETTINGS
from benchmarks.learning.methods import METHODS
from training.rl.webrl_config import WebRLConfig

NAMES = [
    "sft",
    "filtered_bc",
    "expert_iteration",
    "filtered_bc_replay",
    "awr",
    "digirl",
    "grpo",
    "webrl_paper",
    "webrl_reference",
    "no_replay",
    "no_kl",
    "no_curriculum",
    "shuffled_rewards",
    "exit_bias",
    "temperature",
    "best_of_n",
]


def test_the_list_prints_the_methods_one_a_line(capsys):
    assert runner.main(["learning", "--list"]) == 0
    assert capsys.readouterr().out.split() == NAMES


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_trainer_takes_a_methods_settings(method):
    WebRLConfig(**{**SETTINGS, "batch_size": 64, **method.settings})


def test_choices_are_read_by_name():
    choices = parse_choices(["phases=2", "beta=0.1", "methods=awr,no_kl"])
    assert (choices.phases, choices.beta) == (2, 0.1)
    assert [method.name for method in choices.chosen_methods()] == ["awr", "no_kl"]


def test_settings_of_the_trainer_are_read_by_their_names():
    pairs = ["cap_targets=true", "max_kl=0.5", "far_rows=huber"]
    settings = parse_choices(pairs).plan().settings
    assert (settings["cap_targets"], settings["max_kl"]) == (True, 0.5)
    assert settings["far_rows"] == "huber"


def test_attempts_are_sampled_at_a_chosen_temperature():
    assert parse_choices([]).plan().training_temperature == 1
    plan = parse_choices(["training_temperature=0.5"]).plan()
    assert plan.training_temperature == 0.5
    with pytest.raises(ChoiceError, match="training_temperature must be above 0"):
        parse_choices(["training_temperature=0"]).plan()


def test_learnable_attempts_ask_for_balanced_ones():
    with pytest.raises(ChoiceError, match="asks for balanced=true"):
        parse_choices(["learnable=true"]).plan()


def test_rewards_are_the_evaluators_or_the_reward_model_s():
    assert not parse_choices([]).plan().asks_reward_model
    assert parse_choices(["rewards=reward_model"]).plan().asks_reward_model
    with pytest.raises(ChoiceError, match="rewards cannot be 'people'"):
        parse_choices(["rewards=people"]).plan()


def test_settings_are_checked_together():
    band = ["perplexity_low=1", "perplexity_high=1.05"]
    assert parse_choices(band).trainer == {"perplexity_low": 1, "perplexity_high": 1.05}


def test_a_setting_that_the_trainer_refuses_is_told():
    with pytest.raises(ChoiceError, match="perplexity_low must not exceed"):
        parse_choices(["perplexity_high=1.05"])


def test_ablations_leave_a_part_out_of_a_chosen_objective():
    pairs = ["methods=no_replay", "ablated_objective=webrl_reference"]
    (method,) = parse_choices(pairs).chosen_methods()
    assert method.settings == {"objective": "webrl_reference", "use_replay": False}


def test_shuffled_rewards_are_the_control_of_a_chosen_objective():
    pairs = ["methods=shuffled_rewards", "shuffled_objective=filtered_bc"]
    (method,) = parse_choices(pairs).chosen_methods()
    assert method.settings == {"objective": "filtered_bc"}


@pytest.mark.parametrize(
    "pair", ["phase=2", "phases=two", "max_kl=-1", "far_rows=round", "balanced=yes"]
)
def test_a_choice_that_cannot_be_read_is_refused(pair):
    with pytest.raises(ChoiceError):
        parse_choices([pair])


def test_a_method_that_is_not_there_is_refused():
    with pytest.raises(ChoiceError, match="nothing"):
        parse_choices(["methods=nothing"]).chosen_methods()
