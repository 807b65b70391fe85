"""Where a policy departs from what a script does on held-out tasks.

`python -m benchmarks.learning.imitating POLICY ... --work FOLDER --held-out N` lets the
scripted solver play the validation tasks and N held-out training tasks once. It then
compares the tokens that each policy finds most likely with the solver's, step by step,
each step after the solver's own earlier ones. Test tasks are never read. With `--shown
OUT` tasks are also counted apart: those of templates that the demonstrations of
`benchmarks.learning.cloning` in OUT show, and the others.

Faster than an evaluation and not a substitute for it: a policy may solve a task in
another way, and one that departs from the script may recover.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from transformers import PreTrainedTokenizerBase

from benchmarks.learning.cloning import TEMPLATES, as_lines, demonstrate
from benchmarks.learning.command import Choices
from benchmarks.learning.loop import CLONING, SETTINGS, list_evaluated
from training.rl import checkpoints
from training.rl.batching import collate, split_by_budget
from training.rl.encoding import Encoder, Example
from training.rl.phase.scoring import encode_trajectory
from training.rl.policy import CausalLM, selected_logits
from training.rl.training_data import read_trajectories, write_lines
from training.rl.types import Trajectory

ROWS = "solved.jsonl"
# The part of an answer in which a text ends: after `do(action="Type", argument="Blue`
# it is the argument. An element is named in a comment before the call that has its id.
OPEN = re.compile(r'(?:(\w+)="[^"]*|# (Element):.*)$')
PARTS = {
    "element": "which element",
    "argument": "what is typed",
    "message": "the answer",
}
OTHER = "which action"
ORDER = (*PARTS.values(), OTHER)


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One step of the solver under a policy.

    Attributes:
        nats: -log pi of the solver's action, at least 0.
        departs: Position of the first token that the policy would choose otherwise;
            None if it would repeat the action.
        part: Of the answer, in which that token is; empty if there is none.
    """

    nats: float
    departs: int | None
    part: str = ""


@dataclasses.dataclass(frozen=True)
class Agreement:
    """A policy's steps on all tasks.

    Attributes:
        right, steps: Steps that it would repeat, of so many.
        tasks_right, tasks: Tasks of which it would repeat every step, of so many.
        nats: Mean -log pi of a step.
        departures: Steps by the part in which the first other token is.
    """

    right: int
    steps: int
    tasks_right: int
    tasks: int
    nats: float
    departures: Mapping[str, int]

    def __str__(self) -> str:
        """One readable line."""
        parts = [f"{part} {self.departures.get(part, 0)}" for part in ORDER]
        return (
            f"{self.right} of {self.steps} steps, {self.nats:.2f} nats a step, "
            f"every step of {self.tasks_right} of {self.tasks} tasks; "
            f"first other token: {', '.join(parts)}"
        )


def main() -> None:
    """Play what is missing and print one line for each policy, or for each group."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policies", type=Path, nargs="+", metavar="POLICY")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sites", default="", help="separated by commas")
    parser.add_argument("--held-out", type=int, default=0, help="as the bench's")
    parser.add_argument("--shown", type=Path, metavar="OUT", help="as the cloning's")
    most = SETTINGS["max_action_tokens"]
    parser.add_argument("--max-action-tokens", type=int, default=most)
    given = parser.parse_args()
    plan = Choices(sites=given.sites, held_out=given.held_out).plan()
    tasks = list_evaluated(plan, "validation")
    path = given.work / ROWS
    if not path.exists():
        given.work.mkdir(parents=True, exist_ok=True)
        write_lines(path, as_lines(demonstrate(tasks, seed=0)))
    solved = read_trajectories(path)
    groups: dict[str, Sequence[int]] = {"": range(len(solved))}
    if given.shown:
        shown = json.loads((given.shown / CLONING / TEMPLATES).read_text())
        groups |= group_by_shown(solved, tasks, shown)
    for policy in given.policies:
        compared = compare(policy, solved, given.max_action_tokens)
        for name, index in groups.items():
            print(policy, name, count([compared[place] for place in index]), flush=True)


def group_by_shown(
    solved: Sequence[Trajectory],
    tasks: Sequence[Mapping[str, Any]],
    shown: Collection[str],
) -> dict[str, list[int]]:
    """Divide the solver's episodes by whether their template is demonstrated.

    Args:
        solved: Episodes of the tasks.
        tasks: Task objects; the instruction tells which task an episode is of.
        shown: Keys of the demonstrated templates.
    """
    templates = {task["instruction"]: task["template_key"] for task in tasks}
    groups: dict[str, list[int]] = {"shown:": [], "others:": []}
    for place, trajectory in enumerate(solved):
        is_shown = templates[trajectory.instruction] in shown
        groups["shown:" if is_shown else "others:"].append(place)
    return groups


def compare(
    policy: Path, solved: Sequence[Trajectory], max_action_tokens: int
) -> list[list[Step]]:
    """Ask the policy for each step of each of the solver's episodes."""
    tokenizer = checkpoints.load_tokenizer(policy)
    encoder = Encoder(
        tokenizer,
        max_prompt_tokens=SETTINGS["max_prompt_tokens"],
        max_action_tokens=max_action_tokens,
    )
    tasks = [encode_trajectory(encoder, trajectory) for trajectory in solved]
    examples = [example for task in tasks for example in task]
    model = checkpoints.load_policy_model(policy)
    steps = iter(follow(model, examples, tokenizer))
    return [list(itertools.islice(steps, len(task))) for task in tasks]


@torch.no_grad()
def follow(
    model: CausalLM, examples: Sequence[Example], tokenizer: PreTrainedTokenizerBase
) -> list[Step]:
    """Compare each action with the model's most likely tokens, in order."""
    model.eval()
    found: dict[int, Step] = {}
    lengths = [len(example.ids) for example in examples]
    budget = SETTINGS["micro_batch_tokens"]
    for index in split_by_budget(lengths, range(len(examples)), budget):
        batch = collate(examples, index, pad_id=tokenizer.pad_token_id)
        mask = batch.action_mask  # (B, T - 1)
        logits = selected_logits(model, batch, mask.nonzero(as_tuple=True))  # (N, V)
        wanted = batch.ids[:, 1:][mask]  # (N,)
        nats = functional.cross_entropy(logits, wanted, reduction="none")  # (N,)
        is_other = logits.argmax(dim=-1) != wanted  # (N,)
        sizes = mask.sum(dim=1).tolist()  # (B,)
        lost, others = torch.split(nats, sizes), torch.split(is_other, sizes)
        for position, values, other in zip(index, lost, others, strict=True):
            departs = int(other.nonzero()[0]) if other.any() else None
            action = examples[position].ids[examples[position].prompt_length :]
            begun = tokenizer.decode(action[:departs])
            part = "" if departs is None else find_part(begun)
            found[position] = Step(float(values.sum()), departs, part)
    return [found[position] for position in range(len(examples))]


def find_part(begun: str) -> str:
    """Name the part of an answer in which its next token is.

    Args:
        begun: The answer up to that token.
    """
    found = OPEN.search(begun)
    name = (found[1] or found[2]).lower() if found else ""
    return PARTS.get(name, OTHER)


def count(tasks: Sequence[Sequence[Step]]) -> Agreement:
    """Count the steps of tasks, and the tasks."""
    steps = list(itertools.chain(*tasks))
    return Agreement(
        right=sum(step.departs is None for step in steps),
        steps=len(steps),
        tasks_right=sum(all(step.departs is None for step in task) for task in tasks),
        tasks=len(tasks),
        nats=sum(step.nats for step in steps) / max(len(steps), 1),
        departures=Counter(step.part for step in steps if step.part),
    )


if __name__ == "__main__":
    main()
