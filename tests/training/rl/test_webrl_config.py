from __future__ import annotations

import dataclasses

import pytest

from curriculum.rules.setting import ConfigError
from training.rl.webrl_config import WebRLConfig, upgrade_algorithm


def test_the_defaults_are_the_papers():
    config = WebRLConfig()
    assert config.gae_lambda == 0.5
    assert config.perplexity_low == pytest.approx(1 / 0.95)
    assert config.perplexity_high == pytest.approx(2)
    assert config.replay_ratio == 2


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("beta", 0, "beta must lie in"),
        ("beta", "much", "beta must be a number"),
        ("policy_epochs", 1.5, "whole number"),
        ("gae_lambda", 2, "gae_lambda must lie in"),
        ("gae_lambda", float("nan"), "gae_lambda must lie in"),
        ("objective", "mine", "objective must be one of"),
        ("micro_batch_size", 3, "multiple of micro_batch_size"),
    ],
)
def test_a_bad_value_names_its_field(name, value, words):
    with pytest.raises(ConfigError, match=words):
        WebRLConfig(**{name: value})


def test_every_field_says_what_it_means():
    assert all(field.metadata["help"] for field in dataclasses.fields(WebRLConfig))


def test_the_variants_of_older_runs_are_objectives():
    assert upgrade_algorithm({"variant": "reference", "beta": 1}) == {
        "objective": "webrl_reference",
        "beta": 1,
    }
