"""The project's terms, read from docs/glossary.md, their only source.

`glossary_words` marks them for translation: readers see them in their language.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from pathlib import Path

from django.conf import settings
from django.utils.text import slugify
from django.utils.translation import gettext

# A table's row: what a word means, and which words are not used for it.
ROW = re.compile(r"^\| (?P<word>[^|]+) \| (?P<meaning>[^|]+) \|(?P<avoid>[^|]*)\|$")
TITLES = ("word", "---")


@dataclasses.dataclass(frozen=True, slots=True)
class Term:
    """One word and what it means here, as plain English text.

    Names that begin with `shown` are the same texts in the reader's language.
    """

    word: str
    meaning: str
    avoid: str
    section: str

    @property
    def slug(self) -> str:
        return slugify(self.word)

    @property
    def shown_word(self) -> str:
        return _say(self.word)

    @property
    def shown_meaning(self) -> str:
        return _say(self.meaning)

    @property
    def shown_section(self) -> str:
        return _say(self.section)

    def holds(self, text: str) -> bool:
        """Say whether the text is in the word, its meaning or the words it replaces.

        English is searched, too: code, docs and the API use it.
        """
        shown = f"{self.shown_word} {self.shown_meaning}"
        english = f"{self.word} {self.meaning} {self.avoid}"
        return text.lower() in f"{shown} {english}".lower()


def parse_glossary(markdown: str) -> list[Term]:
    """Return the rows of all tables, in the page's order."""
    terms, section = [], ""
    for line in markdown.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        row = ROW.match(line)
        if row and row["word"] not in TITLES:
            word, meaning, avoid = (_plain(row[i]) for i in (1, 2, 3))
            terms.append(Term(word, meaning, avoid, section))
    return terms


@functools.cache
def read_glossary() -> dict[str, Term]:
    """Return every term by its word; the page is read once a process."""
    page = Path(settings.BASE_DIR) / "docs" / "glossary.md"
    terms = parse_glossary(page.read_text(encoding="utf-8"))
    return {term.word: term for term in terms}


def _plain(cell: str) -> str:
    """Remove the marks of code."""
    return cell.replace("`", "").strip()


def _say(text: str) -> str:
    return gettext(text)
