"""Issues and merge requests of an episode, and who may do what with them."""

from __future__ import annotations

import dataclasses
from typing import Any

from rollouts.sites.kit.episodes import Changes
from rollouts.sites.kit.vocabulary import ME
from rollouts.sites.projects import data
from rollouts.sites.projects.records import DAYS, Comment, Issue, MergeRequest, Project
from rollouts.sites.projects.state import (
    MAX_TEXT_LENGTH,
    MAX_TITLE_LENGTH,
    Host,
    HostError,
    require_text,
    set_edit,
)

Item = Issue | MergeRequest


class Tracker:
    """What there is to do in the host's projects."""

    def __init__(self, changes: Changes) -> None:
        """Bind the episode's change set, which the methods change in place."""
        self._changes = changes
        self._host = Host(changes)

    @property
    def issues(self) -> dict[int, Issue]:
        """All issues by number, Robin's new ones last."""
        edits = self._changes["issue_edits"]
        found = dict(data.ISSUES)
        for number, fields in edits.items():
            found[int(number)] = _edited(found[int(number)], fields)
        for index, new in enumerate(self._changes["issues"]):
            number = data.FIRST_NEW_ISSUE + index
            found[number] = _edited(_new_issue(number), new)
        return found

    @property
    def merge_requests(self) -> dict[int, MergeRequest]:
        """All merge requests by number."""
        found = dict(data.MERGE_REQUESTS)
        for number, fields in self._changes["merge_edits"].items():
            found[int(number)] = dataclasses.replace(found[int(number)], **fields)
        return found

    def issues_of(self, project: Project) -> list[Issue]:
        """The project's issues."""
        return [i for i in self.issues.values() if i.project == project.slug]

    def merge_requests_of(self, project: Project) -> list[MergeRequest]:
        """The project's merge requests."""
        requests = self.merge_requests.values()
        return [merge for merge in requests if merge.project == project.slug]

    def project_of(self, item: Item) -> Project:
        """Where an issue or a merge request belongs."""
        return self._host.projects[item.project]

    def is_member(self, item: Item) -> bool:
        """Whether Robin belongs to the item's project."""
        return bool(self._host.my_role(self.project_of(item)))

    def may_close(self, issue: Issue) -> bool:
        """Members may close and reopen, and so may the author."""
        return issue.author == ME or self.is_member(issue)

    def comments(self, item: Item) -> list[Comment]:
        """The item's comments, Robin's new ones last."""
        own = self._changes["comments"].get(str(item.number), [])
        return [*item.comments, *(Comment(ME, text) for text in own)]

    def add_comment(self, item: Item, text: str) -> None:
        """Write under an issue or a merge request."""
        text = require_text(text, "The comment", MAX_TEXT_LENGTH)
        self._changes["comments"].setdefault(str(item.number), []).append(text)

    def add_issue(
        self, project: Project, title: str, text: str, labels: list[str], assignee: str
    ) -> int:
        """Open an issue; returns its number."""
        new = {
            "project": project.slug,
            "title": require_text(title, "The title", MAX_TITLE_LENGTH),
            "text": require_text(text, "The description", MAX_TEXT_LENGTH),
            "labels": self._known_labels(labels),
            "assignee": self._known_assignee(project, assignee),
            "milestone": "",
            "state": "open",
        }
        self._changes["issues"].append(new)
        return data.FIRST_NEW_ISSUE + len(self._changes["issues"]) - 1

    def set_state(self, issue: Issue, state: str) -> None:
        """Close or reopen an issue."""
        if not self.may_close(issue):
            raise HostError("Only members can close or reopen this issue.")
        self._set(issue, "state", "closed" if state == "closed" else "open")

    def set_labels(self, issue: Issue, labels: list[str]) -> None:
        """Give an issue exactly these labels."""
        self._require_member(issue)
        self._set(issue, "labels", self._known_labels(labels))

    def set_assignee(self, issue: Issue, assignee: str) -> None:
        """Give an issue to a member, or to nobody."""
        self._require_member(issue)
        known = self._known_assignee(self.project_of(issue), assignee)
        self._set(issue, "assignee", known)

    def set_milestone(self, issue: Issue, milestone: str) -> None:
        """Plan an issue for a milestone, or for none."""
        self._require_member(issue)
        if milestone not in ("", *data.MILESTONES):
            raise HostError("Choose a milestone.")
        self._set(issue, "milestone", milestone)

    def set_approved(self, merge: MergeRequest, approved: bool) -> None:
        """Approve a merge request or take the approval back."""
        self._require_open(merge)
        edits = self._changes["merge_edits"]
        set_edit(edits, str(merge.number), "is_approved", approved, base=False)

    def merge(self, merge: MergeRequest) -> None:
        """Merge an open merge request without conflicts."""
        self._require_open(merge)
        if merge.has_conflicts:
            raise HostError("This merge request has conflicts.")
        self._finish(merge, "merged")

    def close_merge_request(self, merge: MergeRequest) -> None:
        """Close a merge request without merging it."""
        self._require_open(merge)
        self._finish(merge, "closed")

    def _finish(self, merge: MergeRequest, state: str) -> None:
        edits = self._changes["merge_edits"]
        set_edit(edits, str(merge.number), "state", state, base="open")

    def _set(self, issue: Issue, field: str, value: object) -> None:
        if issue.number >= data.FIRST_NEW_ISSUE:
            self._changes["issues"][issue.number - data.FIRST_NEW_ISSUE][field] = value
            return
        base = getattr(data.ISSUES[issue.number], field)
        base = list(base) if isinstance(base, tuple) else base
        edits = self._changes["issue_edits"]
        set_edit(edits, str(issue.number), field, value, base=base)

    def _require_member(self, item: Item) -> None:
        if not self.is_member(item):
            raise HostError("Only members of the project can do this.")

    def _require_open(self, merge: MergeRequest) -> None:
        self._require_member(merge)
        if merge.state != "open":
            raise HostError(f"This merge request is {merge.state} already.")

    @staticmethod
    def _known_labels(labels: list[str]) -> list[str]:
        return [label for label in data.LABELS if label in labels]

    def _known_assignee(self, project: Project, assignee: str) -> str:
        if assignee and assignee not in self._host.members(project):
            raise HostError("Choose a member as assignee.")
        return assignee


def _new_issue(number: int) -> Issue:
    day = DAYS + number - data.FIRST_NEW_ISSUE
    return Issue(number, "", "", ME, day, "", "open", (), "", "", ())


def _edited(issue: Issue, fields: dict[str, Any]) -> Issue:
    given = dict(fields)
    if "labels" in given:
        given["labels"] = tuple(given["labels"])
    return dataclasses.replace(issue, **given)
