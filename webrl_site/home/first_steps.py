"""The first steps of a new user, ticked by what really happened."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from curriculum.access.roles import ROLE_RESEARCHER, ROLES, has_role
from curriculum.models import Phase, Review
from rollouts.models import HumanVerdict
from webrl_site.models import ApiToken, Welcome, Worker


@dataclasses.dataclass(frozen=True, slots=True)
class FirstStep:
    """A thing to do; `fact` names the column that shows whether it has happened."""

    fact: str
    title: Promise
    text: Promise
    url_name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """What a person has seen and done so far."""

    facts: Mapping[str, object]
    steps: tuple[FirstStep, ...]

    @property
    def rows(self) -> list[tuple[FirstStep, bool]]:
        return [(step, bool(self.facts[step.fact])) for step in self.steps]

    @property
    def done(self) -> int:
        return sum(is_done for _, is_done in self.rows)

    @property
    def is_shown(self) -> bool:
        is_complete = self.done == len(self.steps)
        return not is_complete and not self.facts["welcome__steps_hidden_at"]

    @property
    def wants_tour(self) -> bool:
        return self.facts["welcome__tour_ended_at"] is None


REPLAY = FirstStep(
    "welcome__replay_opened_at",
    _("Open a replay"),
    _("See page by page what the agent did and why."),
    "rollouts:trajectory_list",
)
REVIEW = FirstStep(
    "has_reviewed",
    _("Review one instruction"),
    _("Accept, edit, reject or skip it; each can be undone."),
    "review",
)
JUDGE = FirstStep(
    "has_judged",
    _("Judge an episode"),
    _(
        "Success, failure or cannot tell: your verdict is shown next to the "
        "reward model's."
    ),
    "judges",
)
LAUNCH = FirstStep(
    "has_launched",
    _("Launch a phase"),
    _("Choose a preset; it is checked and forecast before anything is queued."),
    "run_new",
)
TOKEN = FirstStep(
    "has_token",
    _("Create a token for your scripts"),
    _("Programs can do everything that the pages can."),
    "token_list",
)
WORKERS = FirstStep(
    "has_workers",
    _("See your workers sign on"),
    _("Each reports every few seconds that it is alive."),
    "queue",
)
PEOPLE = FirstStep(
    "has_people",
    _("Invite a person"),
    _("Annotators review and watch; researchers also launch and stop runs."),
    "people",
)
FOR_ANNOTATORS = (REPLAY, REVIEW, JUDGE)
FOR_RESEARCHERS = (LAUNCH, REPLAY, JUDGE, REVIEW, TOKEN)
FOR_OPERATORS = (WORKERS, PEOPLE, LAUNCH, REPLAY, TOKEN)


def choose_steps(user: User) -> tuple[FirstStep, ...]:
    """Return the steps for the person's role."""
    if user.is_superuser:
        return FOR_OPERATORS
    return FOR_RESEARCHERS if has_role(user, ROLE_RESEARCHER) else FOR_ANNOTATORS


def read_progress(user: User) -> Progress:
    """Read all facts of any user in one query."""
    me = OuterRef("pk")
    # Other people with a role, to whom access was given.
    others = User.objects.filter(groups__name__in=ROLES).filter(~Q(pk=me))
    facts = {
        "has_reviewed": Exists(Review.objects.filter(reviewer=me)),
        "has_judged": Exists(HumanVerdict.objects.filter(author=me)),
        "has_launched": Exists(Phase.objects.filter(created_by=me)),
        "has_token": Exists(ApiToken.objects.filter(user=me)),
        "has_workers": Exists(Worker.objects.all()),
        "has_people": Exists(others),
    }
    moments = [
        f"welcome__{field.name}"
        for field in Welcome._meta.fields
        if field.name.endswith("_at")
    ]
    row = User.objects.filter(pk=user.pk).annotate(**facts).values(*facts, *moments)
    return Progress(row.get(), choose_steps(user))
