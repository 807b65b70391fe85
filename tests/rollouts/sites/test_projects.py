from __future__ import annotations

import itertools
import json
from collections import Counter
from random import Random

import pytest

from rollouts.sites.kit.task_templates import Infeasible
from rollouts.sites.projects import data
from rollouts.sites.projects.files import read_file, read_tree
from rollouts.sites.projects.lookups import MY_MERGES, MY_OPEN, OTHERS, OWN
from rollouts.sites.projects.pages.issue import ISSUE_SORTS
from rollouts.sites.projects.records import format_day
from rollouts.sites.projects.rendering import ROWS, plural
from rollouts.sites.projects.state import Host, HostError, new_changes
from rollouts.sites.projects.tracker import Tracker
from rollouts.sites.sandbox.catalog import TEMPLATES, draw_more_tasks, load_tasks

ALICE = data.USERS["alice"]
ROBIN = data.USERS["robin"]
MINE = OWN[0]
FOREIGN = next(p for p in OTHERS if "robin" not in p.members)
JOINED = next(p for p in OTHERS if "robin" in p.members)
STRANGER = next(p for p in data.USERS.values() if p.slug not in MINE.members)
MEMBER = next(data.USERS[slug] for slug in MINE.members if slug != "robin")
ISSUE = MY_OPEN[0]
FOREIGN_ISSUE = next(i for i in data.ISSUES.values() if i.project == FOREIGN.slug)
MERGE = MY_MERGES[0]


@pytest.fixture
def host() -> Host:
    return Host(new_changes())


@pytest.fixture
def tracker() -> Tracker:
    return Tracker(new_changes())


def test_a_star_counts_and_can_be_taken_back() -> None:
    changes = new_changes()
    host = Host(changes)
    host.set_starred(FOREIGN, True)
    given = FOREIGN.slug not in data.STARRED
    assert host.stars(FOREIGN) == FOREIGN.stars + given
    host.set_starred(FOREIGN, FOREIGN.slug in data.STARRED)
    assert changes == new_changes()


def test_a_fork_is_a_project_of_robins_with_the_same_files(host: Host) -> None:
    slug = host.fork(FOREIGN)
    fork = host.projects[slug]
    assert host.my_role(fork) == data.OWNER
    assert host.forks(FOREIGN) == FOREIGN.forks + 1
    assert list(read_tree(fork)) == list(read_tree(FOREIGN))
    for again in (FOREIGN, fork):
        with pytest.raises(HostError, match="already"):
            host.fork(again)


def test_a_new_project_is_robins_and_empty(host: Host) -> None:
    slug = host.add_project("My Tool", "A tool", "Rust", "Private")
    project = host.projects[slug]
    assert (project.visibility, host.my_role(project)) == ("Private", data.OWNER)
    assert list(read_tree(project)) == [""]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        (("", "A tool", "Rust", "Public"), "name"),
        (("Tool", "", "Rust", "Public"), "description"),
        (("!!!", "A tool", "Rust", "Public"), "letter"),
        ((MINE.name, "A tool", "Rust", "Public"), "already"),
        (("Tool", "A tool", "Latin", "Public"), "language"),
        (("Tool", "A tool", "Rust", "Secret"), "see it"),
    ],
)
def test_a_new_project_needs_all_its_fields(
    host: Host, fields: tuple[str, str, str, str], why: str
) -> None:
    with pytest.raises(HostError, match=why):
        host.add_project(*fields)


def test_a_fork_finds_its_name_taken(host: Host) -> None:
    host.add_project(f"Robin {FOREIGN.name}", "A tool", "Rust", "Public")
    with pytest.raises(HostError, match="already"):
        host.fork(FOREIGN)


def test_a_description_set_back_leaves_no_trace() -> None:
    changes = new_changes()
    host = Host(changes)
    host.describe(MINE, "Another text")
    assert host.projects[MINE.slug].description == "Another text"
    host.describe(host.projects[MINE.slug], MINE.description)
    assert changes == new_changes()


def test_a_new_project_described_anew_is_as_if_written_so() -> None:
    first, second = new_changes(), new_changes()
    host = Host(first)
    slug = host.add_project("My Tool", "A tool", "Rust", "Public")
    host.describe(host.projects[slug], "A better tool")
    Host(second).add_project("My Tool", "A better tool", "Rust", "Public")
    assert first == second


def test_members_set_back_leave_no_trace() -> None:
    changes = new_changes()
    host = Host(changes)
    host.invite(MINE, STRANGER.name.upper(), "Guest")
    assert host.members(MINE)[STRANGER.slug] == "Guest"
    host.change_role(MINE, STRANGER, "Maintainer")
    host.remove_member(MINE, STRANGER)
    assert changes == new_changes()


def test_only_strangers_can_be_invited(host: Host) -> None:
    with pytest.raises(HostError, match="already"):
        host.invite(MINE, MEMBER.name, "Guest")
    with pytest.raises(HostError, match="Nobody"):
        host.invite(MINE, "Nemo", "Guest")
    with pytest.raises(HostError, match="role"):
        host.invite(MINE, STRANGER.name, "King")


def test_only_the_owner_governs_a_project(host: Host) -> None:
    with pytest.raises(HostError, match="owner"):
        host.invite(FOREIGN, "Alice", "Guest")
    with pytest.raises(HostError, match="owner"):
        host.remove_member(FOREIGN, ALICE)
    with pytest.raises(HostError, match="owner"):
        host.describe(JOINED, "Mine now")


def test_the_owner_cannot_be_removed_nor_leave(host: Host) -> None:
    with pytest.raises(HostError):
        host.remove_member(MINE, ROBIN)
    with pytest.raises(HostError, match="not a member"):
        host.change_role(MINE, STRANGER, "Guest")
    with pytest.raises(HostError):
        host.leave(MINE)


def test_who_leaves_is_no_member_any_more(host: Host) -> None:
    host.leave(JOINED)
    assert host.my_role(JOINED) == ""
    with pytest.raises(HostError):
        host.leave(JOINED)


def test_what_is_ticked_off_can_be_put_back() -> None:
    changes = new_changes()
    host = Host(changes)
    number = next(iter(data.WAITING))
    host.set_todo_done(number, True)
    assert [todo.number for todo in host.todos_done] == [number]
    assert number not in host.todos
    host.set_todo_done(number, False)
    host.set_todo_done(7, True)
    assert changes == new_changes()


def test_following_set_back_leaves_no_trace() -> None:
    changes = new_changes()
    host = Host(changes)
    base = host.is_followed(ALICE)
    host.set_followed(ALICE, not base)
    assert host.is_followed(ALICE) != base
    host.set_followed(ALICE, base)
    assert changes == new_changes()
    with pytest.raises(HostError):
        host.set_followed(ROBIN, True)


def test_a_status_set_back_leaves_no_trace() -> None:
    changes = new_changes()
    host = Host(changes)
    host.set_status("On holiday", "Busy")
    assert (host.status, host.availability) == ("On holiday", "Busy")
    host.set_status(data.MY_STATUS, "Available")
    assert changes == new_changes()
    for wrong in (("", "Busy"), ("Here", "Maybe")):
        with pytest.raises(HostError):
            host.set_status(*wrong)


def test_an_issue_edited_back_leaves_no_trace() -> None:
    changes = new_changes()
    tracker = Tracker(changes)
    tracker.set_state(ISSUE, "closed")
    tracker.set_labels(ISSUE, ["urgent", "bug", "none"])
    tracker.set_assignee(ISSUE, "")
    tracker.set_milestone(ISSUE, "")
    edited = tracker.issues[ISSUE.number]
    assert (edited.state, edited.labels) == ("closed", ("bug", "urgent"))
    assert (edited.assignee, edited.milestone) == ("", "")
    tracker.set_state(edited, "open")
    tracker.set_labels(edited, list(ISSUE.labels))
    tracker.set_assignee(edited, ISSUE.assignee)
    tracker.set_milestone(edited, ISSUE.milestone)
    assert changes == new_changes()


def test_a_new_issue_edited_later_is_as_if_written_so() -> None:
    first, second = new_changes(), new_changes()
    tracker = Tracker(first)
    number = tracker.add_issue(MINE, "Title", "Text", ["bug"], "")
    tracker.set_labels(tracker.issues[number], ["docs"])
    tracker.set_state(tracker.issues[number], "closed")
    tracker.set_state(tracker.issues[number], "open")
    Tracker(second).add_issue(MINE, "Title", "Text", ["docs"], "")
    assert first == second
    assert first == json.loads(json.dumps(first))


def test_an_issue_needs_title_and_text_and_a_member(tracker: Tracker) -> None:
    for title, text, assignee in (
        ("", "Text", ""),
        ("Title", "", ""),
        ("Title", "Text", STRANGER.slug),
    ):
        with pytest.raises(HostError):
            tracker.add_issue(MINE, title, text, [], assignee)


def test_only_members_change_an_issue(tracker: Tracker) -> None:
    for change in (
        lambda: tracker.set_state(FOREIGN_ISSUE, "closed"),
        lambda: tracker.set_labels(FOREIGN_ISSUE, ["bug"]),
        lambda: tracker.set_assignee(FOREIGN_ISSUE, "alice"),
        lambda: tracker.set_milestone(FOREIGN_ISSUE, "Winter"),
    ):
        with pytest.raises(HostError, match="members"):
            change()
    with pytest.raises(HostError, match="milestone"):
        tracker.set_milestone(ISSUE, "Never")


def test_authors_may_close_their_issue_anywhere(tracker: Tracker) -> None:
    number = tracker.add_issue(FOREIGN, "Title", "Text", [], "")
    tracker.set_state(tracker.issues[number], "closed")
    assert tracker.issues[number].state == "closed"


def test_a_comment_needs_a_text(tracker: Tracker) -> None:
    for item in (ISSUE, MERGE):
        tracker.add_comment(item, "Great work")
        assert tracker.comments(item)[-1].author == "Robin"
        with pytest.raises(HostError):
            tracker.add_comment(item, "")


def test_an_approval_can_be_taken_back() -> None:
    changes = new_changes()
    tracker = Tracker(changes)
    tracker.set_approved(MERGE, True)
    assert tracker.merge_requests[MERGE.number].is_approved
    tracker.set_approved(MERGE, False)
    assert changes == new_changes()


def test_what_is_merged_or_closed_stays_so(tracker: Tracker) -> None:
    tracker.merge(MERGE)
    merged = tracker.merge_requests[MERGE.number]
    assert merged.state == "merged"
    with pytest.raises(HostError, match="merged already"):
        tracker.close_merge_request(merged)


def test_only_members_merge_and_never_over_conflicts(tracker: Tracker) -> None:
    torn = [m for m in data.MERGE_REQUESTS.values() if m.has_conflicts]
    mine = next(m for m in torn if tracker.is_member(m))
    foreign = next(m for m in torn if not tracker.is_member(m))
    with pytest.raises(HostError, match="conflicts"):
        tracker.merge(mine)
    with pytest.raises(HostError, match="members"):
        tracker.set_approved(foreign, True)


def test_names_and_titles_are_unmistakable() -> None:
    assert len(data.PROJECT_BY_NAME) == len(data.PROJECTS) == 60
    titles = [*data.ISSUE_BY_TITLE, *data.MERGE_BY_TITLE]
    assert len(set(titles)) == len(data.ISSUES) + len(data.MERGE_REQUESTS)
    assert len(data.ISSUES) + sum(map(len, data.COMMITS.values())) > 1500


def test_no_address_is_the_beginning_of_another() -> None:
    numbers = [str(n) for n in [*data.ISSUES, *data.MERGE_REQUESTS]]
    for slugs in (data.PROJECTS, data.USERS, data.GROUPS, numbers):
        pairs = itertools.pairwise(sorted(slugs))
        assert not any(after.startswith(before) for before, after in pairs)


def test_sorting_is_the_only_quick_way_to_an_extreme() -> None:
    for project in data.PROJECTS.values():
        issues = [i for i in data.ISSUES.values() if i.project == project.slug]
        assert sum(issue.state == "open" for issue in issues) > ROWS
        for key in ("newest", "oldest"):
            assert len({ISSUE_SORTS[key][1](issue) for issue in issues}) == len(issues)
    languages = Counter(project.language for project in data.PROJECTS.values())
    assert min(languages.values()) > 8
    assert len({project.stars for project in data.PROJECTS.values()}) == 60


def test_a_file_is_found_by_its_path() -> None:
    assert str(MINE.port) in (read_file(MINE, "README.md") or "")
    assert "Written by" in (read_file(MINE, "docs/guide.md") or "")
    assert read_file(MINE, "docs") is None


def test_dates_and_counts_are_written_for_people() -> None:
    assert [format_day(day) for day in (0, 30, 167, 168)] == [
        "1 January",
        "3 February",
        "28 June",
        "today",
    ]
    assert (plural(1, "star"), plural(2, "star")) == ("1 star", "2 stars")


def test_answers_cannot_be_read_from_the_instruction() -> None:
    for task in load_tasks():
        template = TEMPLATES[task["template_key"]]
        if template.site.key == "projects" and template.kind == "find":
            answer = task["eval"]["reference_answers"]["exact_match"]
            assert answer not in task["intent"].replace("?", "").split()


def test_a_fifth_of_the_hosts_test_templates_is_held_out() -> None:
    test = {t["template_key"] for t in load_tasks("test") if t["sites"] == ["projects"]}
    held = {key for key in test if TEMPLATES[key].is_held_out}
    assert len(held) / len(test) >= 0.2


def test_there_are_a_thousand_more_tasks() -> None:
    more = [t for t in draw_more_tasks(1000, seed=1) if t["sites"] == ["projects"]]
    assert len({task["intent"] for task in more}) == 1000


@pytest.mark.parametrize(
    ("key", "values", "why"),
    [
        ("star", {"project": "Moon"}, "no project"),
        ("star", {"project": data.PROJECTS[data.STARRED[0]].name}, "already"),
        (
            "invite",
            {"project": FOREIGN.name, "person": "Alice", "role": "Guest"},
            "does not own",
        ),
        ("close_issue", {"issue": FOREIGN_ISSUE.title}, "no member"),
        ("follow", {"person": "Robin"}, "Robin"),
        ("foreign_issue", {"issue": ISSUE.title}, "may close"),
        ("missing_project", {"project": MINE.name}, "exists"),
        ("add_label", {"issue": ISSUE.title, "label": ISSUE.labels[0]}, "already"),
    ],
)
def test_what_the_host_forbids_is_infeasible(
    key: str, values: dict[str, str], why: str
) -> None:
    with pytest.raises(Infeasible, match=why):
        TEMPLATES[f"projects.{key}"].solve(values)


def test_every_blank_drawn_is_feasible() -> None:
    rng = Random(3)
    for template in TEMPLATES.values():
        if template.site.key == "projects":
            for _ in range(200):
                template.solve(template.draw(rng))
