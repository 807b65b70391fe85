"""Example rows for looking at the pages: runs, phases, tasks, episodes, numbers.

Everything is made from one seed; the same call writes the same rows.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import random
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.utils import timezone

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, ensure_roles
from curriculum.evolution.types import digest_task
from curriculum.models import Phase, PhaseEvent, Review, Run, Site, Task
from rollouts.artifacts import store_html
from rollouts.models import Step, Trajectory
from rollouts.rules.error_types import Act, name_error_type
from tests.seed_training import write_training
from webrl_site.examples import recorded_pages as pages
from webrl_site.home.welcome import end_tour
from webrl_site.runs.config import preset

PASSWORD = "example-password"
NAMES = [name for name, _ in pages.PRODUCTS]
# Of evolved tasks: what resembles a test task cannot be accepted.
OTHER_NAMES = (
    "copper kettle",
    "cotton hammock",
    "glass jar",
    "leather satchel",
    "ceramic vase",
    "bamboo shelf",
    "silver spoon",
)
TEMPLATES = [
    ("shop.add_to_cart", "Add one {name} to the cart."),
    ("shop.find_price", "What does the {name} cost?"),
    ("shop.review", "Write a review of the {name} with 4 stars."),
    ("forum.upvote", "Upvote the newest post about the {name}."),
    ("forum.comment", "Comment “thanks” under the post that asks about a {name}."),
]


@dataclasses.dataclass(frozen=True)
class Example:
    """What the tests need to find again."""

    annotator: User
    researcher: User
    admin: User
    run: Run
    closed_phase: Phase
    review_phase: Phase
    running_phase: Phase
    failed_phase: Phase
    evolved: list[Task]
    trajectory: Trajectory


def write_people() -> tuple[User, User, User]:
    """Write an annotator, a researcher and an admin, called so."""
    ensure_roles()
    admin = User.objects.create_superuser("admin", password=PASSWORD)
    return _person(ROLE_ANNOTATOR), _person(ROLE_RESEARCHER), admin


def _person(role: str) -> User:
    user = User.objects.create_user(role, password=PASSWORD)
    user.groups.add(Group.objects.get(name=role))
    return user


def store_pages() -> list[str]:
    """Store the recorded pages that the example's steps name; return their digests."""
    folder = Path(settings.ARTIFACTS_DIR)
    name, price = pages.PRODUCTS[0]
    return [
        store_html(folder, html)
        for html in (
            pages.front_page(),
            pages.front_page("mug"),
            pages.product_page(name, price),
            pages.cart_page(name, price),
        )
    ]


class Seeder:
    """Writes the example; `tests` shares one per database."""

    def __init__(
        self, seed: int = 7, tasks: int = 40, waiting: int = 14, metric_steps: int = 60
    ) -> None:
        self.metric_steps = metric_steps
        self.random = random.Random(seed)
        self.now = timezone.now()
        self.task_count, self.waiting = tasks, waiting
        self.snapshots = store_pages()

    def write(self) -> Example:
        annotator, researcher, admin = write_people()
        for user in (annotator, researcher, admin):
            end_tour(user)
        self.sites = [
            Site.objects.get_or_create(
                key=key, defaults={"name": name, "placeholder": f"__{key.upper()}__"}
            )[0]
            for key, name in (("shop", "Shop"), ("forum", "Forum"))
        ]
        self.train = self.tasks("train", self.task_count)
        self.test = self.tasks("test", self.task_count // 2)
        run = self.run("first-light", researcher)
        first = self.phase(run, 1, Phase.Status.CLOSED, rate=0.28)
        self.evaluate(first, Trajectory.Purpose.BASELINE, 0.24)
        self.evaluate(first, Trajectory.Purpose.EVALUATE, 0.36)
        write_training(first, self.random, self.metric_steps)
        second = self.phase(run, 2, Phase.Status.REVIEW, rate=0.41)
        self.evaluate(second, Trajectory.Purpose.EVALUATE, 0.49)
        write_training(second, self.random, self.metric_steps)
        evolved = self.evolve(second, annotator)
        running = self.phase(
            self.run("no-replay", researcher, auto_accept=True),
            1,
            Phase.Status.COLLECTING,
            rate=0.3,
            share=0.6,
        )
        failed = self.phase(
            self.run("beta-1", researcher), 1, Phase.Status.FAILED, rate=0.3, share=0.2
        )
        Phase.objects.filter(pk=failed.pk).update(
            resume_status="collecting",
            failure_reason="The sandbox did not answer for 60 s on port 8010.",
        )
        shown = first.trajectories.filter(purpose="collect", outcome=True).first()
        assert shown is not None
        return Example(
            annotator=annotator,
            researcher=researcher,
            admin=admin,
            run=run,
            closed_phase=first,
            review_phase=second,
            running_phase=running,
            failed_phase=failed,
            evolved=evolved,
            trajectory=shown,
        )

    def tasks(self, split: str, count: int) -> list[Task]:
        rows = []
        for i in range(count):
            template, text = TEMPLATES[i % len(TEMPLATES)]
            name = NAMES[(i // len(TEMPLATES)) % len(NAMES)]
            instruction = text.format(name=name.lower())
            rows.append(self.task(f"{template}.{split}.{i:05}", instruction, split))
        return Task.objects.bulk_create(rows)

    def task(self, key: str, instruction: str, split: str, **fields: object) -> Task:
        site = self.sites[0] if key.startswith("shop") else self.sites[1]
        start = f"{site.placeholder}/"
        spec = {
            "sites": [site.key],
            "intent": instruction,
            "start_url": start,
            "eval": {
                "eval_types": ["state_match", "string_match"],
                "reference_answers": {"must_include": ["12.50"]},
                "reference_state": [
                    {"site": site.key, "path": "cart", "equals": {"MUG-1": 1}}
                ],
            },
        }
        return Task(
            key=key,
            site=site,
            instruction=instruction,
            start_url=start,
            spec=spec,
            template_key=".".join(key.split(".")[:2]),
            split=split,
            digest=digest_task(instruction, start),
            optimal_steps=self.random.randint(1, 9),
            **fields,
        )

    def run(self, name: str, by: User, *, auto_accept: bool = False) -> Run:
        return Run.objects.create(
            name=name,
            config=preset("starter").to_json(),
            seed=7,
            auto_accept=auto_accept,
            created_by=by,
            policy_uri="starter/policy",
            critic_uri="starter/critic",
            orm_uri="starter/orm",
        )

    def phase(
        self, run: Run, number: int, status: str, *, rate: float, share: float = 1.0
    ) -> Phase:
        before = Phase.objects.filter(run=run, number=number - 1).first()
        base = f"phase-{before.pk}" if before else "starter"
        phase = Phase.objects.create(
            run=run,
            number=number,
            status=status,
            policy_uri=f"{base}/policy",
            critic_uri=f"{base}/critic",
            orm_uri="starter/orm",
            created_by=run.created_by,
            stage_started_at=self.now - dt.timedelta(minutes=2),
            ended_at=self.now if status == "closed" else None,
        )
        phase.tasks.set(self.train)
        self.episodes(phase, self.train, Trajectory.Purpose.COLLECT, rate, share)
        self.events(phase)
        return phase

    def evaluate(self, phase: Phase, purpose: str, rate: float) -> None:
        self.episodes(phase, self.test, purpose, rate, 1.0)

    def episodes(
        self, phase: Phase, tasks: list[Task], purpose: str, rate: float, share: float
    ) -> None:
        rows = [
            self.episode(phase, task, purpose, rate, is_over=i < share * len(tasks))
            for i, task in enumerate(tasks)
        ]
        Trajectory.objects.bulk_create(rows)
        steps = [step for row in rows for step in self.steps(row)]
        Step.objects.bulk_create(steps)

    def episode(
        self, phase: Phase, task: Task, purpose: str, rate: float, *, is_over: bool
    ) -> Trajectory:
        row = Trajectory(phase=phase, task=task, purpose=purpose, seed=1)
        if not is_over:
            return row
        row.status, row.attempt, row.step_count = "finished", 1, 4
        row.outcome = self.random.random() < rate
        row.ended_by = (
            "exit"
            if row.outcome
            else self.random.choice(["exit", "step_limit", "repeated", "invalid"])
        )
        acted = Act("Click", has_element=True, has_failed=False)
        if not row.outcome:
            row.error_type = name_error_type(row.ended_by, [acted])
        row.answer = "The mug costs 12.50 EUR" if row.ended_by == "exit" else ""
        agrees = self.random.random() < 0.85
        likely = self.random.uniform(0.6, 0.97)
        says_yes = row.outcome == agrees
        if purpose == Trajectory.Purpose.COLLECT:
            # As in a real phase: test episodes are never shown to the reward model.
            row.success_probability = likely if says_yes else 1 - likely
            row.reward = 1.0 if says_yes else 0.0
        row.outcome_checks = [
            {
                "name": "state_match shop.cart",
                "passed": row.outcome,
                "expected": '{"MUG-1": 1}',
                "got": '{"MUG-1": 1}' if row.outcome else "{}",
                "why": "" if row.outcome else "The cart is empty.",
            }
        ]
        row.final_observation = pages.observation("Your cart", ["button|Check out"])
        row.final_url, row.final_snapshot = "http://shop/cart", self.snapshots[3]
        row.started_at = self.now - dt.timedelta(minutes=3)
        row.ended_at = self.now - dt.timedelta(seconds=self.random.randint(5, 100))
        return row

    def steps(self, row: Trajectory) -> list[Step]:
        if row.status != "finished":
            return []
        elements = ["input type=text|Search the shop", "a|Enamel camping mug", "a|Cart"]
        seen = pages.observation("Popular today", elements)
        moves = [
            ("Type", 0, "mug", [214, 14, 444, 36], ""),
            ("Click", 1, "", [57, 318, 250, 24], ""),
            ("Click", 12, "", [], "Element 12 is not on this page."),
            ("Click", 2, "", [57, 288, 116, 40], ""),
        ]
        return [
            Step(
                trajectory=row,
                attempt=1,
                index=i,
                url=f"http://shop.example/{i}",
                title="Corner Shop",
                observation=seen,
                output=f"# Element: {elements[i % 3].split('|')[1]}\n"
                f'do(action="{name}", element="{element}")',
                action={"name": name, "element": element, "argument": argument},
                error=error,
                target_box=box,
                snapshot=self.snapshots[min(i, 2)],
                timing={"observe": 6.1, "policy": 48.0, "act": 11.2, "settle": 24.9},
                log_probability=-1.3,
                token_count=14,
            )
            for i, (name, element, argument, box, error) in enumerate(moves)
        ]

    def evolve(self, phase: Phase, reviewer: User) -> list[Task]:
        statuses = ["shortlisted"] * self.waiting + ["accepted"] * 6
        statuses += ["rejected"] * 2 + ["filtered"] * 8
        rows = []
        lost = phase.trajectories.filter(purpose="collect", reward=0)
        parents = [row.task for row in lost.select_related("task")]
        for i, status in enumerate(statuses):
            parent = parents[i % len(parents)]
            template, text = TEMPLATES[i % len(TEMPLATES)]
            name = OTHER_NAMES[i % len(OTHER_NAMES)]
            row = self.task(
                f"{template}.evolved.{phase.pk}.{i:05}",
                f"{text.format(name=name)[:-1]}, then go back to the front page.",
                "train",
                origin="evolved",
                status=status,
                parent=parent,
                born_in=phase,
                value_estimate=round(self.random.uniform(0.06, 0.74), 3),
                is_feasible=True,
                feasibility_reason="The site has this item and this page.",
            )
            row.filter_reason = "outside the value band" if status == "filtered" else ""
            rows.append(row)
        made = Task.objects.bulk_create(rows)
        for task in made:
            if task.status in ("accepted", "rejected"):
                self.review(task, reviewer)
        return made

    def review(self, task: Task, reviewer: User) -> None:
        is_edit = task.status == "accepted" and task.pk % 2 == 0
        Review.objects.create(
            task=task,
            reviewer=reviewer,
            decision="edit" if is_edit else task.status.removesuffix("ed"),
            original_instruction=task.instruction,
            edited_instruction=f"Please {task.instruction}" if is_edit else "",
            reason="ambiguous" if task.status == "rejected" else "",
            seconds_spent=12.0,
        )

    def events(self, phase: Phase) -> None:
        rows = [PhaseEvent(phase=phase, kind="message", data={"text": "Opened."})]
        rows += [
            PhaseEvent(
                phase=phase,
                kind="episode",
                data={"trajectory_id": row.pk, "outcome": row.outcome},
            )
            for row in phase.trajectories.all()[:12]
        ]
        rows.append(
            PhaseEvent(
                phase=phase,
                kind="progress",
                data={
                    "stage": "collecting",
                    "done": 24,
                    "total": 40,
                    "seconds_left": 42.0,
                },
            )
        )
        rows.append(
            PhaseEvent(
                phase=phase,
                kind="status",
                data={"status": phase.status, "before": "planned", "reason": ""},
            )
        )
        PhaseEvent.objects.bulk_create(rows)


def write_example(**options: int) -> Example:
    """Write everything; the database holds no example yet."""
    return Seeder(**options).write()
