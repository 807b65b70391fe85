"""What an import of episodes has written so far."""

from __future__ import annotations

import dataclasses
from copy import copy

from curriculum.models import Phase, Run
from curriculum.services.imported.tasks import MadeRows


@dataclasses.dataclass
class ImportReport:
    """The result of an import.

    Attributes:
        runs: Their names, in the order in which they were met.
        known: Tasks that were here already.
        made: The tasks and sites that are new.
    """

    runs: list[str] = dataclasses.field(default_factory=list)
    episodes: int = 0
    steps: int = 0
    pictures: int = 0
    known: set[int] = dataclasses.field(default_factory=set)
    made: MadeRows = dataclasses.field(default_factory=MadeRows)


@dataclasses.dataclass
class Progress:
    """What the batches so far have met.

    Attributes:
        runs: By name.
        phases: By their run's id and number.
        repeats: The numbers of attempts by phase, task and purpose.
        sites: By run's id, keys of the sites that this import made for its tasks.
        left: What a killed import of the same runs had made.
    """

    runs: dict[str, Run] = dataclasses.field(default_factory=dict)
    phases: dict[tuple[int, int], Phase] = dataclasses.field(default_factory=dict)
    repeats: dict[tuple[int, int, str], frozenset[int]] = dataclasses.field(
        default_factory=dict
    )
    sites: dict[int, frozenset[str]] = dataclasses.field(default_factory=dict)
    left: MadeRows = dataclasses.field(default_factory=MadeRows)
    report: ImportReport = dataclasses.field(default_factory=ImportReport)

    def copy(self) -> Progress:
        """Return it as it is now, with phases of its own: a batch names policies."""
        report = dataclasses.replace(
            self.report,
            runs=list(self.report.runs),
            known=set(self.report.known),
            made=self.report.made.copy(),
        )
        return Progress(
            runs=dict(self.runs),
            phases={place: copy(one) for place, one in self.phases.items()},
            repeats=dict(self.repeats),
            sites=dict(self.sites),
            left=self.left.copy(),
            report=report,
        )
