"""Pages that are solved by clicking a named element, or by searching for it."""

from __future__ import annotations

import re

from rollouts.sites.miniwob.solutions.answers import click, wait
from rollouts.sites.miniwob.solutions.reading import Item, Page
from rollouts.sites.miniwob.solutions.rules import Rule, Words, ordinal, rule

CLOSE = "close"


def click_only_button(page: Page, words: Words, step: int) -> str:
    return click(page.of("button")[0])


def click_named(page: Page, words: Words, step: int) -> str:
    (name,) = words
    return click(page.find(CLOSE if name == "x" else name))


def click_in_turn(page: Page, words: Words, step: int) -> str:
    return click(page.find(words[step]))


def click_after_a_while(page: Page, words: Words, step: int) -> str:
    first, seconds, second = words
    return [
        click(page.find(first)),
        wait(int(seconds) + 0.2),
        click(page.find(second)),
    ][step]


def click_widget(page: Page, words: Words, step: int) -> str:
    return click(page.of(words[0])[0])


def focus(page: Page, words: Words, step: int) -> str:
    return click(page.of("text")[ordinal(words[0]) if words else 0])


def expand_and_submit(page: Page, words: Words, step: int) -> str:
    return click(page.of("h3")[0] if step == 0 else page.find("submit"))


def find_in_sections(page: Page, words: Words, step: int) -> str:
    found = page.find(words[0], "span")
    return click(found or page.of("h3")[step])


def find_in_tabs(page: Page, words: Words, step: int) -> str:
    found = page.find(words[0], "span")
    tabs = page.of("a")
    return click(found or tabs[min(step + 1, len(tabs) - 1)])


def find_in_tree(page: Page, words: Words, step: int) -> str:
    """Folders have a mark in front; opening them in turn walks the whole tree."""
    found = page.find(words[0])
    folders = [item for item in page.of("div") if not item.text]
    return click(found or folders[step])


def buy_ticket(page: Page, words: Words, step: int) -> str:
    def cost(button: Item) -> int:
        return int(re.sub(r"\D", "", button.text))

    def minutes(button: Item) -> int:
        hours, rest = re.findall(r"(\d+)h (\d+)m", button.before)[-1]
        return int(hours) * 60 + int(rest)

    wish = words[0]
    key = cost if wish.endswith("cost") else minutes
    best = max if wish.startswith(("most", "longest")) else min
    return click(best(page.of("button"), key=key))


def mark_parity(page: Page, words: Words, step: int) -> str:
    """Each row: Odd, the number, Even."""
    rows = [item for item in page.of("button") if item.text == "Even"]
    if step >= len(rows):
        return click(page.find("submit"))
    number = int(rows[step].before)
    evens, odds = rows, [item for item in page.of("button") if item.text == "Odd"]
    return click((odds if number % 2 else evens)[step])


def find_contact(page: Page, words: Words, step: int) -> str:
    name, wish = words
    if not re.search(rf"<h2>{re.escape(name)}</h2>", page.html):
        return click(page.find(">"))
    label = {"phone number": "Phone:"}.get(wish, f"{wish.capitalize()}:")
    found = (item for item in page.of("a") if item.before.endswith(label))
    return click(next(found, None))


def generate_number(page: Page, words: Words, step: int) -> str:
    bound, limit = words[0], int(words[1])
    shown = re.match(r"\d+", page.text)
    if shown is None:
        return click(page.find("generate"))
    number = int(shown[0])
    fits = number < limit if bound == "less" else number > limit
    return click(page.find("submit" if fits else "generate"))


def generate_parity(page: Page, words: Words, step: int) -> str:
    shown = re.match(r"\d+", page.text)
    remainder = ("even", "odd").index(words[0])
    fits = shown is not None and int(shown[0]) % 2 == remainder
    return click(page.find("submit" if fits else "generate"))


TREE = (
    'Navigate through the file tree. Find and click on the folder or file named "(.+)"'
)
TABS = "click-tab-2 click-tab-2-easy click-tab-2-medium click-tab-2-hard"
COLLAPSED = "click-collapsible-2 click-collapsible-2-nodelay"
RULES: tuple[Rule, ...] = (
    rule("click-test", r"Click the button\.", click_only_button),
    rule("click-test-2 click-test-transfer", r"Click button (\w+)\.", click_named),
    rule(
        "click-button-sequence",
        r"Click button (\w+), then click button (\w+)\.",
        click_in_turn,
    ),
    rule(
        "button-delay",
        r"Click button (\w+), wait (\d+) seconds, then click button (\w+)\.",
        click_after_a_while,
    ),
    rule("click-button unicode-test", r'Click on the "(.+)" button\.', click_named),
    rule("click-dialog", r'Close the dialog box by clicking the "(x)"\.', click_named),
    rule(
        "click-dialog-2",
        r'Click the button in the dialog box labeled "(.+)"\.',
        click_named,
    ),
    rule("click-link", r'Click on the link "(.+)"\.', click_named),
    rule("click-tab", r"Click on (Tab #\d+)\.", click_named),
    rule("click-widget", r'Click on a "(.+)" widget\.', click_widget),
    rule("focus-text", r"Focus into the textbox\.", focus),
    rule("focus-text-2", r"Focus into the (\w+) input textbox\.", focus),
    rule(
        "click-collapsible click-collapsible-nodelay",
        r"Expand the section below and click submit\.",
        expand_and_submit,
    ),
    rule(
        COLLAPSED,
        r'Expand the sections below, to find and click on the link "(.+)"\.',
        find_in_sections,
    ),
    rule(
        TABS,
        r'Switch between the tabs to find and click on the link "(.+)"\.',
        find_in_tabs,
    ),
    rule("navigate-tree", rf"{TREE}\.", find_in_tree),
    rule("buy-ticket", r"Buy the ticket with the (.+)\.", buy_ticket),
    rule("odd-or-even", r"Mark the numbers below as odd or even .+", mark_parity),
    rule(
        "phone-book",
        r"Find (.+) in the contact book and click on their (.+)\.",
        find_contact,
    ),
    rule(
        "generate-number",
        r"Generate a number (less|greater) than (\d+), then press submit\.",
        generate_number,
    ),
    rule(
        "generate-number",
        r"Generate an (odd|even) number, then press submit\.",
        generate_parity,
    ),
)
