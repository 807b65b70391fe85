"""WebArena's locators as data: a closed grammar instead of running JavaScript.

A locator is parsed into a small program of known calls and properties, which
`script/locate.js` walks; nothing of a task file ever becomes code.

    sum      = part { "+" part }
    part     = "(" either ")" | either
    either   = chain { "||" ( chain | string ) }
    chain    = "document" { step } | spread
    spread   = "[..." chain "].map(" name "=>" either ")" [ ".join(" string ")" ]
    step     = [ "?" ] "." ( method "(" string ")" | property | "toString()" )
             | "[" number "]"
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

from curriculum.texts.sentences import Sentence

METHODS = frozenset(
    {"querySelector", "querySelectorAll", "getElementById", "getAttribute", "closest"}
    | {"getElementsByClassName", "getElementsByTagName", "getElementsByName"}
)
# Properties that give elements, and those with values, which end a chain.
ELEMENTS = frozenset(
    {"firstElementChild", "lastElementChild", "firstChild", "lastChild", "children"}
    | {"nextElementSibling", "previousElementSibling", "parentElement"}
)
VALUES = frozenset(
    {"outerText", "innerText", "textContent", "value", "innerHTML", "outerHTML"}
    | {"checked", "selected", "selectedIndex", "href", "src", "title", "length"}
)
LONGEST = 2000
DEEPEST = 8

_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"[^\"\\]*\"|'[^'\\]*'|`[^`\\$]*`)|(?P<number>\d{1,4})(?!\w)"
    r"|(?P<name>[A-Za-z_$][\w$]*)|(?P<mark>\.\.\.|=>|\|\||\?\.|[().\[\]+;]))"
)


class LocatorError(ValueError):
    """The locator is not in the grammar."""


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """A parsed locator or click.

    Attributes:
        tree: Lists and texts only, as `script/locate.js` reads them:
            ["chain", start, step...] with start "document" or "item" and steps
            ["call", name, text], ["get", name], ["at", index], ["text"], and
            ["maybe"], which ends the chain where the value is missing;
            ["map", chain, item, separator or None], ["or", part...],
            ["sum", part...], ["string", text];
            ["beside", selector, text, selector]: of the elements that the second
            selector finds, the one in the place that the text has among those of
            the first.
    """

    tree: list[Any]


def parse_locator(text: str) -> Program | None:
    """Return the program of a task file's locator; None means the whole page.

    Raises:
        LocatorError: It is outside the grammar.
    """
    if not text.strip():
        return None
    parser = _Parser(text)
    tree = parser.sum()
    parser.end()
    return Program(tree)


def parse_click(text: str) -> Program:
    """Return what a preparing action clicks: a chain that ends in `.click()`.

    Raises:
        LocatorError: It is anything else.
    """
    body = text.strip().rstrip(";").rstrip()
    if not body.endswith(".click()"):
        raise LocatorError(Sentence("unsupported_action", text=repr(text[:200])))
    parser = _Parser(body.removesuffix(".click()"))
    tree = parser.chain("document")
    parser.end()
    return Program(tree)


class _Parser:
    """Recursive descent over the tokens; every method returns a tree."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split(text)
        self._place = 0
        self._depth = 0
        self._item = ""

    def _split(self, text: str) -> list[tuple[str, str]]:
        tokens, place = [], 0
        body = text.rstrip()
        while place < len(body):
            match = _TOKEN.match(body, place)
            if match is None or len(body) > LONGEST:
                raise self._error()
            kind = str(match.lastgroup)
            tokens.append((kind, match[kind]))
            place = match.end()
        return tokens

    def _error(self) -> LocatorError:
        text = repr(self._text[:200])
        return LocatorError(Sentence("unsupported_locator", text=text))

    def _peek(self) -> tuple[str, str]:
        is_over = self._place >= len(self._tokens)
        return ("end", "") if is_over else self._tokens[self._place]

    def _take(self, *wanted: str) -> bool:
        """Step over these tokens, all of them or none."""
        ahead = self._tokens[self._place : self._place + len(wanted)]
        if [text for _, text in ahead] != list(wanted):
            return False
        if any(kind == "string" for kind, _ in ahead):
            return False
        self._place += len(wanted)
        return True

    def _need(self, *wanted: str) -> None:
        if not self._take(*wanted):
            raise self._error()

    def _next(self, kind: str) -> str:
        found, text = self._peek()
        if found != kind:
            raise self._error()
        self._place += 1
        return text[1:-1] if kind == "string" else text

    def end(self) -> None:
        self._take(";")
        if self._place != len(self._tokens):
            raise self._error()

    def sum(self) -> list[Any]:
        return self._series("sum", "+", self._part)

    def _part(self) -> list[Any]:
        if not self._take("("):
            return self._either()
        tree = self._either()
        self._need(")")
        return tree

    def _either(self) -> list[Any]:
        return self._series("or", "||", self._one)

    def _series(self, name: str, mark: str, read: Callable[[], list[Any]]) -> list[Any]:
        parts = [read()]
        while self._take(mark):
            parts.append(read())
        return parts[0] if len(parts) == 1 else [name, *parts]

    def _one(self) -> list[Any]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._error()
        if self._peek()[0] == "string":
            tree: list[Any] = ["string", self._next("string")]
        elif self._take("[", "..."):
            tree = self._spread()
        else:
            tree = self.chain(self._item or "document")
            if not _is_value(tree[-1]):
                raise self._error()
        self._depth -= 1
        return tree

    def _spread(self) -> list[Any]:
        if self._item:
            raise self._error()
        elements = self.chain("document")
        self._need("]", ".", "map", "(")
        bracket = self._take("(")
        self._item = self._next("name")
        if bracket:
            self._need(")")
        self._need("=>")
        item = self._either()
        self._need(")")
        self._item = ""
        separator = None
        if self._take(".", "join", "("):
            separator = self._next("string")
            self._need(")")
        return ["map", elements, item, separator]

    def chain(self, start: str) -> list[Any]:
        """Read the steps that lead on from the document or from an item."""
        self._need(start)
        tree: list[Any] = ["chain", "document" if start == "document" else "item"]
        while True:
            if self._take("["):
                tree.append(["at", int(self._next("number"))])
                self._need("]")
            elif self._take("."):
                tree.append(self._step())
            elif self._take("?."):
                tree += [["maybe"], self._step()]
            else:
                break
        if len(tree) == 2:
            raise self._error()
        return tree

    def _step(self) -> list[Any]:
        name = self._next("name")
        if name == "toString":
            self._need("(", ")")
            return ["text"]
        if name in METHODS:
            self._need("(")
            argument = self._next("string")
            self._need(")")
            return ["call", name, argument]
        if name in ELEMENTS | VALUES:
            return ["get", name]
        raise LocatorError(Sentence("unsupported_property", name=repr(name)))


def _is_value(step: list[Any]) -> bool:
    """Whether a chain may end here: with a text or number, not with an element."""
    return step[0] == "text" or step[1] in VALUES | {"getAttribute"}
