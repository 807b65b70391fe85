"""Tasks that the host does not allow or that name what it lacks."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.plans import Click, Search
from rollouts.sites.kit.sites import PROJECTS as SITE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, cannot, require
from rollouts.sites.kit.vocabulary import ME
from rollouts.sites.projects import data
from rollouts.sites.projects.lookups import (
    OTHERS,
    OWN,
    PEOPLE,
    SEARCH_BOX,
    draw_missing_name,
    draw_missing_title,
    draw_project,
    go_to,
    go_to_project,
    issue_of,
    merge_of,
    own_project_of,
    person_of,
    project_of,
)
from rollouts.sites.projects.state import MY_SLUG


def _draw_missing_project(rng: Random) -> Values:
    return {"project": draw_missing_name(rng)}


def _missing_project(values: Values) -> Goal:
    name = values["project"]
    require(name not in data.PROJECT_BY_NAME, "The project exists.")
    return cannot(Search(SEARCH_BOX, name))


def _draw_missing_issue(rng: Random) -> Values:
    return {"issue": draw_missing_title(rng, data.PROBLEMS)}


def _missing_issue(values: Values) -> Goal:
    title = values["issue"]
    require(title not in data.ISSUE_BY_TITLE, "The issue exists.")
    return cannot(Search(SEARCH_BOX, title))


def _draw_foreign_invitation(rng: Random) -> Values:
    project = rng.choice(OTHERS)
    strangers = [p.name for p in PEOPLE if p.slug not in project.members]
    return {"project": project.name, "person": rng.choice(strangers)}


def _foreign_invitation(values: Values) -> Goal:
    project, person = project_of(values), person_of(values)
    require(project in OTHERS, "Robin owns it and may invite people.")
    require(person.slug not in project.members, "This person is a member already.")
    return cannot(go_to_project(project), Click("Members"))


def _draw_foreign_issue(rng: Random) -> Values:
    foreign = [
        issue.title
        for issue in data.ISSUES.values()
        if issue.state == "open" and MY_SLUG not in data.PROJECTS[issue.project].members
    ]
    return {"issue": rng.choice(foreign)}


def _foreign_issue(values: Values) -> Goal:
    issue = issue_of(values)
    members = data.PROJECTS[issue.project].members
    require(MY_SLUG not in members and issue.author != ME, "Robin may close it.")
    require(issue.state == "open", "The issue is closed already.")
    return cannot(go_to(issue))


def _draw_conflict(rng: Random) -> Values:
    torn = [m.title for m in data.MERGE_REQUESTS.values() if m.has_conflicts]
    return {"merge": rng.choice(torn)}


def _conflict(values: Values) -> Goal:
    merge = merge_of(values)
    require(merge.has_conflicts, "It has no conflicts.")
    return cannot(go_to(merge))


def _draw_absent_member(rng: Random) -> Values:
    project = rng.choice(OWN)
    strangers = [p.name for p in PEOPLE if p.slug not in project.members]
    return {"project": project.name, "person": rng.choice(strangers)}


def _absent_member(values: Values) -> Goal:
    project, person = own_project_of(values), person_of(values)
    require(person.slug not in project.members, "This person is a member.")
    return cannot(go_to_project(project), Click("Members"))


def _delete(values: Values) -> Goal:
    return cannot(go_to_project(project_of(values)))


IMPOSSIBLE_TEMPLATES = table(
    SITE,
    "impossible",
    row(
        "projects.missing_project",
        _draw_missing_project,
        _missing_project,
        "How many stars has the project {{project}}?",
        "Open the project {{project}}.",
        "Give {{project}} a star.",
    ),
    row(
        "projects.missing_issue",
        _draw_missing_issue,
        _missing_issue,
        'Who is the assignee of the issue "{{issue}}"?',
        'Close the issue "{{issue}}".',
        'In which project is the issue "{{issue}}"?',
    ),
    row(
        "projects.foreign_invitation",
        _draw_foreign_invitation,
        _foreign_invitation,
        "Invite {{person}} to the project {{project}}.",
        "Add {{person}} to the members of {{project}}.",
        "Make {{person}} a member of {{project}}.",
    ),
    row(
        "projects.foreign_issue",
        _draw_foreign_issue,
        _foreign_issue,
        'Close the issue "{{issue}}".',
        'The issue "{{issue}}" is solved, please close it.',
        'We are done with "{{issue}}": close this issue.',
    ),
    row(
        "projects.merge_conflict",
        _draw_conflict,
        _conflict,
        'Merge the merge request "{{merge}}".',
        'The merge request "{{merge}}" is good, merge it.',
        'Please merge "{{merge}}" into its project.',
    ),
    row(
        "projects.absent_member",
        _draw_absent_member,
        _absent_member,
        "Remove {{person}} from my project {{project}}.",
        "Which role has {{person}} in {{project}}?",
        "Take {{person}} out of the members of {{project}}.",
        is_held_out=True,
    ),
    row(
        "projects.delete_project",
        draw_project,
        _delete,
        "Delete the project {{project}}.",
        "We no longer need {{project}}, delete it.",
        "Please delete {{project}} with all its files.",
    ),
)
