"""Rows of one person, requested by another of the same role, then by their owner."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from django.contrib.auth.models import Group, User
from django.utils import timezone

from curriculum import services
from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER
from curriculum.models import Phase, Review, ReviewBatch, Task
from curriculum.services.reviewing.decision_rules import Decision
from drills.web import client
from rollouts.models import Takeover, Trajectory
from rollouts.services import open_takeover
from webrl_site.account.tokens import make_token
from webrl_site.models import ApiToken

# Makes a row of a person's; returns a path, and a reader of what must not change.
Trial = Callable[[User], tuple[str, Callable[[], object]]]
REJECTED = Decision("reject", reason="ambiguous")
FORM = {"number": "0", "line": 'do(action="Click", element="0")'}


def _token(owner: User) -> tuple[str, Callable[[], object]]:
    row, _ = make_token(user=owner, name="theirs", scopes=["read"], days=1)
    rows = ApiToken.objects.filter(pk=row.pk)
    return f"/account/tokens/{row.pk}/revoke/", lambda: rows.get().revoked_at


def _decision(owner: User) -> Review:
    phase = Phase.objects.filter(status=Phase.Status.REVIEW).latest("pk")
    held = services.take_next(reviewer=owner, phase_id=phase.pk)
    if held is None:
        raise LookupError("No task waits for review.")
    return services.decide_review(
        task_id=held.task.pk, token=held.token, reviewer=owner, decision=REJECTED
    )


def _review(path: str) -> Trial:
    def make(owner: User) -> tuple[str, Callable[[], object]]:
        rows = Review.objects.filter(pk=_decision(owner).pk)
        return path.format(rows.get().pk), lambda: rows.get().undone_at

    return make


def _batch(owner: User) -> tuple[str, Callable[[], object]]:
    owner.groups.add(Group.objects.get(name=ROLE_RESEARCHER))
    waiting = Task.objects.filter(
        status=Task.Status.SHORTLISTED, born_in__status=Phase.Status.REVIEW
    )
    services.decide_many(
        task_ids=[waiting.latest("pk").pk],
        decision=REJECTED.choice,
        reason=REJECTED.reason,
        by=owner,
    )
    rows = ReviewBatch.objects.filter(author=owner)
    return f"/review/bulk/{rows.get().pk}/undo/", lambda: rows.get().undone_at


def _takeover(action: str) -> Trial:
    def make(owner: User) -> tuple[str, Callable[[], object]]:
        over = Trajectory.objects.filter(
            status="finished", steps__index=1, task__split="train"
        )
        row = open_takeover(
            source_id=over.latest("pk").pk, number=2, author_id=owner.pk
        )
        rows = Takeover.objects.filter(pk=row.pk)
        _give_browser(row)
        return f"/takeovers/{row.pk}/{action}/", lambda: rows.values(*CHANGES).get()

    return make


CHANGES = ("wanted", "is_leaving", "closed_at", "kept_at")


def _give_browser(row: Takeover) -> None:
    """Make the takeover look as if a worker held its browser."""
    Trajectory.objects.filter(pk=row.trajectory_id).update(
        status="running",
        attempt=1,
        lease_owner="drill",
        leased_until=timezone.now() + dt.timedelta(hours=1),
    )
    page = {"url": "/", "title": "", "text": "", "error": "", "picture": ""}
    Takeover.objects.filter(pk=row.pk).update(page=page | {"elements": []})


def _kept(action: str) -> Trial:
    """A takeover that ended in success, kept or not."""

    def make(owner: User) -> tuple[str, Callable[[], object]]:
        path, read = _takeover(action)(owner)
        now = timezone.now()
        rows = Takeover.objects.filter(author=owner, closed_at=None)
        ids = list(rows.values_list("trajectory_id", flat=True))
        rows.update(closed_at=now, kept_at=now if action == "let-go" else None)
        Trajectory.objects.filter(pk__in=ids).update(
            status="finished",
            ended_by="exit",
            outcome=True,
            lease_owner="",
            leased_until=None,
        )
        return path, read

    return make


# The page of a takeover changes nothing; researchers may look at it.
TRIALS: dict[str, Trial | None] = {
    "revoke_token": _token,
    "review_undo": _review("/review/{}/undo/"),
    "api-undo-review": _review("/api/reviews/{}/undo/"),
    "bulk_undo": _batch,
    "takeover": None,
    "act_takeover": _takeover("act"),
    "leave_takeover": _takeover("leave"),
    "keep_takeover": _kept("keep"),
    "let_takeover_go": _kept("let-go"),
}
# The role of owner and peer, where it is not annotator.
PEERS = {"bulk_undo": ROLE_RESEARCHER}


def try_all() -> list[str]:
    """Return what a peer could change, and what its owner could not."""
    found = []
    for key, trial in TRIALS.items():
        role = PEERS.get(key, ROLE_ANNOTATOR)
        owner, peer = _person(f"owner-{key}", role), _person(f"peer-{key}", role)
        if trial is not None:
            path, read = trial(owner)
            if _changes(peer, path, read):
                found.append(f"{key}: a peer changed what is not theirs")
            if not _changes(owner, path, read):
                found.append(f"{key}: its owner cannot change it")
        elif _may_look(peer, owner):
            found.append(f"{key}: a peer sees what is not theirs")
    return found


def _changes(person: User, path: str, read: Callable[[], object]) -> bool:
    before = read()
    with client(person) as asking:
        if path.startswith("/api/"):
            asking.post(path, json={})
        else:
            asking.post(path, data=FORM)
    return read() != before


def _may_look(peer: User, owner: User) -> bool:
    path, _ = _takeover("act")(owner)
    with client(peer) as asking:
        return asking.get(path.removesuffix("act/")).status_code == 200


def _person(name: str, role: str) -> User:
    person = User.objects.create_user(name)
    person.groups.add(Group.objects.get(name=role))
    return person
