"""webarena_verified: the result of WebArena-Verified's own package for an episode.

Its tasks require a JSON object as the answer, whose values are compared by type, and
certain requests by the browser. The package checks both; it gets the task as published,
the answer and the recorded requests.
"""

from __future__ import annotations

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.types import Case, Malformed
from rollouts.browser.types import CheckResult
from rollouts.browser.verified.types import (
    NAME,
    NETWORK,
    PackageFailed,
    VerifiedCase,
    list_evaluators,
    published_task,
)

NO_PACKAGE = Sentence("no_verified_package")
NOT_RECORDED = Sentence("requests_not_recorded")


async def match_verified(case: Case) -> list[CheckResult]:
    """Let the package decide; undecided where it cannot.

    Raises:
        Malformed: The rules do not contain the published task.
    """
    task = published_task({"eval": case.rules})
    if task is None or not list_evaluators(task):
        raise Malformed(Sentence("no_published_task"))
    if case.verified is None:
        return [_open(name, NO_PACKAGE) for name in list_evaluators(task)]
    ending = case.ending
    answer = ending.answer if ending.has_exited else None
    given = VerifiedCase(task, answer, ending.origins, ending.requests)
    try:
        checks = await case.verified.score(given)
    except PackageFailed as error:
        why = Sentence("verified_package_failed", sentence=str(error))
        return [_open(name, why) for name in list_evaluators(task)]
    if ending.requests is None:
        unread = [name for name in list_evaluators(task) if name == NETWORK]
        checks += [_open(name, NOT_RECORDED) for name in unread]
    return checks


def _open(name: str, why: str) -> CheckResult:
    return CheckResult(f"{NAME}.{name}", None, "", "", why)
