from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, cast

import pytest

from scripts.workbench import testing
from tests import stages

HERE = Path(__file__)
PURE = HERE.parent / "training/rl/test_any.py"


@dataclasses.dataclass
class Test:
    """As much of a collected test as its stage is chosen by."""

    __test__ = False
    marks: tuple[str, ...] = ()
    fixturenames: tuple[str, ...] = ()
    path: Path = HERE
    nodeid: str = "this"

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


def item(*marks: str, **fields: Any) -> pytest.Item:
    return cast(pytest.Item, Test(marks, **fields))


@pytest.mark.parametrize(
    "test",
    [
        item("django_db"),
        item(fixturenames=("example", "db")),
        item(fixturenames=("transactional_db",)),
        item("services"),
    ],
)
def test_what_asks_a_database_or_a_broker_runs_on_servers(test: pytest.Item):
    assert stages.needs_servers(test)


def test_what_asks_neither_does_not_run_on_servers():
    assert not stages.needs_servers(item("slow", fixturenames=("tmp_path",)))


def test_this_one_is_recognised(request: pytest.FixtureRequest):
    assert not stages.needs_servers(request.node)


@pytest.mark.django_db
def test_this_one_asks_the_database(request: pytest.FixtureRequest):
    assert stages.needs_servers(request.node)


def test_a_test_of_the_database_in_a_folder_that_is_left_out_is_refused():
    asks = item("django_db", path=PURE)

    assert "asks a database" in stages.find_strays([asks])[0]
    assert stages.find_strays([item(path=PURE), item("django_db")]) == []


def test_a_test_of_the_browser_in_a_file_that_does_not_name_its_mark_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(stages, "ROOT", tmp_path)
    unnamed, named = tmp_path / "test_unnamed.py", tmp_path / "test_named.py"
    unnamed.write_text("from marks import marked\n")
    named.write_text(f"pytestmark = {testing.BROWSER_MARK}\n")

    strays = stages.find_strays([item("browser", path=unnamed)])

    assert "must name the mark" in strays[0]
    assert stages.find_strays([item("browser", path=named)]) == []


def test_slow_tests_begin_first_but_for_those_of_the_database():
    fast, slow, of_rows = item(), item("slow"), item("slow", "django_db")

    assert sorted([fast, of_rows, slow], key=stages.comes_later)[0] is slow
    assert stages.comes_later(of_rows)


def test_compiled_files_are_kept_where_none_may_lie_beside_the_sources():
    env = {"PYTHONDONTWRITEBYTECODE": "1"}

    testing.keep_bytecode(env)

    assert list(env) == ["PYTHONPYCACHEPREFIX"]


def test_whoever_keeps_compiled_files_elsewhere_goes_on_doing_so():
    env = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "/elsewhere"}

    testing.keep_bytecode(env)

    assert env == {"PYTHONPYCACHEPREFIX": "/elsewhere"}


def test_nothing_changes_where_compiled_files_lie_beside_the_sources():
    env: dict[str, str] = {}

    testing.keep_bytecode(env)

    assert env == {}
