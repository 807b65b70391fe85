"""Tasks that end on a page."""

from __future__ import annotations

from random import Random
from urllib.parse import quote_plus

from rollouts.sites.kit.plans import Click, Search, Select, Step
from rollouts.sites.kit.sites import PROJECTS as SITE
from rollouts.sites.kit.task_templates import Goal, Template, Values, navigate, require
from rollouts.sites.projects import data
from rollouts.sites.projects.files import read_tree
from rollouts.sites.projects.lookups import (
    PROJECTS,
    SEARCH_BOX,
    choice_of,
    draw_issue,
    draw_person,
    draw_project,
    go_to,
    go_to_person,
    go_to_project,
    issue_of,
    option_of,
    person_of,
    project_of,
)
from rollouts.sites.projects.pages.issue import ISSUE_SORTS

HOME = SITE.placeholder
# Page -> address, what to click.
AREAS: dict[str, tuple[str, list[Step]]] = {
    "Projects": ("projects", [Click("Projects")]),
    "To-do list": ("todos", [Click("To-do list")]),
    "Profile": ("profile", [Click("Profile")]),
    "Groups": ("groups", [Click("Projects"), Click("Groups")]),
    "New project": ("new-project", [Click("Create"), Click("New project")]),
}
SECTIONS = {
    "issues": ("issues", "Issues"),
    "merge requests": ("merge-requests", "Merge requests"),
    "commits": ("commits", "Commits"),
    "files": ("files", "Files"),
    "members": ("members", "Members"),
}
SORT_BY_LABEL = {
    label: key for key, (label, _) in ISSUE_SORTS.items() if key != "newest"
}


def _draw_area(rng: Random) -> Values:
    return {"area": rng.choice(list(AREAS))}


def _area(values: Values) -> Goal:
    require(values["area"] in AREAS, "The host has no such page.")
    address, steps = AREAS[values["area"]]
    return navigate(f"{HOME}/{address}", steps)


def _draw_query(rng: Random) -> Values:
    return {"query": f"{rng.choice(data.PARTS)} {rng.choice(data.THINGS)}"}


def _query(values: Values) -> Goal:
    query = values["query"]
    address = f"{HOME}/search?q={quote_plus(query)}"
    return navigate(address, Search(SEARCH_BOX, query))


def _project(values: Values) -> Goal:
    project = project_of(values)
    return navigate(f"{HOME}/project/{project.slug}", go_to_project(project))


def _issue(values: Values) -> Goal:
    issue = issue_of(values)
    return navigate(f"{HOME}/issue/{issue.number}", go_to(issue))


def _person(values: Values) -> Goal:
    person = person_of(values)
    return navigate(f"{HOME}/user/{person.slug}", go_to_person(person))


def _draw_section(rng: Random) -> Values:
    return {**draw_project(rng), "section": rng.choice(list(SECTIONS))}


def _section(values: Values) -> Goal:
    project = project_of(values)
    require(values["section"] in SECTIONS, "A project has no such page.")
    path, label = SECTIONS[values["section"]]
    address = f"{HOME}/{path}/{project.slug}"
    return navigate(address, go_to_project(project), Click(label))


def _draw_file(rng: Random) -> Values:
    project = rng.choice(PROJECTS)
    paths = _paths(project.name)
    return {"project": project.name, "file": rng.choice(list(paths))}


def _paths(name: str) -> dict[str, list[Step]]:
    """What to click on the Files page for each file in a folder."""
    tree = read_tree(data.PROJECT_BY_NAME[name])
    return {
        f"{folder}/{file}": [Click(folder), Click(file)]
        for folder, files in tree.items()
        for file in files
        if folder
    }


def _file(values: Values) -> Goal:
    project, path = project_of(values), values["file"]
    paths = _paths(project.name)
    require(path in paths, "The project has no such file.")
    steps = [*go_to_project(project), Click("Files"), *paths[path]]
    return navigate(f"{HOME}/file/{project.slug}/{path}", steps)


def _closed(values: Values) -> Goal:
    project = project_of(values)
    address = f"{HOME}/issues/{project.slug}?state=closed"
    steps = [*go_to_project(project), Click("Issues"), Click("Closed")]
    return navigate(address, steps)


def _draw_sort(rng: Random) -> Values:
    return {**draw_project(rng), "sort": rng.choice(list(SORT_BY_LABEL))}


def _sorted(values: Values) -> Goal:
    project, sort = project_of(values), choice_of(values, "sort", SORT_BY_LABEL)
    address = f"{HOME}/issues/{project.slug}?sort={sort}"
    steps = [*go_to_project(project), Click("Issues")]
    return navigate(address, steps, Select("Sort by", values["sort"]))


def _draw_filter(rng: Random) -> Values:
    return {**draw_project(rng), "label": rng.choice(data.LABELS)}


def _filtered(values: Values) -> Goal:
    project, label = project_of(values), option_of(values, "label", data.LABELS)
    address = f"{HOME}/issues/{project.slug}?label={label}"
    steps: list[Step] = [Click("Issues"), Click("Filter"), Select("Label", label)]
    return navigate(address, go_to_project(project), steps, Click("Apply"))


def _new_issue(values: Values) -> Goal:
    project = project_of(values)
    steps = [*go_to_project(project), Click("Create"), Click("New issue")]
    return navigate(f"{HOME}/new-issue/{project.slug}", steps)


NAVIGATE_TEMPLATES = (
    Template(
        "projects.open_area",
        SITE,
        "navigate",
        (
            'Open the "{{area}}" page.',
            'Go to "{{area}}".',
            'Show me the "{{area}}" page of the host.',
        ),
        _draw_area,
        _area,
    ),
    Template(
        "projects.open_results",
        SITE,
        "navigate",
        (
            'Search the host for "{{query}}".',
            'Look for "{{query}}" with the search box.',
            'Show me the search results for "{{query}}".',
        ),
        _draw_query,
        _query,
    ),
    Template(
        "projects.open_project",
        SITE,
        "navigate",
        (
            "Open the project {{project}}.",
            "Go to the page of {{project}}.",
            "Show me the project {{project}}.",
        ),
        draw_project,
        _project,
    ),
    Template(
        "projects.open_issue",
        SITE,
        "navigate",
        (
            'Open the issue "{{issue}}".',
            'Go to the issue "{{issue}}".',
            'Show me what is said about the issue "{{issue}}".',
        ),
        draw_issue,
        _issue,
    ),
    Template(
        "projects.open_person",
        SITE,
        "navigate",
        (
            "Open the profile of {{person}}.",
            "Go to the page of {{person}}.",
            "Show me to which projects {{person}} belongs.",
        ),
        draw_person,
        _person,
        is_held_out=True,
    ),
    Template(
        "projects.open_section",
        SITE,
        "navigate",
        (
            "Open the {{section}} of {{project}}.",
            "Show me the {{section}} of the project {{project}}.",
            "Go to {{project}} and look at its {{section}}.",
        ),
        _draw_section,
        _section,
    ),
    Template(
        "projects.open_file",
        SITE,
        "navigate",
        (
            "Open the file {{file}} of {{project}}.",
            "Show me {{file}} in the project {{project}}.",
            "Go to the files of {{project}} and open {{file}}.",
        ),
        _draw_file,
        _file,
    ),
    Template(
        "projects.open_closed",
        SITE,
        "navigate",
        (
            "Show me the closed issues of {{project}}.",
            "Open the list of closed issues in {{project}}.",
            "Go to {{project}} and list the issues that are closed.",
        ),
        draw_project,
        _closed,
    ),
    Template(
        "projects.open_sorted",
        SITE,
        "navigate",
        (
            'Show the issues of {{project}} sorted by "{{sort}}".',
            'Open the issues of {{project}} and sort them by "{{sort}}".',
            'List the issues in the project {{project}}, sorted by "{{sort}}".',
        ),
        _draw_sort,
        _sorted,
    ),
    Template(
        "projects.open_filtered",
        SITE,
        "navigate",
        (
            'Show only the issues of {{project}} with the label "{{label}}".',
            'Filter the issues of {{project}} by the label "{{label}}".',
            'List the issues in {{project}} that have the label "{{label}}".',
        ),
        _draw_filter,
        _filtered,
    ),
    Template(
        "projects.open_new_issue",
        SITE,
        "navigate",
        (
            "Open the form for a new issue in {{project}}.",
            "Go to {{project}} and start a new issue, but do not write it yet.",
            "Show me the page where I can write a new issue for {{project}}.",
        ),
        draw_project,
        _new_issue,
        is_held_out=True,
    ),
)
