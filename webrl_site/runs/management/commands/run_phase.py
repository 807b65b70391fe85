"""Open phases through the same services and jobs as the dashboard, and follow them.

The workers must be running: `./webrl up`, or `./webrl demo`, which calls this.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TypedDict, Unpack

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from curriculum import services
from curriculum.errors import PhaseConflict, WorkbenchError
from curriculum.models import Phase, Run
from webrl_site.launch.readiness import require_fit_sites
from webrl_site.loop.wakeups import enqueue_advance
from webrl_site.runs import results
from webrl_site.runs.config import PRESETS, RunConfig
from webrl_site.runs.follow import Follower
from webrl_site.statistics import Proportion

Purpose = results.Purpose


class Options(TypedDict):
    """The options of the command line."""

    run: str | None
    phases: int
    wait: bool
    auto_accept: bool
    seed: int
    preset: str
    json: Path | None


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("--run", help="name of the run; created if there is none")
        add("--phases", type=int, default=1, help="how many, one after another")
        add("--wait", action="store_true", help="follow until they are closed")
        add("--auto-accept", action="store_true", help="accept without a person")
        add("--seed", type=int, default=0)
        add("--preset", choices=sorted(PRESETS), default="demo")
        add("--json", type=Path, help="write the figures to this file")

    def handle(self, *args: object, **options: Unpack[Options]) -> None:
        if options["phases"] < 1:
            raise CommandError("--phases must be at least 1.")
        self.options = options
        self.console = Console(highlight=False)
        try:
            run = self._find_run()
            first = self._open_phase(run)
            if options["wait"]:
                self._follow(run, first)
            else:
                self.console.print(f"{first} is on its way.")
        except WorkbenchError as error:
            raise CommandError(error.message) from None

    def _find_run(self) -> Run:
        """Return the named run, or create it."""
        options = self.options
        name = options["run"] or f"{options['preset']} seed {options['seed']}"
        run = Run.objects.filter(name=name).first()
        if run is not None:
            return run
        config = RunConfig.parse(
            {
                **PRESETS[options["preset"]],
                "curriculum": {
                    **PRESETS[options["preset"]].get("curriculum", {}),
                    "phases_in_a_row": options["phases"],
                },
            }
        )
        return services.create_run(
            name=name,
            config=config.to_json(),
            seed=options["seed"],
            auto_accept=options["auto_accept"],
        )

    def _open_phase(self, run: Run) -> Phase:
        """Open the next phase, or continue the open one."""
        # The same check as everywhere else before a run's first phase.
        require_fit_sites(run.pk)
        try:
            phase = services.open_phase(run_id=run.pk)
        except PhaseConflict as conflict:
            if conflict.phase_id is None:
                raise
            phase = Phase.objects.get(pk=conflict.phase_id)
            if not phase.is_moving:
                phase = services.resume_phase(phase_id=phase.pk, by=None)
        enqueue_advance(phase.pk)
        return phase

    def _follow(self, run: Run, first: Phase) -> None:
        """Follow phase after phase; then print and write the results."""
        began, followed, phase = time.monotonic(), [], first
        follower = Follower(self.console)
        while True:
            phase = follower.follow(phase, self._review)
            if phase.status != Phase.Status.CLOSED:
                raise WorkbenchError(
                    f"{phase} is {phase.status}: {phase.failure_reason or 'by request'}"
                )
            followed.append(phase)
            self._print_phase(phase)
            if len(followed) == self.options["phases"]:
                break
            following = run.phases.filter(number=phase.number + 1).first()
            phase = following or self._open_phase(run)
        summary = results.summarise(followed, time.monotonic() - began)
        if self.options["json"]:
            text = json.dumps(summary, indent=1) + "\n"
            self.options["json"].write_text(text, encoding="utf-8")

    def _review(self, phase: Phase) -> None:
        """Accept the waiting tasks if allowed; else wait for people to decide."""
        if self.options["auto_accept"]:
            services.accept_shortlisted(phase_id=phase.pk)
            enqueue_advance(phase.pk)

    def _print_phase(self, phase: Phase) -> None:
        before = results.measure_start(phase)
        after = results.measure_success(phase, Purpose.EVALUATE)
        own = results.measure_success(phase, Purpose.BASELINE).n
        start = Phase.objects.get(
            run_id=phase.run_id,
            number=phase.number if own else max(1, phase.number - 1),
        )
        purpose = Purpose.BASELINE if own else Purpose.EVALUATE
        self.console.print(f"{phase}: success on the test tasks, 95 % intervals")
        for label, rate, link in (
            ("before", before, results.link_episodes(start, purpose)),
            ("after", after, results.link_episodes(phase, Purpose.EVALUATE)),
        ):
            self.console.print(
                f"  {label:<6} {format_rate(rate)}  {link}", soft_wrap=True
            )


def format_rate(rate: Proportion) -> str:
    """Return "12 of 60 = 20.0 % [11.8, 31.8]"."""
    if rate.rate is None or rate.low is None or rate.high is None:
        return "not measured"
    return (
        f"{rate.successes} of {rate.n} = {100 * rate.rate:.1f} % "
        f"[{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
    )
