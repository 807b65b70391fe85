"""Our published prompts beside the released constructors, on recorded episodes.

`python -m benchmarks.fidelity.prompts ORIGINALS [--episodes N]` plays N of the
sandbox's tasks under WebRL's form of observation with the scripted solver, and
compares both prompts of every step byte for byte, as recorded and with the history
and the page made so long that the limit cuts, and the reward model's question about
each beginning of an episode. Exits with 1 where one differs.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.fidelity.released_prompts import ReleasedPrompts
from benchmarks.fidelity.released_verdicts import ReleasedVerdicts
from benchmarks.sandbox_process import sandbox_process
from rollouts.policies.protocol import PolicyRequest
from rollouts.policies.published_prompts import read_system_prompt
from rollouts.policies.served_prompts import PromptOptions, compose
from rollouts.policies.verdict_prompts import verdict_prompt
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.oracle import OraclePolicy
from rollouts.sites.sandbox.playing import play

EPISODES = 100
KINDS = ("completions", "chats", "verdicts")
# How often the recorded history and page are repeated in the variants.
STRETCHES = ((1, 1), (1, 20), (60, 1), (400, 3))


def record(episodes: int) -> Iterator[PolicyRequest]:
    """Yield the policy's request at each step of the episodes."""
    every = load_tasks("train")
    tasks = every[:: max(len(every) // episodes, 1)][:episodes]
    with sandbox_process() as control_url:
        policy = OraclePolicy(tasks)
        for attempt in play(policy, tasks, control_url=control_url, form="webrl"):
            outputs: list[str] = []
            for step in attempt.steps:
                intent = attempt.task["intent"]
                errors = ("",) * len(outputs)
                text = step.observation.text
                yield PolicyRequest(intent, tuple(outputs), errors, text, 0)
                outputs.append(step.output)


def compare(
    originals: ReleasedPrompts, requests: Sequence[PolicyRequest]
) -> Counter[str]:
    """Count the prompts that were compared and those that differ."""
    found: Counter[str] = Counter()
    system = read_system_prompt(str(originals.chat_file))
    # Our own limit of a chat would cut texts that the runner does not cut.
    chat = PromptOptions("vab", max_prompt_tokens=10**9, vab_system=system)
    for request, (outputs, pages) in itertools.product(requests, STRETCHES):
        history = tuple(output * outputs for output in request.history)
        page = request.observation * pages
        errors = ("",) * len(history)
        ours = PolicyRequest(request.instruction, history, errors, page, 0)
        given = (request.instruction, history, page)
        found["completions"] += 1
        text = compose(ours, PromptOptions("webrl")).text
        found["completions differ"] += text != originals.completion(*given)
        found["chats"] += 1
        messages = list(compose(ours, chat).messages)
        found["chats differ"] += messages != originals.chat(*given)
        found["cut by the limit"] += len(page) + sum(map(len, history)) > 15_872
    return found


def compare_verdicts(
    originals: ReleasedVerdicts, requests: Sequence[PolicyRequest]
) -> Counter[str]:
    """Count the questions that were compared and those that differ."""
    found: Counter[str] = Counter()
    for request in requests:
        if not request.history:
            continue
        given = (request.instruction, request.history, request.observation)
        found["verdicts"] += 1
        found["verdicts differ"] += verdict_prompt(*given) != originals.ask(*given)
    return found


def main(arguments: list[str]) -> int:
    """Record, compare and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("originals", type=Path)
    parser.add_argument("--episodes", type=int, default=EPISODES)
    given = parser.parse_args(arguments)
    requests = list(record(given.episodes))
    found = compare(ReleasedPrompts(given.originals), requests)
    found.update(compare_verdicts(ReleasedVerdicts(given.originals), requests))
    print(f"{given.episodes} episodes, {len(requests)} steps")
    for name, count in found.items():
        print(f"{count:6} {name}")
    return int(any(found[f"{kind} differ"] for kind in KINDS))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
