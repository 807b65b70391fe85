"""Pages with check boxes, radio buttons and lists."""

from __future__ import annotations

from rollouts.sites.miniwob.solutions.answers import choose, click, write
from rollouts.sites.miniwob.solutions.reading import Page
from rollouts.sites.miniwob.solutions.rules import Rule, Words, ordinal, rule


def mark_and_submit(page: Page, words: Words, step: int) -> str:
    """Check what is named and not yet checked; then submit."""
    names = [] if words[0] == "nothing" else words[0].split(", ")
    boxes = [page.find(name, "checkbox", "radio") for name in names]
    left = [box for box in boxes if box and "checked" not in box.attributes]
    return click(left[0] if left else page.find("submit"))


def choose_and_submit(page: Page, words: Words, step: int) -> str:
    names = words[0].split(", ")
    if step < len(names):
        return choose(page.of("select")[0], names[step])
    return click(page.find("submit"))


def fill_sequence(page: Page, words: Words, step: int) -> str:
    radio, number, field = words
    return [
        click(page.of("radio")[ordinal(radio)]),
        write(page.of("text")[ordinal(field)], number),
        click(page.find("submit")),
    ][step]


def choose_and_click(page: Page, words: Words, step: int) -> str:
    """The list is not a native one: it opens when it is clicked."""
    option, button = words
    if page.of("li"):
        return click(page.find(option, "li"))
    (shown,) = page.of("div")
    return click(page.find(button, "button") if shown.text == option else shown)


BOXES = "click-checkboxes click-checkboxes-large click-checkboxes-transfer"
RULES: tuple[Rule, ...] = (
    rule(
        "choose-list",
        r"Select (.+) from the list and click Submit\.",
        choose_and_submit,
    ),
    rule(
        "click-scroll-list",
        r"Select (.+) from the scroll list and click Submit\.",
        choose_and_submit,
    ),
    rule(
        f"{BOXES} click-option",
        r"Select (?!words )(.+) and click Submit\.",
        mark_and_submit,
    ),
    rule(
        "form-sequence-2",
        r'Check the (\w+) radio button and enter the number "(.+)" into the (\w+)'
        r" textbox\.",
        fill_sequence,
    ),
    rule(
        "form-sequence-3",
        r'Choose (.+) from the dropdown, then click the button labeled "(.+)"\.',
        choose_and_click,
    ),
)
