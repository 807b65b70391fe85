"""What the model saw: one line an element, with target and changes marked."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Literal

TOKEN = re.compile(r"<[^<>]*>|[^<\n]+|\n|<")
NAME = re.compile(r"</?([a-zA-Z0-9-]+)")
ID = re.compile(r'^(<[a-zA-Z0-9-]+) id="\d+"')
# An element that is no longer than this is put on one line.
LINE_LENGTH = 100
Span = tuple[int, int]
DEEPEST = 12


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One line of a page.

    Attributes:
        text: Indented; its content is a page's text, never our markup.
        kind: "add" for what the page before did not have, "drop" for what it had.
        is_target: Whether the action meant the element on this line.
    """

    text: str
    kind: Literal["same", "add", "drop"] = "same"
    is_target: bool = False


def break_lines(text: str) -> list[str]:
    """Return simplified HTML in lines; nothing but white space is changed."""
    tokens = [token for token in TOKEN.findall(text) if token.strip()]
    ends = _find_ends(tokens)
    lines, depth, i = [], 0, 0
    while i < len(tokens):
        end = ends.get(i, i)
        if tokens[i].startswith("</"):
            depth = max(depth - 1, 0)
        if _is_short(tokens[i : end + 1]):
            lines.append(_indent(depth, "".join(tokens[i : end + 1])))
            i = end + 1
            continue
        lines.append(_indent(depth, tokens[i]))
        depth, i = depth + (end > i), i + 1
    return lines


def _find_ends(tokens: Sequence[str]) -> dict[int, int]:
    """Map each opening tag to its closing one; a tag that is never closed has none."""
    open_tags: list[tuple[str, int]] = []
    ends = {}
    for i, token in enumerate(tokens):
        found = NAME.match(token)
        if not found or token.endswith("/>"):
            continue
        if not token.startswith("</"):
            open_tags.append((found[1], i))
        elif open_tags and open_tags[-1][0] == found[1]:
            ends[open_tags.pop()[1]] = i
    return ends


def _is_short(tokens: Sequence[str]) -> bool:
    """Say whether an element fits one line: short, and at most one thing to use."""
    if len(tokens) == 1:
        return True
    length = sum(map(len, tokens))
    return length <= LINE_LENGTH and sum(' id="' in token for token in tokens) <= 1


def _indent(depth: int, text: str) -> str:
    return "  " * min(depth, DEEPEST) + text.strip()


def compare(before: str | None, now: str, target: int | None) -> list[Line]:
    """Return the page's lines, and between them those that were removed.

    Ids are numbers in order: a line in which only the id has changed is the same line.
    """
    return list(_compare(before, break_lines(now), target))


def _compare(before: str | None, new: list[str], target: int | None) -> Iterator[Line]:
    old = new if before is None else break_lines(before)
    for is_same, (i1, i2), (j1, j2) in _align(old, new):
        if not is_same:
            yield from (Line(text, "drop") for text in old[i1:i2])
        for text in new[j1:j2]:
            yield Line(text, "same" if is_same else "add", _holds(text, target))


def _align(old: list[str], new: list[str]) -> Iterator[tuple[bool, Span, Span]]:
    """Yield stretches of lines: whether they are the same, and where they are.

    Lines that a long page repeats often ("Add to cart") are not used for the alignment:
    with them the search takes forty times as long.
    """
    a, b = list(map(_key, old)), list(map(_key, new))
    shorter = min(len(a), len(b))
    head = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if a[-1 - i] != b[-1 - i]), rest)
    middle = a[head : len(a) - tail], b[head : len(b) - tail]
    matcher = difflib.SequenceMatcher(None, *middle, autojunk=True)
    yield True, (0, head), (0, head)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        yield tag == "equal", (head + i1, head + i2), (head + j1, head + j2)
    yield True, (len(a) - tail, len(a)), (len(b) - tail, len(b))


def _key(line: str) -> str:
    return ID.sub(r"\1", line.strip())


def _holds(line: str, element: int | None) -> bool:
    return element is not None and bool(
        re.search(rf'<[a-zA-Z0-9-]+ id="{element}"[ />]', line)
    )


def find_target(lines: Sequence[Line]) -> str:
    """Return the line of the action's target, or "" if there is none."""
    return next((line.text.strip() for line in lines if line.is_target), "")


def read_target(text: str, element: int | None) -> str:
    """Return the tag and text of the action's target, without its id."""
    if element is None:
        return ""
    found = re.search(rf'<[a-zA-Z0-9-]+ id="{element}"[ />][^<]*', text)
    return _key(found[0]) if found else ""
