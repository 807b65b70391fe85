from __future__ import annotations

import pytest

from webrl_site.review.agreement import (
    compare_pairs,
    measure_alpha,
    measure_kappa,
    measure_percent,
    pair_decisions,
)

# The nominal example of Krippendorff (2011), "Computing Krippendorff's
# Alpha-Reliability", section C: four observers, twelve units, gaps. Alpha is 0.743.
OBSERVERS = {
    "a": "1 2 3 3 2 1 4 1 2 * * *",
    "b": "1 2 3 3 2 2 4 1 2 5 * 3",
    "c": "* 3 3 3 2 3 4 2 2 5 1 *",
    "d": "1 2 3 3 2 4 4 1 2 5 1 *",
}
PUBLISHED = [
    {who: values.split()[unit] for who, values in OBSERVERS.items()}
    for unit in range(12)
]
PUBLISHED = [{k: v for k, v in unit.items() if v != "*"} for unit in PUBLISHED]


def two(first: str, second: str) -> list[dict[str, str]]:
    return [{"a": a, "b": b} for a, b in zip(first, second, strict=True)]


def test_alpha_is_the_published_one_with_gaps():
    assert measure_alpha(PUBLISHED).value == pytest.approx(0.743, abs=0.0005)
    assert measure_alpha(PUBLISHED).n == 11


def test_alpha_of_two_people_is_the_published_one():
    # Section A of the same paper.
    units = two("0100000010", "1110010000")

    assert measure_alpha(units).value == pytest.approx(0.095, abs=0.0005)


def test_kappa_by_hand():
    # po = 35/50; pe = (25 * 30 + 25 * 20) / 50^2 = 0.5; kappa = 0.2 / 0.5.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15

    assert measure_kappa(pairs).value == pytest.approx(0.4)
    units = [{"a": a, "b": b} for a, b in pairs]
    assert compare_pairs(units)[0].kappa == pytest.approx(0.4)
    assert compare_pairs(units)[0].percent == pytest.approx(0.7)


def test_percent_counts_pairs_of_decisions():
    # Three people give three pairs, one of them equal; two people give one, equal.
    units = [{"a": "x", "b": "x", "c": "y"}, {"a": "x", "b": "x"}]

    assert measure_percent(units).value == pytest.approx(2 / 4)


def test_perfect_agreement_is_one_and_systematic_disagreement_below_zero():
    assert measure_alpha(two("xyxy", "xyxy")).value == 1
    below = measure_alpha(two("xyxy", "yxyx")).value
    assert below is not None and below < 0


def test_what_everybody_always_says_has_no_alpha_and_no_kappa():
    same = two("xxxx", "xxxx")

    assert measure_percent(same).value == 1
    assert measure_alpha(same).value is None
    assert compare_pairs(same)[0].kappa is None


def test_nothing_shared_says_nothing():
    alone = [{"a": "x"}, {"b": "y"}]

    assert measure_alpha(alone).value is None
    assert measure_alpha(alone).n == 0
    assert compare_pairs(alone) == []


def test_the_interval_holds_the_value_and_narrows_with_more_tasks():
    few = measure_alpha(two("xyxyxyxxyy", "xyxyxxxxyy"))
    many = measure_alpha(two("xyxyxyxxyy", "xyxyxxxxyy") * 20)

    assert few.low is not None and few.high is not None
    assert many.low is not None and many.high is not None
    assert few.value is not None and few.low < few.value < few.high
    assert many.high - many.low < (few.high - few.low) / 2


def test_the_same_decisions_give_the_same_interval():
    assert measure_alpha(PUBLISHED) == measure_alpha(PUBLISHED)


def test_pairs_come_with_most_in_common_first():
    units = [{"a": "x", "b": "y"}, {"a": "x", "b": "x", "c": "y"}]

    found = [(pair.first, pair.second, pair.n) for pair in compare_pairs(units)]

    assert found == [("a", "b", 2), ("a", "c", 1), ("b", "c", 1)]
    assert pair_decisions(units, "a", "c") == [("x", "y")]
