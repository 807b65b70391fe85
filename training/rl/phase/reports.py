"""What a phase's trainer reports about its steps, before and after the update."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from training.rl import metric_names as names
from training.rl.phase.steps import TOO_LONG, StepRow

# Takes a metric's name, the optimiser step, and its value.
Report = Callable[[str, int, float], None]


def report_used(report: Report, rows: Sequence[StepRow]) -> None:
    """Report the used steps, and those left out because they would be cut.

    A success with an advantage near 0 teaches nothing.
    """
    used = [row for row in rows if row.was_used]
    too_long = sum(row.left_out_reason == TOO_LONG for row in rows)
    report(names.TOO_LONG_STEPS, 0, float(too_long))
    fresh = [row for row in used if row.source == "fresh"]
    counts = Counter(row.source for row in used)
    report(names.FRESH_STEPS, 0, float(counts["fresh"]))
    report(names.REPLAYED_STEPS, 0, float(counts["replay"]))
    report(names.DEMONSTRATED_STEPS, 0, float(counts["shown"]))
    parts = {
        names.ADVANTAGE: used,
        # R is 0 or 1; 0.5 as the border is safe from rounding in a file.
        names.ADVANTAGE_OF_SUCCESSES: [r for r in fresh if r.outcome > 0.5],
        names.ADVANTAGE_OF_FAILURES: [r for r in fresh if r.outcome <= 0.5],
    }
    for name, rows in parts.items():
        if rows:
            mean = sum(row.advantage or 0.0 for row in rows) / len(rows)
            report(name, 0, mean)


def report_records(report: Report, rows: Sequence[StepRow], bound: float) -> None:
    """Report how well the recorded log-probabilities agree with the reference.

    `bound` is in nats of the whole action; steps beyond it are counted.
    """
    fresh = [row for row in rows if row.source == "fresh"]
    found = [row.find_mismatch() for row in fresh]
    known = [mismatch for mismatch in found if mismatch is not None]
    far = sum(mismatch > bound for mismatch in known)
    # Not those without a reference: a step that is left out has none.
    unrecorded = sum(not row.recorded for row in fresh)
    report(names.UNRECORDED_STEPS, 0, float(unrecorded))
    report(names.MISMATCHED_STEPS, 0, float(far))
    if known:
        report(names.RECORD_MISMATCH, 0, sum(known) / len(known))


def report_unreachable(report: Report, used: Sequence[StepRow], beta: float) -> None:
    """Report the share of targets pi_ref * exp(A / beta) above 1, out of reach."""
    asked = [(row.advantage or 0.0) / beta for row in used]  # nats
    # log pi_ref + A / beta > 0 asks for a probability above 1.
    far = [a + sum(r.reference) > 0 for a, r in zip(asked, used, strict=True)]
    report(names.UNREACHABLE_TARGETS, 0, sum(far) / len(far))
