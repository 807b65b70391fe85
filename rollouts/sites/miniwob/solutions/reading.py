"""Reads an observation's elements with ids, by their text."""

from __future__ import annotations

import dataclasses
import html
from html.parser import HTMLParser

NAMES = ("label", "title", "placeholder")


@dataclasses.dataclass(slots=True)
class Item:
    """One element with an id.

    `text` is its content, `before` the text between it and the element before.
    """

    id: int
    tag: str
    attributes: dict[str, str]
    before: str
    text: str = ""

    @property
    def names(self) -> set[str]:
        """Its name."""
        named = {self.attributes[name] for name in NAMES if name in self.attributes}
        return {name for name in {self.text, *named} if name}

    @property
    def kind(self) -> str:
        """Its tag, or the type of an input."""
        is_input = self.tag == "input"
        return self.attributes.get("type", "text") if is_input else self.tag


class Page:
    """The elements of an observation in document order, and its words."""

    def __init__(self, observation: str) -> None:
        """Read the simplified HTML."""
        reader = _Reader()
        reader.feed(observation)
        reader.close()
        self.html = observation
        self.items = reader.items
        self.text = " ".join("".join(reader.texts).split())

    def find(self, name: str, *kinds: str) -> Item | None:
        """The first element of that name, if needed ignoring case."""
        items = self.of(*kinds)
        exact = [item for item in items if name in item.names]
        alike = [item for item in items if name.lower() in map(str.lower, item.names)]
        return next(iter(exact + alike), None)

    def of(self, *kinds: str) -> list[Item]:
        """The elements of some kinds, or all."""
        return [item for item in self.items if not kinds or item.kind in kinds]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.items: list[Item] = []
        self.texts: list[str] = []
        self._open: list[Item | None] = []
        self._before: list[str] = []

    def handle_starttag(
        self, tag: str, attributes: list[tuple[str, str | None]]
    ) -> None:
        self._open.append(self._make(tag, attributes))
        self.texts.append(" ")

    def handle_startendtag(
        self, tag: str, attributes: list[tuple[str, str | None]]
    ) -> None:
        self._make(tag, attributes)
        self.texts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self.texts.append(" ")
        if self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        around = [item for item in self._open if item]
        for item in around:
            item.text = f"{item.text} {data.strip()}".strip()
        if not around:
            self._before.append(data)

    def _make(self, tag: str, attributes: list[tuple[str, str | None]]) -> Item | None:
        given = {name: html.unescape(value or "") for name, value in attributes}
        if not given.get("id", "").isdigit():
            return None
        before = " ".join(" ".join(self._before).split())
        item = Item(int(given.pop("id")), tag, given, before)
        self._before.clear()
        self.items.append(item)
        return item
