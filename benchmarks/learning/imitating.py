"""Where a policy departs from what a script does on held-out tasks.

`python -m benchmarks.learning.imitating POLICY ... --work FOLDER --held-out N` lets the
scripted solver play the validation tasks and N held-out training tasks once. It then
compares the tokens that each policy finds most likely with the solver's, step by step,
each step after the solver's own earlier ones. Test tasks are never read.

Faster than an evaluation and not a substitute for it: a policy may solve a task in
another way, and one that departs from the script may recover.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch.nn import functional

from benchmarks.learning.cloning import as_lines, demonstrate
from benchmarks.learning.command import Choices
from benchmarks.learning.loop import SETTINGS, list_evaluated
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
    """

    nats: float
    departs: int | None


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
    """Play what is missing and print one line for each policy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policies", type=Path, nargs="+", metavar="POLICY")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sites", default="", help="separated by commas")
    parser.add_argument("--held-out", type=int, default=0, help="as the bench's")
    given = parser.parse_args()
    path = given.work / ROWS
    if not path.exists():
        given.work.mkdir(parents=True, exist_ok=True)
        plan = Choices(sites=given.sites, held_out=given.held_out).plan()
        tasks = list_evaluated(plan, "validation")
        write_lines(path, as_lines(demonstrate(tasks, seed=0)))
    solved = read_trajectories(path)
    for policy in given.policies:
        print(policy, compare(policy, solved), flush=True)


def compare(policy: Path, solved: Sequence[Trajectory]) -> Agreement:
    """Ask the policy for each step of the solver."""
    tokenizer = checkpoints.load_tokenizer(policy)
    encoder = Encoder(
        tokenizer,
        max_prompt_tokens=SETTINGS["max_prompt_tokens"],
        max_action_tokens=SETTINGS["max_action_tokens"],
    )
    tasks = [encode_trajectory(encoder, trajectory) for trajectory in solved]
    examples = [example for task in tasks for example in task]
    model = checkpoints.load_policy_model(policy)
    steps = follow(model, examples, pad_id=tokenizer.pad_token_id)
    parts = [
        find_part(tokenizer.decode(_begin(example, step.departs)))
        for example, step in zip(examples, steps, strict=True)
        if step.departs is not None
    ]
    return count(steps, [len(task) for task in tasks], parts)


def _begin(example: Example, departs: int) -> list[int]:
    return list(example.ids[example.prompt_length :][:departs])


@torch.no_grad()
def follow(model: CausalLM, examples: Sequence[Example], *, pad_id: int) -> list[Step]:
    """Compare each action with the model's most likely tokens, in order."""
    model.eval()
    found: dict[int, Step] = {}
    lengths = [len(example.ids) for example in examples]
    budget = SETTINGS["micro_batch_tokens"]
    for index in split_by_budget(lengths, range(len(examples)), budget):
        batch = collate(examples, index, pad_id=pad_id)
        mask = batch.action_mask  # (B, T - 1)
        logits = selected_logits(model, batch, mask.nonzero(as_tuple=True))  # (N, V)
        wanted = batch.ids[:, 1:][mask]  # (N,)
        nats = functional.cross_entropy(logits, wanted, reduction="none")  # (N,)
        is_other = logits.argmax(dim=-1) != wanted  # (N,)
        sizes = mask.sum(dim=1).tolist()  # (B,)
        lost, others = torch.split(nats, sizes), torch.split(is_other, sizes)
        for position, values, other in zip(index, lost, others, strict=True):
            first = other.nonzero()
            departs = int(first[0]) if len(first) else None
            found[position] = Step(float(values.sum()), departs)
    return [found[position] for position in range(len(examples))]


def find_part(begun: str) -> str:
    """Name the part of an answer in which its next token is.

    Args:
        begun: The answer up to that token.
    """
    found = OPEN.search(begun)
    name = (found[1] or found[2]).lower() if found else ""
    return PARTS.get(name, OTHER)


def count(
    steps: Sequence[Step], lengths: Sequence[int], parts: Sequence[str]
) -> Agreement:
    """Count steps and tasks.

    Args:
        steps: Of all tasks, one task after the other.
        lengths: Steps of each task.
        parts: The part of each step that departs.
    """
    right = [step.departs is None for step in steps]
    ends = [sum(lengths[: task + 1]) for task in range(len(lengths))]
    starts = [0, *ends]
    return Agreement(
        right=sum(right),
        steps=len(steps),
        tasks_right=sum(
            all(right[start:end]) for start, end in zip(starts, ends, strict=False)
        ),
        tasks=len(lengths),
        nats=sum(step.nats for step in steps) / max(len(steps), 1),
        departures=Counter(parts),
    )


if __name__ == "__main__":
    main()
