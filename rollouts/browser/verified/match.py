"""webarena_verified: what WebArena-Verified's own package says of an episode.

Its tasks want a JSON object as the answer, whose values it compares by type, and
requests that the browser has sent. The package does both; this hands it the task as
it was published, the answer and the recorded requests.
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
        Malformed: The rules do not hold the published task.
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
