"""Tasks that open issues, approve, merge and tick off."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.plans import Click, Step, Type
from rollouts.sites.kit.sites import PROJECTS as SITE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, change, require
from rollouts.sites.kit.vocabulary import TEXTS
from rollouts.sites.projects import data
from rollouts.sites.projects.lookups import (
    draw_missing_title,
    draw_my_merge,
    draw_project,
    go_to,
    go_to_project,
    my_merge_of,
    option_of,
    project_of,
)
from rollouts.sites.projects.records import Issue, MergeRequest
from rollouts.sites.projects.rendering import ROWS


def _draw_new_issue(rng: Random) -> Values:
    title = draw_missing_title(rng, data.PROBLEMS)
    return {**draw_project(rng), "title": title, "text": rng.choice(TEXTS)}


def _new_issue(values: Values, labels: tuple[str, ...] = ()) -> Goal:
    project, title, text = project_of(values), values["title"], values["text"]
    new = {
        "project": project.slug,
        "title": title,
        "text": text,
        "labels": sorted(labels),
        "assignee": "",
        "milestone": "",
        "state": "open",
    }
    steps: list[Step] = [Click("Create"), Click("New issue"), Type("Title", title)]
    steps += [Type("Description", text), *map(Click, labels), Click("Create issue")]
    return change(SITE, {"issues": [new]}, go_to_project(project), steps)


def _draw_labelled_issue(rng: Random) -> Values:
    return {**_draw_new_issue(rng), "label": rng.choice(data.LABELS)}


def _labelled_issue(values: Values) -> Goal:
    return _new_issue(values, (option_of(values, "label", data.LABELS),))


def _approve(values: Values) -> Goal:
    merge = my_merge_of(values)
    state = {"merge_edits": {str(merge.number): {"is_approved": True}}}
    return change(SITE, state, go_to(merge), Click("Approve"))


def _merge(values: Values) -> Goal:
    merge = my_merge_of(values)
    state = {"merge_edits": {str(merge.number): {"state": "merged"}}}
    return change(SITE, state, go_to(merge), Click("Merge"), Click("Yes, merge"))


def _todo_titles() -> dict[str, int]:
    items: dict[int, Issue | MergeRequest] = {**data.ISSUES, **data.MERGE_REQUESTS}
    return {items[number].title: number for number in data.WAITING}


def _draw_todo(rng: Random) -> Values:
    return {"item": rng.choice(list(_todo_titles()))}


def _todo(values: Values) -> Goal:
    titles = _todo_titles()
    require(values["item"] in titles, "The to-do list has no such item.")
    number = titles[values["item"]]
    turns = list(data.WAITING).index(number) // ROWS
    steps: list[Step] = [Click("To-do list"), *[Click("Next page")] * turns]
    state = {"todos_done": {str(number): True}}
    return change(SITE, state, steps, Click(f"Tick off #{number}"))


WORK_TEMPLATES = table(
    SITE,
    "change",
    row(
        "projects.new_issue",
        _draw_new_issue,
        _new_issue,
        'Open an issue "{{title}}" with the description "{{text}}" in {{project}}.',
        'Write a new issue in {{project}}: title "{{title}}", description "{{text}}".',
        'Report "{{title}}" as an issue of {{project}} and describe it with '
        '"{{text}}".',
    ),
    row(
        "projects.new_labelled_issue",
        _draw_labelled_issue,
        _labelled_issue,
        'Open an issue "{{title}}" with the description "{{text}}" and the label '
        '"{{label}}" in {{project}}.',
        'Write a new issue in {{project}}: title "{{title}}", description '
        '"{{text}}", label "{{label}}".',
        'Report "{{title}}" as an issue of {{project}}, describe it with '
        '"{{text}}" and label it "{{label}}".',
    ),
    row(
        "projects.approve",
        draw_my_merge,
        _approve,
        'Approve the merge request "{{merge}}".',
        'I have read the merge request "{{merge}}", approve it.',
        'Give your approval to the merge request "{{merge}}".',
    ),
    row(
        "projects.merge",
        draw_my_merge,
        _merge,
        'Merge the merge request "{{merge}}".',
        'The merge request "{{merge}}" is good, merge it.',
        'Please merge "{{merge}}" into its project.',
    ),
    row(
        "projects.tick_off",
        _draw_todo,
        _todo,
        'Tick off "{{item}}" on my to-do list.',
        'I am done with "{{item}}", tick it off on the to-do list.',
        'Take "{{item}}" off my to-do list.',
    ),
)
