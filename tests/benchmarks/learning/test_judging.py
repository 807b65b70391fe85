"""A reward model beside the evaluators."""

from __future__ import annotations

from benchmarks.learning.judging import compare


def test_both_classes_are_counted():
    found = compare([0.9, 0.2, 0.1, 0.6], [True, True, False, False])
    assert (found.yes_right, found.solved) == (1, 2)
    assert (found.no_right, found.failed) == (1, 2)


def test_the_area_counts_pairs_in_order():
    # 0.9 above both failures, 0.2 above one of them.
    assert compare([0.9, 0.2, 0.1, 0.6], [True, True, False, False]).area == 0.75


def test_ties_count_half():
    assert compare([0.5, 0.5], [True, False]).area == 0.5


def test_a_constant_model_shows_no_more_than_the_constant():
    line = str(compare([0.1] * 4, [True, False, False, False]))
    assert "accuracy 75.0%, constant 75.0%" in line


def test_without_a_class_there_is_no_area():
    assert compare([0.1], [False]).area is None
