from __future__ import annotations

import pytest

from rollouts.browser.locators import Locator, LocatorError, parse_locator


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("", Locator()),
        (
            'document.querySelector("#total").outerText',
            Locator("#total", "outerText", 0),
        ),
        (
            "document.querySelector('[id=\"name\"]').value",
            Locator('[id="name"]', "value", 0),
        ),
        (
            'document.querySelectorAll(".row")[2].innerText',
            Locator(".row", "innerText", 2),
        ),
        ('document.getElementById("a").value', Locator('[id="a"]', "value", 0)),
        (
            'document.getElementsByClassName("a b")[1].textContent',
            Locator(".a.b", "textContent", 1),
        ),
        (
            "[...document.getElementsByClassName('c')].map(el => el.outerText)",
            Locator(".c", "outerText", None, ","),
        ),
        (
            '[...document.querySelectorAll("td")].map(x => x.innerText).join(" ")',
            Locator("td", "innerText", None, " "),
        ),
    ],
)
def test_locators_of_task_files_are_read_as_data(text, locator):
    assert parse_locator(text) == locator


@pytest.mark.parametrize(
    "text",
    [
        "document.cookie",
        "fetch('http://elsewhere/')",
        "document.querySelector('a').click()",
        "document.querySelector('a').ownerDocument",
        "func:shopping_get_order(__page__)",
        "lambda: 1",
        "(() => 1)()",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(LocatorError, match="unsupported"):
        parse_locator(text)
