"""Runs the originals and ours on the same inputs and records every difference."""

from __future__ import annotations

import asyncio
import dataclasses
import random
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.fidelity.inputs import (
    Task,
    draw_addresses,
    draw_answers,
    draw_contents,
    draw_outputs,
)
from benchmarks.fidelity.originals import (
    LITE_TASKS,
    WEBARENA_TASKS,
    Evaluators,
    load_evaluators,
    load_parser,
    load_tasks,
)
from rollouts.browser.actions.webrl import parse_action
from rollouts.browser.evaluators import RULE_SETS, Ending, evaluate
from rollouts.browser.evaluators.locators import Program
from rollouts.browser.types import Action

REFUSED = "refused"
_Told = tuple[str, int | str | None, str]


@dataclasses.dataclass(slots=True)
class Comparison:
    """How often both agree, and each input on which they do not."""

    name: str
    count: int = 0
    differences: list[str] = dataclasses.field(default_factory=list)
    notes: Counter[str] = dataclasses.field(default_factory=Counter)

    def add(self, given: object, theirs: object, ours: object) -> None:
        """Count one input."""
        self.count += 1
        if theirs != ours:
            self.differences.append(f"{given!r}: original {theirs}, ours {ours}")

    @property
    def agreement(self) -> float:
        """Share of the inputs on which both agree, in percent."""
        return 100 * (1 - len(self.differences) / max(self.count, 1))


@dataclasses.dataclass(frozen=True, slots=True)
class _Page:
    """A page for both sides, with one address and one content."""

    url: str = "http://host.example/"
    text: str = ""

    def content(self) -> str:
        return self.text

    async def read(
        self,
        url: str,
        program: Program | None,
        clicks: Sequence[Program] = (),
        *,
        wait_ms: int = 0,
    ) -> str:
        return self.text


@dataclasses.dataclass(frozen=True, slots=True)
class Counts:
    """How many inputs of each kind, per rule set."""

    answers: int = 30_000
    addresses: int = 16_000
    contents: int = 6_000
    outputs: int = 10_000


def compare_all(folder: Path, counts: Counts, seed: int) -> list[Comparison]:
    """Compare the three rule sets and the parser.

    Raises:
        FileNotFoundError: One of the originals is not in the folder.
    """
    found: list[Comparison] = []
    for name, original in load_evaluators(folder).items():
        tasks = load_tasks(
            folder / (WEBARENA_TASKS if name == "webarena" else LITE_TASKS)
        )
        rng = random.Random(f"{seed} {name}")
        answers = draw_answers(tasks, counts.answers, rng)
        found.append(_compare(name, "answers", original, answers, _as_answer))
        addresses = draw_addresses(tasks, counts.addresses, rng)
        found.append(_compare(name, "addresses", original, addresses, _as_address))
        contents = draw_contents(tasks, counts.contents, rng)
        found.append(_compare(name, "page contents", original, contents, _as_content))
    rng = random.Random(f"{seed} outputs")
    found.append(
        compare_parsers(load_parser(folder), draw_outputs(counts.outputs, rng))
    )
    return found


def _as_answer(task: Task, text: str) -> tuple[Task, str, _Page]:
    return _only(task, "string_match"), text, _Page()


def _as_address(task: Task, text: str) -> tuple[Task, str, _Page]:
    return _only(task, "url_match"), "", _Page(url=text)


def _as_content(task: Task, text: str) -> tuple[Task, str, _Page]:
    return task, "", _Page(text=text)


def _only(task: Task, name: str) -> Task:
    return {**task, "eval": {**task["eval"], "eval_types": [name]}}


def _compare(
    rule_set: str,
    kind: str,
    original: Evaluators,
    inputs: Iterable[tuple[Task, str]],
    prepare: Callable[[Task, str], tuple[Task, str, _Page]],
) -> Comparison:
    comparison = Comparison(f"{rule_set}, {kind}")
    with asyncio.Runner() as runner:
        for task, text in inputs:
            asked, answer, page = prepare(task, text)
            theirs = _ask_original(original, asked, answer, page, comparison)
            ours = runner.run(_ask_ours(rule_set, asked, answer, page))
            comparison.add((asked.get("task_id"), text), theirs, ours)
    return comparison


def _ask_original(
    original: Evaluators, task: Task, answer: str, page: _Page, into: Comparison
) -> bool | None:
    """Return the original's outcome; BrowserGym takes failed assertions as failures."""
    try:
        said = original.decide(task, answer, page)
    except AssertionError:
        into.notes["rules that the original cannot apply"] += 1
        return False if into.name.startswith("browsergym") else None
    if said is None:
        into.notes["left to the judge"] += 1
    return said


async def _ask_ours(rule_set: str, task: Task, answer: str, page: _Page) -> bool | None:
    ending = Ending(answer=answer, url=page.url, has_exited=True)
    verdict = await evaluate(task, ending, page, rule_set=RULE_SETS[rule_set])
    return verdict.outcome


def compare_parsers(actions: types.ModuleType, outputs: Iterable[str]) -> Comparison:
    """Compare what VisualAgentBench's parser runs with what ours does.

    Outputs that it refuses or stops at are counted with our reading of them, and so are
    elements that are not ids, on which its click fails later. A difference is an output
    that it runs and that we refuse or read differently.
    """
    comparison = Comparison("outputs that VisualAgentBench's parser runs")
    for output in outputs:
        theirs, ours = read_original(actions, output), _tell(parse_action(output))
        if isinstance(theirs, str):
            told = "refused by both" if ours is None else "read by ours alone"
            comparison.notes[f"{theirs} there, {told}"] += 1
        elif isinstance(theirs[1], str) and ours is None:
            comparison.notes["with an element that is no id, refused by ours"] += 1
        else:
            comparison.add(output, theirs, ours or REFUSED)
    return comparison


def read_original(actions: types.ModuleType, output: str) -> _Told | str:
    """Return the action that the original runs, or "refused" or "stopped the run"."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            action = actions.create_webrl_id_based_action(output)
    except actions.ActionParsingError:
        return REFUSED
    except Exception:  # noqa: BLE001 (any exception ends the task there)
        return "stopped the run"
    return _tell_original(action, actions.ActionTypes)


def _tell_original(action: Mapping[str, Any], kinds: Any) -> _Told:
    element = action["element_id"]
    shown: int | str | None = (
        int(element) if str(element).isdecimal() else element or None
    )
    told: dict[Any, _Told] = {
        kinds.STOP: ("Exit", None, action["answer"]),
        kinds.CLICK: ("Click", shown, ""),
        kinds.HOVER: ("Hover", shown, ""),
        kinds.TYPE: ("Type", shown, str(action["text"])),
        kinds.SEARCH: ("Search", shown, str(action["text"])),
        kinds.SELECT_DROPDOWN_OPTION: (
            *("Select Dropdown Option", shown),
            str(action.get("argument", "")),
        ),
        kinds.SCROLL: (f"Scroll {str(action['direction']).title()}", None, ""),
        kinds.KEY_PRESS: ("Press Enter", None, ""),
        kinds.GO_BACK: ("Go Backward", None, ""),
        kinds.GO_FORWARD: ("Go Forward", None, ""),
    }
    return told[action["action_type"]]


def _tell(action: Action) -> _Told | None:
    return (action.name, action.element, action.argument) if action.name else None
