"""Task templates: instructions with blanks, how to fill, check and solve them.

A template's goal follows from the filled blanks alone, so a task that the generator
makes later has the same evaluators and the same plan as one made for the catalog.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Literal, TypeVar

from rollouts.sites.kit.plans import Exit, Plan, Step
from rollouts.sites.kit.sites import Site

Values = dict[str, str]
Item = TypeVar("Item")
Kind = Literal["find", "navigate", "change", "impossible"]
NOT_AVAILABLE = "N/A"
BLANK = re.compile(r"\{\{(\w+)\}\}")


class Infeasible(ValueError):
    """The blanks name something the site lacks or forbids; the text says what."""


@dataclasses.dataclass(frozen=True)
class Goal:
    """How to check a filled template (WebArena's `eval`) and the shortest plan."""

    evaluation: dict[str, Any]
    plan: Plan


@dataclasses.dataclass(frozen=True)
class Template:
    """One kind of task.

    Attributes:
        key: Stable name: "shop.find_price".
        site: Where it takes place, and what the first tab shows.
        kind: What the agent must do.
        phrasings: Instructions that mean the same, with {{blanks}}.
        draw: Fills the blanks at random.
        solve: Works out the goal; raises Infeasible.
        is_held_out: True where it occurs only in the test split.
        others: Further sites that it needs, each open in a tab of its own.
    """

    key: str
    site: Site
    kind: Kind
    phrasings: tuple[str, ...]
    draw: Callable[[Random], Values]
    solve: Callable[[Values], Goal]
    is_held_out: bool = False
    others: tuple[Site, ...] = ()

    @property
    def sites(self) -> tuple[Site, ...]:
        """All the sites that it needs, in the order of their tabs."""
        return (self.site, *self.others)

    @property
    def site_keys(self) -> list[str]:
        """The keys of its sites, as its tasks name them."""
        return [site.key for site in self.sites]

    @property
    def is_possible(self) -> bool:
        """False where the right answer is that it cannot be done."""
        return self.kind != "impossible"

    def build_task(self, phrasing: str, values: Values) -> dict[str, Any]:
        """The task object in WebArena's JSON format, without key, split and id."""
        goal = self.solve(values)
        checks = {"optimal_steps": len(goal.plan), "eval": goal.evaluation}
        return {**self.describe(phrasing, values), **checks}

    def describe(self, phrasing: str, values: Values) -> dict[str, Any]:
        """The task object without evaluators, for blanks that may be infeasible."""
        return {
            "template_key": self.key,
            "sites": self.site_keys,
            "require_login": False,
            "storage_state": None,
            "start_url": " |AND| ".join(f"{s.placeholder}/" for s in self.sites),
            "geolocation": None,
            "intent_template": phrasing,
            "instantiation_dict": values,
            "intent": fill(phrasing, values),
            "require_reset": False,
            "eval": {},
        }


def fill(phrasing: str, values: Values) -> str:
    """The instruction with its blanks filled."""
    return BLANK.sub(lambda match: values[match[1]], phrasing)


def plan(*parts: Step | Sequence[Step]) -> Plan:
    """Steps and lists of steps as one plan, ended by Exit() unless it has an end."""
    steps: list[Step] = []
    for part in parts:
        if isinstance(part, Sequence):
            steps.extend(part)
        else:
            steps.append(part)
    if not isinstance(steps[-1], Exit):
        steps.append(Exit())
    return tuple(steps)


def find(answer: str, *parts: Step | Sequence[Step]) -> Goal:
    """The agent must end with exactly this answer."""
    evaluation = _evaluation("string_match")
    evaluation["reference_answers"] = {"exact_match": answer}
    return Goal(evaluation, plan(*parts, Exit(answer)))


def navigate(address: str, *parts: Step | Sequence[Step]) -> Goal:
    """The agent must end on this address (with the site's placeholder)."""
    evaluation = _evaluation("url_match")
    evaluation["reference_url"] = address
    return Goal(evaluation, plan(*parts))


def change(site: Site, state: Mapping[str, Any], *parts: Step | Sequence[Step]) -> Goal:
    """These parts of the site's state must be so, and nothing else may change."""
    evaluation = _evaluation("state_match")
    evaluation["reference_state"] = [
        {"site": site.key, "path": path, "equals": value}
        for path, value in state.items()
    ]
    return Goal(evaluation, plan(*parts))


def cannot(*parts: Step | Sequence[Step]) -> Goal:
    """The agent must find out that it cannot be done and say so."""
    return find(NOT_AVAILABLE, *parts)


def known(items: Mapping[str, Item], key: str, what: str) -> Item:
    """The item called `key`; Infeasible when the site has none."""
    try:
        return items[key]
    except KeyError:
        raise Infeasible(f'The site has no {what} called "{key}".') from None


def require(condition: bool, reason: str) -> None:
    """Infeasible with this reason unless the condition holds."""
    if not condition:
        raise Infeasible(reason)


def _evaluation(eval_type: str) -> dict[str, Any]:
    return {
        "eval_types": [eval_type],
        "reference_answers": None,
        "reference_url": "",
        "program_html": [],
        "reference_state": [],
    }
