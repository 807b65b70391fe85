"""Tasks that ask for something about a project."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.goals import tell_field
from rollouts.sites.kit.plans import Click, Search, Select, Step
from rollouts.sites.kit.sites import PROJECTS as SITE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, find, require
from rollouts.sites.kit.vocabulary import ME, slugify
from rollouts.sites.projects import data
from rollouts.sites.projects.files import GUIDE, LICENCE
from rollouts.sites.projects.lookups import (
    PROJECTS,
    SEARCH_BOX,
    choice_of,
    draw_project,
    go_to_project,
    issues_of,
    option_of,
    project_of,
)
from rollouts.sites.projects.pages.issue import ISSUE_SORTS

STAR_ORDERS = {"most": "Most stars", "fewest": "Fewest stars"}
EXTREMES = {"newest": "newest", "oldest": "oldest", "most commented": "comments"}


def _stars(values: Values) -> Goal:
    project = project_of(values)
    return find(str(project.stars), Search(SEARCH_BOX, project.name))


def _draw_stars(rng: Random) -> Values:
    language, order = rng.choice(data.LANGUAGES), rng.choice(list(STAR_ORDERS))
    return {"language": language, "order": order}


def _top_project(values: Values) -> Goal:
    language = option_of(values, "language", data.LANGUAGES)
    label = choice_of(values, "order", STAR_ORDERS)
    pick = max if values["order"] == "most" else min
    found = pick((p for p in PROJECTS if p.language == language), key=lambda p: p.stars)
    steps: list[Step] = [Click("Projects"), Select("Language", language)]
    return find(found.name, steps, Select("Sort by", label))


def _draw_member(rng: Random) -> Values:
    project = rng.choice(PROJECTS)
    names = [data.PERSON_NAMES[slug] for slug in project.members]
    return {
        "project": project.name,
        "person": rng.choice([name for name in names if name != ME]),
    }


def _role(values: Values) -> Goal:
    project = project_of(values)
    role = project.members.get(slugify(values["person"]), "")
    require(bool(role), "This person is no member.")
    return find(role, go_to_project(project), Click("Members"))


def _last_committer(values: Values) -> Goal:
    project = project_of(values)
    author = data.COMMITS[project.slug][0].author
    return find(author, go_to_project(project), Click("Commits"))


def _draw_committer(rng: Random) -> Values:
    project = rng.choice(PROJECTS)
    commit = rng.choice(data.COMMITS[project.slug])
    return {"project": project.name, "person": commit.author}


def _commit_count(values: Values) -> Goal:
    project, person = project_of(values), values["person"]
    count = sum(c.author == person for c in data.COMMITS[project.slug])
    require(count > 0, "This person has made no commit there.")
    steps = [*go_to_project(project), Click("Commits"), Select("Author", person)]
    return find(str(count), steps)


def _draw_extreme(rng: Random) -> Values:
    while True:
        values = {**draw_project(rng), "extreme": rng.choice(list(EXTREMES))}
        if values["extreme"] != "most commented" or _has_one_top(values):
            return values


def _has_one_top(values: Values) -> bool:
    counts = [len(issue.comments) for issue in issues_of(project_of(values))]
    return counts.count(max(counts)) == 1


def _extreme(values: Values) -> Goal:
    project, sort = project_of(values), choice_of(values, "extreme", EXTREMES)
    require(sort != "comments" or _has_one_top(values), "Several have as many.")
    label, order = ISSUE_SORTS[sort]
    first = min(issues_of(project), key=order)
    choose = [] if sort == "newest" else [Select("Sort by", label)]
    return find(first.title, go_to_project(project), Click("Issues"), choose)


def _label_count(values: Values) -> Goal:
    project, label = project_of(values), option_of(values, "label", data.LABELS)
    count = sum(label in issue.labels for issue in issues_of(project))
    steps: list[Step] = [Click("Issues"), Click("Filter"), Select("Label", label)]
    return find(str(count), go_to_project(project), steps, Click("Apply"))


def _licence(values: Values) -> Goal:
    project = project_of(values)
    steps = [*go_to_project(project), Click("Files"), Click(LICENCE)]
    return find(project.licence, steps)


def _guide_author(values: Values) -> Goal:
    project = project_of(values)
    steps = [*go_to_project(project), Click("Files"), Click("docs"), Click(GUIDE)]
    return find(project.guide_author, steps)


FIND_TEMPLATES = table(
    SITE,
    "find",
    row(
        "projects.find_stars",
        draw_project,
        _stars,
        "How many stars has the project {{project}}?",
        "Tell me the number of stars of {{project}}.",
        "How many people gave {{project}} a star?",
    ),
    row(
        "projects.find_port",
        draw_project,
        tell_field("{0.port}", project_of, go_to_project),
        "On which port does {{project}} run?",
        "Read the README of {{project}}: which port does it run on?",
        "Tell me the port number of {{project}}.",
    ),
    row(
        "projects.find_top_project",
        _draw_stars,
        _top_project,
        "Which {{language}} project has the {{order}} stars?",
        "Of all projects in {{language}}, which has the {{order}} stars?",
        "Tell me the {{language}} project with the {{order}} stars.",
    ),
    row(
        "projects.find_role",
        _draw_member,
        _role,
        "Which role has {{person}} in {{project}}?",
        "Tell me the role of {{person}} in the project {{project}}.",
        "Look at the members of {{project}}: what is the role of {{person}}?",
    ),
    row(
        "projects.find_last_committer",
        draw_project,
        _last_committer,
        "Who made the newest commit in {{project}}?",
        "Which person has made the last commit to {{project}}?",
        "Tell me the author of the newest commit of {{project}}.",
    ),
    row(
        "projects.find_commit_count",
        _draw_committer,
        _commit_count,
        "How many commits has {{person}} made in {{project}}?",
        "Tell me the number of commits by {{person}} in {{project}}.",
        "Count the commits of {{person}} in the project {{project}}.",
    ),
    row(
        "projects.find_extreme_issue",
        _draw_extreme,
        _extreme,
        "What is the {{extreme}} open issue in {{project}}?",
        "Tell me the title of the {{extreme}} open issue of {{project}}.",
        "Which open issue in the project {{project}} is the {{extreme}}?",
    ),
    row(
        "projects.find_label_count",
        draw_one("label", data.LABELS, after=draw_project),
        _label_count,
        'How many open issues in {{project}} have the label "{{label}}"?',
        'Tell me how many open issues of {{project}} are labelled "{{label}}".',
        'Count the open issues with the label "{{label}}" in {{project}}.',
    ),
    row(
        "projects.find_licence",
        draw_project,
        _licence,
        "Which licence has {{project}}?",
        "Look into the files of {{project}}: what is its licence?",
        "Under which licence may I use {{project}}?",
    ),
    row(
        "projects.find_guide_author",
        draw_project,
        _guide_author,
        "Who wrote the guide in the docs folder of {{project}}?",
        "Tell me who has written docs/guide.md in {{project}}.",
        "Open the guide among the docs of {{project}}: who wrote it?",
        is_held_out=True,
    ),
)
