from __future__ import annotations

from curriculum.models import Phase
from rollouts.selectors.pages import PurposeCounts
from webrl_site.runs.measurements import find_starts

FIRST = Phase(pk=1, number=1, policy_uri="starter", next_policy_uri="made")
BASELINE, EVALUATE = (1, "baseline"), (1, "evaluate")


def judged(successes: int) -> PurposeCounts:
    counts = {"total": 10, "ended": 10, "judged": 10, "judged_tasks": 10}
    return PurposeCounts(**counts, successes=successes)


def test_a_phase_begins_where_the_one_before_has_measured():
    second = Phase(pk=2, number=2, policy_uri="made")

    found = find_starts([FIRST, second], {BASELINE: judged(2), EVALUATE: judged(5)})

    assert (found[1].phase, found[1].proportion.successes) == (FIRST, 2)
    assert (found[2].phase, found[2].proportion.successes) == (FIRST, 5)


def test_a_phase_that_starts_over_has_the_first_measurement():
    second = Phase(pk=2, number=2, policy_uri="starter")

    found = find_starts([FIRST, second], {BASELINE: judged(2), EVALUATE: judged(5)})

    assert found[2].proportion.successes == 2


def test_weights_that_nobody_measured_have_no_start():
    second = Phase(pk=2, number=2, policy_uri="from elsewhere")

    found = find_starts([FIRST, second], {EVALUATE: judged(5)})

    assert found == {}
