"""What the host keeps: projects, issues, merge requests, commits, people."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from rollouts.sites.kit.vocabulary import MONTHS

DAYS_IN_MONTH = 28
DAYS = DAYS_IN_MONTH * len(MONTHS)


def format_day(day: int) -> str:
    """The day so many days after the first of January: 30 -> "3 February"."""
    if day >= DAYS:
        return "today"
    return f"{day % DAYS_IN_MONTH + 1} {MONTHS[day // DAYS_IN_MONTH]}"


@dataclasses.dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account."""

    slug: str
    name: str
    city: str
    joined: int
    status: str


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """A team that owns projects."""

    slug: str
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Project:
    """Shared code.

    `members` gives each person's role by slug, `origin` the base project whose files
    and commits it has ("" for none).
    """

    slug: str
    name: str
    group: str
    description: str
    language: str
    licence: str
    port: int
    stars: int
    forks: int
    updated: int
    members: Mapping[str, str]
    origin: str
    guide_author: str
    visibility: str = "Public"


@dataclasses.dataclass(frozen=True, slots=True)
class Comment:
    """What somebody wrote under an issue or a merge request; `author` is a name."""

    author: str
    text: str
    system: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Issue:
    """Something to do; `author` is a name, `assignee` a slug or "", `day` its age."""

    number: int
    title: str
    project: str
    author: str
    day: int
    text: str
    state: str
    labels: tuple[str, ...]
    assignee: str
    milestone: str
    comments: tuple[Comment, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class MergeRequest:
    """A change that waits to be merged; `author` and `reviewer` are names."""

    number: int
    title: str
    project: str
    author: str
    reviewer: str
    day: int
    text: str
    state: str
    has_conflicts: bool
    approvals: int
    comments: tuple[Comment, ...]
    is_approved: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Commit:
    """A saved change; `author` is a name."""

    code: str
    title: str
    author: str
    day: int


@dataclasses.dataclass(frozen=True, slots=True)
class Todo:
    """What waits for Robin: an issue or a merge request and who asked."""

    number: int
    sender: str
