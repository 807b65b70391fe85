"""The client, against the real API in this process."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.handlers.wsgi import WSGIHandler

import webrl_client
from curriculum.models import Run, Task
from curriculum.services import stop_phase
from rollouts.models import Trajectory
from tests.factories import PhaseEventFactory
from tests.seed import Example
from tests.test_architecture import roots
from webrl_client import IncompleteExport, Workbench, WorkbenchProblem
from webrl_site.account.tokens import make_token

Handle = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def pauses() -> list[float]:
    """How long the client waited, in seconds; it waits for nothing here."""
    return []


@pytest.fixture
def workbench(
    example: Example, pauses: list[float], application: WSGIHandler
) -> Iterator[Workbench]:
    scopes = ["read", "review", "run", "import"]
    user = example.researcher
    _, secret = make_token(user=user, name="client", scopes=scopes, days=1)
    transport = httpx.WSGITransport(app=application)
    with Workbench(
        "http://testserver", secret, transport=transport, sleep=pauses.append
    ) as workbench:
        yield workbench


def answering(handle: Handle, pauses: list[float]) -> Workbench:
    """A client whose server is a function."""
    transport = httpx.MockTransport(handle)
    return Workbench("http://w", "t", transport=transport, sleep=pauses.append)


def test_it_needs_nothing_but_httpx():
    tree = ast.parse(Path(webrl_client.__file__).read_text(encoding="utf-8"))
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    imported = set[str]().union(*map(roots, nodes))

    assert imported - set(sys.stdlib_module_names) == {"httpx"}


def test_it_says_who_it_is(workbench: Workbench):
    assert workbench.me()["username"] == "researcher"


def test_rows_come_from_every_page(workbench: Workbench, monkeypatch: Any):
    monkeypatch.setattr("webrl_client.LIMIT", 3)

    ids = [row["id"] for row in workbench.rows("tasks/", split="test")]

    assert sorted(ids) == sorted(
        Task.objects.filter(split="test").values_list("pk", flat=True)
    )


def test_a_refusal_is_a_problem_with_its_kind(workbench: Workbench, example: Example):
    with pytest.raises(WorkbenchProblem, match="still open") as caught:
        workbench.open_phase(example.run.pk)

    assert caught.value.status == 409
    assert caught.value.kind == "phase-conflict"
    assert caught.value.body["phase_id"] == example.review_phase.pk


def test_a_run_is_launched_stopped_and_resumed(workbench: Workbench):
    run = workbench.launch("from afar", seed=3)
    stopped = workbench.stop(run["last_phase"])
    resumed = workbench.resume(run["last_phase"])

    assert Run.objects.get(name="from afar").seed == 3
    assert stopped["status"] == "stopped"
    assert resumed["status"] == "planned"


def test_a_phase_is_watched_until_it_ends(
    workbench: Workbench, example: Example, pauses: list[float]
):
    phase = example.running_phase
    watched = workbench.watch(phase.pk)
    first = next(watched)
    stop_phase(phase_id=phase.pk, by=example.researcher)

    rest = list(watched)

    ids = [event["id"] for event in (first, *rest)]
    assert ids == list(phase.events.order_by("pk").values_list("pk", flat=True))
    assert rest[-1]["data"]["status"] == "stopped"
    assert pauses == [2.0]


def test_an_event_that_is_written_late_is_watched_too(
    workbench: Workbench, example: Example
):
    phase = example.running_phase
    last = PhaseEventFactory(phase=phase).pk
    PhaseEventFactory(phase=phase, id=last + 5)
    watched = workbench.watch(phase.pk)
    before = phase.events.count()
    seen = [next(watched)["id"] for _ in range(before)]
    PhaseEventFactory(phase=phase, id=last + 4)
    stop_phase(phase_id=phase.pk, by=None)

    seen += [event["id"] for event in watched]

    assert len(seen) == len(set(seen))
    assert set(seen) == set(phase.events.values_list("pk", flat=True))
    assert last + 4 in seen[before:]


def test_a_task_is_reviewed(workbench: Workbench, example: Example):
    claim = workbench.claim_review(example.review_phase.pk)
    assert claim is not None

    review = workbench.decide(claim, "reject", reason="ambiguous")

    assert Task.objects.get(pk=claim["task"]["id"]).status == "rejected"
    assert review["reason"] == "ambiguous"


def test_nothing_to_review_is_none(workbench: Workbench):
    Task.objects.filter(status="shortlisted").update(status="rejected")

    assert workbench.claim_review() is None


def test_tasks_are_imported(workbench: Workbench):
    task = {"key": "c.1", "sites": ["shop"], "intent": "Find a mug"}

    report = workbench.import_tasks([task | {"start_url": "__SHOP__/"}])

    assert report["created"] == 1


def test_a_review_is_finished(workbench: Workbench, example: Example):
    workbench.finish_review(example.review_phase.pk)

    assert not Task.objects.filter(status="shortlisted").exists()


def test_an_export_becomes_a_file(workbench: Workbench, tmp_path: Path):
    file = tmp_path / "episodes.jsonl"

    size = workbench.export("trajectories", file, purpose="collect")

    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(rows) == Trajectory.objects.filter(purpose="collect").count()
    assert size == file.stat().st_size
    assert list(tmp_path.iterdir()) == [file]


def test_a_refused_export_leaves_no_file(workbench: Workbench, tmp_path: Path):
    with pytest.raises(WorkbenchProblem, match="format"):
        workbench.export("trajectories", tmp_path / "episodes.xls")

    assert list(tmp_path.iterdir()) == []


# Of an answer that ends with a mark when it is whole.
MARKED = {"X-Export-End": "END"}


def breaking_off() -> Iterator[bytes]:
    """The parts of an answer whose connection breaks between two rows."""
    yield b'{"id": 1}\n'
    raise httpx.RemoteProtocolError("peer closed connection")


@pytest.mark.parametrize(
    ("ending", "answer", "told"),
    [
        ("jsonl", lambda: {"content": breaking_off()}, "peer closed"),
        (
            "jsonl",
            lambda: {"content": iter([b"{}\n"]), "headers": {"Content-Length": "9"}},
            "3 of 9 bytes",
        ),
        ("jsonl", lambda: {"content": iter([b'{"id": 1}\n{"id"'])}, "no end"),
        ("csv", lambda: {"content": iter([b"id\r\n1"])}, "no end"),
        ("csv", lambda: {"content": iter([])}, "no end"),
        ("jsonl", lambda: {"content": b"{}\n", "headers": MARKED}, "end mark"),
        ("csv", lambda: {"content": b"id\r\nEN", "headers": MARKED}, "end mark"),
        ("jsonl", lambda: {"content": b"", "headers": MARKED}, "end mark"),
        ("parquet", lambda: {"content": iter([b"PAR1 rows"])}, "no end"),
        ("parquet", lambda: {"content": iter([b"PA"])}, "no end"),
    ],
    ids=[
        *("broken", "short", "line", "row", "no head", "line's end", "half a mark"),
        *("nothing", "no footer", "no group"),
    ],
)
def test_an_export_that_breaks_off_leaves_the_file_as_it_was(
    ending: str,
    answer: Callable[[], dict[str, Any]],
    told: str,
    tmp_path: Path,
    pauses: list[float],
):
    file = tmp_path / f"steps.{ending}"
    file.write_text("before")
    client = answering(lambda request: httpx.Response(200, **answer()), pauses)

    with pytest.raises(IncompleteExport, match=f"{told}.*Export again"):
        client.export("steps", file)

    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_an_export_without_rows_is_an_empty_file(tmp_path: Path, pauses: list[float]):
    client = answering(lambda request: httpx.Response(200), pauses)

    assert client.export("steps", tmp_path / "steps.jsonl") == 0

    assert (tmp_path / "steps.jsonl").read_bytes() == b""


def test_the_mark_after_a_whole_export_is_not_in_the_file(
    tmp_path: Path, pauses: list[float]
):
    answer = httpx.Response(200, content=b'{"a": "END"}\nEND', headers=MARKED)
    client = answering(lambda request: answer, pauses)

    assert client.export("steps", tmp_path / "steps.jsonl") == 13

    assert (tmp_path / "steps.jsonl").read_bytes() == b'{"a": "END"}\n'


def test_the_client_asks_for_the_mark(tmp_path: Path, pauses: list[float]):
    def handle(request: httpx.Request) -> httpx.Response:
        assert request.headers["X-Export-End"] == "yes"
        return httpx.Response(200)

    answering(handle, pauses).export("steps", tmp_path / "steps.jsonl")


def test_an_export_that_cannot_be_written_leaves_no_file(
    tmp_path: Path, pauses: list[float]
):
    (tmp_path / "steps.csv").mkdir()
    client = answering(lambda request: httpx.Response(200, content=b"a\r\n"), pauses)

    with pytest.raises(OSError, match="directory"):
        client.export("steps", tmp_path / "steps.csv")

    assert list(tmp_path.iterdir()) == [tmp_path / "steps.csv"]


def test_two_exports_to_one_file_do_not_mix(tmp_path: Path, pauses: list[float]):
    file = tmp_path / "steps.csv"
    other = answering(lambda request: httpx.Response(200, content=b"two\n"), pauses)

    def answer() -> Iterator[bytes]:
        yield b"on"
        other.export("steps", file)
        yield b"e\n"

    client = answering(lambda request: httpx.Response(200, content=answer()), pauses)
    client.export("steps", file)

    assert file.read_bytes() == b"one\n"


def test_a_lost_answer_is_asked_for_again_under_the_same_key(pauses: list[float]):
    keys: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["Idempotency-Key"])
        if len(keys) == 1:
            raise httpx.ReadError("gone")
        return httpx.Response(201, json={"id": 1})

    answer = answering(handle, pauses).post("runs/", {"name": "x"})

    assert answer == {"id": 1}
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert pauses == [1.0]


def test_who_is_asked_to_wait_waits(pauses: list[float]):
    answers = [httpx.Response(429, headers={"Retry-After": "7"}), httpx.Response(200)]

    answering(lambda request: answers.pop(0), pauses).post("runs/1/phases/")

    assert pauses == [7.0]


def test_a_conflict_that_does_not_pass_is_not_asked_again(pauses: list[float]):
    client = answering(lambda request: httpx.Response(409, json={}), pauses)

    with pytest.raises(WorkbenchProblem):
        client.stop(1)

    assert pauses == []


def test_a_server_that_stays_away_is_an_error(pauses: list[float]):
    client = answering(lambda request: httpx.Response(503, text="no"), pauses)

    with pytest.raises(WorkbenchProblem, match="503"):
        client.me()

    assert pauses == [1.0, 2.0, 4.0]


def redirect(request: httpx.Request) -> httpx.Response:
    """A proxy that wants https."""
    target = str(request.url.copy_with(scheme="https"))
    return httpx.Response(301, headers={"Location": target})


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.launch("night"),
        lambda client: client.import_tasks([{}]),
        lambda client: client.claim_review(),
        lambda client: client.me(),
    ],
    ids=["launch", "import", "claim", "me"],
)
def test_a_redirect_is_a_problem_that_names_its_target(
    ask: Callable[[Workbench], Any], pauses: list[float]
):
    with pytest.raises(WorkbenchProblem, match=r"301.*https://w/api/") as caught:
        ask(answering(redirect, pauses))

    assert caught.value.status == 301
    assert "https://w/api/" in caught.value.detail
    assert pauses == []


def test_a_redirected_export_leaves_the_file_as_it_was(
    tmp_path: Path, pauses: list[float]
):
    file = tmp_path / "tasks.jsonl"
    file.write_text("before")

    with pytest.raises(WorkbenchProblem, match="https://w/api/exports/tasks/"):
        answering(redirect, pauses).export("tasks", file)

    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("asked", "pause"),
    [
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 3600.0),
        pytest.param("9" * 400, 3600.0, id="many digits"),
        (f"Mon, 01 Jan {10**20} 00:00:00 GMT", 1.0),
        *(("soon", 1.0), ("-1", 1.0), ("\u00b2", 1.0), ("", 1.0)),
    ],
)
def test_a_wait_until_a_date_is_understood(
    asked: str, pause: float, pauses: list[float]
):
    headers = {b"Retry-After": asked.encode()}
    answers = [httpx.Response(503, headers=headers), httpx.Response(200)]

    answering(lambda request: answers.pop(0), pauses).me()

    assert pauses == [pause]
