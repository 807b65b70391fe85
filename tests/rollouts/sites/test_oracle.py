from __future__ import annotations

import pytest

from rollouts.browser.actions.webrl import parse_action
from rollouts.policies.protocol import PolicyRequest
from rollouts.sites.kit.plans import Click, Exit, Scroll, Search, Select, Type
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.oracle import (
    PLANNED_SCROLL,
    SCROLL_DOWN,
    OraclePolicy,
    UnknownInstruction,
    find_elements,
    write_action,
)

PAGE = (
    '<a id="0">Maple Shop</a><input id="1" label="Search products"/>'
    '<select id="2" label="Sort by"><option selected>Lowest price</option></select>'
    '<input id="3" type="number" label="Quantity" value="1"/>'
    '<li><a id="4">Red &amp; Blue Cup</a>$5.00</li><button id="5">Add to cart</button>'
)
TASK = next(t for t in load_tasks("train") if t["template_key"] == "shop.find_brand")
LABEL = TASK["instantiation_dict"]["product"]


def request(
    history: tuple[str, ...] = (), errors: tuple[str, ...] = (), page: str = PAGE
) -> PolicyRequest:
    return PolicyRequest(TASK["intent"], history, errors, page, 0)


@pytest.mark.parametrize(
    ("label", "ids"),
    [
        ("Maple Shop", [0]),
        ("Search products", [1]),
        ("Sort by", [2]),
        ("Lowest price", []),
        ("Quantity", [3]),
        ("Red & Blue Cup", [4]),
        ("Add to cart", [5]),
        ("Add", []),
    ],
)
def test_elements_are_found_by_what_a_person_reads(label: str, ids: list[int]) -> None:
    assert find_elements(PAGE, label) == ids


@pytest.mark.parametrize(
    ("step", "output"),
    [
        (Click("Cart"), '# Element: Cart\ndo(action="Click", element="7")'),
        (
            Type("City", "Oslo"),
            '# Element: City\ndo(action="Type", argument="Oslo", element="7")',
        ),
        (
            Search("Box", "cup"),
            '# Element: Box\ndo(action="Search", argument="cup", element="7")',
        ),
        (
            Select("Sort by", "New"),
            "# Element: Sort by\n"
            'do(action="Select Dropdown Option", argument="New", element="7")',
        ),
        (Scroll(), '# To read on\ndo(action="Scroll Down")'),
        (Exit("N/A"), 'exit(message="N/A")'),
        (Exit(), 'exit(message="")'),
    ],
)
def test_answers_follow_the_action_grammar(step: Click, output: str) -> None:
    assert write_action(step, 7) == output
    assert parse_action(output).error == ""


def test_quotes_in_a_text_are_escaped() -> None:
    output = write_action(Type("City", 'a "b" \\'), 1)
    assert parse_action(output).argument == 'a "b" \\'


def test_it_searches_first_and_scrolls_when_the_label_is_away() -> None:
    policy = OraclePolicy([TASK])
    search, click = policy.act(
        [request(), request(("do(...)",), ("",), '<a id="0">Other</a>')]
    )
    assert 'do(action="Search"' in search.output
    assert click.output == SCROLL_DOWN


def test_scrolling_and_failed_steps_do_not_count() -> None:
    policy = OraclePolicy([TASK])
    history = ("do(...)", SCROLL_DOWN, "do(...)")
    page = f'<a id="9">{LABEL}</a>'
    answer = policy.act([request(history, ("", "", "covered"), page)])[0]
    assert answer.output == f'# Element: {LABEL}\ndo(action="Click", element="9")'


def test_scrolling_that_the_plan_asks_for_counts() -> None:
    plan = (Scroll(), Click(LABEL), Exit())
    policy = OraclePolicy([TASK], lambda task: plan)
    first = policy.act([request()])[0].output
    page = f'<a id="9">{LABEL}</a>'
    second = policy.act([request((first,), ("",), page)])[0].output
    assert (first, second) == (PLANNED_SCROLL, write_action(Click(LABEL), 9))


def test_it_ends_with_the_answer() -> None:
    policy = OraclePolicy([TASK])
    history = ("do(...)",) * 5
    answer = policy.act([request(history, ("",) * 5)])[0]
    expected = TASK["eval"]["reference_answers"]["exact_match"]
    assert answer.output == f'exit(message="{expected}")'
    policy.close()


def test_a_task_that_it_was_not_given_is_an_error() -> None:
    with pytest.raises(UnknownInstruction):
        OraclePolicy([]).act([request()])
