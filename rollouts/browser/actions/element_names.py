"""An element's name as a person would read it, from the policy's observation."""

from __future__ import annotations

import re

MAX_NAME_LENGTH = 60
# How much of an element's content is read: a clickable card is long.
_LONGEST_INSIDE = 1_000
_NAMING = ("label", "placeholder", "title", "value")
# The content of these is a choice or typed text, not a name.
_WITHOUT_TEXT = {"select", "textarea"}
_TREE = "RootWebArea "
_TAG = re.compile(r"<[^<>]*>?")
_ESCAPED = {"&lt;": "<", "&gt;": ">", "&quot;": '"'}


def name_element(observation: str, element: object) -> str:
    r"""Return the name of the element with this id, "" where it has none.

    The name comes from the page: it is data of at most `MAX_NAME_LENGTH` characters,
    without invisible ones. Never raises.

    >>> name_element('<button id="3">Add to <b>cart</b></button>', 3)
    'Add to cart'
    >>> name_element("RootWebArea 'Shop'\n\t[3] link 'Cart', clickable", 3)
    'Cart'
    """
    if not isinstance(element, int):
        return ""
    is_tree = observation.startswith(_TREE)
    read = _name_in_tree if is_tree else _name_in_html
    return shorten(read(observation, element))


def _name_in_tree(text: str, element: int) -> str:
    found = re.search(rf"^[ \t]*+\[{element}\] \w+ '((?:[^'\\\n]|\\.)*+)'", text, re.M)
    return re.sub(r"\\(.)", r"\1", found[1]) if found else ""


def _name_in_html(text: str, element: int) -> str:
    found = re.search(
        rf'<([a-zA-Z][a-zA-Z0-9-]*+)([^<>]*?) id="{element}"([^<>]*)>?', text
    )
    if not found:
        return ""
    tag, attributes = found[1], found[2] + found[3]
    inside = "" if attributes.endswith("/") else _inside(text[found.end() :], tag)
    told = re.findall(r' ([a-z]+)="([^"]*)"', attributes)
    named = [value for name in _NAMING for key, value in told if key == name]
    return _unescape(inside or next(filter(str.strip, named), ""))


def _inside(rest: str, tag: str) -> str:
    if tag in _WITHOUT_TEXT:
        return ""
    inside = rest[:_LONGEST_INSIDE].partition(f"</{tag}>")[0]
    return " ".join(_TAG.sub(" ", inside).split())


def _unescape(text: str) -> str:
    for code, letter in _ESCAPED.items():
        text = text.replace(code, letter)
    return text


def shorten(text: str) -> str:
    """Remove characters that could reverse the text direction; cut what is too long."""
    words = " ".join(text.split())
    seen = "".join(letter for letter in words if letter.isprintable()).strip()
    return seen if len(seen) <= MAX_NAME_LENGTH else seen[: MAX_NAME_LENGTH - 1] + "…"
