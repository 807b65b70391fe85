"""Trials by hand for the pages: opened, kept in a sealed value, judged."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from django.conf import settings
from django.core import signing
from django.utils.translation import gettext

from curriculum.errors import WorkbenchError
from curriculum.models import Site, Task
from rollouts.browser.evaluators import Verdict
from rollouts.browser.evaluators.openai_judge import OpenAIJudge
from rollouts.browser.hosting.sandbox_client import SandboxClient, SandboxError
from rollouts.browser.scoring.manual_trial import (
    Trial,
    find_start,
    judge_trial,
    open_trial,
    read_trial,
)
from rollouts.browser.types import TaskSpec
from rollouts.services.loading import find_judge

SALT = "webrl.trial"
MAX_S = 86_400
Result = TypeVar("Result")


class TrialError(WorkbenchError):
    """The task cannot be tried by hand, or the trial is over."""


@dataclasses.dataclass(frozen=True, slots=True)
class TrialView:
    """A trial in progress: its start page, its start time, and its seal."""

    sealed: str
    starts: list[str]
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True)
class TrialResult:
    """The result: the evaluators' outcome and the time it took."""

    verdict: Verdict
    seconds: float
    answer: str


def can_be_tried(task: Task) -> bool:
    """Say whether all the task's sites are in the sandbox."""
    keys = set(task.spec.get("sites") or [task.site.key])
    own = Site.objects.filter(key__in=keys, kind=Site.Kind.SANDBOX)
    return own.count() == len(keys)


def start(task: Task) -> str:
    """Open a trial and return its seal.

    Raises:
        TrialError: The task is not the sandbox's, or the sandbox does not answer.
    """
    if not can_be_tried(task):
        raise TrialError(gettext("Only tasks of the sandbox can be tried here."))
    trial = _ask(lambda client: open_trial(client, _spec(task).sites))
    sealed = {"task": task.pk, "at": time.time(), "trial": dataclasses.asdict(trial)}
    return signing.dumps(sealed, salt=SALT, compress=True)


def show(task: Task, sealed: str) -> TrialView:
    """Return a trial for its page.

    Raises:
        TrialError: The seal is broken, old, or another task's.
    """
    trial, since = _unseal(task, sealed)
    return TrialView(sealed, find_start(_spec(task), trial), time.time() - since)


def check(task: Task, sealed: str, answer: str) -> TrialResult:
    """Judge a trial, which may continue afterwards.

    Raises:
        TrialError: The seal is broken, or the sandbox has forgotten the trial.
    """
    trial, since = _unseal(task, sealed)
    seconds = time.time() - since
    options = find_judge()
    judge = OpenAIJudge(options) if options else None
    verdict = _ask(
        lambda client: judge_trial(client, _spec(task), trial, answer, judge)
    )
    return TrialResult(verdict, seconds, answer)


def _unseal(task: Task, sealed: str) -> tuple[Trial, float]:
    try:
        data: dict[str, Any] = signing.loads(sealed, salt=SALT, max_age=MAX_S)
    except signing.BadSignature:
        raise TrialError(gettext("This trial is over; start another one.")) from None
    if data["task"] != task.pk:
        raise TrialError(gettext("This trial belongs to another task."))
    return read_trial(data["trial"]), float(data["at"])


def _spec(task: Task) -> TaskSpec:
    sites = tuple(task.spec.get("sites") or [task.site.key])
    return TaskSpec(task.pk, task.instruction, task.start_url, sites, task.spec)


def _ask(call: Callable[[SandboxClient], Awaitable[Result]]) -> Result:
    async def ask() -> Result:
        async with SandboxClient(settings.SANDBOX_CONTROL_URL) as client:
            return await call(client)

    try:
        return asyncio.run(ask())
    except SandboxError as error:
        raise TrialError(
            gettext("The sandbox refused: %(error)s.") % {"error": error}
        ) from None
