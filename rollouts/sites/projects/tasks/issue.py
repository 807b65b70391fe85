"""Tasks that change issues."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.plans import Click, Select, Step, Type
from rollouts.sites.kit.sites import PROJECTS as SITE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, change, require
from rollouts.sites.kit.vocabulary import ME
from rollouts.sites.projects import data
from rollouts.sites.projects.lookups import (
    MY_CLOSED,
    MY_OPEN,
    draw_issue,
    draw_my_open,
    go_to,
    issue_of,
    my_issue_of,
    option_of,
    person_of,
    with_text,
)
from rollouts.sites.projects.records import Issue


def _write_comment(text: str) -> list[Step]:
    return [Type("Comment", text), Click("Send comment")]


def _edit(issue: Issue, **fields: object) -> dict[str, object]:
    return {"issue_edits": {str(issue.number): fields}}


def _close(values: Values) -> Goal:
    issue = my_issue_of(values)
    return change(
        SITE, _edit(issue, state="closed"), go_to(issue), Click("Close issue")
    )


def _draw_closed(rng: Random) -> Values:
    return {"issue": rng.choice(MY_CLOSED).title}


def _reopen(values: Values) -> Goal:
    issue = my_issue_of(values, "closed")
    return change(SITE, _edit(issue, state="open"), go_to(issue), Click("Reopen issue"))


def _draw_open_text(rng: Random) -> Values:
    return with_text(rng, draw_my_open(rng))


def _comment_and_close(values: Values) -> Goal:
    issue, text = my_issue_of(values), values["text"]
    state = {**_edit(issue, state="closed"), "comments": {str(issue.number): [text]}}
    steps = [*go_to(issue), *_write_comment(text), Click("Close issue")]
    return change(SITE, state, steps)


def _draw_assignment(rng: Random) -> Values:
    issue = rng.choice(MY_OPEN)
    members = data.PROJECTS[issue.project].members
    names = [data.PERSON_NAMES[slug] for slug in members if slug != issue.assignee]
    person = rng.choice([name for name in names if name != ME])
    return {"issue": issue.title, "person": person}


def _assign(values: Values) -> Goal:
    issue, person = my_issue_of(values), person_of(values)
    members = data.PROJECTS[issue.project].members
    require(person.slug in members, "This person is no member of the project.")
    require(person.slug != issue.assignee, "This person is the assignee already.")
    steps: list[Step] = [Click("Edit assignee"), Select("Assignee", person.name)]
    state = _edit(issue, assignee=person.slug)
    return change(SITE, state, go_to(issue), steps, Click("Save assignee"))


def _draw_new_label(rng: Random) -> Values:
    issue = rng.choice(MY_OPEN)
    free = [label for label in data.LABELS if label not in issue.labels]
    return {"issue": issue.title, "label": rng.choice(free)}


def _add_label(values: Values) -> Goal:
    issue, label = my_issue_of(values), option_of(values, "label", data.LABELS)
    require(label not in issue.labels, "The issue has this label already.")
    state = _edit(issue, labels=sorted([*issue.labels, label]))
    steps = [Click("Edit labels"), Click(label), Click("Save labels")]
    return change(SITE, state, go_to(issue), steps)


def _draw_old_label(rng: Random) -> Values:
    issue = rng.choice(MY_OPEN)
    return {"issue": issue.title, "label": rng.choice(issue.labels)}


def _remove_label(values: Values) -> Goal:
    issue, label = my_issue_of(values), values["label"]
    require(label in issue.labels, "The issue does not have this label.")
    state = _edit(issue, labels=[name for name in issue.labels if name != label])
    steps = [Click("Edit labels"), Click(label), Click("Save labels")]
    return change(SITE, state, go_to(issue), steps)


def _draw_two_labels(rng: Random) -> Values:
    issue = rng.choice(MY_OPEN)
    free = [label for label in data.LABELS if label not in issue.labels]
    first, second = rng.sample(free, 2)
    return {"issue": issue.title, "first": first, "second": second}


def _add_two_labels(values: Values) -> Goal:
    issue = my_issue_of(values)
    two = [option_of(values, key, data.LABELS) for key in ("first", "second")]
    require(len({*two, *issue.labels}) == len(issue.labels) + 2, "One is there.")
    state = _edit(issue, labels=sorted([*issue.labels, *two]))
    steps = [Click("Edit labels"), *map(Click, two), Click("Save labels")]
    return change(SITE, state, go_to(issue), steps)


def _draw_milestone(rng: Random) -> Values:
    issue = rng.choice(MY_OPEN)
    others = [name for name in data.MILESTONES if name != issue.milestone]
    return {"issue": issue.title, "milestone": rng.choice(others)}


def _milestone(values: Values) -> Goal:
    issue = my_issue_of(values)
    milestone = option_of(values, "milestone", data.MILESTONES)
    require(milestone != issue.milestone, "It is planned for it already.")
    steps: list[Step] = [Click("Edit milestone"), Select("Milestone", milestone)]
    state = _edit(issue, milestone=milestone)
    return change(SITE, state, go_to(issue), steps, Click("Save milestone"))


def _draw_issue_text(rng: Random) -> Values:
    return with_text(rng, draw_issue(rng))


def _comment(values: Values) -> Goal:
    issue, text = issue_of(values), values["text"]
    state = {"comments": {str(issue.number): [text]}}
    return change(SITE, state, go_to(issue), _write_comment(text))


ISSUE_TEMPLATES = table(
    SITE,
    "change",
    row(
        "projects.close_issue",
        draw_my_open,
        _close,
        'Close the issue "{{issue}}".',
        'The issue "{{issue}}" is solved, please close it.',
        'We are done with "{{issue}}": close this issue.',
    ),
    row(
        "projects.reopen_issue",
        _draw_closed,
        _reopen,
        'Reopen the issue "{{issue}}".',
        'The issue "{{issue}}" is back, please reopen it.',
        'We are not done with "{{issue}}": reopen this issue.',
        is_held_out=True,
    ),
    row(
        "projects.comment_and_close",
        _draw_open_text,
        _comment_and_close,
        'Comment "{{text}}" on the issue "{{issue}}" and close it.',
        'Write "{{text}}" under the issue "{{issue}}", then close the issue.',
        'Close the issue "{{issue}}" with the comment "{{text}}".',
    ),
    row(
        "projects.assign_issue",
        _draw_assignment,
        _assign,
        'Assign the issue "{{issue}}" to {{person}}.',
        'Give the issue "{{issue}}" to {{person}}.',
        '{{person}} will work on "{{issue}}", make them the assignee.',
    ),
    row(
        "projects.add_label",
        _draw_new_label,
        _add_label,
        'Add the label "{{label}}" to the issue "{{issue}}".',
        'Label the issue "{{issue}}" as "{{label}}" too.',
        'The issue "{{issue}}" needs the label "{{label}}" as well.',
    ),
    row(
        "projects.remove_label",
        _draw_old_label,
        _remove_label,
        'Remove the label "{{label}}" from the issue "{{issue}}".',
        'Take the label "{{label}}" away from "{{issue}}".',
        'The issue "{{issue}}" shall not have the label "{{label}}" any more.',
        is_held_out=True,
    ),
    row(
        "projects.add_two_labels",
        _draw_two_labels,
        _add_two_labels,
        'Add the labels "{{first}}" and "{{second}}" to the issue "{{issue}}".',
        'Label the issue "{{issue}}" as "{{first}}" and as "{{second}}" too.',
        'The issue "{{issue}}" also needs the labels "{{first}}" and "{{second}}".',
    ),
    row(
        "projects.set_milestone",
        _draw_milestone,
        _milestone,
        'Set the milestone of the issue "{{issue}}" to {{milestone}}.',
        'Plan the issue "{{issue}}" for the milestone {{milestone}}.',
        'Move the issue "{{issue}}" to the milestone {{milestone}}.',
        is_held_out=True,
    ),
    row(
        "projects.comment_issue",
        _draw_issue_text,
        _comment,
        'Comment "{{text}}" on the issue "{{issue}}".',
        'Write the comment "{{text}}" under the issue "{{issue}}".',
        'Answer the issue "{{issue}}" with the comment "{{text}}".',
    ),
)
