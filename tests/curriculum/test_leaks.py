"""The gate between the test split and training."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from curriculum.evolution.filters import find_value_reason
from curriculum.evolution.leaks import HeldOut, LeakGate, cut_shingles, split_words
from curriculum.phase_config import CurriculumConfig
from curriculum.services import proposals
from curriculum.services.leaks import filter_leaks
from rollouts.sites.sandbox.catalog import load_tasks
from tests.factories import EvolvedTaskFactory, PhaseFactory, TaskFactory

CART = 'Add the "Red Oak Mug" to my cart and check out.'
ORDER = "Tell me the total price of my order 1010."


def gate(*instructions: str) -> LeakGate:
    return LeakGate(
        HeldOut(f"shop.test.{number}", "shop", text)
        for number, text in enumerate(instructions)
    )


@pytest.mark.parametrize(
    "disguise",
    [
        lambda text: text + ".",
        lambda text: text.upper(),
        lambda text: f"Could you please {text} Thank you very much!",
        lambda text: text.replace('"', "").replace("the ", ""),
        lambda text: text.replace(" ", "\u3000").replace("e", "e\u200b"),
        lambda text: text.replace("to my", "right away to my"),
        lambda text: "On this site, " + text,
        lambda text: "Check out and " + text.removesuffix(" and check out."),
        lambda text: text.removesuffix(" out."),
    ],
    ids="stop case courtesy articles unicode more site order less".split(),
)
def test_a_disguised_test_task_is_found(disguise: Callable[[str], str]) -> None:
    leak = gate(ORDER, CART).find("shop", disguise(CART))

    assert leak is not None and leak.key == "shop.test.1"


@pytest.mark.parametrize(
    "other",
    [
        'Add the "Blue Oak Mug" to my cart and check out.',
        'Add the "Red Oak Mug" to my wishlist.',
        "Tell me the total price of my order 1011.",
        "Tell me the total price of the last order.",
        "",
        "...",
    ],
)
def test_another_task_is_none(other: str) -> None:
    assert gate(ORDER, CART).find("shop", other) is None


def test_another_site_has_other_tasks() -> None:
    assert gate(CART).find("forum", CART) is None


def test_the_task_that_is_most_alike_is_named() -> None:
    leak = gate(CART, CART + " Use my home address.").find("shop", CART)

    assert leak is not None and leak.key == "shop.test.0"


def test_an_instruction_without_words_is_compared_as_it_is() -> None:
    assert gate("???").find("shop", "???") is not None
    assert gate("???").find("shop", "!") is None


def test_chinese_is_compared_by_character() -> None:
    assert gate("把红色杯子放进购物车").find("shop", "请把红色杯子放进购物车。")
    assert gate("把红色杯子放进购物车").find("shop", "打开我的订单") is None


def test_words_of_courtesy_do_not_count() -> None:
    assert split_words("Could you please OPEN the cart?") == ["open", "cart"]
    assert split_words("Thanks") == ["thanks"]


def test_shingles_are_runs_of_up_to_three_words() -> None:
    assert cut_shingles(["a", "b", "c"]) == {"a", "b", "c", "a b", "b c", "a b c"}


def test_no_training_task_of_the_catalog_resembles_a_test_task() -> None:
    tasks = load_tasks()
    known = LeakGate(
        HeldOut(task["key"], task["sites"][0], task["intent"])
        for task in tasks
        if task["split"] == "test"
    )
    others = [task for task in tasks if task["split"] != "test"]

    assert not [t for t in others if known.find(t["sites"][0], t["intent"])]


def test_every_test_task_of_the_catalog_is_found_with_a_full_stop() -> None:
    tests = load_tasks("test")
    known = LeakGate(HeldOut(t["key"], t["sites"][0], t["intent"]) for t in tests)

    assert all(known.find(t["sites"][0], t["intent"] + ".") for t in tests)


@pytest.mark.django_db
def test_a_task_that_is_filtered_meanwhile_is_not_shortlisted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    phase = PhaseFactory(status="evolving")
    leak, other = (
        EvolvedTaskFactory(born_in=phase, status="proposed", instruction=text)
        for text in (CART, ORDER)
    )

    def import_a_test_task(*values: float) -> str:
        filter_leaks([TaskFactory.build(split="test", instruction=CART)])
        return find_value_reason(*values)

    monkeypatch.setattr(proposals, "find_value_reason", import_a_test_task)
    proposals.shortlist_tasks(phase_id=phase.pk, config=CurriculumConfig())

    leak.refresh_from_db()
    other.refresh_from_db()
    assert (leak.status, other.status) == ("filtered", "shortlisted")
    assert "test task" in leak.filter_reason
