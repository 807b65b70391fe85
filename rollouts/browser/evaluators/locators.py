"""WebArena's locators as data: a closed grammar instead of running JavaScript.

Understood are the empty locator (the whole page) and
`document.querySelector("css").property`, `document.querySelectorAll("css")[n]
.property`, `document.getElementById("id").property`, `document
.getElementsByClassName("class")[n].property` and the joined form
`[...document.querySelectorAll("css")].map(el => el.property).join(" ")`.
"""

from __future__ import annotations

import dataclasses
import re

PROPERTIES = frozenset(
    {"outerText", "innerText", "textContent", "value", "innerHTML", "outerHTML"}
    | {"checked", "selected", "href", "title"}
)
_STRING = r"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|`(?P<tick>[^`]*)`)"
_METHODS = (
    "querySelectorAll|querySelector|getElementById|getElementsByClassName"
    "|getElementsByTagName|getElementsByName"
)
_CALL = rf"document\.(?P<method>{_METHODS})\(\s*{_STRING}\s*\)"
_ONE = re.compile(
    rf"\s*{_CALL}(?:\[(?P<index>\d{{1,4}})\])?\??\.(?P<property>\w+)\s*;?\s*\Z"
)
_JOINED = re.compile(
    rf"\s*\[\.\.\.{_CALL}\]\s*\.map\(\s*\(?\s*(?P<name>\w+)\s*\)?\s*=>\s*"
    r"(?P=name)\??\.(?P<property>\w+)\s*\)\s*"
    r"(?:\.join\(\s*(?:\"(?P<join2>[^\"]*)\"|'(?P<join1>[^']*)')\s*\))?\s*;?\s*\Z"
)


class LocatorError(ValueError):
    """The locator is not in the grammar."""


@dataclasses.dataclass(frozen=True, slots=True)
class Locator:
    """What to read: `index` None joins all matches with `separator`.

    `selector` is CSS; an empty one means the whole page's HTML.
    """

    selector: str = ""
    property: str = "outerHTML"
    index: int | None = 0
    separator: str = ","


def parse_locator(text: str) -> Locator:
    """Return the locator of a task file, or raise LocatorError."""
    if not text.strip():
        return Locator()
    found = _ONE.match(text) or _JOINED.match(text)
    if found is None:
        raise LocatorError(f"unsupported locator {text[:200]!r}")
    parts = found.groupdict()
    if parts["property"] not in PROPERTIES:
        raise LocatorError(f"unsupported property {parts['property']!r}")
    strings = (parts["double"], parts["single"], parts["tick"])
    argument = next(value for value in strings if value is not None)
    selector = _to_selector(parts["method"], argument)
    if "name" in parts:
        separator = parts["join2"] if parts["join2"] is not None else parts["join1"]
        return Locator(selector, parts["property"], None, separator or ",")
    return Locator(selector, parts["property"], int(parts["index"] or 0))


def _to_selector(method: str, argument: str) -> str:
    if method.startswith("query"):
        return argument
    if method == "getElementsByTagName":
        return argument
    if method == "getElementsByClassName":
        return "".join(f".{name}" for name in argument.split())
    attribute = "id" if method == "getElementById" else "name"
    return f'[{attribute}="{argument}"]'
