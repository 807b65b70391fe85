"""Example rows in all states that a page may show, in addition to the usual ones.

For pictures and tests of all pages: a phase that runs, one that failed, and everything
that the desk shows to researchers. No worker may use such a database.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from curriculum import services
from curriculum.models import Guideline, Phase, Review, Run, Task
from rollouts.models import HumanVerdict, Takeover, Trajectory
from rollouts.services import open_takeover
from webrl_site.account.tokens import make_token
from webrl_site.examples.people import make_people
from webrl_site.home import welcome

FIRST_GUIDELINE = """# What to accept

- One task, which a person could do in **under ten minutes**.
- It names what it needs: the product, the forum, the page.

# What to reject

1. It reads like one that is there already.
2. Nobody could tell afterwards whether it was done.
"""
RUNNING = Phase.Status.COLLECTING
PAGE = {
    "url": "/search?q=mug",
    "title": "Search",
    "text": '<html> <input id="0" type="search"/> <a id="1"> Enamel mug </a> </html>',
    "error": "",
    "picture": "",
    "elements": [
        {"id": 0, "tag": "input", "text": "mug", "box": [214, 14, 444, 36]},
        {"id": 1, "tag": "a", "text": "Enamel mug", "box": [57, 318, 250, 24]},
    ],
}


def write_states() -> None:
    """Add the states to an example that has tasks, a phase in review, and people."""
    people = make_people()
    boss = User.objects.filter(username="researcher").first() or people[0]
    _write_desk(boss, people)
    _write_phases(boss)
    _write_verdicts(people)
    _write_takeovers(people)
    # The researcher is new here, the admin is not.
    for person in User.objects.filter(username="admin"):
        welcome.end_tour(person)
    for person in User.objects.filter(username__in=("researcher", "admin")):
        make_token(user=person, name="notebook", scopes=["read"], days=90)


def _write_desk(boss: User, people: list[User]) -> None:
    if not Guideline.objects.exists():
        services.write_guideline(text=FIRST_GUIDELINE, based_on=0, by=boss)
        longer = f"{FIRST_GUIDELINE}3. It would change what *other people* wrote.\n"
        services.write_guideline(text=longer, based_on=1, by=boss)
    waiting = list(Task.objects.filter(status=Task.Status.SHORTLISTED).order_by("pk"))
    for task in waiting[:2]:
        _dispute(task, people[:2])
    services.flag_task(
        task_id=waiting[2].pk, by=people[1], note="Is this shop's search broken?"
    )
    for person in User.objects.filter(username="admin"):
        _vote(waiting[5], person)
    ids = [task.pk for task in waiting[3:5]]
    services.decide_many(task_ids=ids, decision="accept", by=boss)
    decided = Task.objects.filter(origin="evolved", status__in=("accepted", "rejected"))
    for task in decided.exclude(pk__in=ids).order_by("pk")[:3]:
        services.set_gold(
            task_id=task.pk,
            accepts=task.status == Task.Status.ACCEPTED,
            why="Everybody agreed on this one.",
            by=boss,
        )


def _vote(task: Task, person: User) -> None:
    """Let a person edit a task, take that back, and reject it."""
    decisions: list[dict[str, Any]] = [
        {"decision": "edit", "undone_at": timezone.now()},
        {"decision": "reject", "reason": "duplicate", "note": "As the one before."},
    ]
    decisions[0]["edited_instruction"] = f"Please {task.instruction}"
    for fields in decisions:
        Review.objects.create(
            task=task,
            reviewer=person,
            original_instruction=task.instruction,
            seconds_spent=12.0,
            **fields,
        )
    Task.objects.filter(pk=task.pk).update(status=Task.Status.REJECTED)


def _dispute(task: Task, people: list[User]) -> None:
    """Let the first person edit a task and the second reject it."""
    words = {"task": task, "original_instruction": task.instruction}
    Review.objects.create(
        **words,
        reviewer=people[0],
        decision="edit",
        edited_instruction=f"{task.instruction.rstrip('.')}, please.",
        seconds_spent=21.0,
    )
    Review.objects.create(
        **words,
        reviewer=people[1],
        decision="reject",
        reason="ambiguous",
        note="Which of them is meant?",
        seconds_spent=9.0,
    )
    Task.objects.filter(pk=task.pk).update(status=Task.Status.DISPUTED)


def _write_phases(boss: User) -> None:
    """Write a run that collects and one that failed."""
    model = Run.objects.order_by("pk")[0]
    tasks = list(Task.objects.filter(split="train", status="accepted")[:40])
    for name, status in (("no-replay", RUNNING), ("beta-1", Phase.Status.FAILED)):
        if Run.objects.filter(name=name).exists():
            continue
        run = Run.objects.create(
            name=name,
            config=model.config,
            seed=7,
            tags="ablation",
            policy_uri=model.policy_uri,
            critic_uri=model.critic_uri,
            orm_uri=model.orm_uri,
            created_by=boss,
        )
        phase = services.open_phase(run_id=run.pk, created_by=boss)
        services.freeze_tasks(phase_id=phase.pk, task_ids=[one.pk for one in tasks])
        _begin(phase, status)
        _collect(phase, tasks)


def _begin(phase: Phase, status: str) -> None:
    has_failed = status == Phase.Status.FAILED
    Phase.objects.filter(pk=phase.pk).update(
        status=status,
        resume_status=RUNNING if has_failed else "",
        failure_reason="The sandbox did not answer for 60 s." if has_failed else "",
        stage_started_at=timezone.now() - dt.timedelta(minutes=4),
    )


def _collect(phase: Phase, tasks: list[Task]) -> None:
    """Queue an episode of every task; a third are over, one runs."""
    now = timezone.now()
    rows = []
    for i, task in enumerate(tasks):
        row = Trajectory(phase=phase, task=task, purpose="collect", seed=i)
        if i < len(tasks) // 3:
            row.status, row.attempt, row.step_count = "finished", 1, 5
            row.outcome, row.ended_by = i % 3 == 0, "exit"
            row.started_at = row.ended_at = now - dt.timedelta(seconds=90 - i)
        elif i == len(tasks) // 3 and phase.run.name == "no-replay":
            row.status, row.attempt, row.lease_owner = "running", 1, "example"
            row.leased_until = now + dt.timedelta(hours=1)
            row.started_at = now
        rows.append(row)
    Trajectory.objects.bulk_create(rows)


def _write_verdicts(people: list[User]) -> None:
    """Let a person disagree with the reward model twice."""
    judged = Trajectory.objects.filter(
        purpose="collect", status="finished", success_probability__gt=0.5
    ).order_by("pk")
    for row in judged[:2]:
        HumanVerdict.objects.create(
            trajectory=row, author=people[2], verdict="failure", note="Wrong colour."
        )


def _write_takeovers(people: list[User]) -> None:
    """Let one person wait for a browser, and the admin have one."""
    over = Trajectory.objects.filter(status="finished", steps__index=1).order_by("pk")
    authors = [people[3], *User.objects.filter(username="admin")]
    for author, source in zip(authors, over[:2], strict=False):
        row = open_takeover(source_id=source.pk, number=2, author_id=author.pk)
    Takeover.objects.filter(pk=row.pk).update(page=PAGE)
    Trajectory.objects.filter(pk=row.trajectory_id).update(
        status=Trajectory.Status.RUNNING,
        lease_owner="example",
        leased_until=timezone.now() + dt.timedelta(hours=1),
    )
