from __future__ import annotations

import pytest

from training.rl.phase.perplexity import perplexity
from training.rl.phase.replay_buffer import (
    NOT_DRAWN,
    TOO_FAMILIAR,
    TOO_HARD,
    choose_replay,
)


def choose(values, limit=10):
    return choose_replay(values, low=1 / 0.95, high=1 / 0.5, limit=limit, seed=1)


def test_both_edges_of_the_band_are_inside():
    assert choose([1 / 0.95, 1 / 0.5]).chosen == [0, 1]


def test_a_familiar_action_stays_out_and_says_why():
    assert choose([1.0]).left_out == {0: TOO_FAMILIAR}


def test_a_hard_action_stays_out_and_says_why():
    assert choose([2.01]).left_out == {0: TOO_HARD}


def test_no_more_than_the_limit_is_drawn():
    found = choose([1.5] * 5, limit=2)
    assert len(found.chosen) == 2
    assert list(found.left_out.values()) == [NOT_DRAWN] * 3


def test_the_same_seed_draws_the_same_steps():
    assert choose([1.5] * 9, limit=3) == choose([1.5] * 9, limit=3)


def test_perplexity_of_a_uniform_model_is_the_vocabulary_size():
    import math

    assert perplexity(-4 * math.log(1536), 4) == pytest.approx(1536)


def test_perplexity_of_an_impossible_action_is_large_and_finite():
    assert 1e300 < perplexity(-1e9, 1) < float("inf")


def test_perplexity_needs_a_token():
    with pytest.raises(ValueError, match="at least one token"):
        perplexity(0.0, 0)
