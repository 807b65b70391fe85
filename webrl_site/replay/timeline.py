"""An episode as text: what the film shows, also for screen readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rollouts.models import Trajectory
from webrl_site.replay.film import describe_training
from webrl_site.replay.steps import StepDetail
from webrl_site.replay.verdicts import Opinion

SAID = {"yes": "success", "no": "failure", "unclear": "cannot tell", "": "no verdict"}
NUMBERS = (
    ("value", "value"),
    ("advantage", "advantage"),
    ("perplexity", "perplexity"),
    ("log_ratio", "log-ratio"),
)


def write_timeline(
    trajectory: Trajectory, details: Sequence[StepDetail], verdicts: dict[str, Any]
) -> str:
    """Return the episode as text, one paragraph a step."""
    row = trajectory
    parts = [
        f"Episode {row.pk}, {row.phase}, {row.get_purpose_display()}",
        f"Task: {row.task.instruction}",
        f"Status: {row.get_status_display()} {row.get_ended_by_display()}".rstrip(),
        *(_say_opinion(opinion) for opinion in verdicts["opinions"]),
        *(_say_check(check) for check in row.outcome_checks),
    ]
    paragraphs = ["\n".join(_say_step(one)) for one in details]
    answer = f"Answer: {row.answer or 'none'}"
    return "\n\n".join(["\n".join(parts), *paragraphs, answer]) + "\n"


def _say_opinion(opinion: Opinion) -> str:
    rest = ", ".join(filter(None, (opinion.text, opinion.note)))
    return f"{opinion.who}: {SAID[opinion.says]}" + (f" ({rest})" if rest else "")


def _say_check(check: dict[str, Any]) -> str:
    passed = check.get("passed")
    verdict = "undecided" if passed is None else "passed" if passed else "failed"
    return (
        f"Check {check.get('name')}: {verdict}; expected {check.get('expected')}, "
        f"got {check.get('got')}. {check.get('why') or ''}".rstrip()
    )


def _say_step(one: StepDetail) -> Iterator[str]:
    outline, step = one.outline, one.outline.step
    yield f"Step {outline.number} of {one.count}: {outline.call}"
    yield f"  page: {step.title} {step.url}".rstrip()
    if one.target:
        yield f"  target: {one.target}"
    if step.error:
        yield f"  {'failed' if outline.has_failed else 'told'}: {step.error}"
    if outline.number > 1:
        yield f"  lines since the step before: {one.added} new, {one.dropped} gone"
    if outline.parts:
        yield "  time: " + ", ".join(
            f"{name} {ms:.0f} ms" for name, ms in outline.parts
        )
    for experience in outline.experiences:
        known = [(label, getattr(experience, name)) for name, label in NUMBERS]
        yield f"  phase {experience.training_run.phase.number}: " + ", ".join(
            f"{label} {value:.3f}" for label, value in known if value is not None
        )
    yield f"  training: {describe_training(outline.experiences)[1]}"
