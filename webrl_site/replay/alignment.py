"""Aligns the steps of two episodes of one task, and finds where they differ."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from webrl_site.replay.reading import read_target
from webrl_site.replay.steps import StepOutline


@dataclasses.dataclass(frozen=True, slots=True)
class Moment:
    """What two steps are compared by.

    Attributes:
        page: What the model saw.
        place: The page's address without its host, which differs by episode.
        action: Name, argument and target; a target is identified by its words, not
            its id.
    """

    page: str
    place: str
    action: tuple[str, str, str]


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """Two steps side by side, counted from 0; None where one episode has none.

    `differs` names the difference: "page", "action", or "missing".
    """

    left: int | None
    right: int | None
    differs: tuple[str, ...] = ()


def read_moment(outline: StepOutline) -> Moment:
    """Return what a step is compared by."""
    action, text = outline.step.action, outline.step.observation
    name, argument = str(action.get("name") or ""), str(action.get("argument") or "")
    return Moment(
        page=text,
        place=_read_place(outline.step.url),
        action=(name, argument, read_target(text, action.get("element"))),
    )


def _read_place(address: str) -> str:
    """Return the address without its host, whole where it is not one."""
    try:
        url = urlsplit(address)
    except ValueError:
        return address
    return f"{url.path}?{url.query}"


def align(left: Sequence[Moment], right: Sequence[Moment]) -> list[Pair]:
    """Pair the steps: one by one while they are the same, then by place and action."""
    same = _count_same(left, right)
    pairs = [Pair(i, i) for i in range(same)]
    a = [(moment.place, moment.action) for moment in left[same:]]
    b = [(moment.place, moment.action) for moment in right[same:]]
    matcher = difflib.SequenceMatcher(a=a, b=b, autojunk=False)
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        pairs.extend(_side_by_side(left, right, same, (i1, i2), (j1, j2)))
    return pairs


def find_divergence(pairs: Sequence[Pair]) -> int | None:
    """Return the first pair that differs, counted from 0; None when all are equal."""
    return next((i for i, pair in enumerate(pairs) if pair.differs), None)


def _count_same(left: Sequence[Moment], right: Sequence[Moment]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if _compare(one, other):
            break
        count += 1
    return count


def _side_by_side(
    left: Sequence[Moment],
    right: Sequence[Moment],
    start: int,
    ours: tuple[int, int],
    theirs: tuple[int, int],
) -> Iterator[Pair]:
    for k in range(max(ours[1] - ours[0], theirs[1] - theirs[0])):
        i = start + ours[0] + k if ours[0] + k < ours[1] else None
        j = start + theirs[0] + k if theirs[0] + k < theirs[1] else None
        if i is None or j is None:
            yield Pair(i, j, ("missing",))
        else:
            yield Pair(i, j, _compare(left[i], right[j]))


def _compare(one: Moment, other: Moment) -> tuple[str, ...]:
    found = (
        ("page", one.page != other.page),
        ("action", one.action != other.action),
    )
    return tuple(name for name, differs in found if differs)
