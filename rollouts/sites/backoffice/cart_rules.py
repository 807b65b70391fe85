"""The cart rules of one episode: which there are, and what may be done to them."""

from __future__ import annotations

import dataclasses
import datetime
import re
from typing import Any

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.records import Rule
from rollouts.sites.backoffice.rules_data import ALL_GROUPS
from rollouts.sites.backoffice.state import NAME, OfficeError
from rollouts.sites.kit.episodes import Changes
from rollouts.sites.kit.vocabulary import slugify

MAX_DISCOUNT = 90
RULE_GROUPS = (ALL_GROUPS, *data.GROUPS)
_FIELDS = ("name", "discount", "group", "starts", "ends")


def phase_of(rule: Rule) -> str:
    """Whether the rule is planned, running or has ended."""
    today = data.TODAY.isoformat()
    if rule.ends < today:
        return "Ended"
    return "Planned" if rule.starts > today else "Running"


def parse_day(text: str, field: str) -> str:
    """A day as YYYY-MM-DD; refuses others."""
    try:
        is_day = datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        is_day = False
    if not is_day:
        raise OfficeError(f'Write "{field}" as YYYY-MM-DD, like 2024-07-01.')
    return text


class CartRules:
    """The rules of an episode; `changes` is its whole change set."""

    def __init__(self, changes: Changes) -> None:
        """Bind the change set, which the methods change in place."""
        self._changes: dict[str, dict[str, Any]] = changes["rules"]

    @property
    def all(self) -> dict[str, Rule]:
        """All rules by slug, in the order of their names."""
        found = dict(data.RULES)
        for slug, fields in self._changes.items():
            if "deleted" in fields:
                del found[slug]
            elif slug in found:
                found[slug] = dataclasses.replace(found[slug], **fields)
            else:
                found[slug] = Rule(slug=slug, **fields)
        return dict(sorted(found.items()))

    def add(self, name: str, fields: dict[str, str]) -> str:
        """Make a rule from what was typed; returns its slug."""
        if not NAME.fullmatch(name):
            raise OfficeError("Write the name in letters, digits and single spaces.")
        slug = slugify(name)
        if slug in self.all:
            raise OfficeError("Another rule has this name.")
        self._save(Rule(slug=slug, name=name, **_parse(fields)))
        return slug

    def edit(self, slug: str, fields: dict[str, str]) -> None:
        """Save what was typed; an ended rule stays as it is."""
        rule = self.all[slug]
        if phase_of(rule) == "Ended":
            raise OfficeError("This rule has ended and can no longer be changed.")
        self._save(dataclasses.replace(rule, **_parse(fields)))

    def delete(self, slug: str) -> None:
        """Remove the rule for good."""
        if slug in data.RULES:
            self._changes[slug] = {"deleted": True}
        else:
            del self._changes[slug]

    def _save(self, rule: Rule) -> None:
        """Record all of a new rule, of an old one what differs."""
        base = data.RULES.get(rule.slug)
        fields = {name: getattr(rule, name) for name in _FIELDS}
        changed = {
            name: value
            for name, value in fields.items()
            if base is None or value != getattr(base, name)
        }
        self._changes.pop(rule.slug, None)
        if changed:
            self._changes[rule.slug] = changed


def _parse(fields: dict[str, str]) -> dict[str, Any]:
    discount = fields.get("discount", "")
    is_number = re.fullmatch(r"\d{1,3}", discount, re.ASCII)
    if not is_number or not 1 <= int(discount) <= MAX_DISCOUNT:
        raise OfficeError(f"The discount must be a number from 1 to {MAX_DISCOUNT}.")
    if fields.get("group") not in RULE_GROUPS:
        raise OfficeError("Choose a group.")
    starts = parse_day(fields.get("starts", ""), "Starts on")
    ends = parse_day(fields.get("ends", ""), "Ends on")
    if ends < starts:
        raise OfficeError("The rule must not end before it starts.")
    if ends < data.TODAY.isoformat():
        raise OfficeError("The rule must not end in the past.")
    group = fields["group"]
    return {"discount": int(discount), "group": group, "starts": starts, "ends": ends}
