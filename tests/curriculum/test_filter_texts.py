"""Filters say with a code why a task was left out."""

from __future__ import annotations

import pytest
from django.utils import translation

from curriculum.evolution.filters import (
    DuplicateFilter,
    find_text_fault,
    find_value_reason,
)
from curriculum.evolution.leaks import HeldOut, LeakGate
from curriculum.evolution.types import ProposedTask, digest_task
from curriculum.texts.saying import say
from curriculum.texts.sentences import code_of
from curriculum.texts.sentences.filters import FILTERS


def propose(instruction: str) -> ProposedTask:
    return ProposedTask(1, "shop", instruction, "__SHOP__/", "lamp", {})


def list_reasons() -> list[str]:
    """Return what the filters write, each once."""
    leaks = LeakGate([HeldOut("shop.test.1", "shop", "Buy a lamp")])
    known = digest_task("Sell a lamp", "__SHOP__/")
    duplicates = DuplicateFilter(
        leaks=leaks, known={known}, instructions=[("shop", "Show the red mug now")]
    )
    texts = ("Buy a lamp", "Sell a lamp", "Now show the red mug")
    return [
        *(find_text_fault(text) for text in ("", "x" * 2000, "a\x01b")),
        *(duplicates.find_reason(propose(text)) for text in texts),
        find_value_reason(0.01, 0.05, 0.75),
        find_value_reason(0.9, 0.05, 0.75),
    ]


@pytest.mark.parametrize("reason", list_reasons())
def test_each_filter_gives_its_reason_with_a_code(reason: str):
    assert code_of(reason)["code"] in FILTERS


def test_figures_are_kept():
    reason = find_value_reason(0.01, 0.05, 0.75)

    assert reason == "Too hard: value 0.01 below 0.05"
    with translation.override("es"):
        assert "0.01" in say(reason) and "0.05" in say(reason)
