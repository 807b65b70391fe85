"""Why a task was left out is stored in English and read in any language."""

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
from curriculum.texts.filter_texts import REASONS, say_filter_reason


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
        "Infeasible: the shop has\nno wish list",
    ]


@pytest.mark.parametrize("language", ["es", "zh-hans"])
@pytest.mark.parametrize("reason", list_reasons())
def test_what_filters_write_is_told_in_other_languages(reason: str, language: str):
    with translation.override(language):
        said = say_filter_reason(reason)
    assert said not in ("", reason)


@pytest.mark.parametrize("reason", list_reasons())
def test_in_english_it_is_what_was_written(reason: str):
    assert say_filter_reason(reason) == reason


def test_figures_are_kept():
    with translation.override("es"):
        said = say_filter_reason("Too hard: value 0.01 below 0.05")
    assert "0.01" in said and "0.05" in said


def test_what_nobody_knows_is_shown_as_it_is():
    with translation.override("es"):
        assert (
            say_filter_reason("100 % <b>odd</b> %(low)s") == "100 % <b>odd</b> %(low)s"
        )


def test_each_sentence_is_known_by_itself():
    assert len(set(REASONS.sentences)) == len(REASONS.sentences)
