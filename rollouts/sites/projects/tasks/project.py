"""Tasks that change projects: stars, forks, new ones, descriptions."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.plans import Click, Step, Type
from rollouts.sites.kit.sites import PROJECTS as SITE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, change, require
from rollouts.sites.kit.vocabulary import slugify
from rollouts.sites.projects import data
from rollouts.sites.projects.lookups import (
    OTHERS,
    OWN,
    draw_description,
    draw_missing_name,
    draw_project,
    find_project,
    go_to_project,
    option_of,
    own_project_of,
    project_of,
    select_unless,
)
from rollouts.sites.projects.records import Project

UNSTARRED = [p for p in OTHERS if p.slug not in data.STARRED]


def _unstarred(values: Values, key: str = "project") -> Project:
    project = project_of(values, key)
    require(project.slug not in data.STARRED, "Robin has given it a star already.")
    return project


def _draw_unstarred(rng: Random) -> Values:
    return {"project": rng.choice(UNSTARRED).name}


def _star(values: Values) -> Goal:
    project = _unstarred(values)
    state = {"stars": {project.slug: True}}
    return change(SITE, state, go_to_project(project), Click("Star"))


def _draw_two(rng: Random) -> Values:
    first, second = rng.sample(UNSTARRED, 2)
    return {"first": first.name, "second": second.name}


def _star_two(values: Values) -> Goal:
    first, second = _unstarred(values, "first"), _unstarred(values, "second")
    require(first != second, "The two projects are the same.")
    state = {"stars": {first.slug: True, second.slug: True}}
    steps = [*find_project(first), Click("Star"), *find_project(second), Click("Star")]
    return change(SITE, state, steps)


def _fork(values: Values) -> Goal:
    project = project_of(values)
    steps = [*go_to_project(project), Click("Fork"), Click("Yes, fork")]
    return change(SITE, {"forks": {project.slug: True}}, steps)


def _draw_new_project(rng: Random) -> Values:
    return {
        "name": draw_missing_name(rng),
        "language": rng.choice(data.LANGUAGES),
        "visibility": rng.choice(data.VISIBILITIES).lower(),
        "description": draw_description(rng),
    }


def _new_project(values: Values) -> Goal:
    name, description = values["name"], values["description"]
    require(name not in data.PROJECT_BY_NAME, "There is such a project already.")
    language = option_of(values, "language", data.LANGUAGES)
    lower = {**values, "visibility": values["visibility"].capitalize()}
    visibility = option_of(lower, "visibility", data.VISIBILITIES)
    new = {
        "name": name,
        "description": description,
        "language": language,
        "visibility": visibility,
    }
    steps: list[Step] = [Click("Create"), Click("New project"), Type("Name", name)]
    steps += [Type("Description", description)]
    steps += select_unless("Language", language, data.LANGUAGES[0])
    steps += select_unless("Visibility", visibility, data.VISIBILITIES[0])
    state = {"projects": {slugify(name): new}}
    return change(SITE, state, steps, Click("Create project"))


def _draw_own_description(rng: Random) -> Values:
    project, text = rng.choice(OWN), draw_description(rng)
    while text == project.description:
        text = draw_description(rng)
    return {"project": project.name, "description": text}


def _describe(values: Values) -> Goal:
    project, text = own_project_of(values), values["description"]
    require(text != project.description, "The description says so already.")
    steps: list[Step] = [Click("More"), Click("Edit description")]
    steps += [Type("Description", text), Click("Save description")]
    state = {"descriptions": {project.slug: text}}
    return change(SITE, state, go_to_project(project), steps)


PROJECT_TEMPLATES = table(
    SITE,
    "change",
    row(
        "projects.star",
        _draw_unstarred,
        _star,
        "Give the project {{project}} a star.",
        "Star {{project}}.",
        "I like {{project}}, please star it.",
    ),
    row(
        "projects.star_two",
        _draw_two,
        _star_two,
        "Star the projects {{first}} and {{second}}.",
        "Give {{first}} a star, and then {{second}} as well.",
        "I like {{first}} and {{second}}, please star both.",
        is_held_out=True,
    ),
    row(
        "projects.fork",
        draw_project,
        _fork,
        "Fork the project {{project}}.",
        "Make a fork of {{project}} for me.",
        "I want my own copy of {{project}}, fork it.",
    ),
    row(
        "projects.new_project",
        _draw_new_project,
        _new_project,
        'Create a {{visibility}} {{language}} project called "{{name}}" with the '
        'description "{{description}}".',
        'Start a new project "{{name}}": language {{language}}, {{visibility}}, '
        'description "{{description}}".',
        'I need a {{visibility}} project "{{name}}", written in {{language}}; '
        'describe it as "{{description}}".',
    ),
    row(
        "projects.edit_description",
        _draw_own_description,
        _describe,
        'Change the description of my project {{project}} to "{{description}}".',
        'Edit {{project}}: its description is "{{description}}" now.',
        'Write "{{description}}" as the description of {{project}}.',
    ),
)
