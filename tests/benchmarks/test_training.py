"""The training benchmark on a tiny size: every way trains, every record is a pair."""

from __future__ import annotations

import pytest

from benchmarks.training import head, plain, scoring, sharing, table, updates
from benchmarks.training.head import Page
from benchmarks.training.sizes import Size

TINY = Size("tiny", 64, 16, 32, 1, 2, 2, steps=8, batch=4, micro_batch=2, rounds=1)


@pytest.mark.parametrize(
    "work",
    [
        updates.time_update,
        updates.time_imitation,
        updates.time_plain_loop,
        updates.time_sft_trainer,
    ],
)
def test_each_way_trains_after_its_first_step(work):
    assert work(TINY) > 0


def test_each_of_ours_stands_beside_both_others(monkeypatch):
    for name in ("update", "imitation", "plain_loop", "sft_trainer"):
        speed = float(len(name))
        monkeypatch.setattr(updates, f"time_{name}", lambda size, speed=speed: speed)
    ratios = [record.ratio for record in table.measure_updates(TINY)]
    assert ratios == [6 / 10, 6 / 11, 9 / 10, 9 / 11]


def test_the_head_takes_less_than_all_logits():
    page = Page(vocabulary=20_000, tokens=1_000, action=10)
    full = head.measure_peak(plain.plain_log_probabilities, page)
    assert head.measure_peak(head.sum_ours, page) < full / 2


def test_scoring_is_timed_beside_the_bare_pass(monkeypatch):
    monkeypatch.setattr(scoring, "EPISODES", 4)
    record = scoring.measure(1)
    assert record.ours > 0
    assert record.reference


def test_scoring_by_two_processes_stands_beside_one(monkeypatch):
    monkeypatch.setattr(
        sharing, "_start", lambda size, processes: size.steps / processes
    )
    record = sharing.measure(TINY, 1)
    assert record.ours == 1000 / sharing.PROCESSES
    assert record.reference == 1000


def test_a_process_times_the_scoring_of_all_examples():
    assert sharing.score(TINY) > 0
