from __future__ import annotations

from random import Random

import pytest

from training.rl import metric_names
from webrl_site.examples.curves import CURVES


def test_every_number_of_a_phase_has_a_curve():
    assert set(CURVES) == set(metric_names.PHASE)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        (metric_names.CRITIC_ACCURACY, 0, 1),
        (metric_names.VALUE, 0, 1),
        (metric_names.PERPLEXITY, 1, 10),
        (metric_names.KL, 0, 1),
    ],
)
def test_made_up_numbers_are_possible_ones(name: str, low: float, high: float):
    values = list(CURVES[name].draw(Random(3), 500))

    assert low <= min(values) < max(values) <= high
