"""Tasks that change members, whom Robin follows and Robin's status."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.plans import Click, Select, Step, Type
from rollouts.sites.kit.sites import PROJECTS as SITE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, change, require
from rollouts.sites.kit.vocabulary import slugify
from rollouts.sites.projects import data
from rollouts.sites.projects.lookups import (
    OTHERS,
    OWN,
    PEOPLE,
    go_to_person,
    go_to_project,
    option_of,
    own_project_of,
    person_of,
    project_of,
    select_unless,
)
from rollouts.sites.projects.records import Person, Project
from rollouts.sites.projects.state import MY_SLUG

JOINED = [p for p in OTHERS if MY_SLUG in p.members]


STATUS_VERBS = ("Fixing", "Testing", "Moving")


def _draw_joined(rng: Random) -> Values:
    return {"project": rng.choice(JOINED).name}


def _leave(values: Values) -> Goal:
    project = project_of(values)
    require(project in JOINED, "Robin is no member who could leave.")
    steps = [Click("More"), Click("Leave project"), Click("Yes, leave")]
    state = {"members": {f"{project.slug}/{MY_SLUG}": ""}}
    return change(SITE, state, go_to_project(project), steps)


def _draw_invitation(rng: Random) -> Values:
    project = rng.choice(OWN)
    strangers = [p.name for p in PEOPLE if p.slug not in project.members]
    role, person = rng.choice(data.ROLES), rng.choice(strangers)
    return {"project": project.name, "person": person, "role": role}


def _invite(values: Values) -> Goal:
    project, person = own_project_of(values), person_of(values)
    role = option_of(values, "role", data.ROLES)
    require(person.slug not in project.members, "This person is a member already.")
    steps: list[Step] = [Click("Members"), Click("Invite member")]
    steps += [Type("Person", person.name), *select_unless("Role", role, data.ROLES[0])]
    state = {"members": {f"{project.slug}/{person.slug}": role}}
    return change(SITE, state, go_to_project(project), steps, Click("Invite"))


def _draw_own_member(rng: Random) -> Values:
    project = rng.choice(OWN)
    others = [slug for slug in project.members if slug != MY_SLUG]
    person = data.PERSON_NAMES[rng.choice(others)]
    return {"project": project.name, "person": person}


def _draw_role(rng: Random) -> Values:
    values = _draw_own_member(rng)
    project = data.PROJECT_BY_NAME[values["project"]]
    now = project.members[slugify(values["person"])]
    return {**values, "role": rng.choice([r for r in data.ROLES if r != now])}


def _own_member(values: Values) -> tuple[Project, Person, list[Step]]:
    """Project, member, and the way to the member's page there."""
    project, person = own_project_of(values), person_of(values)
    require(person.slug in project.members, "This person is no member.")
    return project, person, [Click(project.name), Click("Members"), Click(person.name)]


def _change_role(values: Values) -> Goal:
    project, person, steps = _own_member(values)
    role = option_of(values, "role", data.ROLES)
    require(role != project.members[person.slug], "It is the role already.")
    state = {"members": {f"{project.slug}/{person.slug}": role}}
    return change(SITE, state, steps, Select("Role", role), Click("Save role"))


def _remove(values: Values) -> Goal:
    project, person, steps = _own_member(values)
    state = {"members": {f"{project.slug}/{person.slug}": ""}}
    return change(SITE, state, steps, Click("Remove member"), Click("Yes, remove"))


def _draw_stranger(rng: Random) -> Values:
    free = [p for p in PEOPLE if p.slug not in data.FOLLOWED]
    return {"person": rng.choice(free).name}


def _follow(values: Values) -> Goal:
    person = person_of(values)
    require(person.slug not in data.FOLLOWED, "Robin follows this person already.")
    state = {"following": {person.slug: True}}
    return change(SITE, state, go_to_person(person), Click("Follow"))


def _draw_status(rng: Random) -> Values:
    chosen = (rng.choice(STATUS_VERBS), "the", rng.choice(data.PARTS))
    return {"status": " ".join((*chosen, rng.choice(data.THINGS)))}


def _status(values: Values) -> Goal:
    text = values["status"]
    steps: list[Step] = [Click("Profile"), Click("Edit status"), Type("Status", text)]
    return change(SITE, {"profile": {"status": text}}, steps, Click("Save status"))


PEOPLE_TEMPLATES = table(
    SITE,
    "change",
    row(
        "projects.leave",
        _draw_joined,
        _leave,
        "Leave the project {{project}}.",
        "I no longer work on {{project}}, leave it.",
        "Please end my membership in {{project}}.",
        is_held_out=True,
    ),
    row(
        "projects.invite",
        _draw_invitation,
        _invite,
        "Invite {{person}} to my project {{project}} as {{role}}.",
        "Make {{person}} a {{role}} of {{project}}.",
        "Add {{person}} to the members of {{project}} with the role {{role}}.",
    ),
    row(
        "projects.change_role",
        _draw_role,
        _change_role,
        "Change the role of {{person}} in {{project}} to {{role}}.",
        "In my project {{project}}, {{person}} shall be {{role}} from now on.",
        "Give the member {{person}} of {{project}} the role {{role}}.",
    ),
    row(
        "projects.remove_member",
        _draw_own_member,
        _remove,
        "Remove {{person}} from my project {{project}}.",
        "{{person}} has left us, remove them from {{project}}.",
        "Take {{person}} out of the members of {{project}}.",
        is_held_out=True,
    ),
    row(
        "projects.follow",
        _draw_stranger,
        _follow,
        "Follow {{person}}.",
        "I want to follow {{person}} on this host.",
        "Open the profile of {{person}} and follow them.",
        is_held_out=True,
    ),
    row(
        "projects.set_status",
        _draw_status,
        _status,
        'Set my status to "{{status}}".',
        'Change the status in my profile to "{{status}}".',
        'My status shall be "{{status}}".',
    ),
)
