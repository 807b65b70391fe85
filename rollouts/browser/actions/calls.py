"""Finds calls such as `do(action="Click", element="12")` in a model's text.

Values are Python's literals, decoded as Python decodes them; nothing is evaluated.
Every regular expression is possessive and every count has a limit, so the time is
linear in the length of the text.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections import deque
from collections.abc import Iterator

MAX_ANSWER_LENGTH = 1_000_000
# Of more places where a call could begin, only the last ones are tried.
MAX_OPENINGS = 16
MAX_ARGUMENTS = 50
MAX_ITEMS = 1_000
# Openings times depth bounds what is read twice: under a millisecond.
MAX_DEPTH = 6


class Opaque:
    """A value that no action takes: a list, a name, a call."""


OPAQUE = Opaque()
Value = str | int | float | bool | None | Opaque

_SKIP = re.compile(r"(?:\s|#[^\n]*+|\\\n)*+")
_DOUBLE = r'"""((?:[^"\\]|\\.|"(?!""))*+)"""'
_SINGLE = r"'''((?:[^'\\]|\\.|'(?!''))*+)'''"
_STRING = re.compile(
    rf"([rRbBuU]{{0,2}})(?:{_DOUBLE}|{_SINGLE}"
    r'|"((?:[^"\\]|\\.)*+)"'
    r"|'((?:[^'\\]|\\.)*+)')",
    re.DOTALL,
)
_TRIPLE = ('"""', "'''")
_KEYWORD = re.compile(r"([A-Za-z_]\w{0,39}+)\s*+=(?!=)")
_SCALAR = re.compile(r"[-+]?[\w.]{1,100}+")
_ESCAPE = re.compile(
    r"\\(?:(\n)|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})"
    r"|N\{([^}]{1,100})\}|([xuUN])|(.))",
    re.DOTALL,
)
_SIGNS = {
    **{"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"},
    **{"\\": "\\", "'": "'", '"': '"'},
}
_CLOSINGS = {"(": ")", "[": "]", "{": "}"}
_WORDS: dict[str, Value] = {"None": None, "True": True, "False": False}


class Unreadable(Exception):
    """No call can be read here; the text says why."""


@dataclasses.dataclass(slots=True)
class Call:
    """One call in a text.

    Attributes:
        name: What is called.
        start: Where it begins.
        end: Where the text after it begins.
        arguments: Its keywords.
        positional: How many values have no keyword.
        quirks: Deviations from a plain call: other quotes, line breaks in a text.
    """

    name: str
    start: int
    end: int = 0
    arguments: dict[str, Value] = dataclasses.field(default_factory=dict)
    positional: list[Value] = dataclasses.field(default_factory=list)
    quirks: set[str] = dataclasses.field(default_factory=set)


@dataclasses.dataclass(frozen=True, slots=True)
class Broken:
    """A place where a call begins that cannot be read to its end."""

    name: str
    start: int
    # Where its arguments begin.
    inside: int
    why: str


OTHER_QUOTES = "other quotes"
LINE_BREAK = "a line break in a text"


def find_calls(text: str, opening: re.Pattern[str]) -> Iterator[Call | Broken]:
    """Yield the calls of a text in order; those inside another call are left out.

    `opening` matches a call's name, its first group, and its opening bracket.
    """
    done = 0
    for match in deque(opening.finditer(text), maxlen=MAX_OPENINGS):
        if match.start() < done:
            continue
        try:
            call = _Reader(text, match).read()
        except Unreadable as error:
            yield Broken(match[1], match.start(), match.end(), str(error))
        else:
            done = call.end
            yield call


class _Reader:
    """Recursive descent over one call."""

    def __init__(self, text: str, opening: re.Match[str]) -> None:
        self._text = text
        self._place = opening.end()
        self._call = Call(opening[1], opening.start())

    def read(self) -> Call:
        self._arguments(self._call, 0)
        self._call.end = self._place
        return self._call

    def _arguments(self, call: Call, depth: int) -> None:
        """Read up to and with the closing bracket."""
        for _ in range(MAX_ARGUMENTS):
            if self._take(")"):
                return
            self._argument(call, depth)
            if not self._take(","):
                self._need(")")
                return
        raise Unreadable("The call has too many arguments.")

    def _argument(self, call: Call, depth: int) -> None:
        keyword = _KEYWORD.match(self._text, self._place)
        if keyword is None:
            call.positional.append(self._value(depth))
            return
        if keyword[1] in call.arguments:
            raise Unreadable(f"{keyword[1]} is given twice.")
        self._place = keyword.end()
        call.arguments[keyword[1]] = self._value(depth)

    def _value(self, depth: int) -> Value:
        self._skip()
        if depth > MAX_DEPTH:
            raise self._unexpected()
        if _STRING.match(self._text, self._place):
            return self._strings()
        bracket = self._text[self._place : self._place + 1]
        if bracket in _CLOSINGS:
            self._place += 1
            return self._items(_CLOSINGS[bracket], depth + 1)
        return self._scalar(depth)

    def _strings(self) -> Value:
        """Adjacent texts are joined."""
        parts: list[str] = []
        is_text = True
        while found := _STRING.match(self._text, self._place):
            self._place = found.end()
            body = next(one for one in found.groups()[1:] if one is not None)
            prefix = found[1].lower()
            is_triple = found[0][len(prefix) :].startswith(_TRIPLE)
            if prefix or is_triple or parts:
                self._call.quirks.add(OTHER_QUOTES)
            if not is_triple and "\n" in body.replace("\\\n", ""):
                self._call.quirks.add(LINE_BREAK)
            is_text = is_text and "b" not in prefix
            parts.append(body if "r" in prefix else _decode(body))
            self._skip()
        return "".join(parts) if is_text else OPAQUE

    def _items(self, closing: str, depth: int) -> Value:
        """A list, or one value in brackets."""
        value: Value = OPAQUE
        for count in range(MAX_ITEMS):
            if self._take(closing):
                return OPAQUE
            value = self._value(depth)
            if self._take(":"):
                self._value(depth)
                value = OPAQUE
            if not self._take(","):
                self._need(closing)
                return value if closing == ")" and not count else OPAQUE
        raise Unreadable("The call has too many values.")

    def _scalar(self, depth: int) -> Value:
        found = _SCALAR.match(self._text, self._place)
        if found is None:
            raise self._unexpected()
        self._place = found.end()
        if self._take("("):
            self._arguments(Call(found[0], found.start()), depth + 1)
            return OPAQUE
        if found[0] in _WORDS:
            return _WORDS[found[0]]
        return _number(found[0])

    def _skip(self) -> None:
        skipped = _SKIP.match(self._text, self._place)
        self._place = skipped.end() if skipped else self._place

    def _take(self, mark: str) -> bool:
        self._skip()
        if not self._text.startswith(mark, self._place):
            return False
        self._place += len(mark)
        self._skip_if(mark)
        return True

    def _skip_if(self, mark: str) -> None:
        """Blanks after a call do not belong to it; those after other tokens do."""
        if mark == ",":
            self._skip()

    def _need(self, mark: str) -> None:
        if not self._take(mark):
            raise self._unexpected()

    def _unexpected(self) -> Unreadable:
        rest = self._text[self._place : self._place + 30]
        return Unreadable(f'Expected name="value" or one closing bracket at: {rest!r}.')


def _number(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return OPAQUE


def _decode(body: str) -> str:
    """Decode escapes as Python does; unknown ones stay as they are.

    Raises:
        Unreadable: An escape is cut short, or names no character.
    """
    return _ESCAPE.sub(_decode_one, body) if "\\" in body else body


def _decode_one(found: re.Match[str]) -> str:
    newline, octal, short, middle, long, name, cut, sign = found.groups()
    try:
        if newline:
            return ""
        if octal:
            return chr(int(octal, 8))
        if code := short or middle or long:
            return chr(int(code, 16))
        if name:
            return unicodedata.lookup(name)
    except (ValueError, KeyError, OverflowError):
        cut = found[0]
    if cut:
        raise Unreadable(f"There is no character {found[0][:20]!r}.")
    return _SIGNS.get(sign, found[0])
