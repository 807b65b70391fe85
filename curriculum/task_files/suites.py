"""The published task files, recognised by their form, and what they leave implicit.

WebArena's 812 tasks, WebArena-Lite's 165 and WebArena-Verified's 812 are test sets
under their own rules; WebRL's 1,123 instructions are training tasks without evaluators.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from curriculum.evolution.types import digest_task
from curriculum.task_files.types import Entry


@dataclasses.dataclass(frozen=True, slots=True)
class Suite:
    """One published format.

    Attributes:
        key: Its name, and the beginning of its tasks' keys.
        title: What people call it.
        split: Where its tasks belong.
        rule_set: How its tasks are evaluated.
        may_repeat: The same instruction occurs more than once and is kept once.
    """

    key: str
    title: str
    split: str
    rule_set: str
    may_repeat: bool = False


WEBARENA = Suite("webarena", "WebArena", "test", "webarena")
WEBARENA_LITE = Suite("webarena-lite", "WebArena-Lite", "test", "webarena-lite")
WEBARENA_VERIFIED = Suite(
    key="webarena-verified",
    title="WebArena-Verified",
    split="test",
    rule_set="webarena-verified",
)
WEBRL = Suite("webrl", "WebRL's training instructions", "train", "webarena-lite", True)
DIGEST_LENGTH = 16
# Values of a task's `suite`, whose pages begin and end the episode themselves.
PAGE_SUITES = ("miniwob",)


@dataclasses.dataclass(frozen=True, slots=True)
class KnownSite:
    """One of WebArena's sites; its placeholder is the key in capitals."""

    key: str
    name: str
    description: str

    @property
    def placeholder(self) -> str:
        """The placeholder of the site's address in task files."""
        return f"__{self.key.upper()}__"


KNOWN_SITES = {
    site.key: site
    for site in (
        KnownSite("shopping", "WebArena shop", "OneStopShop, a Magento shop."),
        KnownSite("shopping_admin", "WebArena shop admin", "The shop's back office."),
        KnownSite("reddit", "WebArena forum", "Postmill, a discussion board."),
        KnownSite("gitlab", "WebArena GitLab", "A project host."),
        KnownSite("map", "WebArena map", "OpenStreetMap with directions."),
        KnownSite("wikipedia", "WebArena Wikipedia", "An offline encyclopedia."),
    )
}


def recognise(entries: Sequence[Entry]) -> Suite | None:
    """Return the suite that all tasks look like, or None."""
    items = [entry.item for entry in entries]
    if not items or not all(_is_published(item) for item in items):
        return None
    if all(set(item) == {"intent", "sites", "start_url"} for item in items):
        return WEBRL
    if all(_is_verified(item) for item in items):
        return WEBARENA_VERIFIED
    if all("old_task_id" in item for item in items):
        return WEBARENA_LITE
    if all("task_id" in item and "intent_template_id" in item for item in items):
        return WEBARENA
    return None


def complete(entries: Sequence[Entry], suite: Suite) -> tuple[list[Entry], int]:
    """Add what the suite leaves implicit; also return how many were repeated."""
    seen: set[str] = set()
    completed: list[Entry] = []
    for entry in entries:
        item = _complete(entry.item, suite)
        if suite.may_repeat and item["key"] in seen:
            continue
        seen.add(str(item["key"]))
        completed.append(dataclasses.replace(entry, item=item))
    return completed, len(entries) - len(completed)


def list_sites(entries: Sequence[Entry]) -> list[str]:
    """Return the keys of the sites that a recognised file names, sorted."""
    return sorted({key for entry in entries for key in entry.item["sites"]})


def _complete(item: dict[str, Any], suite: Suite) -> dict[str, Any]:
    if suite is WEBARENA_VERIFIED:
        item = _wrap_verified(item)
    number = item.get("task_id")
    if number is None:
        text, url = str(item.get("intent")), str(item.get("start_url"))
        name = digest_task(text, url)[:DIGEST_LENGTH]
    else:
        name = str(number)
    said = {"split": suite.split, "rule_set": suite.rule_set}
    template = item.get("intent_template_id")
    if template is not None:
        said["template_key"] = f"webarena.{template}"
    return {"key": f"{suite.key}.{name}", **said, **item}


def _is_verified(item: dict[str, Any]) -> bool:
    rules, urls = item.get("eval"), item.get("start_urls")
    return (
        "task_id" in item
        and isinstance(urls, list)
        and all(isinstance(url, str) for url in urls)
        and isinstance(rules, list)
        and bool(rules)
        and all(isinstance(rule, dict) and "evaluator" in rule for rule in rules)
    )


def _wrap_verified(item: dict[str, Any]) -> dict[str, Any]:
    """Keep the published object unchanged, for its own evaluators."""
    return {
        "task_id": item["task_id"],
        "intent_template_id": item.get("intent_template_id"),
        "sites": item["sites"],
        "intent": item.get("intent"),
        "start_url": " |AND| ".join(item["start_urls"]),
        "mutates": any(_may_mutate(rule) for rule in item["eval"]),
        "eval": {"eval_types": ["webarena_verified"], "published": item},
    }


def _may_mutate(rule: dict[str, Any]) -> bool:
    expected = rule.get("expected")
    kind = expected.get("task_type") if isinstance(expected, dict) else None
    return str(kind).lower() == "mutate"


def _is_published(item: object) -> bool:
    return (
        isinstance(item, dict)
        and "key" not in item
        and isinstance(item.get("sites"), list)
        and bool(item["sites"])
        and all(isinstance(s, str) and s in KNOWN_SITES for s in item["sites"])
    )
