"""One phase's training: critic first, policy second.

    V      fitted to the outcomes of the phase's own episodes                    (eq. 8)
    A      of every step, as the objective defines it from V and the outcomes
    pi_ref log-probability of every action; from it perplexity and replay
    pi     trained on the phase's steps, the replayed ones and demonstrations

Each part leaves a file and is skipped when its file exists, so that a killed training
continues where it was.

Deviations from the paper (arXiv 2411.02337), each described in the module named:
two heads of V (`critic`), steps left out for their records (`phase.steps`), options of
the loss that are off unless set (`objectives.webrl_paper`), adapters (`scale.lora`),
demonstrations if the run's settings include them (`phase.material`).
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedModel, TrainerCallback

from training.rl import checkpoints, training_data
from training.rl import metric_names as names
from training.rl.critic import Critic, load_critic
from training.rl.encoding import Encoder
from training.rl.objectives.table import OBJECTIVES
from training.rl.objectives.types import Episode
from training.rl.phase.augmented import augment_steps, choose_copies
from training.rl.phase.material import read_material
from training.rl.phase.reports import report_records, report_unreachable, report_used
from training.rl.phase.scoring import (
    encode_last_state,
    score_together,
    value_together,
)
from training.rl.phase.steps import (
    StepRow,
    leave_out_by_perplexity,
    leave_out_indifferent,
    leave_out_mismatched,
    load_selection,
    save_selection,
)
from training.rl.phase.updates import (
    CriticRow,
    CriticTrainer,
    PolicyRow,
    PolicyTrainer,
    measure_objective,
)
from training.rl.policy import CausalLM
from training.rl.process import is_main
from training.rl.resume import find_newest
from training.rl.scale import parallel
from training.rl.scale.adapters import save_sum
from training.rl.scale.idle import give_back
from training.rl.scale.lora import add_adapter, find_starting_dtype, merge_adapter
from training.rl.trainers import RowTrainer, training_arguments
from training.rl.training_data import TrainingSpec

SELECTION = "selection.json"  # values, targets and choice, made once
AUGMENTED = "augmented.json"  # pi_ref of the copies, made once


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
        self.objective = OBJECTIVES[spec.config.objective]
        self.report, self.on_progress, self.callbacks = report, on_progress, callbacks
        # One tokenizer: the critic reads the policy's prompts.
        self.tokenizer = checkpoints.load_tokenizer(spec.policy)
        self.encoder = Encoder(
            self.tokenizer,
            max_prompt_tokens=self.config.max_prompt_tokens,
            max_action_tokens=self.config.max_action_tokens,
            prompt=spec.prompt,
        )
        material = read_material(
            directory,
            self.encoder,
            self.config,
            # Not if the objective uses only the phase's episodes (Filtered BC, GRPO).
            uses_replay=self.objective.uses_replay,
        )
        self.trajectories, self.steps = material.trajectories, material.steps
        self.own = material.own

    def run(self) -> dict[str, Any]:
        """Train critic and policy; returns their part of `result.json`."""
        # The order of the paper's algorithm: V first, since A needs it.
        critic_digest = self.train_critic()
        rows = self.select()
        policy_digest, model = self.train_policy(rows)
        self._measure_update(model, rows)
        if is_main():
            # Includes the steps that were left out, with the reason.
            scores = [row.as_score() for row in rows]
            training_data.write_lines(self.directory / training_data.SCORES, scores)
        count = sum(parameter.numel() for parameter in model.parameters())
        return {
            "policy_digest": policy_digest,
            "critic_digest": critic_digest,
            "parameter_count": count,
        }

    def train_critic(self) -> str:
        """Fit V to the fresh trajectories' outcomes; returns the digest."""
        target = self.directory / "critic"
        if digest := checkpoints.find_finished(target):
            return digest
        # Starts from the previous phase's critic, fitted on this phase's episodes only.
        rank = self.config.critic_lora_rank
        dtype = find_starting_dtype(self.config, rank)
        critic = load_critic(self.spec.critic, dtype=dtype)
        critic.add_adapter(rank, self.spec.seed)
        rows = [
            # eq. 8 over every state of an episode, not only the first.
            CriticRow(row.example.prompt, row.outcome)
            for row in itertools.chain(*self.steps[: self.own])
        ]
        state = self._fit(
            "critic",
            CriticTrainer,
            critic,
            rows,
            self.config.critic_learning_rate,
            self.config.critic_epochs,
        )
        critic.merge_adapter(self.spec.critic)
        if is_main():
            critic.save(
                target,
                self.tokenizer,
                None if rank else state,
                trained_from=os.path.relpath(self.spec.critic, self.directory),
            )
        parallel.wait_for_all()
        return checkpoints.verify(target)

    def select(self) -> list[StepRow]:
        """Return every candidate step with its value, target, perplexity and choice."""
        rows = list(itertools.chain(*self.steps))
        self._fill_once(SELECTION, rows, self._choose)
        return rows

    def augment(self) -> list[StepRow]:
        """Return copies of the used steps to train on, with pi_ref if needed."""
        copies = augment_steps(
            self.encoder,
            self.trajectories,
            self.steps,
            copies=self.config.augmented_copies,
            seed=self.spec.seed,
        )
        if self.objective.reads_reference or self.config.skip_familiar_copies:
            self._fill_once(AUGMENTED, copies, self._add_reference)
        return choose_copies(copies, self.config)

    def _fill_once(
        self,
        name: str,
        rows: list[StepRow],
        fill: Callable[[Sequence[StepRow]], None],
    ) -> None:
        """Fill the rows, or read what was filled in before."""
        if not rows:
            return
        path = self.directory / name
        # The first process decides for all: they fill the rows together.
        (is_filled,) = parallel.agree(is_main() and load_selection(path, rows))
        if not is_filled:
            fill(rows)
            if is_main():
                save_selection(path, rows)
        parallel.wait_for_all()
        if not is_main():
            load_selection(path, rows)

    def _choose(self, rows: Sequence[StepRow]) -> None:
        # Targets come first: a step that the objective leaves out is no candidate for
        # replay, and keeps that reason.
        self._add_targets(rows)
        leave_out_indifferent(rows, self.config.min_advantage)
        # Steps that do not count need no pi_ref: in Filtered BC nine of ten.
        self._add_reference([row for row in rows if row.was_used])
        leave_out_mismatched(rows, self.config.max_record_mismatch)
        if not self.objective.replays_all:
            leave_out_by_perplexity(rows, self.config, self.spec.seed)

    def train_policy(self, rows: Sequence[StepRow]) -> tuple[str, PreTrainedModel]:
        """Run the objective's update; returns the digest and the trained model."""
        target = self.directory / "policy"
        if digest := checkpoints.find_finished(target):
            return digest, self._load_policy(target)
        used = [row for row in rows if row.was_used]
        report_used(self.report, rows)
        report_records(self.report, rows, self.config.max_record_mismatch)
        copies = self.augment()
        self.report(names.AUGMENTED_STEPS, 0, float(len(copies)))
        # theta starts at pi_ref: every log-ratio of eq. 7 is 0 before the first update.
        base = self._load_policy(self._beginning)
        model = add_adapter(base, self.config.lora_rank, self.spec.seed)
        state = self._fit(
            "policy",
            PolicyTrainer,
            model,
            [PolicyRow.of(row) for row in [*used, *copies]],
            self.config.policy_learning_rate,
            self.config.policy_epochs,
            schedule=self.config.learning_rate_schedule,
        )
        if is_main():
            # Before the policy, whose folder marks this part as finished.
            save_sum(model, self.directory, self.spec, beginning=self._beginning)
            checkpoints.save_checkpoint(
                target,
                merge_adapter(model, self._beginning),
                self.tokenizer,
                extra={
                    "trained_from": os.path.relpath(self._beginning, self.directory)
                },
                state=None if self.config.lora_rank else state,
            )
        parallel.wait_for_all()
        del base, model  # no second copy beside the one that is read now
        # With several processes each may hold only a share of the trained weights.
        return checkpoints.verify(target), self._load_policy(target)

    def _load_policy(self, directory: Path) -> PreTrainedModel:
        """Load a policy to train it or to compare it with the one that is trained."""
        dtype = find_starting_dtype(self.config, self.config.lora_rank)
        return checkpoints.load_policy_model(directory, dtype=dtype)

    @property
    def _beginning(self) -> Path:
        first = self.spec.first if self.objective.begins_anew else None
        return first or self.spec.policy

    def _add_targets(self, rows: Sequence[StepRow]) -> None:
        """V of every state under the new critic, then every step's target."""
        # Read from its file, so that a restart gives the same numbers.
        dtype = checkpoints.reading_dtype(self.config.precision)
        critic = load_critic(self.directory / "critic", dtype=dtype)
        # For a large model computing the values costs a third of its training.
        if self.objective.reads_values or self.config.critic_epochs:
            self._add_values(critic, rows)
        targets = self.objective.targets(self._episodes(critic), self.config)
        for part, found in zip(self.steps, targets, strict=True):
            for row, target in zip(part, found, strict=True):
                # The objective defines A; V is always the critic's.
                row.advantage, row.weight = target.advantage, target.weight
                if target.left_out:
                    row.leave_out(target.left_out)

    def _add_values(self, critic: Critic, rows: Sequence[StepRow]) -> None:
        prompts = [row.example.prompt.ids for row in rows]
        self.on_progress("values", 0, len(prompts))
        for row, value in zip(rows, self._values(critic, prompts), strict=True):
            row.value = value

    def _episodes(self, critic: Critic) -> list[Episode]:
        """Return what the objective reads of each trajectory."""
        # 0 in eq. 9: nothing can be won after the last step. The released code uses V.
        finals = [0.0] * len(self.trajectories)
        if self.objective.uses_final_value:
            ends = [encode_last_state(self.encoder, t) for t in self.trajectories]
            finals = self._values(critic, ends)
        return [
            Episode(
                task_id=trajectory.task_id,
                outcome=trajectory.reward or 0.0,
                values=tuple(row.value or 0.0 for row in part),
                final_value=final,
            )
            for trajectory, part, final in zip(
                self.trajectories, self.steps, finals, strict=True
            )
        ]

    def _values(self, critic: Critic, prompts: Sequence[Sequence[int]]) -> list[float]:
        return value_together(
            critic,
            prompts,
            pad_id=self.tokenizer.pad_token_id,
            budget=self.config.micro_batch_tokens,
        )

    def _score(
        self, model: CausalLM, rows: Sequence[StepRow], part: str
    ) -> list[tuple[float, ...]]:
        return score_together(
            model,
            [row.example for row in rows],
            pad_id=self.tokenizer.pad_token_id,
            budget=self.config.micro_batch_tokens,
            precision=self.config.precision,
            on_progress=lambda done, total: self.on_progress(part, done, total),
        )

    def _add_reference(self, rows: Sequence[StepRow]) -> None:
        # The same type of weights as at the start of the update.
        model = self._load_policy(self.spec.policy)
        for row, found in zip(rows, self._score(model, rows, "reference"), strict=True):
            row.set_reference(found)

    def _measure_update(self, model: CausalLM, rows: Sequence[StepRow]) -> None:
        """Measure each used action's log-ratio, and whether the objective was lowered.

        Every used step is compared with the reference, also without KL.
        """
        used = [row for row in rows if row.was_used]
        if not used:
            return
        after = self._score(model, used, "ratios")
        for row, found in zip(used, after, strict=True):
            # log(pi_theta / pi_ref) of the whole action, as in eq. 7.
            row.log_ratio = sum(found) - sum(row.reference)
        targets = [PolicyRow.of(row) for row in used]
        before = [row.reference for row in used]
        if self._beginning != self.spec.policy:
            first = self._load_policy(self._beginning)
            before = self._score(first, used, "ratios")
        # The mean over all used steps; the trainer reports the mean over one batch.
        measured = {names.OBJECTIVE_BEFORE: before, names.OBJECTIVE_AFTER: after}
        for name, current in measured.items():
            self.report(name, 0, measure_objective(targets, current, self.config))
        if self.config.objective == "webrl_paper":
            report_unreachable(self.report, used, self.config.beta)

    def _fit(
        self,
        part: str,
        kind: type[RowTrainer[Any, Any]],
        model: nn.Module,
        rows: list[Any],
        learning_rate: float,
        epochs: int,
        schedule: str = "constant",
    ) -> dict[str, torch.Tensor] | None:
        """Train in place; without rows or epochs the model stays as it is.

        Returns:
            All weights if several processes trained; else None: the model has them.
        """
        if not (rows and epochs):
            return None
        work = self.directory / f"{part}-steps"
        # A new optimiser for each part: AdamW's moments do not outlive a phase.
        trainer = kind(
            model,
            rows,
            args=training_arguments(
                work,
                self.config,
                learning_rate=learning_rate,
                epochs=epochs,
                seed=self.spec.seed,
                schedule=schedule,
            ),
            config=self.config,
            pad_id=self.tokenizer.pad_token_id,
            seed=self.spec.seed,
            report=self.report,
            callbacks=self.callbacks(part),
        )
        # Restores weights, moments, schedule and order of rows; None is a new start.
        trainer.train(resume_from_checkpoint=find_newest(work))
        if part == "policy":
            self.report(names.POLICY_STEPS, 0, float(trainer.state.global_step))
        weights = trainer.whole_weights()
        # It is in reference cycles, which keep the moments until they are looked for.
        del trainer
        give_back()
        return weights
