from __future__ import annotations

import dataclasses

import pytest

from curriculum.evolution.filters import (
    DuplicateFilter,
    find_text_fault,
    find_value_reason,
    measure_similarity,
    read_words,
    spread_over_parents,
)
from curriculum.evolution.leaks import HeldOut, LeakGate
from curriculum.evolution.types import ProposedTask, digest_task

LONG = "Add the blue cotton towel from the bath department to my cart and check out"


def propose(instruction: str, parent: int = 1, site: str = "shop") -> ProposedTask:
    return ProposedTask(parent, site, instruction, "__SHOP__/", "", {})


def make(**sets: list[str]) -> DuplicateFilter:
    return DuplicateFilter(
        leaks=LeakGate(
            HeldOut(f"shop.test.{number}", "shop", text)
            for number, text in enumerate(sets.get("test", []))
        ),
        known=[digest_task(text, "__SHOP__/") for text in sets.get("train", [])],
        instructions=[("shop", text) for text in sets.get("train", [])],
    )


def test_a_test_task_is_a_leak_whatever_its_case_and_spacing() -> None:
    found = make(test=["Find the lamp"]).find_reason(propose("  find the  LAMP"))

    assert found == "Resembles the test task shop.test.0: Find the lamp"


def test_a_test_task_leaks_from_any_start_page() -> None:
    task = dataclasses.replace(propose("Find the lamp."), start_url="__SHOP__/cart")

    assert "test task" in make(test=["Find the lamp"]).find_reason(task)


def test_a_long_test_task_is_named_in_full() -> None:
    reason = make(test=[LONG * 5]).find_reason(propose(LONG * 5))

    assert reason.endswith(LONG * 5)


def test_a_known_task_is_a_duplicate() -> None:
    assert "existing" in make(train=["Find the lamp"]).find_reason(
        propose("Find the lamp")
    )


def test_a_proposal_is_remembered() -> None:
    filters = make()

    assert filters.find_reason(propose("Find the lamp")) == ""
    assert "existing" in filters.find_reason(propose("Find the lamp"))


def test_word_order_and_punctuation_do_not_make_a_new_task() -> None:
    shuffled = "To my cart add the blue cotton towel, from the bath department; check"

    assert "Almost" in make(train=[LONG]).find_reason(propose(shuffled + " out and"))


def test_another_number_is_another_task() -> None:
    words = "two three four five six seven eight nine ten eleven twelve thirteen of "

    filters = make(train=[words + "12"])
    assert filters.find_reason(propose(words + "13")) == ""


def test_another_name_in_a_short_instruction_is_another_task() -> None:
    assert make(train=["Find the lamp"]).find_reason(propose("Find the mug")) == ""


def test_another_site_is_another_task() -> None:
    filters = make(train=[LONG])
    task = dataclasses.replace(propose(LONG + " now", site="forum"))

    assert filters.find_reason(task) == ""


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("a b", "a b", 1.0), ("a b", "c d", 0.0), ("a b c", "b c d", 0.5), ("", "", 1.0)],
)
def test_similarity_is_jaccards(one: str, other: str, expected: float) -> None:
    assert measure_similarity(read_words(one), read_words(other)) == expected


@pytest.mark.parametrize(
    ("value", "word"),
    [(0.04, "hard"), (0.05, ""), (0.4, ""), (0.75, ""), (0.76, "easy")],
)
def test_the_value_band_holds_its_edges(value: float, word: str) -> None:
    reason = find_value_reason(value, 0.05, 0.75)

    assert word in reason.lower()
    assert bool(reason) == bool(word)


@pytest.mark.parametrize("text", ["", "  ", "x" * 1001, "a\x07b"])
def test_texts_with_faults_are_named(text: str) -> None:
    assert find_text_fault(text)


def test_an_ordinary_text_has_no_fault() -> None:
    assert find_text_fault("Buy a mug\nfor 3 €") == ""


def test_each_parent_gets_its_turn() -> None:
    tasks = [propose("a", 1), propose("b", 1), propose("c", 2), propose("d", 1)]

    order = [task.instruction for task in spread_over_parents(tasks)]

    assert order == ["a", "c", "b", "d"]
