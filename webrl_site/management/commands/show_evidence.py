"""Say how much room the evidence takes, and what the retention would remove.

The rules are the operator's settings; options look at others. With --remove what they
let go goes now, instead of bit by bit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.defaultfilters import filesizeformat

from rollouts.models import EvidenceKind
from rollouts.retention import Rule
from rollouts.selectors.evidence import list_rules
from rollouts.services import measure_evidence, remove_evidence
from webrl_site.operations.evidence_page import KindOfEvidence, describe_evidence


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        for kind in EvidenceKind.values:
            parser.add_argument(f"--{kind}-days", type=int, metavar="N")
            parser.add_argument(f"--{kind}-gib", type=int, metavar="N")
        parser.add_argument("--remove", action="store_true", help="let it go now")

    def handle(self, *args: object, remove: bool, **options: object) -> None:
        rules = [_change(rule, options) for rule in list_rules()]
        if min(min(rule.days, rule.gib) for rule in rules) < 0:
            raise CommandError("Days and GiB are 0 (for ever, any) or more.")
        measure_evidence()
        for one in describe_evidence(rules):
            self.stdout.write(_say(one))
        for rule in rules if remove else []:
            self._remove(rule)

    def _remove(self, rule: Rule) -> None:
        episodes = freed = 0
        while (done := remove_evidence(rule=rule)).episodes:
            episodes, freed = episodes + done.episodes, freed + done.bytes
        if episodes:
            self.stdout.write(
                f"{rule.kind}: removed of {episodes} episodes, {_size(freed)} freed."
            )


def _change(rule: Rule, options: Mapping[str, object]) -> Rule:
    days, gib = options[f"{rule.kind}_days"], options[f"{rule.kind}_gib"]
    return dataclasses.replace(
        rule,
        days=days if isinstance(days, int) else rule.days,
        gib=gib if isinstance(gib, int) else rule.gib,
    )


def _say(one: KindOfEvidence) -> str:
    used = f"{one.use.files} files, {_size(one.use.bytes)}" if one.use else "not known"
    text = f"{one.rule.kind}: {used}, of {one.episodes} episodes ({one.pinned} pinned)"
    if not one.rule.is_on:
        return f"{text}; kept forever."
    return f"{text}; {one.going} would go, at most {_size(one.freed)}."


def _size(count: int) -> str:
    return filesizeformat(count).replace("\xa0", " ")
