from __future__ import annotations

import random

from tests.training.rl.starter.test_contrasts import ADD, ADDED, OPEN, SEARCH, shown
from training.rl.starter.hurry import LEAVE, hurry

ANSWERED = shown("How many orders are open?", said="3")


def test_who_hurries_leaves_before_the_last_action():
    done = [hurry(random.Random(seed), ADDED) for seed in range(100)]
    short = [trajectory for trajectory in done if trajectory != ADDED]
    for trajectory in short:
        assert [s.output for s in trajectory.transitions] == [SEARCH, OPEN, LEAVE]
        assert trajectory.final_observation == ADDED.transitions[2].observation
        assert trajectory.reward == 0.0


def test_who_hurries_sometimes_finishes():
    done = [hurry(random.Random(seed), ADDED) for seed in range(100)]
    finished = [t for t in done if t.transitions[-2].output == ADD]
    assert 20 < len(finished) < 50


def test_a_mere_answer_is_given_even_in_a_hurry():
    assert all(hurry(random.Random(n), ANSWERED) == ANSWERED for n in range(20))
