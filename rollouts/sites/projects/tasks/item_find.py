"""Tasks that ask for something about an issue, a merge request or a person."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.goals import tell_field
from rollouts.sites.kit.plans import Click, Search
from rollouts.sites.kit.sites import PROJECTS as SITE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, find, require
from rollouts.sites.projects import data
from rollouts.sites.projects.lookups import (
    SEARCH_BOX,
    draw_issue,
    draw_merge,
    go_to,
    issue_of,
    merge_of,
)
from rollouts.sites.projects.records import Issue, MergeRequest


def _author(values: Values) -> Goal:
    issue = issue_of(values)
    return find(issue.author, Search(SEARCH_BOX, issue.title))


def _assignee(values: Values) -> Goal:
    issue = issue_of(values)
    return find(data.PERSON_NAMES[issue.assignee], go_to(issue))


def _draw_issue_system(rng: Random) -> Values:
    issue = rng.choice(list(data.ISSUES.values()))
    return {"issue": issue.title, "person": issue.comments[0].author}


def _system(item: Issue | MergeRequest, values: Values) -> Goal:
    systems = {c.author: c.system for c in item.comments if c.system}
    require(values["person"] in systems, "This person names no system there.")
    return find(systems[values["person"]], go_to(item))


def _issue_system(values: Values) -> Goal:
    return _system(issue_of(values), values)


def _author_city(values: Values) -> Goal:
    issue = issue_of(values)
    city = data.USER_BY_NAME[issue.author].city
    return find(city, go_to(issue), Click(issue.author))


ITEM_FIND_TEMPLATES = table(
    SITE,
    "find",
    row(
        "projects.find_issue_author",
        draw_issue,
        _author,
        'Who opened the issue "{{issue}}"?',
        'Tell me the author of the issue "{{issue}}".',
        'Which person wrote the issue "{{issue}}"?',
    ),
    row(
        "projects.find_assignee",
        draw_issue,
        _assignee,
        'Who is the assignee of the issue "{{issue}}"?',
        'To whom is the issue "{{issue}}" assigned?',
        'Tell me the assignee of "{{issue}}".',
    ),
    row(
        "projects.find_milestone",
        draw_issue,
        tell_field("{0.milestone}", issue_of, go_to),
        'For which milestone is the issue "{{issue}}" planned?',
        'Tell me the milestone of the issue "{{issue}}".',
        'Which milestone has the issue "{{issue}}"?',
        is_held_out=True,
    ),
    row(
        "projects.find_issue_system",
        _draw_issue_system,
        _issue_system,
        'On which system does {{person}} see the issue "{{issue}}"?',
        'Read what {{person}} says about "{{issue}}": which system is it?',
        'Where does {{person}} see "{{issue}}", says the comment there?',
    ),
    row(
        "projects.find_reviewer",
        draw_merge,
        tell_field("{0.reviewer}", merge_of, go_to),
        'Who is the reviewer of the merge request "{{merge}}"?',
        'Tell me who reviews the merge request "{{merge}}".',
        'Which person shall review "{{merge}}"?',
        is_held_out=True,
    ),
    row(
        "projects.find_author_city",
        draw_issue,
        _author_city,
        'In which city does the author of the issue "{{issue}}" live?',
        'Where does the person who opened "{{issue}}" live?',
        'Tell me the city of the author of the issue "{{issue}}".',
    ),
)
