"""Example rows of finished trainings: checkpoints, metrics, experience."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from curriculum.models import Phase
from rollouts.models import Step, Trajectory
from training.models import Checkpoint, Experience, Metric, TrainingRun
from training.rl.metric_names import PHASE
from webrl_site.examples.curves import CURVES
from webrl_site.runs.config import preset

BATCH = 5_000
REASONS = ("too familiar: perplexity below 1.053", "too hard: perplexity above 2")


def write_training(phase: Phase, rng: Random, metric_steps: int) -> None:
    """Write what the training of a phase leaves behind."""
    training = TrainingRun.objects.create(
        phase=phase,
        status=TrainingRun.Status.FINISHED,
        config=preset("starter").to_json()["algorithm"],
        seed=7,
        provenance={"commit": "0123abcd", "torch": "2.13.0", "device": "cpu"},
        progress={"stage": "policy", "done": 60, "total": 60, "seconds_left": 0},
        started_at=phase.stage_started_at,
        ended_at=phase.ended_at,
    )
    for kind in ("policy", "critic"):
        Checkpoint.objects.create(
            training_run=training,
            kind=kind,
            uri=f"example-{phase.pk}/{kind}",
            digest=rng.randbytes(32).hex(),
            parameter_count=3_412_096,
        )
    phase.next_policy_uri = f"example-{phase.pk}/policy"
    phase.next_critic_uri = f"example-{phase.pk}/critic"
    phase.save(update_fields=["next_policy_uri", "next_critic_uri"])
    Metric.objects.bulk_create(_metrics(training, rng, metric_steps), BATCH)
    Experience.objects.bulk_create(_experience(training, rng), BATCH)


def _metrics(training: TrainingRun, rng: Random, steps: int) -> Iterator[Metric]:
    for name in PHASE:
        for step, value in enumerate(CURVES[name].draw(rng, steps)):
            yield Metric(training_run=training, name=name, step=step, value=value)


def _experience(training: TrainingRun, rng: Random) -> Iterator[Experience]:
    steps = Step.objects.filter(
        trajectory__phase=training.phase,
        trajectory__purpose=Trajectory.Purpose.COLLECT,
    )
    for step_id in steps.values_list("pk", flat=True):
        was_used = rng.random() < 0.7
        yield Experience(
            training_run=training,
            step_id=step_id,
            source=Experience.Source.FRESH,
            value=rng.uniform(0.1, 0.9),
            advantage=rng.uniform(-0.6, 0.6),
            perplexity=rng.uniform(1.0, 2.6),
            log_ratio=rng.uniform(-1, 1),
            was_used=was_used,
            left_out_reason="" if was_used else rng.choice(REASONS),
        )
