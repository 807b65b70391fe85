"""The command: choices from the command line, the runs, the report."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.learning import without_training
from benchmarks.learning.loop import Plan, run_method
from benchmarks.learning.methods import BY_NAME, Method
from benchmarks.learning.report import write_report
from benchmarks.records import Record
from curriculum.rules.setting import ConfigError
from training.rl.webrl_config import WebRLConfig

STARTER = Path("models/starter")


def _read_flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


READERS: Mapping[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "bool": _read_flag,
}


class ChoiceError(SystemExit):
    """A choice that does not exist or cannot be read."""


@dataclasses.dataclass(frozen=True)
class Choices:
    """What `--set NAME=VALUE` can set.

    Attributes:
        methods: Names, separated by commas.
        seeds: Numbers, separated by commas.
        phases: Phases of each run.
        tasks: Tasks of each phase.
        attempts: Attempts at each task.
        split: `validation` for choosing, `test` for the final figures.
        shuffled_objective: Objective that is trained on shuffled rewards.
        ablated_objective: Objective from which the ablations leave a part out.
        beta: Strength of the KL constraint.
        learning_rate: Of the policy.
        epochs: Passes over a phase's steps.
        critic_learning_rate: Of the critic.
        batch_size: Transitions of an optimiser step.
        sites: Names of sites, separated by commas; only tasks that need no others.
        held_out: Training tasks that are evaluated together with validation's.
        drawn: Tasks drawn for each site for training, in addition to the catalog's.
        balanced: Spread a phase's attempts evenly over templates.
        learnable: Spread them by p (1 - p) from the run's second phase on, with p the
            share of a template's attempts that succeeded in the phase before; asks
            for `balanced`.
        training_temperature: Sampling temperature of a phase's attempts.
        rewards: What a phase trains on: `evaluators` or `reward_model`.
        processes: Processes that act at once.
        contexts: Episodes that each of them plays at once.
        work: Folder of all files.
        start: Folder with policy, critic and orm, or that of a phase, whose
            successes are then replayed.
        trainer: Further settings of the trainer by their names, e.g.
            `cap_targets=true`; the demonstrations of `use_demonstrations=true` are
            those in the start's folder. `max_prompt_tokens` and
            `max_action_tokens` apply to acting and judging too.
    """

    methods: str = ",".join(BY_NAME)
    seeds: str = "0,1,2"
    phases: int = 4
    tasks: int = 300
    attempts: int = 4
    split: str = "validation"
    shuffled_objective: str = "webrl_paper"
    ablated_objective: str = "webrl_paper"
    beta: float = 0.2
    learning_rate: float = 1e-4
    epochs: int = 2
    critic_learning_rate: float = 1e-4
    batch_size: int = 64
    sites: str = ""
    held_out: int = 0
    drawn: int = 0
    balanced: bool = False
    learnable: bool = False
    training_temperature: float = 1.0
    rewards: str = "evaluators"
    processes: int = 2
    contexts: int = 6
    work: str = "var/learning"
    start: str = str(STARTER)
    trainer: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def plan(self) -> Plan:
        """What all methods share."""
        return Plan(
            work=Path(self.work).absolute(),
            policy=Path(self.start, "policy").absolute(),
            critic=Path(self.start, "critic").absolute(),
            phases=self.phases,
            tasks=self.tasks,
            attempts=self.attempts,
            split=self.split,
            sites=tuple(filter(None, self.sites.split(","))),
            held_out=self.held_out,
            drawn=self.drawn,
            is_balanced=self.balanced,
            is_learnable=self._asks_learnable(),
            training_temperature=self._read_temperature(),
            asks_reward_model=self._asks_reward_model(),
            processes=self.processes,
            contexts=self.contexts,
            settings={
                "beta": self.beta,
                "policy_learning_rate": self.learning_rate,
                "policy_epochs": self.epochs,
                "critic_learning_rate": self.critic_learning_rate,
                "batch_size": self.batch_size,
                **self.trainer,
            },
        )

    def _read_temperature(self) -> float:
        if not 0 < self.training_temperature <= 10:
            raise ChoiceError("training_temperature must be above 0, at most 10.")
        return self.training_temperature

    def _asks_learnable(self) -> bool:
        if self.learnable and not self.balanced:
            raise ChoiceError("learnable=true asks for balanced=true.")
        return self.learnable

    def _asks_reward_model(self) -> bool:
        if self.rewards not in ("evaluators", "reward_model"):
            raise ChoiceError(f"rewards cannot be {self.rewards!r}.")
        return self.rewards == "reward_model"

    def chosen_methods(self) -> list[Method]:
        """The methods by name.

        Raises:
            ChoiceError: There is none of that name, or no such objective.
        """
        names = self.methods.split(",")
        if unknown := [name for name in names if name not in BY_NAME]:
            raise ChoiceError(f"Unknown method {unknown[0]}; see --list.")
        return [self._complete(BY_NAME[name]) for name in names]

    def _complete(self, method: Method) -> Method:
        """Apply shuffled rewards and ablations to the chosen objectives."""
        chosen = ""
        if method.shuffles_rewards:
            chosen = self.shuffled_objective
        elif method.kind == "ablation":
            chosen = self.ablated_objective
        if not chosen:
            return method
        _check({"objective": chosen})
        settings = {**method.settings, "objective": chosen}
        return dataclasses.replace(method, settings=settings)


def parse_choices(pairs: Sequence[str]) -> Choices:
    """Read `NAME=VALUE` pairs.

    Raises:
        ChoiceError: A name is unknown or a value of the wrong kind.
    """
    kinds: dict[str, Callable[[str], Any]] = {
        field.name: READERS.get(str(field.type), str)
        for field in dataclasses.fields(Choices)
    }
    del kinds["trainer"]
    found: dict[str, Any] = {}
    trainer: dict[str, Any] = {}
    of_trainer = [field.name for field in dataclasses.fields(WebRLConfig)]
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in [*kinds, *of_trainer]:
            known = ", ".join([*kinds, *of_trainer])
            raise ChoiceError(f"Unknown choice {name}; known are {known}.")
        try:
            if name in kinds:
                found[name] = kinds[name](value)
            else:
                trainer[name] = _read_value(value)
        except ValueError:
            raise ChoiceError(f"{name} cannot be {value!r}.") from None
    # Checked together: the range of one may depend on another.
    _check(trainer)
    return Choices(**found, trainer=trainer)


def _read_value(text: str) -> Any:
    """A trainer's setting; a text if it is neither a number nor true or false."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _check(settings: Mapping[str, Any]) -> None:
    """Refuse what the trainer refuses."""
    try:
        WebRLConfig(**settings)
    except (ValueError, TypeError, ConfigError) as error:
        said = ", ".join(f"{name}={value}" for name, value in settings.items())
        raise ChoiceError(f"{said} cannot be: {error}") from None


def run(pairs: Sequence[str] = ()) -> list[Record]:
    """Run what is chosen, write the report, return the last phases' figures."""
    choices = parse_choices(pairs)
    plan, rows = choices.plan(), []
    for method in choices.chosen_methods():
        for seed in map(int, choices.seeds.split(",")):
            work = run_method if method.trains else without_training.run_control
            rows += work(plan, method, seed)
            lines = write_report(plan.work / "report", rows)
    last = {line.method: line for line in lines}
    return [
        Record(
            f"{line.method}, phase {line.phase}",
            100 * line.success.mean,
            100 * (line.success.mean - line.against_start.difference.mean),
            "% solved",
            line.seeds,
        )
        for line in last.values()
    ]
