"""The steps of a phase's training, and the file that keeps their state.

Each step is encoded, valued, given its target, compared with the reference, and then
used or left out with a reason.

Deviation from the paper: steps whose recorded log-probability differs from the
reference's are left out (`max_record_mismatch`), and counted.
"""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from training.rl.encoding import Encoder, Example
from training.rl.phase.perplexity import perplexity
from training.rl.phase.replay_buffer import choose_replay
from training.rl.phase.scoring import encode_trajectory
from training.rl.training_data import write_text
from training.rl.types import Trajectory, Transition
from training.rl.webrl_config import WebRLConfig

MISMATCHED = "recorded with another log-probability than the reference gives"
INDIFFERENT = "advantage nearer to 0 than the least that counts"
TOO_LONG = "answer longer than max_action_tokens"
log = logging.getLogger(__name__)
# From the phase, from earlier phases' successes, from people's demonstrations.
Source = Literal["fresh", "replay", "shown"]
# What `scores.jsonl` has for a step.
SCORED = (
    "step_id",
    "source",
    "value",
    "advantage",
    "perplexity",
    "log_ratio",
    "was_used",
    "left_out_reason",
)


@dataclasses.dataclass
class StepRow:
    """One step.

    Attributes:
        outcome: The outcome of its episode, 0 or 1.
        advantage, weight: As the objective gives them.
        reference: log pi_ref of each of the action's tokens; empty where the
            objective leaves the step out.
        recorded: Log-probability of each of the action's tokens when it was sampled;
            empty where the tokens are not known.
        log_ratio: log pi_theta - log pi_ref of the action, after training.
    """

    step_id: int
    source: Source
    example: Example
    outcome: float
    value: float | None = None  # V(s_t, I)
    advantage: float | None = None  # A(s_t, a_t, I)
    weight: float = 1.0
    perplexity: float | None = None  # under pi_ref, where that is known
    # Both (A,), A the tokens of this action.
    reference: tuple[float, ...] = ()
    recorded: tuple[float, ...] = ()
    log_ratio: float | None = None
    was_used: bool = True
    left_out_reason: str = ""

    def leave_out(self, reason: str) -> None:
        """Leave the step out of the training; the first reason counts."""
        self.was_used = False
        self.left_out_reason = self.left_out_reason or reason

    def set_reference(self, log_probabilities: tuple[float, ...]) -> None:
        """Note log pi_ref of the action's tokens, and the perplexity."""
        self.reference = log_probabilities
        total = sum(log_probabilities)
        # The sum is log pi_ref(a | s, I); the perplexity is of the mean.
        self.perplexity = perplexity(total, len(log_probabilities))

    def find_mismatch(self) -> float | None:
        """Return how far pi_ref is from what was recorded, in nats of the whole action.

        None if nothing was recorded, if another policy acted, or if the step does not
        count, so that pi_ref was not computed.
        """
        if self.source != "fresh" or not self.recorded or not self.reference:
            return None
        # Of the sums, as the losses read them: rounding of single tokens cancels.
        return abs(sum(self.recorded) - sum(self.reference))

    def as_score(self) -> dict[str, Any]:
        """The line of `scores.jsonl`."""
        return {name: getattr(self, name) for name in SCORED}


def encode_readable(
    encoder: Encoder, trajectories: Sequence[Trajectory], source: Source
) -> tuple[list[Trajectory], list[list[StepRow]]]:
    """Return the trajectories cut to their readable steps, and rows of these, in order.

    A trajectory without a readable step is left out.
    """
    kept: list[Trajectory] = []
    rows: list[list[StepRow]] = []
    for trajectory in trajectories:
        examples = encode_trajectory(encoder, trajectory)
        steps = trajectory.transitions[: len(examples)]
        if missing := len(trajectory.transitions) - len(steps):
            told = "trajectory %d: %d steps are left out, their prompt has no room"
            log.warning(told, trajectory.trajectory_id, missing)
        if not steps:
            continue
        kept.append(dataclasses.replace(trajectory, transitions=steps))
        rows.append(
            [
                StepRow(
                    step.step_id,
                    source,
                    example,
                    trajectory.reward or 0.0,  # R
                    recorded=_find_recorded(step, example),
                )
                for step, example in zip(steps, examples, strict=True)
            ]
        )
        _leave_out_cut(encoder, steps, rows[-1])
    return kept, rows


def _leave_out_cut(
    encoder: Encoder, steps: Sequence[Transition], rows: Sequence[StepRow]
) -> None:
    """Leave out answers beyond the limit: cut, they teach a call without its end."""
    for step, row in zip(steps, rows, strict=True):
        if not encoder.takes_whole(step.output, step.token_ids):
            row.leave_out(TOO_LONG)


def _find_recorded(step: Transition, example: Example) -> tuple[float, ...]:
    """Return the recorded numbers if they belong to the tokens that are trained on."""
    # Equal text is not enough: other tokens have other log-probabilities.
    action = example.ids[example.prompt_length :]
    is_whole = len(step.token_log_probabilities) == len(action)
    return step.token_log_probabilities if step.token_ids == action and is_whole else ()


def leave_out_mismatched(rows: Sequence[StepRow], bound: float) -> None:
    """Leave out the steps whose recorded log-probability is not the reference's.

    The policy that acted and the reference have the same weights. If the numbers differ
    by more than rounding, something else was read, or it was computed in another way.
    """
    for row in rows:
        if (row.find_mismatch() or 0.0) > bound:
            row.leave_out(MISMATCHED)


def leave_out_indifferent(rows: Sequence[StepRow], least: float) -> None:
    """Leave out the steps that the critic finds neither good nor bad."""
    for row in rows:
        if row.was_used and abs(row.advantage or 0.0) < least:
            row.leave_out(INDIFFERENT)


def leave_out_by_perplexity(
    rows: Sequence[StepRow], config: WebRLConfig, seed: int
) -> None:
    """Leave out the replayed steps that the band or the phase's share excludes."""
    # Own steps that were left out count too: the share follows what was collected.
    fresh = sum(row.source == "fresh" for row in rows)
    candidates = [row for row in rows if row.source == "replay" and row.was_used]
    choice = choose_replay(
        # 1 means certain: a step without a number is too familiar.
        [row.perplexity or 1.0 for row in candidates],
        low=config.perplexity_low,
        high=config.perplexity_high,
        limit=int(config.replay_ratio * fresh),
        seed=seed,
    )
    for position, reason in choice.left_out.items():
        candidates[position].leave_out(reason)


def save_selection(path: Path, rows: Sequence[StepRow]) -> None:
    """Write the rows without their token ids, which are encoded again when needed."""
    # Not `asdict`, which copies the ids of a step one by one before they are dropped.
    kept = [field.name for field in dataclasses.fields(StepRow)]
    kept.remove("example")
    lines = [{name: getattr(row, name) for name in kept} for row in rows]
    write_text(path, json.dumps(lines))


def load_selection(path: Path, rows: Sequence[StepRow]) -> bool:
    """Fill the rows with what `save_selection` wrote; False if that is impossible."""
    try:
        kept = json.loads(path.read_text())
        steps = [saved["step_id"] for saved in kept]
    except FileNotFoundError:
        return False
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("%s is made anew: %s", path.name, error)
        return False
    if steps != [row.step_id for row in rows]:
        log.warning("%s is made anew: it is of other steps.", path.name)
        return False
    for row, saved in zip(rows, kept, strict=True):
        for name, value in saved.items():
            setattr(row, name, tuple(value) if isinstance(value, list) else value)
    return True
