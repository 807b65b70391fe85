"""Map tasks that report what is wrong with a place."""

from __future__ import annotations

from random import Random

from rollouts.sites.atlas import robin
from rollouts.sites.atlas.lookups import draw_place, go_to, place_of
from rollouts.sites.kit.plans import Click, Select, Step, Type
from rollouts.sites.kit.sites import ATLAS
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, change, known


def _draw_report(rng: Random) -> Values:
    return {**draw_place(rng), "problem": rng.choice(robin.PROBLEMS[1:])}


def _problem(values: Values) -> str:
    problems = {problem: problem for problem in robin.PROBLEMS[1:]}
    return known(problems, values["problem"], "problem")


def _report(values: Values) -> Goal:
    place, problem = place_of(values), _problem(values)
    state = {"notes": {place.slug: {"problem": problem, "text": ""}}}
    steps: list[Step] = [Click("Report a problem"), Select("Problem", problem)]
    return change(ATLAS, state, go_to(place), steps, Click("Send report"))


def _draw_comment(rng: Random) -> Values:
    return {**_draw_report(rng), "text": rng.choice(robin.NOTE_TEXTS)}


def _comment(values: Values) -> Goal:
    place, problem, text = place_of(values), _problem(values), values["text"]
    state = {"notes": {place.slug: {"problem": problem, "text": text}}}
    steps: list[Step] = [Click("Report a problem"), Select("Problem", problem)]
    steps += [Type("Comment", text), Click("Send report")]
    return change(ATLAS, state, go_to(place), steps)


def _closed(values: Values) -> Goal:
    place = place_of(values)
    state = {"notes": {place.slug: {"problem": robin.PROBLEMS[0], "text": ""}}}
    steps = [Click("Report a problem"), Click("Send report")]
    return change(ATLAS, state, go_to(place), steps)


REPORT_TEMPLATES = table(
    ATLAS,
    "change",
    row(
        "atlas.report_problem",
        _draw_report,
        _report,
        'Report a problem with the "{{place}}": {{problem}}.',
        'Send a report about the "{{place}}" with the problem "{{problem}}".',
        'The map is not right about the "{{place}}": {{problem}}. Report it.',
    ),
    row(
        "atlas.report_with_comment",
        _draw_comment,
        _comment,
        'Report the problem "{{problem}}" at the "{{place}}" with the comment '
        '"{{text}}".',
        'Send a report about the "{{place}}": {{problem}}, comment "{{text}}".',
        'Report "{{problem}}" for the "{{place}}" and write "{{text}}" as the comment.',
    ),
    row(
        "atlas.report_closed",
        draw_place,
        _closed,
        'Report that the "{{place}}" is closed for good.',
        'The "{{place}}" is closed for good. Send a report.',
        'Tell the map that the "{{place}}" has closed for good.',
    ),
)
