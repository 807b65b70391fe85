"""Pages whose text fields need what can be read, computed or remembered."""

from __future__ import annotations

import re

from rollouts.sites.miniwob.solutions.answers import click, write
from rollouts.sites.miniwob.solutions.reading import Page
from rollouts.sites.miniwob.solutions.rules import Rule, Words, ordinal, rule

CELLS = re.compile(r"<td>(.*?)</td><td>(.*?)</td>")
SUM = re.compile(r"(-?\d+) ([-+x*]) (-?\d+) =")
UNKNOWN = re.compile(r"(-?\w+) ([-+]) (-?\w+) = (-?\w+)")


def fill(page: Page, texts: list[str], step: int, button: str = "submit") -> str:
    """One text for each field, then the button."""
    fields = page.of("text", "password", "number")
    if step < len(texts):
        return write(fields[step], texts[step])
    return click(page.find(button))


def fill_in(page: Page, words: Words, step: int) -> str:
    return fill(page, list(words), step)


def fill_in_letters(page: Page, words: Words, step: int) -> str:
    text, case = words
    return fill(page, [text.lower() if case == "lower" else text.upper()], step)


def fill_in_twice(page: Page, words: Words, step: int) -> str:
    return fill(page, [words[0]] * 2, step)


def log_in(page: Page, words: Words, step: int) -> str:
    """A dialog may appear in between, and is dismissed."""
    away = page.find("cancel")
    if away:
        return click(away)
    fields = page.of("text", "password")
    for field, text in zip(fields, words, strict=True):
        if not field.attributes.get("value"):
            return write(field, text)
    return click(page.find("login"))


def fill_in_word(page: Page, words: Words, step: int) -> str:
    found = re.search(r"<p>(.*?)</p>", page.html)
    word = found[1].split()[ordinal(words[0])] if found else ""
    return fill(page, [re.sub(r"[^A-Za-z]", "", word)], step)


def fill_in_cell(page: Page, words: Words, step: int) -> str:
    return fill(page, [dict(CELLS.findall(page.html))[words[0]]], step)


def fill_in_labels(page: Page, words: Words, step: int) -> str:
    cells = dict(CELLS.findall(page.html))
    labels = [item.before.rpartition(":")[0] for item in page.of("text")]
    texts = [next(v for k, v in cells.items() if label.endswith(k)) for label in labels]
    return fill(page, texts, step)


def copy_word(page: Page, words: Words, step: int) -> str:
    return fill(page, [page.of("text")[0].before], step)


def reckon(page: Page, words: Words, step: int) -> str:
    found = SUM.search(page.text)
    if found is None:
        return click(page.find("submit"))
    return fill(page, [str(_sum(int(found[1]), found[2], int(found[3])))], step)


def _sum(left: int, sign: str, right: int) -> int:
    if sign in "x*":
        return left * right
    return left - right if sign == "-" else left + right


def solve_equation(page: Page, words: Words, step: int) -> str:
    """Equations of one sum, with x in one of three places."""
    found = UNKNOWN.search(page.text)
    if found is None:
        return click(page.find("submit"))
    left, sign, right, result = found.groups()
    turn = 1 if sign == "+" else -1
    if left == "x":
        value = int(result) - turn * int(right)
    elif right == "x":
        value = turn * (int(result) - int(left))
    else:
        value = int(left) + turn * int(right)
    return fill(page, [str(value)], step)


def guess(page: Page, words: Words, step: int) -> str:
    """Upwards from 0: each answer says higher, until it is right."""
    return fill(page, [str(step // 2)], step % 2)


def search_movies(page: Page, words: Words, step: int) -> str:
    """The fields have various names, in front or behind, in various orders."""
    genre, director, year = words
    texts = {"genre": genre, "director": director, "year": year, "date": year}
    fields = page.of("text")
    if step == len(fields):
        return click(page.items[-1])
    first = page.items.index(fields[0])
    is_behind = not any(name in fields[0].before.lower() for name in texts)
    label = page.items[first + step + is_behind].before.lower()
    return write(fields[step], next(texts[name] for name in texts if name in label))


RULES: tuple[Rule, ...] = (
    rule(
        "enter-text enter-text-dynamic",
        r'Enter "(.+)" into the text field and press Submit\.',
        fill_in,
    ),
    rule(
        "enter-text-2",
        r'Type "(.+)" in all (lower|upper) case letters in the text input .+',
        fill_in_letters,
    ),
    rule(
        "enter-password",
        r'Enter the password "(.+)" into both text fields and press submit\.',
        fill_in_twice,
    ),
    rule(
        "login-user",
        r'Enter the username "(.+)" and the password "(.+)" into the text fields .+',
        log_in,
    ),
    rule("find-word", r"Find the (\w+) word in the paragraph, .+", fill_in_word),
    rule(
        "read-table",
        r"Enter the value of (.+) into the text field and press Submit\.",
        fill_in_cell,
    ),
    rule(
        "read-table-2",
        r"Enter the value that corresponds with each label .+",
        fill_in_labels,
    ),
    rule("text-transform", r"Type the text below into the text field .+", copy_word),
    rule("simple-arithmetic", r"Solve the math problem .+", reckon),
    rule("simple-algebra", r"Solve for x .+", solve_equation),
    rule("guess-number", r"Guess the number between 0-9 .+", guess),
    rule(
        "multi-layouts multi-orderings",
        r"Search for (.+) movies directed by (.+) from year (\d+)\.",
        search_movies,
    ),
)
