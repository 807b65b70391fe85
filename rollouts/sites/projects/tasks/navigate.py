"""Tasks that end on a page."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.blanks import draw_one, draw_query
from rollouts.sites.kit.goals import open_item, open_results
from rollouts.sites.kit.plans import Click, Select, Step
from rollouts.sites.kit.sites import PROJECTS as SITE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, navigate, require
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


def _area(values: Values) -> Goal:
    require(values["area"] in AREAS, "The host has no such page.")
    address, steps = AREAS[values["area"]]
    return navigate(f"{HOME}/{address}", steps)


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


def _sorted(values: Values) -> Goal:
    project, sort = project_of(values), choice_of(values, "sort", SORT_BY_LABEL)
    address = f"{HOME}/issues/{project.slug}?sort={sort}"
    steps = [*go_to_project(project), Click("Issues")]
    return navigate(address, steps, Select("Sort by", values["sort"]))


def _filtered(values: Values) -> Goal:
    project, label = project_of(values), option_of(values, "label", data.LABELS)
    address = f"{HOME}/issues/{project.slug}?label={label}"
    steps: list[Step] = [Click("Issues"), Click("Filter"), Select("Label", label)]
    return navigate(address, go_to_project(project), steps, Click("Apply"))


NAVIGATE_TEMPLATES = table(
    SITE,
    "navigate",
    row(
        "projects.open_area",
        draw_one("area", AREAS),
        _area,
        'Open the "{{area}}" page.',
        'Go to "{{area}}".',
        'Show me the "{{area}}" page of the host.',
    ),
    row(
        "projects.open_results",
        draw_query(lambda rng: (data.PARTS, data.THINGS)),
        open_results(SITE, SEARCH_BOX),
        'Search the host for "{{query}}".',
        'Look for "{{query}}" with the search box.',
        'Show me the search results for "{{query}}".',
    ),
    row(
        "projects.open_project",
        draw_project,
        open_item(SITE, "/project/{0.slug}", project_of, go_to_project),
        "Open the project {{project}}.",
        "Go to the page of {{project}}.",
        "Show me the project {{project}}.",
    ),
    row(
        "projects.open_issue",
        draw_issue,
        open_item(SITE, "/issue/{0.number}", issue_of, go_to),
        'Open the issue "{{issue}}".',
        'Go to the issue "{{issue}}".',
        'Show me what is said about the issue "{{issue}}".',
    ),
    row(
        "projects.open_person",
        draw_person,
        open_item(SITE, "/user/{0.slug}", person_of, go_to_person),
        "Open the profile of {{person}}.",
        "Go to the page of {{person}}.",
        "Show me to which projects {{person}} belongs.",
        is_held_out=True,
    ),
    row(
        "projects.open_section",
        draw_one("section", SECTIONS, after=draw_project),
        _section,
        "Open the {{section}} of {{project}}.",
        "Show me the {{section}} of the project {{project}}.",
        "Go to {{project}} and look at its {{section}}.",
    ),
    row(
        "projects.open_file",
        _draw_file,
        _file,
        "Open the file {{file}} of {{project}}.",
        "Show me {{file}} in the project {{project}}.",
        "Go to the files of {{project}} and open {{file}}.",
    ),
    row(
        "projects.open_closed",
        draw_project,
        open_item(
            SITE,
            "/issues/{0.slug}?state=closed",
            project_of,
            go_to_project,
            Click("Issues"),
            Click("Closed"),
        ),
        "Show me the closed issues of {{project}}.",
        "Open the list of closed issues in {{project}}.",
        "Go to {{project}} and list the issues that are closed.",
    ),
    row(
        "projects.open_sorted",
        draw_one("sort", SORT_BY_LABEL, after=draw_project),
        _sorted,
        'Show the issues of {{project}} sorted by "{{sort}}".',
        'Open the issues of {{project}} and sort them by "{{sort}}".',
        'List the issues in the project {{project}}, sorted by "{{sort}}".',
    ),
    row(
        "projects.open_filtered",
        draw_one("label", data.LABELS, after=draw_project),
        _filtered,
        'Show only the issues of {{project}} with the label "{{label}}".',
        'Filter the issues of {{project}} by the label "{{label}}".',
        'List the issues in {{project}} that have the label "{{label}}".',
    ),
    row(
        "projects.open_new_issue",
        draw_project,
        open_item(
            SITE,
            "/new-issue/{0.slug}",
            project_of,
            go_to_project,
            Click("Create"),
            Click("New issue"),
        ),
        "Open the form for a new issue in {{project}}.",
        "Go to {{project}} and start a new issue, but do not write it yet.",
        "Show me the page where I can write a new issue for {{project}}.",
        is_held_out=True,
    ),
)
