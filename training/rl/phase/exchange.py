"""Replaces names in recorded instructions, answers and pages.

Names are whole words, anywhere in a text. Ids of elements, the words of actions and the
names of tags stay, although an instruction may name something "message" or "form".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rollouts.browser.actions.dialects import DIALECTS, GRAMMAR
from training.rl.types import Transition

Exchange = Mapping[str, str]
_WORD = re.compile(r"\b[A-Za-z]{3,}\b|\b\d+\b")
_ID = r'(?: id|element)="\d+"'
_KEPT = re.compile(f"({_ID})")
_KEPT_IN_ANSWERS = re.compile(f"({_ID}|{GRAMMAR.pattern})")
# A tag whose quotes do not close, as in WebRL's form, is read up to its name.
# Possessive only in the name: Python 3.11.2 mishandles possessive groups.
_TAG = re.compile(r'(</?[A-Za-z][\w-]*+(?:(?:[^"<>]|"[^"<]*")*>)?)')
_VALUE = re.compile(rf'({_ID}| (?:type|role)="[^"]*+"|"[^"]*+")')
_SAYS_WHAT_IT_IS = (" type=", " role=")


def exchange_step(step: Transition, exchange: Exchange) -> Transition:
    """Return the step with other names; its errors stay as they were."""
    return Transition(
        step_id=step.step_id,
        history=tuple(exchange_in_answer(output, exchange) for output in step.history),
        errors=step.errors,
        observation=exchange_on_page(step.observation, exchange),
        output=exchange_in_answer(step.output, exchange),
    )


def exchange_in_text(text: str, exchange: Exchange) -> str:
    """Replace each name in a text, but never an element's id."""
    return _exchange(text, exchange, _KEPT)


def exchange_in_answer(answer: str, exchange: Exchange) -> str:
    """Replace each name in a policy's answer, but never the grammar's words."""
    return _exchange(answer, exchange, _KEPT_IN_ANSWERS)


def exchange_on_page(page: str, exchange: Exchange) -> str:
    """Replace each name on a page, but never the names of tags and attributes."""
    if not any(map(str.islower, exchange)):
        return exchange_in_text(page, exchange)
    pieces = _TAG.split(page)
    for place, piece in enumerate(pieces):
        exchange_piece = _exchange_in_tag if place % 2 else exchange_in_text
        pieces[place] = exchange_piece(piece, exchange)
    return "".join(pieces)


def asks_the_same(before: str, after: str) -> bool:
    """Whether an answer that could be read asks for the same action as before."""
    if before == after:
        return True
    # The answer's dialect is not recorded: every one that can read it is compared.
    read = [(one.parse(before), one.parse(after)) for one in DIALECTS.values()]
    return all(
        (was.name, was.element) == (now.name, now.element)
        for was, now in read
        if was.name
    )


def _exchange_in_tag(tag: str, exchange: Exchange) -> str:
    # Outside of values, words in small letters are names of the markup.
    outside = {name: other for name, other in exchange.items() if not name.islower()}
    pieces = _VALUE.split(tag)
    for place, piece in enumerate(pieces):
        if not piece.startswith(_SAYS_WHAT_IT_IS):
            known = exchange if place % 2 else outside
            pieces[place] = exchange_in_text(piece, known)
    return "".join(pieces)


def _exchange(text: str, exchange: Exchange, kept: re.Pattern[str]) -> str:
    """Replace whole words, except in what `kept` matches with its only group."""
    pieces = kept.split(text)
    for position in range(0, len(pieces), 2):
        pieces[position] = _WORD.sub(
            lambda match: exchange.get(match[0], match[0]), pieces[position]
        )
    return "".join(pieces)
