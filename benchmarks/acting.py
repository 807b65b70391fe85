"""Answers and steps a second of the starter policy.

Eight episodes wait at once, with pages that the sandbox's oracle walked through. First,
our sampler is compared with `generate` of transformers, one prompt after the other and
all eight as one padded batch. Then whole episodes in eight browser contexts are
compared with the same under the oracle, which answers immediately. The ways alternate.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.records import Record
from rollouts.policies.protocol import Policy, PolicyAnswer, PolicyRequest
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.oracle import OraclePolicy
from training.rl import checkpoints
from training.rl.encoding import Encoder
from training.rl.local_policy import LocalPolicy
from training.rl.starter.episodes import collect_episodes, sandbox_server

POLICY = Path(__file__).parent.parent / "models" / "starter" / "policy"
PROMPT_TOKENS, ANSWER_TOKENS = 1024, 48
WAITING = 8
ROUNDS = 10
EPISODES = 80

Act = Callable[[Sequence[PolicyRequest]], Any]


def run() -> list[Record]:
    """Measure and return the records."""
    tasks = load_tasks("train")[:: len(load_tasks("train")) // EPISODES]
    with sandbox_server() as control_url:
        oracle, pages = _play(OraclePolicy(tasks), tasks, control_url)
        policy, encoder, model = _load()
        records = _compare(policy, encoder, model, pages)
        ours, _ = _play(policy, tasks, control_url)
    name = f"steps, {WAITING} contexts, browser included"
    return [*records, Record(name, ours, oracle, "/s", EPISODES)]


def _load() -> tuple[LocalPolicy, Encoder, Any]:
    encoder = Encoder(
        checkpoints.load_tokenizer(POLICY),
        max_prompt_tokens=PROMPT_TOKENS,
        max_action_tokens=ANSWER_TOKENS,
    )
    model = checkpoints.load_policy_model(POLICY)
    return LocalPolicy(model, encoder, temperature=1.0), encoder, model


def _play(
    policy: Policy, tasks: Sequence[dict[str, Any]], control_url: str
) -> tuple[float, list[PolicyRequest]]:
    """Steps a second from the end of the first episode to that of the last; requests.

    The start of the browser therefore does not count.
    """
    ends: list[tuple[float, int]] = []
    episodes = collect_episodes(
        policy,
        tasks,
        control_url=control_url,
        step_limit=12,
        seeds=range(len(tasks)),
        contexts=WAITING,
        on_end=lambda ended: ends.append(
            (time.perf_counter(), len(ended.trajectory.transitions))
        ),
    )
    seconds = ends[-1][0] - ends[0][0]
    steps = sum(count for _, count in ends[1:])
    asked = [
        PolicyRequest(
            episode.trajectory.instruction,
            step.history,
            step.errors,
            step.observation,
            number,
        )
        for number, episode in enumerate(episodes)
        for step in episode.trajectory.transitions
    ]
    return steps / seconds, asked


def _compare(
    policy: LocalPolicy, encoder: Encoder, model: Any, asked: Sequence[PolicyRequest]
) -> list[Record]:
    step = len(asked) // (WAITING * ROUNDS) or 1
    chosen = asked[::step][: WAITING * ROUNDS]
    rounds = [chosen[at : at + WAITING] for at in range(0, len(chosen), WAITING)]

    def one_by_one(requests: Sequence[PolicyRequest]) -> None:
        for request in requests:
            _generate(model, encoder, [request])

    ways: dict[str, Act] = {
        "ours": policy.act,
        "generate, one by one": one_by_one,
        "generate, one padded batch": lambda given: _generate(model, encoder, given),
    }
    for act in ways.values():
        act(rounds[0])
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for given in rounds:
        for name, act in ways.items():
            seconds[name].append(_time(act, given))
    rates = {name: WAITING / statistics.median(s) for name, s in seconds.items()}
    return [
        Record(
            f"answers, {WAITING} waiting, against {name}",
            rates["ours"],
            rate,
            "/s",
            ROUNDS,
        )
        for name, rate in rates.items()
        if name != "ours"
    ]


def _time(act: Act, requests: Sequence[PolicyRequest]) -> float:
    start = time.perf_counter()
    act(requests)
    return time.perf_counter() - start


@torch.inference_mode()
def _generate(
    model: Any, encoder: Encoder, requests: Sequence[PolicyRequest]
) -> list[PolicyAnswer]:
    prompts = [
        encoder.encode_prompt(r.instruction, r.history, r.errors, r.observation)
        for r in requests
    ]
    longest = max(map(len, prompts))
    ids = torch.zeros(len(prompts), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    torch.manual_seed(requests[0].seed)
    found = model.generate(
        ids,
        attention_mask=mask,
        do_sample=True,
        top_k=0,
        max_new_tokens=encoder.max_action_tokens,
        pad_token_id=encoder.tokenizer.pad_token_id,
    )
    return [
        PolicyAnswer(encoder.decode_action(row[longest:].tolist())) for row in found
    ]
