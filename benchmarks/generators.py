"""A checkpoint's proposals of new tasks and its verdicts, compared with the grammar's.

`./webrl bench generators` gives both generators the same failed tasks. A proposal of
the checkpoint is free text. It is understood if it is one of the sandbox's phrasings
with words in the blanks; the sandbox then knows whether the task is possible. The
judge is asked about the grammar's proposals, for which that is known too.

`--set checkpoint=ADDRESS` (usually GENERATOR_CHECKPOINT), `--set count=N`.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Sequence
from typing import Any, Protocol

from benchmarks.records import Record
from curriculum.evolution.filters import DuplicateFilter
from curriculum.evolution.leaks import HeldOut, LeakGate
from curriculum.evolution.types import ProposedTask, SeedTask, TaskGenerator
from rollouts.sites.kit.task_templates import BLANK, Infeasible, Template, Values
from rollouts.sites.sandbox.catalog import TEMPLATES, load_tasks
from rollouts.sites.sandbox.generator import GrammarGenerator

COUNT, SEED = 60, 0


class Judge(TaskGenerator, Protocol):
    """A generator that also gives a probability."""

    def find_chance(self, task: ProposedTask) -> float:
        """The probability that the task is possible, 0 to 1."""
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class Proposals:
    """Which of a generator's proposals pass each check, as shares of those requested.

    Attributes:
        given: Written at all.
        new: Neither equal nor nearly equal to a test task or another task.
        understood: New, and one of the sandbox's phrasings.
        possible: Understood, all that is named exists, and the site offers it.
    """

    given: float
    new: float
    understood: float
    possible: float


@dataclasses.dataclass(frozen=True, slots=True)
class Verdicts:
    """How accurate a judge is.

    Attributes:
        of_possible: Share of the possible tasks that it calls possible.
        of_impossible: Share of the impossible ones that it calls impossible.
        area: Probability that it rates a possible task above an impossible one; 0.5
            is a guess.
    """

    of_possible: float
    of_impossible: float
    area: float


def run(choices: Sequence[str] = ()) -> list[Record]:
    """Measure and return the records; the reference of the proposals is the grammar."""
    checkpoint, count = _read(choices)
    seeds = list_seeds()
    grammar = GrammarGenerator()
    own = grammar.propose(seeds, count=count, seed=SEED)
    truth = [grammar.judge_feasibility(task).is_feasible for task in own]
    if len(set(truth)) < 2:
        raise SystemExit("A judge needs possible and impossible tasks: raise count.")
    model = _load(checkpoint)
    records = _compare(
        sort_out(model.propose(seeds, count=count, seed=SEED), count),
        sort_out(own, count),
        count,
    )
    return records + _describe(judge(model, own, truth), truth)


def _read(choices: Sequence[str]) -> tuple[str, int]:
    found = dict(choice.partition("=")[::2] for choice in choices)
    count = found.pop("count", str(COUNT))
    checkpoint = found.pop("checkpoint", "")
    if found or not count.isdecimal() or int(count) < 1:
        raise SystemExit("Only checkpoint=ADDRESS and count=N can be set.")
    return checkpoint, int(count)


def _load(checkpoint: str) -> Judge:
    from django.conf import settings

    from curriculum.rules.checkpoints import resolve_checkpoint
    from training.rl.pretrained.instruction_model import load_instruction_model

    folder = resolve_checkpoint(checkpoint or settings.GENERATOR_CHECKPOINT)
    model: Judge = load_instruction_model(str(folder))
    return model


def list_seeds() -> list[SeedTask]:
    """One training task of each template of a single site, as if it had failed."""
    tasks = {
        task["template_key"]: task
        for task in reversed(load_tasks("train"))
        if len(task["sites"]) == 1
    }
    return [_as_seed(number, task) for number, task in enumerate(tasks.values())]


def sort_out(tasks: Sequence[ProposedTask], asked: int) -> Proposals:
    """Count which of a generator's proposals are left after each check."""
    known = load_tasks()
    leaks = LeakGate(
        HeldOut(task["key"], task["sites"][0], task["intent"])
        for task in known
        if task["split"] == "test"
    )
    duplicates = DuplicateFilter(
        leaks=leaks,
        known=(),
        instructions=[
            (task["sites"][0], task["intent"])
            for task in known
            if task["split"] != "test"
        ],
    )
    new = [task for task in tasks if not duplicates.find_reason(task)]
    readings = [reading for task in new if (reading := understand(task))]
    possible = [one for one in readings if any(is_possible(*way) for way in one)]
    found = (len(part) / asked for part in (tasks, new, readings, possible))
    return Proposals(*found)


def understand(task: ProposedTask) -> list[tuple[Template, Values]]:
    """Return each template of the site that the text matches, with its values."""
    text = _tidy(task.instruction)
    return [
        (template, match.groupdict())
        for template in TEMPLATES.values()
        if template.site.key == task.site
        for phrasing in template.phrasings
        if (match := _as_pattern(phrasing).fullmatch(text))
    ]


def is_possible(template: Template, values: Values) -> bool:
    """Whether all that is named exists, and the site offers what the task requires."""
    try:
        template.solve(values)
    except (Infeasible, KeyError):
        return False
    return template.is_possible


def judge(
    model: Judge, tasks: Sequence[ProposedTask], truth: Sequence[bool]
) -> Verdicts:
    """Ask the model about tasks whose truth is known; both kinds are needed."""
    said = [model.judge_feasibility(task).is_feasible for task in tasks]
    chances = [model.find_chance(task) for task in tasks]
    yes = [said for said, is_true in zip(said, truth, strict=True) if is_true]
    no = [not said for said, is_true in zip(said, truth, strict=True) if not is_true]
    return Verdicts(
        sum(yes) / len(yes), sum(no) / len(no), measure_area(chances, truth)
    )


def measure_area(chances: Sequence[float], truth: Sequence[bool]) -> float:
    """The area under the ROC curve: the share of ordered pairs; ties count half."""
    right = [one for one, is_true in zip(chances, truth, strict=True) if is_true]
    wrong = [one for one, is_true in zip(chances, truth, strict=True) if not is_true]
    won = sum((a > b) + (a == b) / 2 for a in right for b in wrong)
    return won / (len(right) * len(wrong))


def _compare(ours: Proposals, grammar: Proposals, count: int) -> list[Record]:
    rows = (
        ("proposals given, of those asked for", ours.given, grammar.given),
        ("no test task, no known task", ours.new, grammar.new),
        ("and understood by the sandbox", ours.understood, grammar.understood),
        ("and possible there", ours.possible, grammar.possible),
    )
    return [Record(name, 100 * a, 100 * b, "%", count) for name, a, b in rows]


def _describe(found: Verdicts, truth: Sequence[bool]) -> list[Record]:
    """The reference is a guess; the grammar's judge is right by definition."""
    rows = (
        ("possible called possible", found.of_possible, sum(truth)),
        ("impossible called impossible", found.of_impossible, len(truth) - sum(truth)),
        ("area under the curve", found.area, len(truth)),
    )
    return [
        Record(f"judge: {name}", 100 * share, 50.0, "%", n) for name, share, n in rows
    ]


def _as_seed(number: int, task: dict[str, Any]) -> SeedTask:
    return SeedTask(
        task_id=number,
        site=task["sites"][0],
        instruction=task["intent"],
        start_url=task["start_url"],
        template_key=task["template_key"],
        spec=task,
    )


def _tidy(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


@functools.cache
def _as_pattern(phrasing: str) -> re.Pattern[str]:
    """The phrasing with its blanks as groups; case and a last full stop are ignored."""
    parts = BLANK.split(_tidy(phrasing))
    # Texts between blanks are at even places, names of blanks at odd ones.
    texts, names = parts[::2], parts[1::2]
    groups = [
        f"(?P={name})" if name in names[:place] else f"(?P<{name}>.+?)"
        for place, name in enumerate(names)
    ]
    found = zip(map(re.escape, texts), [*groups, ""], strict=True)
    return re.compile("".join(text + group for text, group in found), re.IGNORECASE)
