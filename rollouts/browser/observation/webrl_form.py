"""The page as WebRL's released models read it, character for character.

VisualAgentBench's text observer (`VAB-WebArena-Lite`, commit 9055fc2) writes what it
sees of each element into the document, parses the document's text with lxml and writes
the visible part again. lxml repairs markup in its own way, so the same parser is used
here; docs/fidelity_observation.md has the comparison and what still differs.
"""

from __future__ import annotations

import dataclasses
import re

from lxml import etree, html

# Characters of one text or attribute that are kept.
VALUE_LIMIT = 500
# Characters of a document that are parsed; the released observer has no limit.
MARKUP_LIMIT = 4_000_000
# Characters of an observation; a prompt of WebRL's takes at most 15,872.
TEXT_LIMIT = 200_000
_LABEL = "data-label-id"
_BOX = "data-bbox"
# In output order; equal values are written once.
_KEPT = (
    *("title", "value", "type", "placeholder", "selected", "data-value", "data-text"),
    *("data-testid", "data-label", _BOX, "data-status"),
)
# Patterns that are removed from the text before it is parsed, in this order.
_LEFT_OUT = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        "<!--.*?-->",
        "<style.*?>.*?</style>",
        "<script.*?>.*?</script>",
    )
)


@dataclasses.dataclass(frozen=True, slots=True)
class _Written:
    """What a subtree adds to its parent: text, and whether it has content."""

    text: str
    speaks: bool


def write_page(markup: str, viewport: tuple[int, int]) -> str:
    """Return the simplified HTML of a document.

    Args:
        markup: The document with the observed data of each element, from `webrl.js`.
        viewport: Width and height in CSS pixels of what is on the screen.
    """
    for pattern in _LEFT_OUT:
        markup = pattern.sub("", markup)
    try:
        root = html.fromstring(re.sub(r"\s+", " ", markup).strip().encode())
    except (etree.ParserError, ValueError):
        return ""  # An empty document.
    nodes = list(root.getroottree().getroot().iter(etree.Element))
    written: dict[html.HtmlElement, _Written] = {}
    for node in reversed(nodes):
        inside = [written.pop(child) for child in node.iterchildren(etree.Element)]
        written[node] = _write(node, inside, viewport)
    return written[nodes[0]].text[:TEXT_LIMIT]


def _write(
    node: html.HtmlElement, inside: list[_Written], viewport: tuple[int, int]
) -> _Written:
    text = _cut(node.text)
    attributes = _attributes_of(node)
    children = " ".join(part.text for part in inside if part.text)
    speaking = sum(part.speaks for part in inside)
    has_words = bool(text or attributes.keys() - {_BOX})
    is_visible = _is_visible(node, viewport)
    label = node.get(_LABEL, "")
    is_shown = bool(label) or is_visible or _is_listed(node, viewport)
    adds = speaking > 1 or has_words or (bool(label) and is_visible)
    if is_shown and adds:
        children = _element(node.tag, label, attributes, text, children)
    return _Written(children, speaks=bool(speaking) or has_words)


def _element(
    tag: str, label: str, attributes: dict[str, str], text: str, children: str
) -> str:
    names: dict[str, str] = {}  # by value
    for name, value in attributes.items():
        names.setdefault(value, name)
    opening = [tag, f'id="{label}"'] if label else [tag]
    opening += [f'{name}="{value}"' for value, name in names.items()]
    parts = [f"<{' '.join(opening)}>", text, children, f"</{tag}>"]
    return " ".join(part for part in parts if part)


def _attributes_of(node: html.HtmlElement) -> dict[str, str]:
    values = {name: _cut(node.get(name)) for name in _KEPT}
    if values["type"] == "hidden":
        del values["type"]
    return {name: value for name, value in values.items() if value}


def _cut(text: str | None) -> str:
    return (text or "").strip()[:VALUE_LIMIT]


def _is_visible(node: html.HtmlElement, viewport: tuple[int, int]) -> bool:
    if node.get("aria-hidden") == "true":
        return False
    try:
        x, y, width, height = map(float, node.get(_BOX, "").split(","))
    except ValueError:
        return False
    return x + width >= 0 and x <= viewport[0] and y + height >= 0 and y <= viewport[1]


def _is_listed(node: html.HtmlElement, viewport: tuple[int, int]) -> bool:
    """Say whether it is an option of a visible drop-down list."""
    parent = node.getparent()
    if node.tag != "option" or parent is None or parent.tag != "select":
        return False
    return bool(parent.get(_LABEL)) or _is_visible(parent, viewport)
