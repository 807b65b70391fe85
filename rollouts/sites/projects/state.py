"""What an episode has changed on the host: projects, their members, Robin's own.

The change set is plain JSON and empty at the start. Every rule about projects and
people is here, those about issues and merge requests in `tracker.py`; pages only
show and call.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from rollouts.sites.kit.episodes import Changes, set_flag
from rollouts.sites.kit.vocabulary import ME, slugify
from rollouts.sites.projects import data
from rollouts.sites.projects.records import DAYS, Person, Project, Todo

MAX_TEXT_LENGTH = 1000
MAX_TITLE_LENGTH = 100
MAX_NAME_LENGTH = 40
MY_SLUG = slugify(ME)


class HostError(ValueError):
    """The host refuses, with a message for the page."""


def new_changes() -> Changes:
    """The change set of an episode that has not begun."""
    return {
        "stars": {},
        "forks": {},
        "projects": {},
        "descriptions": {},
        "members": {},
        "issues": [],
        "issue_edits": {},
        "merge_edits": {},
        "comments": {},
        "todos_done": {},
        "following": {},
        "profile": {},
    }


def require_text(text: str, what: str, limit: int) -> str:
    """The text, cut; refuses an empty one."""
    if not text:
        raise HostError(f"{what} must not be empty.")
    return text[:limit]


def set_edit(
    edits: dict[str, dict[str, Any]],
    key: str,
    field: str,
    value: object,
    *,
    base: object,
) -> None:
    """Record that a field is now `value`, or nothing when that is how it started."""
    fields = edits.setdefault(key, {})
    if value == base:
        fields.pop(field, None)
    else:
        fields[field] = value
    if not fields:
        del edits[key]


class Host:
    """The host of one episode: base data below, the change set on top."""

    def __init__(self, changes: Changes) -> None:
        """Bind the episode's change set, which the methods change in place."""
        self._changes = changes

    @property
    def projects(self) -> dict[str, Project]:
        """All projects by slug, Robin's forks and new ones last."""
        changes = self._changes
        if not any(changes[key] for key in ("forks", "projects", "descriptions")):
            return data.PROJECTS
        forks = [self._fork_of(data.PROJECTS[slug]) for slug in changes["forks"]]
        new = [self._new_project(slug, p) for slug, p in changes["projects"].items()]
        found = data.PROJECTS | {project.slug: project for project in [*forks, *new]}
        for slug, text in changes["descriptions"].items():
            found[slug] = dataclasses.replace(found[slug], description=text)
        return found

    @staticmethod
    def _fork_of(project: Project) -> Project:
        return dataclasses.replace(
            project,
            slug=f"{MY_SLUG}-{project.slug}",
            name=f"{ME} {project.name}",
            group="",
            stars=0,
            forks=0,
            members={MY_SLUG: data.OWNER},
        )

    @staticmethod
    def _new_project(slug: str, project: Mapping[str, str]) -> Project:
        return Project(
            slug=slug,
            group="",
            licence="",
            port=0,
            stars=0,
            forks=0,
            updated=DAYS,
            members={MY_SLUG: data.OWNER},
            origin="",
            guide_author="",
            **project,
        )

    def add_project(
        self, name: str, description: str, language: str, visibility: str
    ) -> str:
        """Create a project; returns its slug."""
        name = require_text(name, "The name", MAX_NAME_LENGTH)
        description = require_text(description, "The description", MAX_TITLE_LENGTH)
        slug = "-".join(re.findall(r"[a-z0-9]+", name.lower()))
        if not slug:
            raise HostError("The name needs a letter or a digit.")
        if slug in self.projects:
            raise HostError("There is already a project with this name.")
        if language not in data.LANGUAGES:
            raise HostError("Choose a language.")
        if visibility not in data.VISIBILITIES:
            raise HostError("Choose who can see it.")
        self._changes["projects"][slug] = {
            "name": name,
            "description": description,
            "language": language,
            "visibility": visibility,
        }
        return slug

    def fork(self, project: Project) -> str:
        """Copy a project; returns the copy's slug."""
        slug = f"{MY_SLUG}-{project.slug}"
        if project.slug not in data.PROJECTS:
            raise HostError("This project is already yours.")
        if slug in self.projects:
            raise HostError("You have already forked this project.")
        self._changes["forks"][project.slug] = True
        return slug

    def describe(self, project: Project, text: str) -> None:
        """Change the description of one of Robin's projects."""
        self._require_owner(project)
        text = require_text(text, "The description", MAX_TITLE_LENGTH)
        new = self._changes["projects"].get(project.slug)
        base = data.PROJECTS.get(project.slug)
        if new is not None:
            new["description"] = text
        elif base is not None and base.description == text:
            self._changes["descriptions"].pop(project.slug, None)
        else:
            self._changes["descriptions"][project.slug] = text

    def stars(self, project: Project) -> int:
        """The project's stars with Robin's."""
        mine = self._changes["stars"].get(project.slug)
        return project.stars + (0 if mine is None else 1 if mine else -1)

    def forks(self, project: Project) -> int:
        """The project's forks with Robin's."""
        return project.forks + (project.slug in self._changes["forks"])

    def is_starred(self, project: Project) -> bool:
        """Whether Robin has given the project a star."""
        base = project.slug in data.STARRED
        return bool(self._changes["stars"].get(project.slug, base))

    def set_starred(self, project: Project, starred: bool) -> None:
        """Give a star or take it back."""
        base = project.slug in data.STARRED
        set_flag(self._changes["stars"], project.slug, starred, base=base)

    def members(self, project: Project) -> dict[str, str]:
        """Roles by person's slug, those whom Robin invited last."""
        roles = dict(project.members)
        for key, role in self._changes["members"].items():
            slug, person = key.split("/")
            if slug == project.slug:
                roles[person] = role
        return {person: role for person, role in roles.items() if role}

    def my_role(self, project: Project) -> str:
        """Robin's role in the project, "" for none."""
        return self.members(project).get(MY_SLUG, "")

    def invite(self, project: Project, name: str, role: str) -> None:
        """Make somebody a member of one of Robin's projects."""
        self._require_owner(project)
        person = data.USERS.get(slugify(name))
        if person is None:
            raise HostError("Nobody has this name.")
        if person.slug in self.members(project):
            raise HostError(f"{person.name} is already a member.")
        self._set_role(project, person.slug, self._known_role(role))

    def change_role(self, project: Project, person: Person, role: str) -> None:
        """Give a member another role."""
        self._require_owner(project)
        self._require_other_member(project, person)
        self._set_role(project, person.slug, self._known_role(role))

    def remove_member(self, project: Project, person: Person) -> None:
        """Take a member out of one of Robin's projects."""
        self._require_owner(project)
        self._require_other_member(project, person)
        self._set_role(project, person.slug, "")

    def leave(self, project: Project) -> None:
        """Take Robin out of a project."""
        if self.my_role(project) in ("", data.OWNER):
            raise HostError("Only a member who is not the owner can leave.")
        self._set_role(project, MY_SLUG, "")

    def _require_owner(self, project: Project) -> None:
        if self.my_role(project) != data.OWNER:
            raise HostError("Only the owner can do this.")

    def _require_other_member(self, project: Project, person: Person) -> None:
        if person.slug not in self.members(project):
            raise HostError(f"{person.name} is not a member.")
        if person.slug == MY_SLUG:
            raise HostError("The owner stays as they are.")

    @staticmethod
    def _known_role(role: str) -> str:
        if role not in data.ROLES:
            raise HostError("Choose a role.")
        return role

    def _set_role(self, project: Project, person: str, role: str) -> None:
        roles, key = self._changes["members"], f"{project.slug}/{person}"
        if role == project.members.get(person, ""):
            roles.pop(key, None)
        else:
            roles[key] = role

    @property
    def todos(self) -> dict[int, Todo]:
        """What waits for Robin, by number."""
        done = self._changes["todos_done"]
        return {n: todo for n, todo in data.WAITING.items() if str(n) not in done}

    @property
    def todos_done(self) -> list[Todo]:
        """What Robin has done in this episode."""
        done = self._changes["todos_done"]
        return [todo for number, todo in data.WAITING.items() if str(number) in done]

    def set_todo_done(self, number: int, done: bool) -> None:
        """Tick off what waited, or put it back."""
        if number in data.WAITING:
            set_flag(self._changes["todos_done"], str(number), done, base=False)

    def is_followed(self, person: Person) -> bool:
        """Whether Robin follows the person."""
        base = person.slug in data.FOLLOWED
        return bool(self._changes["following"].get(person.slug, base))

    def set_followed(self, person: Person, followed: bool) -> None:
        """Follow a person or stop it."""
        if person.slug == MY_SLUG:
            raise HostError("You cannot follow yourself.")
        base = person.slug in data.FOLLOWED
        set_flag(self._changes["following"], person.slug, followed, base=base)

    @property
    def status(self) -> str:
        """What Robin's profile says."""
        return str(self._changes["profile"].get("status", data.MY_STATUS))

    @property
    def availability(self) -> str:
        """Whether Robin is available or busy."""
        base = data.AVAILABILITIES[0]
        return str(self._changes["profile"].get("availability", base))

    def set_status(self, status: str, availability: str) -> None:
        """Save Robin's status."""
        status = require_text(status, "The status", MAX_TITLE_LENGTH)
        if availability not in data.AVAILABILITIES:
            raise HostError("Choose an availability.")
        edited = {
            "status": (status, data.MY_STATUS),
            "availability": (availability, data.AVAILABILITIES[0]),
        }
        self._changes["profile"] = {
            name: new for name, (new, old) in edited.items() if new != old
        }
