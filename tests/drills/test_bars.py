"""The table of bars, and the tables of rights that drills walk along."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import httpx
import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import path

from drills import inside, running
from drills.__main__ import main
from drills.access.addresses import Address
from drills.access.authorisation import find_missing, judge
from drills.access.formula_cells import is_formula
from drills.access.headers import find_faults
from drills.access.walk import Visit
from drills.bars import BARS, Bar, UnknownBar, choose
from drills.outcome import Outcome, format_line, format_table
from scripts.workbench.console import say
from scripts.workbench.install import servers
from tests.webrl_site.test_every_page import urlpatterns as more_addresses


def test_every_bar_of_reliability_and_security_is_in_the_table_once():
    wanted = [*(f"R{n}" for n in range(1, 22)), *(f"S{n}" for n in range(1, 15))]

    assert [bar.name for bar in BARS] == wanted


def test_every_drill_has_a_module_and_a_bar_without_one_says_why():
    drills = [bar.drill for bar in BARS if bar.drill]

    assert [name for name in drills if not find_spec(f"drills.{name}")] == []
    assert [bar.name for bar in BARS if not bar.drill and not bar.why_not] == []
    assert [bar.name for bar in BARS if bar.drill and not bar.group] == []


def test_bars_are_chosen_by_name_in_the_order_of_the_table():
    assert [bar.name for bar in choose(["s4", "R1"])] == ["R1", "S4"]
    assert choose(["all"]) == list(BARS)
    with pytest.raises(UnknownBar, match="R99"):
        choose(["R99"])


def test_the_list_runs_nothing(capsys: pytest.CaptureFixture[str]):
    assert main(["S4", "--list"]) == 0

    assert capsys.readouterr().out.startswith("S4 ")
    assert main(["R99"]) == 2


def test_what_cannot_be_measured_is_said_and_does_not_hold(
    capsys: pytest.CaptureFixture[str],
):
    unmeasured = Bar("R0", "nothing", why_not="Wants another planet.")
    timed = Bar("R00", "nothing", drill="x", is_timed=True)

    assert running.run_all([unmeasured, timed], "embedded", is_quiet=False) == 1

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["ok"] for line in lines] == [None, None]
    assert lines[0]["note"] == "Wants another planet."
    assert "--quiet" in lines[1]["note"]


def test_a_line_has_the_keys_that_were_promised():
    line = json.loads(format_line("S4", "all", Outcome("some", True), seconds=1.0))

    assert line == {
        "bar": "S4",
        "asked": "all",
        "measured": "some",
        "ok": True,
        "seconds": 1.0,
    }


def test_standard_output_has_the_lines_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    @contextmanager
    def start() -> Iterator[dict[str, str]]:
        say("Starting servers")
        yield {}

    monkeypatch.setattr(servers, "private", start)

    running.run_all([Bar("R0", "a", why_not="Not here.")], "servers", is_quiet=True)

    said = capsys.readouterr()
    assert [json.loads(line)["bar"] for line in said.out.splitlines()] == ["R0"]
    assert "Starting servers" in said.err


def test_a_table_has_the_bars_in_their_order(tmp_path: Path):
    bars = [Bar("R0", "a | b", why_not="Not here."), Bar("R1", "c", why_not="Nor.")]
    table = tmp_path / "table.md"

    running.run_all(bars, "embedded", is_quiet=True, table=table)

    assert table.read_text().splitlines()[2:] == [
        "| R0 | a \\| b | nothing; Not here. | cannot be said |",
        "| R1 | c | nothing; Nor. | cannot be said |",
    ]


def test_a_table_says_which_bars_hold():
    lines = [
        format_line("R0", "a", Outcome("held", True, note="by a hair")),
        format_line("R1", "b", Outcome("broke", False, note="twice")),
    ]

    assert format_table(lines).splitlines()[2:] == [
        "| R0 | a | held | yes |",
        "| R1 | b | broke; twice | no |",
    ]


def test_a_longer_run_says_what_was_asked_of_it():
    outcome = Outcome("some", True, asked="10 min: under a second")

    line = json.loads(format_line("R9", "60 s: under 300 ms", outcome))

    assert line["asked"] == "10 min: under a second"


def test_a_drill_that_breaks_has_not_held(monkeypatch: pytest.MonkeyPatch):
    module = ModuleType("broken")
    module.measure = lambda: 1 / 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "drills.broken", module)

    outcome = inside.measure(Bar("R0", "nothing", drill="broken"), limit_s=60)

    assert outcome.ok is False
    assert "division by zero" in outcome.measured


def test_every_address_and_every_socket_has_its_rights():
    assert find_missing() == []


def show_token(request: HttpRequest, token_id: int) -> HttpResponse:
    return HttpResponse()


urlpatterns = [*more_addresses, path("token/<int:token_id>/", show_token, name="t")]


@pytest.mark.urls(__name__)
def test_an_address_without_rights_is_named():
    assert find_missing() == [
        "new has no rights",
        "t has no rights",
        "t: no trial of foreign rows",
    ]


def visit(role: str, status: int, key: str = "run_list", **more: str) -> Visit:
    address = Address(key, more.get("pattern", "runs/"), ())
    where = more.get("leads_to", "")
    return Visit(
        address, role, more.get("method", "GET"), status, where, httpx.Headers()
    )


@pytest.mark.parametrize(
    "expected",
    [
        visit("nobody", 302, leads_to="/sign-in/?next=/runs/"),
        visit("annotator", 403),
        visit("researcher", 200),
        visit("admin", 302, leads_to="/runs/1/"),
        visit("annotator", 405, method="POST"),
        visit("nobody", 200, "healthz"),
        visit("admin", 403, "admin:run", pattern="admin/x/run/add/", method="POST"),
        visit("admin", 404, "trace"),
    ],
)
def test_what_the_table_says_is_no_surprise(expected: Visit):
    assert judge(expected) == ""


@pytest.mark.parametrize(
    "surprise",
    [
        visit("nobody", 200),
        visit("annotator", 404),
        visit("annotator", 302, leads_to="/runs/1/"),
        visit("researcher", 403),
        visit("researcher", 404),
        visit("admin", 500),
        visit("admin", 200, "admin:run", pattern="admin/x/run/add/", method="POST"),
        visit("admin", 200, r"^recorded/(?P<digest>[0-9a-f]{64})\.html$"),
    ],
)
def test_what_the_table_does_not_say_is_a_surprise(surprise: Visit):
    assert judge(surprise)


SAFE = {
    "Content-Security-Policy": "script-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, []),
        ({"Content-Security-Policy": ""}, ["no content security policy"]),
        ({"Content-Security-Policy": "script-src 'self'"}, ["may be framed"]),
        (
            {
                "Content-Security-Policy": (
                    "script-src 'unsafe-inline'; frame-ancestors 'none'"
                )
            },
            ["scripts may be 'unsafe-inline'"],
        ),
        ({"X-Content-Type-Options": ""}, ["no nosniff"]),
        ({"Cache-Control": "public"}, ["may be cached (public)"]),
    ],
)
def test_faults_of_headers_are_found(change: dict[str, str], fault: list[str]):
    assert find_faults(httpx.Headers(SAFE | change), is_signed_in=True) == fault


@pytest.mark.parametrize(
    ("cell", "is_one"),
    [("=1+1", True), ("-cmd", True), ("@x", True), ("-1.5", False), ("'=1", False)],
)
def test_formulas_are_told_from_numbers(cell: str, is_one: bool):
    assert is_formula(cell) is is_one
