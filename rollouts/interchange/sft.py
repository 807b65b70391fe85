"""Demonstrations as WebRL publishes them for SFT: one row per step.

    {"conversations": [{"from": "human", "value": PROMPT},
                       {"from": "gpt", "value": OUTPUT}]}

PROMPT is the text that the released models continue, all earlier outputs included
(`completion_prompt`). LLaMA-Factory reads such rows as `sharegpt`, under the template
`llama3_web`, which adds nothing but the end of the turn.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from curriculum.rules.control_tokens import without_controls
from rollouts.browser.actions.webrl import parse_action
from rollouts.browser.errors import is_failure
from rollouts.interchange.episodes import (
    MAX_STEPS,
    EpisodeFileError,
    FileEpisode,
    FileStep,
    FileTask,
    as_text,
    number_json_lines,
    read_json,
)
from rollouts.policies.published_prompts import (
    completion_prompt,
    read_completion_prompt,
)

Row = dict[str, Any]
CHECK = {
    "name": "published",
    "passed": True,
    "expected": "",
    "got": "",
    "why": "Published as a demonstration; nothing was checked here.",
}


@dataclasses.dataclass(frozen=True, slots=True)
class PromptRow:
    """One row as it is in the file.

    Attributes:
        place: File and line, or row of a list, for messages.
        prompt: The whole text that the model continues.
        output: The answer to learn.
    """

    place: str
    prompt: str
    output: str


@dataclasses.dataclass(frozen=True, slots=True)
class _Sample:
    """One row, parsed: the history, the page, and the answer."""

    instruction: str
    history: tuple[str, ...]
    page: str
    output: str

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """The history of the row after this one."""
        return self.instruction, self.history


def write_row(instruction: str, history: Sequence[str], page: str, output: str) -> Row:
    """Return the row of one step, without anything like a control token."""
    told, *outputs = map(without_controls, (instruction, *history))
    prompt = completion_prompt(told, outputs, without_controls(page))
    return {
        "conversations": [
            {"from": "human", "value": prompt},
            {"from": "gpt", "value": without_controls(output)},
        ]
    }


def write_rows(episode: FileEpisode, first: int = 0) -> Iterator[Row]:
    """Yield the rows of an episode from step `first` on.

    Steps that could not be carried out, or whose page is not known, stay in the
    history of the others and have no row.
    """
    outputs = [step.output for step in episode.steps]
    told = episode.task.instruction
    for index, step in enumerate(episode.steps):
        is_known = index >= first and step.observation
        if is_known and not is_failure(step.error):
            yield write_row(told, outputs[:index], step.observation, step.output)


def read_sft(path: Path, policy: str = "") -> Iterator[FileEpisode]:
    """Yield the episodes of a file with WebRL's rows: a JSON list or JSON lines.

    Raises:
        EpisodeFileError: A row is not in WebRL's form; the message names its line.
    """
    return join_rows(read_prompts(path), policy)


def read_prompts(path: Path) -> Iterator[PromptRow]:
    """Yield the rows of such a file unchanged.

    Raises:
        EpisodeFileError: A row is none of WebRL's; the message names its line.
    """
    if path.suffix == ".jsonl":
        for number, row in number_json_lines(path):
            yield read_row(row, f"{path}, line {number}")
        return
    rows = read_json(path)
    if not isinstance(rows, list):
        raise EpisodeFileError(f"{path} is no list of rows.")
    for number, row in enumerate(rows, 1):
        yield read_row(row, f"{path}, row {number}")


def join_rows(rows: Iterable[PromptRow], policy: str = "") -> Iterator[FileEpisode]:
    """Yield the episodes of rows, which may be in any order.

    A row follows the one whose history and output together are its history. Where that
    one is missing, the history gives its output but not its page.

    Raises:
        EpisodeFileError: A prompt is not one that the released models continue.
    """
    samples = [_read_sample(row) for row in rows]
    waiting: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
    chains: list[list[_Sample]] = []
    # Shorter histories first; rows of equal length keep the order of the file.
    for sample in sorted(samples, key=lambda one: len(one.history)):
        before = waiting[sample.key]
        place = before.pop(0) if before else len(chains)
        if place == len(chains):
            chains.append([])
        chains[place].append(sample)
        after = (sample.instruction, (*sample.history, sample.output))
        waiting[after].append(place)
    for chain in chains:
        yield _make_episode(chain, policy)


def read_row(row: Any, place: str) -> PromptRow:
    """Return one row's prompt and answer.

    Raises:
        EpisodeFileError: It does not have one text of each side.
    """
    turns = row.get("conversations") if isinstance(row, dict) else None
    if not isinstance(turns, list) or len(turns) != 2:
        raise EpisodeFileError(
            f"{place}: `conversations` must be a list of two turns, "
            "one of `human` and one of `gpt`."
        )
    values = []
    for turn, side in zip(turns, ("human", "gpt"), strict=True):
        said = turn.get("value") if isinstance(turn, dict) else None
        if not isinstance(said, str) or turn.get("from") != side:
            raise EpisodeFileError(
                f"{place}: a turn must have `from` {side!r} and a text as `value`."
            )
        values.append(as_text(said))
    return PromptRow(place, values[0], values[1])


def check_prompt(row: PromptRow) -> None:
    """Refuse a row whose prompt is not one that the released models continue.

    Raises:
        EpisodeFileError: The message names its line.
    """
    _read_sample(row)


def _read_sample(row: PromptRow) -> _Sample:
    found = read_completion_prompt(row.prompt)
    if found is None or len(found[1]) >= MAX_STEPS:
        raise EpisodeFileError(
            f"{row.place}: the text of `human` is no prompt of WebRL's models."
        )
    return _Sample(found[0], tuple(found[1]), found[2], row.output)


def _make_episode(chain: list[_Sample], policy: str) -> FileEpisode:
    last = chain[-1]
    outputs = (*last.history, last.output)
    pages = {len(sample.history): sample.page for sample in chain}
    steps = tuple(
        _make_step(pages.get(index, ""), output) for index, output in enumerate(outputs)
    )
    action = steps[-1].action
    name = hashlib.sha256(last.instruction.encode("utf-8", "replace")).hexdigest()
    return FileEpisode(
        task=FileTask(
            key=f"sft.{name[:16]}", instruction=last.instruction, split="train"
        ),
        steps=steps,
        policy=policy,
        purpose="collect",
        ended_by="exit" if action.get("name") == "Exit" else "left",
        answer=action.get("argument", "") if action.get("name") == "Exit" else "",
        outcome=True,
        checks=(CHECK,),
        final_observation=last.page,
        observation_form="webrl",
        action_dialect="webrl",
    )


def _make_step(page: str, output: str) -> FileStep:
    action = parse_action(output)
    told = {
        "name": action.name,
        "element": action.element,
        "argument": action.argument,
    }
    return FileStep(observation=page, output=output, action=told if action.name else {})
