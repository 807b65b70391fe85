"""Example rows of a finished training: checkpoints, metrics, experience."""

from __future__ import annotations

import random

from django.utils import timezone

from curriculum.models import Phase
from rollouts.models import Step
from training.models import Checkpoint, Experience, Metric, TrainingRun
from training.rl import metric_names as names
from webrl_site.runs.config import preset

REASONS = ("too familiar: perplexity below 1.053", "too hard: perplexity above 2")
# Where a curve begins and how far it moves.
CURVES = {
    names.KL: (0.0, 0.6),
    names.POLICY_LOSS: (0.4, -0.25),
    names.CRITIC_LOSS: (0.69, -0.3),
    names.PERPLEXITY: (1.4, -0.2),
    names.VALUE: (0.3, 0.2),
    names.CRITIC_ACCURACY: (0.6, 0.2),
    names.GRADIENT_NORM: (2.0, -1.0),
}


def write_training(phase: Phase, rng: random.Random, metric_steps: int) -> None:
    """Write what training of the phase would have left."""
    now = timezone.now()
    training = TrainingRun.objects.create(
        phase=phase,
        status="finished",
        config=preset("starter").to_json()["algorithm"],
        seed=7,
        provenance={"commit": "0123abcd", "torch": "2.13.0", "device": "cpu"},
        progress={"stage": "policy", "done": 60, "total": 60, "seconds_left": 0},
        started_at=now,
        ended_at=now,
    )
    for kind in ("policy", "critic"):
        Checkpoint.objects.create(
            training_run=training,
            kind=kind,
            uri=f"phase-{phase.pk}/{kind}",
            digest=f"{phase.pk:02x}{kind.encode().hex()}".ljust(64, "a"),
            parameter_count=3_412_096,
        )
    Phase.objects.filter(pk=phase.pk).update(
        next_policy_uri=f"phase-{phase.pk}/policy",
        next_critic_uri=f"phase-{phase.pk}/critic",
    )
    _write_metrics(training, rng, metric_steps)
    _write_experience(training, rng)


def _write_metrics(training: TrainingRun, rng: random.Random, steps: int) -> None:
    Metric.objects.bulk_create(
        Metric(
            training_run=training,
            name=name,
            step=i,
            value=start + slope * i / steps + rng.gauss(0, 0.02),
        )
        for name, (start, slope) in CURVES.items()
        for i in range(steps)
    )


def _write_experience(training: TrainingRun, rng: random.Random) -> None:
    steps = Step.objects.filter(
        trajectory__phase=training.phase, trajectory__purpose="collect"
    )
    rows = []
    for step in steps:
        is_used = rng.random() < 0.7
        rows.append(
            Experience(
                training_run=training,
                step=step,
                source="fresh",
                value=rng.uniform(0.1, 0.9),
                advantage=rng.uniform(-0.6, 0.6),
                perplexity=rng.uniform(1.0, 2.6),
                log_ratio=rng.uniform(-1, 1),
                was_used=is_used,
                left_out_reason="" if is_used else rng.choice(REASONS),
            )
        )
    Experience.objects.bulk_create(rows)
