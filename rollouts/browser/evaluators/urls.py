"""url_match: the address of the last page against the reference addresses."""

from __future__ import annotations

from urllib.parse import parse_qs, urlparse

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.rule_sets import RuleSet
from rollouts.browser.evaluators.text import ALTERNATIVE
from rollouts.browser.evaluators.types import Case, Malformed
from rollouts.browser.types import CheckResult

CONTAINED = "GOLD in PRED"
EXACT = "EXACT"


async def match_url(case: Case) -> list[CheckResult]:
    """Check the last page's address.

    Raises:
        Malformed: There is no reference address, or an unknown `url_note`.
    """
    wanted = case.rules.get("reference_url")
    if not isinstance(wanted, str) or not wanted:
        raise Malformed(Sentence("no_reference_url"))
    note = case.rules.get("url_note")
    passed = urls_match(wanted, case.ending.url, case.rule_set, note=note)
    why = "" if passed else Sentence("other_page")
    return [CheckResult("url_match", passed, wanted, case.ending.url, why)]


def urls_match(
    wanted: str, url: str, rule_set: RuleSet, *, note: str | None = None
) -> bool:
    """Compare addresses; `wanted` may give several, joined by " |OR| ".

    Raises:
        Malformed: `note` is none that the rule set knows.
    """
    references = wanted.split(ALTERNATIVE)
    if rule_set.address == "parts":
        if note not in (None, CONTAINED):
            raise Malformed(Sentence("unknown_url_note", name=repr(note)))
        return _parts_match(references, url)
    if note not in (None, CONTAINED, EXACT):
        raise Malformed(Sentence("unknown_url_note", name=repr(note)))
    got = _tidy(url)
    if note == CONTAINED:
        return any(_tidy(reference) in got for reference in references)
    return got in [_tidy(reference) for reference in references]


def _tidy(url: str) -> str:
    return url.replace("localhost", "127.0.0.1").removesuffix("/")


def _parts_match(references: list[str], url: str) -> bool:
    """Host and path contained, and for each query key one of the allowed values."""
    base, query = _split(url)
    parts = [_split(reference) for reference in references]
    if not any(reference in base for reference, _ in parts):
        return False
    allowed: dict[str, set[str]] = {}
    for _, values in parts:
        for key, given in values.items():
            allowed.setdefault(key, set()).update(given)
    return all(given & set(query.get(key, ())) for key, given in allowed.items())


def _split(url: str) -> tuple[str, dict[str, list[str]]]:
    parts = urlparse(url.rstrip("/"))
    return parts.netloc + parts.path, parse_qs(parts.query)
