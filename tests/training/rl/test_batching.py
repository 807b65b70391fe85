from __future__ import annotations

import pytest

from training.rl.batching import collate, fit_batch_size, split_by_budget
from training.rl.encoding import Example


def test_no_micro_batch_exceeds_the_budget():
    lengths = [5, 90, 10, 30, 60, 30]
    for part in split_by_budget(lengths, range(6), 100):
        assert max(lengths[i] for i in part) * len(part) <= 100


def test_a_row_longer_than_the_budget_is_alone():
    assert split_by_budget([500, 3], [0, 1], 100) == [[1], [0]]


def test_the_action_mask_marks_what_predicts_the_action():
    examples = [Example((1, 2, 3, 4), 2), Example((1, 2, 3), 1)]
    batch = collate(examples, [0, 1], pad_id=0)
    assert batch.action_mask.tolist() == [[False, True, True], [True, True, False]]
    assert batch.attention_mask.tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]


@pytest.mark.parametrize(
    ("rows", "expected"), [(1000, 128), (400, 100), (30, 6), (3, 2), (0, 2)]
)
def test_a_batch_shrinks_where_there_are_few_rows(rows: int, expected: int):
    assert fit_batch_size(128, 2, rows) == expected
