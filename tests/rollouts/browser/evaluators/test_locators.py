from __future__ import annotations

import pytest

from rollouts.browser.evaluators.locators import (
    LocatorError,
    parse_click,
    parse_locator,
)


def tree(text):
    program = parse_locator(text)
    return program and program.tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        (
            'document.querySelector("#total").outerText',
            [
                "chain",
                "document",
                ["call", "querySelector", "#total"],
                ["get", "outerText"],
            ],
        ),
        (
            "document.querySelectorAll('.a')[2]?.children[0].innerText;",
            [
                *("chain", "document", ["call", "querySelectorAll", ".a"]),
                *(["at", 2], ["maybe"], ["get", "children"], ["at", 0]),
                ["get", "innerText"],
            ],
        ),
        (
            "document.getElementById('a').checked.toString()",
            [
                *("chain", "document", ["call", "getElementById", "a"]),
                *(["get", "checked"], ["text"]),
            ],
        ),
        (
            "[...document.getElementsByClassName('c')].map(el => el.outerText)",
            [
                *(
                    "map",
                    ["chain", "document", ["call", "getElementsByClassName", "c"]],
                ),
                *(["chain", "item", ["get", "outerText"]], None),
            ],
        ),
        (
            "document.querySelector('a').title"
            " + (document.querySelector('b')?.title || '')",
            [
                "sum",
                ["chain", "document", ["call", "querySelector", "a"], ["get", "title"]],
                [
                    "or",
                    [
                        *("chain", "document", ["call", "querySelector", "b"]),
                        *(["maybe"], ["get", "title"]),
                    ],
                    ["string", ""],
                ],
            ],
        ),
    ],
)
def test_locators_of_task_files_are_read_as_data(text, expected):
    assert tree(text) == expected


def test_an_attribute_or_another_is_read_for_each_element():
    text = (
        "[...document.querySelector('.s').querySelectorAll('[href],[src]')]"
        ".map(e => e.getAttribute('href') || e.getAttribute('src')).join(' ')"
    )
    kind, _, item, separator = tree(text)
    assert (kind, item[0], separator) == ("map", "or", " ")


@pytest.mark.parametrize(
    "text",
    [
        "document.cookie",
        "document",
        "document.querySelector('a')",
        "fetch('http://elsewhere/')",
        "document.querySelector('a').click()",
        "document.querySelector('a').ownerDocument",
        "document.querySelector('a').constructor",
        "document.querySelector(`${x}`).title",
        "document.querySelector('a').title + alert(1)",
        "[...document.querySelectorAll('a')].map(e => f.title)",
        "[...document.querySelectorAll('a')].map(e => document.title)",
        "lambda: 1",
        "(() => 1)()",
        "document.querySelector('a').title extra",
        "document.querySelector('" + "a" * 3000 + "').title",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(LocatorError, match="unsupported"):
        parse_locator(text)


def test_a_click_is_a_chain_to_an_element():
    program = parse_click("document.querySelector('a').querySelector('b').click()")
    assert program.tree[2:] == [
        ["call", "querySelector", "a"],
        ["call", "querySelector", "b"],
    ]


@pytest.mark.parametrize("text", ["alert(1)", "document.title", "x.click()"])
def test_other_actions_are_refused(text):
    with pytest.raises(LocatorError, match="unsupported"):
        parse_click(text)
