"""One phase's training: critic first, policy second.

critic on outcomes -> V of every state -> advantages; log pi_ref of every action ->
perplexities -> replay; then the policy on the phase's steps and the replayed ones.
Each part leaves a file and is skipped when its file exists, so that a killed training
goes on where it was.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from transformers import TrainerCallback
from transformers.trainer_utils import get_last_checkpoint

from training.rl import checkpoints, training_data
from training.rl import metric_names as names
from training.rl.critic import Critic, estimate_values, load_critic
from training.rl.encoding import Encoder, Example
from training.rl.phase.advantages import reference_advantages, two_point_advantages
from training.rl.phase.perplexity import perplexity
from training.rl.phase.replay_buffer import choose_replay
from training.rl.scoring import encode_trajectory, score_actions
from training.rl.trainers import (
    CriticRow,
    CriticTrainer,
    PolicyRow,
    PolicyTrainer,
    RowTrainer,
    training_arguments,
)
from training.rl.training_data import TrainingSpec
from training.rl.types import Trajectory

SELECTION = "selection.json"


@dataclasses.dataclass
class StepRow:
    """One step on its way through the phase's training."""

    step_id: int
    source: str
    example: Example
    outcome: float
    value: float | None = None
    advantage: float | None = None
    perplexity: float | None = None
    reference: float = 0.0
    log_ratio: float | None = None
    was_used: bool = True
    left_out_reason: str = ""

    def as_score(self) -> dict[str, Any]:
        """The line of `scores.jsonl`."""
        row = dataclasses.asdict(self)
        for name in ("example", "outcome", "reference"):
            row.pop(name)
        return row


class PhaseTrainer:
    """Runs the parts in order inside one training directory."""

    def __init__(
        self,
        directory: Path,
        spec: TrainingSpec,
        *,
        report: Callable[[str, int, float], None],
        on_progress: Callable[[str, int, int], None],
        callbacks: Callable[[str], list[TrainerCallback]],
    ) -> None:
        """Read the trajectories and encode them.

        Args:
            directory: The training directory.
            spec: What to train from.
            report: Receives (metric name, optimiser step, value).
            on_progress: Receives (part, done, total).
            callbacks: Trainer callbacks for a part, e.g. to save and to stop.
        """
        self.directory, self.spec, self.config = directory, spec, spec.config
        self.report, self.on_progress, self.callbacks = report, on_progress, callbacks
        self.tokenizer = checkpoints.load_tokenizer(spec.policy)
        self.encoder = Encoder(
            self.tokenizer,
            max_prompt_tokens=self.config.max_prompt_tokens,
            max_action_tokens=self.config.max_action_tokens,
        )
        self.fresh = self._read(training_data.FRESH)
        self.replay = self._read(training_data.REPLAY) if self.config.use_replay else []
        if not self.fresh:
            raise training_data.TrainingDataError(
                f"{directory / training_data.FRESH} holds no scored trajectory: "
                "there is nothing to train on."
            )

    def run(self) -> dict[str, Any]:
        """Train critic and policy; returns what `result.json` says of them."""
        critic_digest = self.train_critic()
        rows = self.select()
        policy_digest, model = self.train_policy(rows)
        self._measure_ratios(model, rows)
        training_data.write_lines(
            self.directory / training_data.SCORES, [row.as_score() for row in rows]
        )
        count = sum(parameter.numel() for parameter in model.parameters())
        return {
            "policy_digest": policy_digest,
            "critic_digest": critic_digest,
            "parameter_count": count,
        }

    def train_critic(self) -> str:
        """Fit V to the fresh trajectories' outcomes; returns the digest."""
        target = self.directory / "critic"
        if target.exists():
            return checkpoints.verify(target)
        critic = load_critic(self.spec.critic, to_train=True)
        rows = [
            CriticRow(
                Example(e.ids[: e.prompt_length], e.prompt_length), t.reward or 0.0
            )
            for t in self.fresh
            for e in encode_trajectory(self.encoder, t)
        ]
        self._fit(
            "critic",
            CriticTrainer,
            critic,
            rows,
            self.config.critic_learning_rate,
            self.config.critic_epochs,
        )
        return critic.save(target, self.tokenizer, trained_from=str(self.spec.critic))

    def select(self) -> list[StepRow]:
        """Value, advantage, perplexity and choice of every candidate step."""
        path = self.directory / SELECTION
        rows = self._step_rows()
        if path.exists():
            for row, saved in zip(rows, json.loads(path.read_text()), strict=True):
                for name, value in saved.items():
                    setattr(row, name, value)
            return rows
        self._add_values(rows)
        self._add_reference(rows)
        self._choose_replay(rows)
        kept = [
            {k: v for k, v in dataclasses.asdict(row).items() if k != "example"}
            for row in rows
        ]
        training_data.write_text(path, json.dumps(kept))
        return rows

    def train_policy(self, rows: list[StepRow]) -> tuple[str, Any]:
        """The KL-constrained update; returns the digest and the trained model."""
        target = self.directory / "policy"
        if target.exists():
            digest = checkpoints.verify(target)
            return digest, checkpoints.load_policy_model(target, to_train=True)
        used = [row for row in rows if row.was_used]
        replayed = sum(row.source == "replay" for row in used)
        self.report(names.FRESH_STEPS, 0, float(len(used) - replayed))
        self.report(names.REPLAYED_STEPS, 0, float(replayed))
        self._report_advantages(used)
        model = checkpoints.load_policy_model(self.spec.policy, to_train=True)
        self._fit(
            "policy",
            PolicyTrainer,
            model,
            [PolicyRow(r.example, r.advantage or 0.0, r.reference) for r in used],
            self.config.policy_learning_rate,
            self.config.policy_epochs,
        )
        digest = checkpoints.save_checkpoint(
            target,
            model,
            self.tokenizer,
            extra={"trained_from": str(self.spec.policy)},
        )
        return digest, model

    def _report_advantages(self, used: list[StepRow]) -> None:
        """Successes whose advantage is near 0 teach nothing: the critic knew them."""
        fresh = [row for row in used if row.source == "fresh"]
        parts = {
            names.ADVANTAGE: used,
            names.ADVANTAGE_OF_SUCCESSES: [r for r in fresh if r.outcome > 0.5],
            names.ADVANTAGE_OF_FAILURES: [r for r in fresh if r.outcome <= 0.5],
        }
        for name, rows in parts.items():
            if rows:
                mean = sum(row.advantage or 0.0 for row in rows) / len(rows)
                self.report(name, 0, mean)

    def _read(self, name: str) -> list[Trajectory]:
        found = training_data.read_trajectories(self.directory / name)
        return [t for t in found if t.reward is not None and t.transitions]

    def _step_rows(self) -> list[StepRow]:
        rows = []
        for source, trajectories in (("fresh", self.fresh), ("replay", self.replay)):
            for trajectory in trajectories:
                examples = encode_trajectory(self.encoder, trajectory)
                for step, example in zip(trajectory.transitions, examples, strict=True):
                    reward = trajectory.reward or 0.0
                    rows.append(StepRow(step.step_id, source, example, reward))
        return rows

    def _add_values(self, rows: list[StepRow]) -> None:
        """V of every state under the new critic, then every step's advantage."""
        critic = load_critic(self.directory / "critic")
        prompts = [row.example.ids[: row.example.prompt_length] for row in rows]
        self.on_progress("values", 0, len(prompts))
        values = self._values(critic, prompts)
        for row, value in zip(rows, values, strict=True):
            row.value = value
        finals = self._final_values(critic)
        start = 0
        for trajectory, final in zip([*self.fresh, *self.replay], finals, strict=True):
            part = rows[start : start + len(trajectory.transitions)]
            advantages = self._advantages(part, final)
            for row, advantage in zip(part, advantages, strict=True):
                row.advantage = advantage
            start += len(part)

    def _advantages(self, rows: list[StepRow], final: float) -> list[float]:
        values = [row.value or 0.0 for row in rows]
        outcome = rows[0].outcome
        if self.config.variant == "reference":
            return reference_advantages(values, final, outcome)
        return two_point_advantages(values, outcome, self.config.gae_lambda)

    def _final_values(self, critic: Critic) -> list[float]:
        """V of each trajectory's last page; only the released code's rule needs it."""
        trajectories = [*self.fresh, *self.replay]
        if self.config.variant != "reference":
            return [0.0] * len(trajectories)
        prompts = []
        for t in trajectories:
            last = t.transitions[-1]
            prompts.append(
                self.encoder.encode_prompt(
                    t.instruction,
                    (*last.history, last.output),
                    (*last.errors, ""),
                    t.final_observation,
                )
            )
        return self._values(critic, prompts)

    def _values(self, critic: Critic, prompts: Any) -> list[float]:
        return estimate_values(
            critic,
            prompts,
            pad_id=self.tokenizer.pad_token_id,
            budget=self.config.micro_batch_tokens,
        )

    def _score(self, model: Any, rows: list[StepRow], part: str) -> Any:
        return score_actions(
            model,
            [row.example for row in rows],
            pad_id=self.tokenizer.pad_token_id,
            budget=self.config.micro_batch_tokens,
            on_progress=lambda done: self.on_progress(part, done, len(rows)),
        )

    def _add_reference(self, rows: list[StepRow]) -> None:
        model = checkpoints.load_policy_model(self.spec.policy, to_train=True)
        sums, counts = self._score(model, rows, "reference")
        for row, total, count in zip(rows, sums, counts, strict=True):
            row.reference = total
            row.perplexity = perplexity(total, count)

    def _choose_replay(self, rows: list[StepRow]) -> None:
        candidates = [row for row in rows if row.source == "replay"]
        fresh = len(rows) - len(candidates)
        choice = choose_replay(
            [row.perplexity or 1.0 for row in candidates],
            low=self.config.perplexity_low,
            high=self.config.perplexity_high,
            limit=int(self.config.replay_ratio * fresh),
            seed=self.spec.seed,
        )
        for position, reason in choice.left_out.items():
            candidates[position].was_used = False
            candidates[position].left_out_reason = reason

    def _measure_ratios(self, model: Any, rows: list[StepRow]) -> None:
        used = [row for row in rows if row.was_used]
        sums, _ = self._score(model, used, "ratios")
        for row, total in zip(used, sums, strict=True):
            row.log_ratio = total - row.reference

    def _fit(
        self,
        part: str,
        kind: type[RowTrainer],
        model: Any,
        rows: list[Any],
        learning_rate: float,
        epochs: int,
    ) -> None:
        work = self.directory / f"{part}-steps"
        trainer = kind(
            model,
            rows,
            args=training_arguments(
                work,
                self.config,
                learning_rate=learning_rate,
                epochs=epochs,
                seed=self.spec.seed,
            ),
            config=self.config,
            pad_id=self.tokenizer.pad_token_id,
            seed=self.spec.seed,
            report=self.report,
            callbacks=self.callbacks(part),
        )
        if epochs:
            last = get_last_checkpoint(str(work)) if work.exists() else None
            trainer.train(resume_from_checkpoint=last)
