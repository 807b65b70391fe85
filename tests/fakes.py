"""Stand-ins for the outside worlds, each with the real one's contract.

Weights are a folder whose config.json holds a `skill` between 0 and 1: the share
of the tasks that the policy solves. Training adds to it.
"""

from __future__ import annotations

import dataclasses
import json
import struct
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from django.test import override_settings

from curriculum.evolution.types import Feasibility, ProposedTask, SeedTask
from curriculum.services.lease_watch import LeaseWatch
from rollouts.browser.actions.acting import ActingOptions
from rollouts.browser.evaluators.magento import ShopInterface
from rollouts.browser.evaluators.openai_judge import JudgeOptions
from rollouts.browser.types import (
    Action,
    Attempt,
    EpisodeEnd,
    EpisodeFailure,
    EpisodeRecord,
    EpisodeRequest,
    Observation,
    SignIn,
    StepRecord,
    attempt_of,
)
from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from rollouts.services import draw_seed, requeue_expired
from training.rl.types import Trajectory

SKILL_GAIN = 0.25
SOLVED_PAGE = "<html> solved </html>"
OTHER_PAGE = "<html> start </html>"
MAX_READ = 4000


def write_checkpoint(directory: Path, skill: float) -> None:
    """Write the smallest folder that counts as readable weights."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "config.json").write_text(json.dumps({"skill": skill}))
    (directory / "model.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}")


def write_adapter(directory: Path, rank: int) -> None:
    """Write the smallest folder that counts as an adapter."""
    directory.mkdir(parents=True)
    (directory / "adapter_config.json").write_text(json.dumps({"r": rank}))
    (directory / "adapter_model.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}")


def read_adapter(path: str | Path) -> int:
    return int(json.loads((Path(path) / "adapter_config.json").read_text())["r"])


def read_skill(path: str | Path) -> float:
    if str(path).startswith("http"):  # a served policy has no file
        return 0.5
    return float(json.loads((Path(path) / "config.json").read_text())["skill"])


class OnDevice:
    """A model on the one device there is; a training needs all of it."""

    held: ClassVar[set[int]] = set()

    def __init__(self) -> None:
        OnDevice.held.add(id(self))

    def close(self) -> None:
        OnDevice.held.discard(id(self))


class ScriptedPolicy(OnDevice):
    """Answers with one click, then exits; says whether it knows the task."""

    loaded = 0

    def __init__(self, skill: float) -> None:
        super().__init__()
        self.skill = skill
        self.is_closed = False
        type(self).loaded += 1

    def rest(self) -> None:
        OnDevice.held.discard(id(self))

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        OnDevice.held.add(id(self))
        return [PolicyAnswer(self._answer(request), -1.5, 7) for request in requests]

    def _answer(self, request: PolicyRequest) -> str:
        if len(request.history) < 1 + draw_seed(request.instruction) % 3:
            return 'do(action="Click", element="1")'
        knows = draw_seed("known", request.instruction) / 2**31 < self.skill
        return f'exit(message="{"solved" if knows else "N/A"}")'

    def close(self) -> None:
        super().close()
        self.is_closed = True


def sweep_silent_episodes() -> set[int]:
    """Sweep as if every owner had been silent for the length of a lease."""
    with override_settings(LEASE_S=0):
        return requeue_expired(LeaseWatch())


def load_policy(uri: str, **options: Any) -> ScriptedPolicy:
    limits = {"max_prompt_tokens", "max_action_tokens"}
    forms = {"observation", "action_dialect", "served_prompt", "vab_system"}
    keys = {"temperature", "api_key", "private_hosts", "chat_turns"}
    assert set(options) == {*keys, *limits, *forms, "endpoint", "weights"}
    return ScriptedPolicy(read_skill(options["weights"] or uri))


@dataclasses.dataclass(frozen=True)
class CollectorOptions:
    contexts: int
    sandbox_control_url: str
    browser_executable: str | None
    addresses: Mapping[str, str] = dataclasses.field(default_factory=dict)
    more_addresses: tuple[str, ...] = ()
    further_hosts: tuple[Any, ...] = ()
    sign_ins: Mapping[str, SignIn] = dataclasses.field(default_factory=dict)
    shops: Mapping[str, ShopInterface] = dataclasses.field(default_factory=dict)
    browser_memory_mib: int = 0
    episode_memory_mib: int = 0
    observation_form: str = "compact"
    action_dialect: str = "webrl"
    wait_s: float = 0.0
    navigation_s: float = 10.0
    deadline_s: float = 30.0
    repeated: int = 3
    typed: int = 0
    invalid: int = 3
    whole_page: bool = False
    trace_folder: Path | None = None
    judge: JudgeOptions | None = None
    verified_python: str = ""
    acting: ActingOptions = dataclasses.field(default_factory=ActingOptions)


class FakeCollector:
    """Plays episodes at once, in the caller's thread, one record at a time."""

    # Tests set this to break episodes, or to raise as a killed worker would.
    before_episode: Callable[[EpisodeRequest], EpisodeFailure | None] = staticmethod(
        lambda request: None
    )

    def __init__(self, policy: ScriptedPolicy, options: CollectorOptions) -> None:
        self._policy, self.options = policy, options
        self._playing: OrderedDict[Attempt, Iterator[EpisodeRecord]] = OrderedDict()
        self.progress_at, self.is_closed = time.monotonic(), False

    def start(self) -> None: ...

    @property
    def free_slots(self) -> int:
        return self.options.contexts - len(self._playing)

    def submit(self, requests: Sequence[EpisodeRequest]) -> None:
        for request in requests:
            self._playing[attempt_of(request)] = self._play(request)

    def poll(self, timeout_s: float) -> list[EpisodeRecord]:
        records: list[EpisodeRecord] = []
        for attempt, episode in list(self._playing.items()):
            records.extend(episode)
            del self._playing[attempt]
        return records

    def drop(self, attempt: Attempt) -> None:
        self._playing.pop(attempt, None)

    def close(self) -> None:
        self.is_closed = True

    def _play(self, request: EpisodeRequest) -> Iterator[EpisodeRecord]:
        failure = type(self).before_episode(request)
        if failure is not None:
            yield failure
            return
        history: list[str] = []
        while True:
            page = Observation(OTHER_PAGE, (), "http://shop.test/", "Shop")
            asked = PolicyRequest(
                request.task.instruction,
                tuple(history),
                ("",) * len(history),
                page.text,
                request.seed,
            )
            (answer,) = self._policy.act([asked])
            yield _build_step(request, len(history), page, answer)
            history.append(answer.output)
            if answer.output.startswith("exit"):
                yield _build_end(request, answer.output)
                return


def _build_step(
    request: EpisodeRequest, index: int, page: Observation, answer: PolicyAnswer
) -> StepRecord:
    exits = answer.output.startswith("exit")
    return StepRecord(
        trajectory_id=request.trajectory_id,
        attempt=request.attempt,
        index=index,
        observation=page,
        output=answer.output,
        action=Action("Exit" if exits else "Click", None if exits else 1),
        error="",
        target_box=None,
        timing={"observe": 1.0},
        log_probability=answer.log_probability,
        token_count=answer.token_count,
        token_ids=answer.token_ids,
        token_log_probabilities=answer.token_log_probabilities,
        prompt_token_count=answer.prompt_token_count,
    )


def _build_end(request: EpisodeRequest, output: str) -> EpisodeEnd:
    solved = "solved" in output
    page = SOLVED_PAGE if solved else OTHER_PAGE
    return EpisodeEnd(
        trajectory_id=request.trajectory_id,
        attempt=request.attempt,
        ended_by="exit",
        answer="solved" if solved else "N/A",
        final=Observation(page, (), "http://shop.test/end", "End"),
        outcome=solved,
    )


class FakeRewardModel(OnDevice):
    """Believes what the last page says, and reads no long instruction."""

    def score(self, trajectories: Sequence[Trajectory]) -> list[float | None]:
        return [self._score(episode) for episode in trajectories]

    def _score(self, episode: Trajectory) -> float | None:
        if len(episode.instruction) > MAX_READ:
            return None
        return 0.9 if episode.final_observation == SOLVED_PAGE else 0.2


def load_reward_model(path: str, **limits: object) -> FakeRewardModel:
    read_skill(path)
    return FakeRewardModel()


class FakeValueEstimator(OnDevice):
    """Spreads values over 0 to 1 by instruction."""

    def estimate(self, starts: Sequence[tuple[str, str]]) -> list[float]:
        assert all(observation for _, observation in starts)
        return [draw_seed("value", text) / 2**31 for text, _ in starts]


def load_value_estimator(path: str, **limits: object) -> FakeValueEstimator:
    read_skill(path)
    return FakeValueEstimator()


class CannedGenerator(OnDevice):
    """Varies each failed task by a number; every seventh cannot be done."""

    def propose(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> list[ProposedTask]:
        return [self._vary(seeds[n % len(seeds)], f"{seed}-{n}") for n in range(count)]

    def judge_feasibility(self, task: ProposedTask) -> Feasibility:
        is_there = draw_seed(task.instruction) % 7 != 0
        return Feasibility(is_there, "There is such a product" if is_there else "No")

    def _vary(self, seed: SeedTask, mark: str) -> ProposedTask:
        return ProposedTask(
            parent_id=seed.task_id,
            site=seed.site,
            instruction=f"Find item {mark} and its price near {seed.instruction}"[:200],
            start_url=seed.start_url,
            template_key=seed.template_key,
            spec={**seed.spec},
        )


def train_phase(
    directory: Path,
    *,
    threads: int,
    on_progress: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> None:
    """Write the whole directory contract; the policy gains a fixed skill."""
    assert not OnDevice.held, "A model that nobody asks is still on the device."
    spec = json.loads((directory / "spec.json").read_text())
    on_progress({"stage": "critic", "done": 1, "total": 2, "seconds_left": 0.1})
    _write_metrics(directory)
    _write_scores(directory)
    skill = read_skill(directory / spec["policy"])
    write_checkpoint(directory / "policy", min(1.0, skill + SKILL_GAIN))
    write_checkpoint(directory / "critic", read_skill(directory / spec["critic"]))
    on_progress({"stage": "policy", "done": 2, "total": 2, "seconds_left": 0.0})
    result = {"parameter_count": 1, "seconds": 0.1, "provenance": {"device": "fake"}}
    (directory / "result.json").write_text(json.dumps(result))


def train_orm(
    directory: Path,
    *,
    threads: int,
    on_progress: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> None:
    """Write the whole directory contract; what was held out is judged rightly."""
    spec = json.loads((directory / "spec.json").read_text())
    lines = (directory / "verdicts.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    on_progress({"stage": "orm", "done": 1, "total": 1, "seconds_left": 0.0})
    write_checkpoint(directory / "orm", read_skill(directory / spec["base"]))
    scores = [
        {
            "trajectory_id": row["trajectory_id"],
            "before": 0.5,
            "after": float(row["is_success"]),
        }
        for row in rows
        if row["is_held_out"]
    ]
    accuracy = {"": {"n": len(scores), "before": 0.5, "after": 1.0}}
    result = {"parameter_count": 1, "accuracy": accuracy, "scores": scores}
    (directory / "result.json").write_text(json.dumps(result))


def train_sft(
    directory: Path,
    *,
    threads: int,
    on_progress: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> None:
    """Write the whole directory contract; the policy gains a fixed skill."""
    spec = json.loads((directory / "spec.json").read_text())
    if (directory / "prompts.jsonl").exists():
        steps = len((directory / "prompts.jsonl").read_text().splitlines())
    else:
        rows = (directory / "demonstrations.jsonl").read_text().splitlines()
        steps = sum(len(json.loads(row)["transitions"]) for row in rows)
    on_progress({"stage": "sft", "done": 1, "total": 1, "seconds_left": 0.0})
    skill = read_skill(directory / spec["base"])
    write_checkpoint(directory / "policy", min(1.0, skill + SKILL_GAIN))
    result = {"parameter_count": 1, "losses": [2.0, 1.0], "steps": steps}
    (directory / "result.json").write_text(json.dumps(result))


def _write_metrics(directory: Path) -> None:
    lines = [
        {"name": name, "step": step, "value": 1.0 / step}
        for name in ("train/critic_loss", "train/policy_loss", "train/kl")
        for step in (1, 2, 3)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (directory / "metrics.jsonl").write_text(text)


def _write_scores(directory: Path) -> None:
    rows = []
    for source in ("fresh", "replay"):
        for line in (directory / f"{source}.jsonl").read_text().splitlines():
            for step in json.loads(line)["transitions"]:
                rows.append(_score_step(step["step_id"], source))
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (directory / "scores.jsonl").write_text(text)


def _score_step(step_id: int, source: str) -> dict[str, Any]:
    used = source == "fresh" or step_id % 2 == 0
    return {
        "step_id": step_id,
        "source": source,
        "value": 0.5,
        "advantage": 0.1,
        "perplexity": 1.2,
        "log_ratio": 0.0,
        "was_used": used,
        "left_out_reason": "" if used else "Too familiar: perplexity 1.01",
    }
