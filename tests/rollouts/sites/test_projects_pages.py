from __future__ import annotations

import re

import pytest

from rollouts.sites.projects import data
from rollouts.sites.projects.files import read_tree
from rollouts.sites.projects.lookups import MY_MERGES, MY_OPEN, OTHERS, OWN
from tests.rollouts.sites.visitor import INTERACTIVE, Sandbox, without_frame

MINE = OWN[0].slug
FOREIGN = next(p for p in OTHERS if "robin" not in p.members)
JOINED = next(p for p in OTHERS if "robin" in p.members).slug
ISSUE = MY_OPEN[0]
MERGE = MY_MERGES[0]
FILES = [
    f"/file/{MINE}/{folder}{'/' if folder else ''}{name}"
    for folder, names in read_tree(OWN[0]).items()
    for name in names
]
PATHS = [
    "/",
    "/projects?list=yours&sort=most&page=2",
    "/projects?list=starred&language=Rust",
    "/projects?list=no&sort=no&language=no&page=99999999",
    "/groups",
    *[f"/group/{slug}" for slug in data.GROUPS],
    "/new-project",
    "/search?q=login",
    "/search?q=Alice",
    "/search?q=%3Cb%3E",
    "/search",
    *[f"/project/{slug}" for slug in (MINE, JOINED, FOREIGN.slug)],
    f"/issues/{MINE}?sort=oldest&page=2",
    f"/issues/{MINE}?state=closed&label=bug",
    f"/issues/{MINE}?state=no&label=no&author=no&sort=no",
    f"/new-issue/{MINE}",
    f"/issue/{ISSUE.number}",
    f"/issue/{next(iter(data.ISSUES))}",
    *[f"/merge-requests/{MINE}?state={s}" for s in ("open", "merged", "closed")],
    f"/merge-request/{MERGE.number}",
    f"/commits/{MINE}?author={data.COMMITS[MINE][0].author}",
    f"/files/{MINE}",
    f"/folder/{MINE}/src",
    *FILES,
    f"/members/{MINE}",
    f"/member/{MINE}/robin",
    f"/member/{MINE}/{list(OWN[0].members)[1]}",
    "/todos?page=3",
    "/todos?state=done",
    "/profile",
    "/user/alice",
    "/user/robin",
]
LOST = [
    "/project/x",
    "/issues/x",
    "/issue/7",
    "/issue/x",
    "/issue/99999999999999999999",
    "/issue/²",
    "/merge-request/1001",
    f"/folder/{MINE}/lib",
    f"/file/{MINE}/docs",
    f"/file/{MINE}/../../etc",
    f"/member/{MINE}/nobody",
    "/user/nobody",
    "/group/x",
]


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.fixture
def token(sandbox: Sandbox) -> str:
    return sandbox.open("projects")


@pytest.mark.parametrize("path", PATHS)
def test_a_page_renders_lean_and_alone(sandbox: Sandbox, token: str, path: str) -> None:
    page = sandbox.get("projects", token, path)
    assert page.status_code == 200
    text = without_frame(page.text)
    assert "http" not in text
    assert "<script" not in text
    without_dialogs = re.sub(r"(?s)<dialog.*?</dialog>", "", text)
    assert len(INTERACTIVE.findall(without_dialogs)) <= 35


@pytest.mark.parametrize("path", LOST)
def test_what_does_not_exist_gets_the_hosts_404(
    sandbox: Sandbox, token: str, path: str
) -> None:
    page = sandbox.get("projects", token, path)
    assert page.status_code == 404
    assert "does not exist" in page.text


@pytest.mark.parametrize(
    ("path", "form", "words"),
    [
        ("/new-project", {"name": "x" * 500}, "description must not be empty"),
        (f"/members/{MINE}", {"person": "<b>"}, "Nobody has this name"),
        (f"/members/{FOREIGN.slug}", {"person": "Alice"}, "Only the owner"),
        (f"/member/{MINE}/robin/role", {"role": "Guest"}, "owner stays"),
        (f"/member/{MINE}/robin/remove", {}, "owner stays"),
        (f"/project/{MINE}/describe", {}, "description must not be empty"),
        (f"/project/{MINE}/leave", {}, "not the owner"),
        (f"/new-issue/{MINE}", {"label-bug": "yes"}, "title must not be empty"),
        (f"/issue/{ISSUE.number}/comment", {}, "comment must not be empty"),
        (f"/issue/{ISSUE.number}/assignee", {"assignee": "nemo"}, "Choose a member"),
        (f"/issue/{ISSUE.number}/milestone", {"milestone": "x"}, "Choose a milestone"),
        (f"/merge-request/{MERGE.number}/comment", {}, "comment must not be empty"),
        ("/user/robin/follow", {"on": "yes"}, "cannot follow yourself"),
        ("/profile", {"availability": "Busy"}, "status must not be empty"),
    ],
)
def test_a_refused_form_says_why_and_changes_nothing(
    sandbox: Sandbox, token: str, path: str, form: dict[str, str], words: str
) -> None:
    before = str(sandbox.state(token))
    page = sandbox.post("projects", token, path, **form)
    assert page.status_code == 422
    assert words in page.text
    assert str(sandbox.state(token)) == before


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/todos", {"number": "9" * 30, "done": "yes"}),
        ("/todos", {"number": "²", "done": "yes"}),
        (f"/issue/{ISSUE.number}/state", {"to": "open"}),
        (f"/issue/{ISSUE.number}/labels", {f"label-{n}": "y" for n in ISSUE.labels}),
    ],
)
def test_a_form_that_changes_nothing_leaves_no_trace(
    sandbox: Sandbox, token: str, path: str, form: dict[str, str]
) -> None:
    before = str(sandbox.state(token))
    assert sandbox.post("projects", token, path, **form).status_code == 200
    assert str(sandbox.state(token)) == before


def test_a_refused_dialog_is_shown_again(sandbox: Sandbox, token: str) -> None:
    page = sandbox.post("projects", token, f"/members/{MINE}", person="Nemo")
    assert re.search(r'<dialog id="invite" data-open', page.text)
    assert 'value="Nemo"' in page.text
    assert "dialog[data-open]" in page.text
    shop = sandbox.get("shop", sandbox.open("shop"), "/")
    assert "dialog[data-open]" not in shop.text


def test_a_new_project_can_be_walked_through(sandbox: Sandbox, token: str) -> None:
    form = {"name": "My Tool", "description": "A tool"}
    options = {"language": "Rust", "visibility": "Private"}
    page = sandbox.post("projects", token, "/new-project", **form, **options)
    assert page.url.path == "/project/my-tool"
    for path in ("issues", "merge-requests", "commits", "files", "members"):
        assert sandbox.get("projects", token, f"/{path}/my-tool").status_code == 200
    assert "My Tool" in sandbox.get("projects", token, "/").text


def test_a_fork_can_be_walked_through(sandbox: Sandbox, token: str) -> None:
    page = sandbox.post("projects", token, f"/project/{FOREIGN.slug}/fork")
    slug = f"robin-{FOREIGN.slug}"
    assert page.url.path == f"/project/{slug}"
    for path in ("issues", "merge-requests", "commits", "files", "members"):
        assert sandbox.get("projects", token, f"/{path}/{slug}").status_code == 200


def test_a_new_issue_is_listed_first_and_its_text_is_no_markup(
    sandbox: Sandbox, token: str
) -> None:
    form = {"title": "<b>Bold</b>", "text": "<i>Thin</i>", "label-bug": "yes"}
    page = sandbox.post("projects", token, f"/new-issue/{MINE}", **form)
    assert page.url.path == f"/issue/{data.FIRST_NEW_ISSUE}"
    assert "&lt;b&gt;Bold&lt;/b&gt;" in page.text
    assert "&lt;i&gt;Thin&lt;/i&gt;" in page.text
    listed = sandbox.get("projects", token, f"/issues/{MINE}").text
    assert "&lt;b&gt;Bold" in listed
    assert "today" in listed


def test_what_robin_may_not_do_is_not_offered(sandbox: Sandbox, token: str) -> None:
    members = sandbox.get("projects", token, f"/members/{FOREIGN.slug}").text
    assert "Invite member" not in members
    foreign = next(i for i in data.ISSUES.values() if i.project == FOREIGN.slug)
    page = sandbox.get("projects", token, f"/issue/{foreign.number}").text
    assert not re.search("Close issue|Edit labels|Edit assignee", page)


def test_a_filtered_list_counts_what_it_shows(sandbox: Sandbox, token: str) -> None:
    for label in data.LABELS:
        count = sum(
            i.project == MINE and i.state == "open" and label in i.labels
            for i in data.ISSUES.values()
        )
        page = sandbox.get("projects", token, f"/issues/{MINE}?label={label}").text
        noun = "issue" if count == 1 else "issues"
        assert f"{count} open {noun} with label {label}" in page
