"""Evaluate a phase's recorded episodes again, under any rule set; write nothing."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.models import Phase
from rollouts.browser.evaluators import RULE_SETS, Verdict
from rollouts.browser.evaluators.openai_judge import OpenAIJudge
from rollouts.browser.evaluators.rule_sets import WEBARENA_VERIFIED
from rollouts.models import Trajectory
from rollouts.services.loading import find_judge

WORDS = {True: "success", False: "failure", None: "open"}


# WebArena-Verified's package needs an episode's requests, which are not kept.
RULES = [name for name in RULE_SETS if name != WEBARENA_VERIFIED.name]


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--phase", type=int, required=True, help="the phase's id")
        parser.add_argument(
            "--purpose",
            choices=Trajectory.Purpose.values,
            default=Trajectory.Purpose.EVALUATE,
        )
        parser.add_argument(
            "--rules",
            choices=RULES,
            action="append",
            help="a rule set; may be given again (default: all of them)",
        )
        parser.add_argument("--json", dest="to_file", type=Path, metavar="FILE")

    def handle(
        self,
        *args: object,
        phase: int,
        purpose: str,
        rules: list[str] | None,
        to_file: Path | None,
        **options: object,
    ) -> None:
        from rollouts.selectors.stored import load_episodes, stored_episodes

        if not Phase.objects.filter(pk=phase).exists():
            raise CommandError(f"There is no phase {phase}.")
        rows = stored_episodes(phase, purpose)
        episodes = list(load_episodes(rows))
        if not episodes:
            raise CommandError("The phase has no finished episodes of that purpose.")
        records: list[dict[str, Any]] = []
        for name in rules or RULES:
            verdicts = _rescore(episodes, name)
            records += self._tell(name, episodes, verdicts)
        if to_file:
            text = json.dumps(records, indent=1)
            to_file.write_text(text + "\n", encoding="utf-8")

    def _tell(
        self, name: str, episodes: Sequence[Any], verdicts: Sequence[Verdict]
    ) -> list[dict[str, Any]]:
        counts = Counter(WORDS[verdict.outcome] for verdict in verdicts)
        told = ", ".join(f"{counts[word]} {word}" for word in WORDS.values())
        self.stdout.write(f"{name}: {len(episodes)} episodes, {told}")
        records = []
        for episode, verdict in zip(episodes, verdicts, strict=True):
            before, after = WORDS[episode.outcome], WORDS[verdict.outcome]
            record = {"rule_set": name, "task": episode.key, "recorded": before}
            record |= {"trajectory": episode.trajectory_id, "outcome": after}
            records.append(record)
            if before != after:
                why = next((c.why for c in verdict.checks if not c.passed), "")
                where = f"trajectory {episode.trajectory_id} ({episode.key})"
                self.stdout.write(f"  {where}: {before} -> {after} {why}".rstrip())
        return records


def _rescore(episodes: Sequence[Any], rule_set: str) -> list[Verdict]:
    from rollouts.browser.process.pool import PoolOptions
    from rollouts.browser.scoring.rescoring import rescore

    judge = find_judge()
    return asyncio.run(
        rescore(
            episodes,
            RULE_SETS[rule_set],
            judge=OpenAIJudge(judge) if judge else None,
            options=PoolOptions(settings.BROWSER_EXECUTABLE or None, prepared=0),
        )
    )
