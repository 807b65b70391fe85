"""Tasks that ask for something about an issue, a merge request or a person."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.plans import Click, Search
from rollouts.sites.kit.sites import PROJECTS as SITE
from rollouts.sites.kit.task_templates import Goal, Template, Values, find, require
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


def _milestone(values: Values) -> Goal:
    issue = issue_of(values)
    return find(issue.milestone, go_to(issue))


def _draw_issue_system(rng: Random) -> Values:
    issue = rng.choice(list(data.ISSUES.values()))
    return {"issue": issue.title, "person": issue.comments[0].author}


def _system(item: Issue | MergeRequest, values: Values) -> Goal:
    systems = {c.author: c.system for c in item.comments if c.system}
    require(values["person"] in systems, "This person names no system there.")
    return find(systems[values["person"]], go_to(item))


def _issue_system(values: Values) -> Goal:
    return _system(issue_of(values), values)


def _reviewer(values: Values) -> Goal:
    merge = merge_of(values)
    return find(merge.reviewer, go_to(merge))


def _author_city(values: Values) -> Goal:
    issue = issue_of(values)
    city = data.USER_BY_NAME[issue.author].city
    return find(city, go_to(issue), Click(issue.author))


ITEM_FIND_TEMPLATES = (
    Template(
        "projects.find_issue_author",
        SITE,
        "find",
        (
            'Who opened the issue "{{issue}}"?',
            'Tell me the author of the issue "{{issue}}".',
            'Which person wrote the issue "{{issue}}"?',
        ),
        draw_issue,
        _author,
    ),
    Template(
        "projects.find_assignee",
        SITE,
        "find",
        (
            'Who is the assignee of the issue "{{issue}}"?',
            'To whom is the issue "{{issue}}" assigned?',
            'Tell me the assignee of "{{issue}}".',
        ),
        draw_issue,
        _assignee,
    ),
    Template(
        "projects.find_milestone",
        SITE,
        "find",
        (
            'For which milestone is the issue "{{issue}}" planned?',
            'Tell me the milestone of the issue "{{issue}}".',
            'Which milestone has the issue "{{issue}}"?',
        ),
        draw_issue,
        _milestone,
        is_held_out=True,
    ),
    Template(
        "projects.find_issue_system",
        SITE,
        "find",
        (
            'On which system does {{person}} see the issue "{{issue}}"?',
            'Read what {{person}} says about "{{issue}}": which system is it?',
            'Where does {{person}} see "{{issue}}", says the comment there?',
        ),
        _draw_issue_system,
        _issue_system,
    ),
    Template(
        "projects.find_reviewer",
        SITE,
        "find",
        (
            'Who is the reviewer of the merge request "{{merge}}"?',
            'Tell me who reviews the merge request "{{merge}}".',
            'Which person shall review "{{merge}}"?',
        ),
        draw_merge,
        _reviewer,
        is_held_out=True,
    ),
    Template(
        "projects.find_author_city",
        SITE,
        "find",
        (
            'In which city does the author of the issue "{{issue}}" live?',
            'Where does the person who opened "{{issue}}" live?',
            'Tell me the city of the author of the issue "{{issue}}".',
        ),
        draw_issue,
        _author_city,
    ),
)
