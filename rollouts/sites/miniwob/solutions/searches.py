"""Pages that answer what is typed, with suggestions or results."""

from __future__ import annotations

from rollouts.sites.miniwob.solutions.answers import click, wait, write
from rollouts.sites.miniwob.solutions.reading import Page
from rollouts.sites.miniwob.solutions.rules import Rule, Words, ordinal, rule

RESULTS_ON_A_PAGE = 3


def find_result(page: Page, words: Words, step: int) -> str:
    text, place = words[0], ordinal(words[1])
    number, row = divmod(place, RESULTS_ON_A_PAGE)
    if step < 2:
        return [write(page.of("text")[0], text), click(page.find("search"))][step]
    if number and step == 2:
        return click(page.find(str(number + 1), "a"))
    links = [item for item in page.of("a") if item.text.isalpha()]
    return click(links[row])


def take_suggestion(page: Page, words: Words, step: int) -> str:
    """The list of suggestions comes a moment after the text."""
    start, end = words[0], words[1] or ""
    field = page.of("text")[0]
    if step == 0:
        return write(field, start)
    others = [item for item in page.items if item is not field]
    fits = [item for item in others if _fits(item.text, start, end)]
    if fits:
        return click(fits[0])
    is_filled = _fits(field.attributes.get("value", ""), start, end)
    return click(page.find("submit")) if is_filled else wait(0.5)


def _fits(text: str, start: str, end: str) -> bool:
    return text.startswith(start.strip()) and text.endswith(end.strip())


RULES: tuple[Rule, ...] = (
    rule(
        "search-engine",
        r'Use the textbox to enter "(.+)" and press "Search", then find and click the'
        r" (\w+) search result\.",
        find_result,
    ),
    rule(
        "use-autocomplete use-autocomplete-nodelay",
        r'Enter an item that starts with "(.+?)"(?: and ends with "(.+)")?\.',
        take_suggestion,
    ),
)
