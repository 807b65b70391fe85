"""A task's evaluators in words, and its reviews with what was changed."""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
from typing import Any, Literal

from curriculum.models import Review


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """A run of words that both texts have, or one of them."""

    kind: Literal["same", "add", "drop"]
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class ReviewWithDiff:
    """A review, and its edit word by word (empty for other decisions)."""

    review: Review
    pieces: list[Piece]


def diff_words(old: str, new: str) -> list[Piece]:
    """Return the texts as one line of kept, added and dropped words."""
    before, after = re.findall(r"\s+|\S+", old), re.findall(r"\s+|\S+", new)
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    pieces: list[Piece] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(before[i1:i2])))
            continue
        if i2 > i1:
            pieces.append(Piece("drop", "".join(before[i1:i2])))
        if j2 > j1:
            pieces.append(Piece("add", "".join(after[j1:j2])))
    return pieces


def diff_lines(old: str, new: str) -> list[Piece]:
    """Return long texts as kept lines, and word by word where lines were changed."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    pieces: list[Piece] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(before[i1:i2])))
        else:
            pieces += diff_words("".join(before[i1:i2]), "".join(after[j1:j2]))
    return pieces


def with_diffs(reviews: list[Review]) -> list[ReviewWithDiff]:
    return [
        ReviewWithDiff(
            review,
            diff_words(review.original_instruction, review.edited_instruction)
            if review.edited_instruction
            else [],
        )
        for review in reviews
    ]


def describe_evaluators(spec: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (kind, what must hold) for each check in a WebArena `eval` object.

    Files of others may hold anything in it: unknown parts are shown as they are.
    """
    evaluation = spec.get("eval") or {}
    if not isinstance(evaluation, dict):
        return [("eval", _text(evaluation))]
    lines: list[tuple[str, str]] = []
    for kind in map(str, _list(evaluation.get("eval_types"))):
        lines.extend((kind, text) for text in _describe(kind, evaluation))
    return lines


def _describe(kind: str, evaluation: dict[str, Any]) -> list[str]:
    if kind == "string_match":
        answers = evaluation.get("reference_answers") or {}
        if isinstance(answers, dict):
            return [f"{how}: {_text(what)}" for how, what in answers.items()]
        return [_text(answers)]
    if kind == "url_match":
        return [_text(evaluation.get("reference_url") or "")]
    if kind == "program_html":
        return [_text(target) for target in _list(evaluation.get("program_html"))]
    if kind == "state_match":
        return [_describe_row(row) for row in _list(evaluation.get("reference_state"))]
    return [_text(evaluation)]


def _describe_row(row: object) -> str:
    if not isinstance(row, dict):
        return _text(row)
    return f"{row.get('site')}: {row.get('path')} = {_text(row.get('equals'))}"


def _list(value: object) -> list[Any]:
    """Return a list as it is, anything else as its only entry, and none for nothing."""
    if isinstance(value, list):
        return value
    return [value] if value else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
