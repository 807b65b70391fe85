"""What the host's task templates share: drawing entities and ways to reach them."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from rollouts.sites.kit.plans import Click, Search, Select, Step
from rollouts.sites.kit.task_templates import Values, known, require
from rollouts.sites.kit.vocabulary import ME, TEXTS
from rollouts.sites.projects import data
from rollouts.sites.projects.records import Issue, MergeRequest, Person, Project
from rollouts.sites.projects.state import MY_SLUG

SEARCH_BOX = "Search the host"
PROJECTS = list(data.PROJECTS.values())
OWN = [p for p in PROJECTS if p.members.get(MY_SLUG) == data.OWNER]
OTHERS = [p for p in PROJECTS if p not in OWN]
PEOPLE = [person for person in data.USERS.values() if person.name != ME]
_MINE = {p.slug for p in PROJECTS if MY_SLUG in p.members}
MY_OPEN = [i for i in data.ISSUES.values() if i.project in _MINE and i.state == "open"]
MY_CLOSED = [
    i for i in data.ISSUES.values() if i.project in _MINE and i.state == "closed"
]
MY_MERGES = [
    m
    for m in data.MERGE_REQUESTS.values()
    if m.project in _MINE and m.state == "open" and not m.has_conflicts
]


def draw_project(rng: Random) -> Values:
    """Any project."""
    return {"project": rng.choice(PROJECTS).name}


def draw_issue(rng: Random) -> Values:
    """Any issue."""
    return {"issue": rng.choice(list(data.ISSUE_BY_TITLE))}


def draw_my_open(rng: Random) -> Values:
    """An open issue of a project that Robin belongs to."""
    return {"issue": rng.choice(MY_OPEN).title}


def draw_merge(rng: Random) -> Values:
    """Any merge request."""
    return {"merge": rng.choice(list(data.MERGE_BY_TITLE))}


def draw_my_merge(rng: Random) -> Values:
    """A merge request that Robin may merge."""
    return {"merge": rng.choice(MY_MERGES).title}


def draw_person(rng: Random) -> Values:
    """Anybody but Robin."""
    return {"person": rng.choice(PEOPLE).name}


def with_text(rng: Random, values: Values) -> Values:
    """The blanks and something to write."""
    return {**values, "text": rng.choice(TEXTS)}


def draw_missing_title(rng: Random, first_words: list[str]) -> str:
    """A title of known words that no issue and no merge request has."""
    while True:
        chosen = (rng.choice(first_words), rng.choice(data.PARTS))
        title = " ".join((*chosen, rng.choice(data.THINGS)))
        if title not in data.ISSUE_BY_TITLE and title not in data.MERGE_BY_TITLE:
            return title


def draw_missing_name(rng: Random) -> str:
    """A name of known words that no project has."""
    while True:
        name = f"{rng.choice(data.FIRST_WORDS)} {rng.choice(data.TOOLS)}"
        if name not in data.PROJECT_BY_NAME:
            return name


def draw_description(rng: Random) -> str:
    """What a project could be."""
    quality, tool = rng.choice(data.QUALITIES), rng.choice(data.TOOLS).lower()
    return f"A {quality} {tool} for {rng.choice(data.AUDIENCES)}"


def project_of(values: Values, key: str = "project") -> Project:
    """The project that a blank names."""
    return known(data.PROJECT_BY_NAME, values[key], "project")


def own_project_of(values: Values) -> Project:
    """The project that a blank names, one of Robin's."""
    project = project_of(values)
    require(project in OWN, "Robin does not own this project.")
    return project


def issue_of(values: Values) -> Issue:
    """The issue that a blank names."""
    return known(data.ISSUE_BY_TITLE, values["issue"], "issue")


def my_issue_of(values: Values, state: str = "open") -> Issue:
    """The issue that a blank names, in this state and Robin's to change."""
    issue = issue_of(values)
    require(issue.project in _MINE, "Robin is no member of its project.")
    require(issue.state == state, f"The issue is {issue.state}.")
    return issue


def merge_of(values: Values) -> MergeRequest:
    """The merge request that a blank names."""
    return known(data.MERGE_BY_TITLE, values["merge"], "merge request")


def my_merge_of(values: Values) -> MergeRequest:
    """The merge request that a blank names, one that Robin may merge."""
    merge = merge_of(values)
    require(merge.project in _MINE, "Robin is no member of its project.")
    require(merge.state == "open", f"It is {merge.state} already.")
    require(not merge.has_conflicts, "It has conflicts.")
    return merge


def person_of(values: Values) -> Person:
    """The person that a blank names, not Robin."""
    person = known(data.USER_BY_NAME, values["person"], "person")
    require(person.name != ME, "That is Robin.")
    return person


def choice_of(values: Values, key: str, options: Mapping[str, str]) -> str:
    """The value of a blank's choice."""
    return known(options, values[key], key)


def option_of(values: Values, key: str, options: tuple[str, ...] | list[str]) -> str:
    """A blank's choice among options whose names are their values."""
    return choice_of(values, key, dict(zip(options, options, strict=True)))


def issues_of(project: Project, state: str = "open") -> list[Issue]:
    """The project's issues in this state."""
    found = data.ISSUES.values()
    return [i for i in found if i.project == project.slug and i.state == state]


def go_to_project(project: Project) -> list[Step]:
    """From the start page, which links Robin's own projects, to a project's."""
    if project in OWN:
        return [Click(project.name)]
    return find_project(project)


def find_project(project: Project) -> list[Step]:
    """From any page to the project's."""
    return [Search(SEARCH_BOX, project.name), Click(project.name)]


def go_to(item: Issue | MergeRequest) -> list[Step]:
    """From any page to the issue's or the merge request's."""
    return [Search(SEARCH_BOX, item.title), Click(item.title)]


def go_to_person(person: Person) -> list[Step]:
    """From any page to the person's."""
    return [Search(SEARCH_BOX, person.name), Click(person.name)]


def select_unless(label: str, option: str, default: str) -> list[Step]:
    """Choose an option, unless the list shows it from the start."""
    return [] if option == default else [Select(label, option)]
