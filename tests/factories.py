"""Rows for tests."""

from __future__ import annotations

from typing import Any

import factory
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.utils import timezone

from curriculum.evolution.types import digest_task
from curriculum.models import Phase, PhaseEvent, Review, Run, Site, Task
from rollouts.models import Step, Trajectory
from training.models import (
    Checkpoint,
    Experience,
    Metric,
    OrmExample,
    OrmTraining,
    TrainingRun,
)
from webrl_site.runs.config import RunConfig

SMALL = RunConfig.parse(
    {
        "curriculum": {"tasks_per_phase": 12, "proposals_per_phase": 20},
        "rollout": {"contexts": 3, "step_limit": 5, "time_limit_s": 20.0},
        "algorithm": {"max_prompt_tokens": 512, "max_action_tokens": 32},
    }
)


class UserFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = get_user_model()
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person{n}")
    password = factory.django.Password("a long enough password")

    @factory.post_generation
    def roles(self, create: bool, extracted: Any, **_: Any) -> None:
        """UserFactory(roles=["annotator"])"""
        for name in extracted or ():
            self.groups.add(Group.objects.get_or_create(name=name)[0])


class SiteFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Site
        django_get_or_create = ("key",)

    key = "shop"
    name = factory.LazyAttribute(lambda site: site.key.title())
    placeholder = factory.LazyAttribute(lambda site: f"__{site.key.upper()}__")


class RunFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Run

    name = factory.Sequence(lambda n: f"run {n}")
    config = factory.LazyFunction(SMALL.to_json)
    seed = 7
    policy_uri = "starter/policy"
    critic_uri = "starter/critic"
    orm_uri = "starter/orm"


def review_phase(**review: Any) -> Phase:
    """Return a phase in review, of a run with these settings of its reviews."""
    config = RunConfig.parse({**SMALL.to_json(), "review": review}).to_json()
    run = RunFactory(config=config)
    phase: Phase = PhaseFactory(run=run, status=Phase.Status.REVIEW)
    return phase


class PhaseFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Phase

    run = factory.SubFactory(RunFactory)
    number = factory.LazyAttribute(lambda phase: phase.run.phases.count() + 1)
    policy_uri = "starter/policy"
    critic_uri = "starter/critic"
    orm_uri = "starter/orm"
    stage_started_at = factory.LazyFunction(timezone.now)


class TaskFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Task

    key = factory.Sequence(lambda n: f"shop.train.{n:05d}")
    site = factory.SubFactory(SiteFactory)
    instruction = factory.Sequence(lambda n: f"Put {n} blue mugs into the cart")
    start_url = "__SHOP__/"
    template_key = "shop.cart.add"
    optimal_steps = 3
    spec = factory.LazyAttribute(
        lambda task: {
            "sites": [task.site.key],
            "intent": task.instruction,
            "start_url": task.start_url,
            "eval": {"eval_types": ["string_match"]},
        }
    )
    digest = factory.LazyAttribute(
        lambda task: digest_task(task.instruction, task.start_url)
    )


class EvolvedTaskFactory(TaskFactory):
    """A task that waits for review."""

    key = factory.Sequence(lambda n: f"evolved.{n}")
    origin = Task.Origin.EVOLVED
    status = Task.Status.SHORTLISTED
    parent = factory.SubFactory(TaskFactory)
    born_in = factory.SubFactory(PhaseFactory, status=Phase.Status.REVIEW)
    value_estimate = 0.4
    is_feasible = True
    feasibility_reason = "There is such a product"


class ReviewFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Review

    task = factory.SubFactory(EvolvedTaskFactory, status=Task.Status.ACCEPTED)
    reviewer = factory.SubFactory(UserFactory, roles=["annotator"])
    decision = Review.Decision.ACCEPT
    original_instruction = factory.LazyAttribute(lambda row: row.task.instruction)


class PhaseEventFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = PhaseEvent

    phase = factory.SubFactory(PhaseFactory)
    kind = "message"
    data = factory.LazyFunction(lambda: {"text": "Something happened"})


class TrajectoryFactory(factory.django.DjangoModelFactory):
    """A finished training episode without steps."""

    class Meta:
        model = Trajectory

    phase = factory.SubFactory(PhaseFactory, status=Phase.Status.COLLECTING)
    task = factory.SubFactory(TaskFactory)
    purpose = Trajectory.Purpose.COLLECT
    status = Trajectory.Status.FINISHED
    ended_by = Trajectory.EndedBy.EXIT
    attempt = 1
    final_observation = "<html> end </html>"
    started_at = factory.LazyFunction(timezone.now)
    ended_at = factory.LazyFunction(timezone.now)


class QueuedTrajectoryFactory(TrajectoryFactory):
    status = Trajectory.Status.QUEUED
    ended_by = ""  # type: ignore[assignment]
    attempt = 0
    started_at = None
    ended_at = None
    final_observation = ""


class StepFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Step

    trajectory = factory.SubFactory(TrajectoryFactory)
    attempt = factory.LazyAttribute(lambda step: step.trajectory.attempt)
    index = factory.LazyAttribute(lambda step: step.trajectory.steps.count())
    observation = "<html> start </html>"
    output = 'do(action="Click", element="1")'
    action = factory.LazyFunction(
        lambda: {"name": "Click", "element": 1, "argument": ""}
    )


class TrainingRunFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = TrainingRun

    phase = factory.SubFactory(PhaseFactory, status=Phase.Status.TRAINING)
    status = TrainingRun.Status.RUNNING
    config = factory.LazyFunction(lambda: SMALL.to_json()["algorithm"])


class CheckpointFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Checkpoint

    kind = Checkpoint.Kind.POLICY
    uri = factory.Sequence(lambda n: f"phase-{1000 + n}/policy")
    digest = "0" * 64


class ExperienceFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Experience

    training_run = factory.SubFactory(TrainingRunFactory)
    step = factory.SubFactory(StepFactory)
    source = Experience.Source.FRESH
    value = 0.5
    advantage = 0.1
    perplexity = 1.2
    was_used = True


class MetricFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Metric

    training_run = factory.SubFactory(TrainingRunFactory)
    name = "train/policy_loss"
    step = factory.Sequence(lambda n: n)
    value = 1.0


class OrmTrainingFactory(factory.django.DjangoModelFactory):
    """A finished training whose weights are a checkpoint."""

    class Meta:
        model = OrmTraining

    name = factory.Sequence(lambda n: f"people-{n}")
    base_uri = "starter/orm"
    status = OrmTraining.Status.FINISHED
    checkpoint = factory.SubFactory(
        CheckpointFactory,
        kind=Checkpoint.Kind.ORM,
        uri=factory.Sequence(lambda n: f"orm-people-{n}/orm"),
    )


class OrmExampleFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = OrmExample

    training = factory.SubFactory(OrmTrainingFactory)
    trajectory = factory.SubFactory(TrajectoryFactory)
    source = OrmExample.Source.PEOPLE
    is_success = True
