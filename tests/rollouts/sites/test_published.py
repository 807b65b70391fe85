"""Folders of pages that the sandbox serves as they are, once they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollouts.sites.sandbox.published import FOLDERS
from rollouts.sites.sandbox.server import find_suites
from tests.rollouts.sites.visitor import Sandbox


def fill(suites: Path) -> Path:
    folder = suites / FOLDERS["miniwob"]
    (folder / "core").mkdir(parents=True)
    (folder / "core" / "core.js").write_text("var core = {};")
    (folder / "page.html").write_text("<p>Hello</p>")
    (suites / "secret.txt").write_text("secret")
    return folder


def test_a_site_that_is_not_there_says_how_to_add_it(tmp_path: Path) -> None:
    sandbox = Sandbox(suites=tmp_path)
    answer = sandbox.control("POST", "/episodes", json={"sites": ["miniwob"]})
    assert answer.status_code == 400
    assert "run ./webrl site add miniwob" in answer.json()["error"]


def test_a_site_may_arrive_while_the_sandbox_runs(tmp_path: Path) -> None:
    sandbox = Sandbox(suites=tmp_path)
    fill(tmp_path)
    token = sandbox.open("miniwob")
    page = sandbox.get("miniwob", token, "/page.html?seed=3")
    assert (page.status_code, page.text) == (200, "<p>Hello</p>")
    assert page.headers["content-type"].startswith("text/html")
    assert "core" in sandbox.get("miniwob", token, "/core/core.js").text


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/core/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/..%5csecret.txt",
        "//etc/passwd",
        "/link.txt",
        "/none.html",
        "/core",
        "/",
    ],
)
def test_nothing_beside_its_files_is_served(tmp_path: Path, path: str) -> None:
    folder = fill(tmp_path)
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    sandbox = Sandbox(suites=tmp_path)
    token = sandbox.open("miniwob")
    page = sandbox.get("miniwob", token, path)
    assert page.status_code == 404
    assert "secret" not in page.text


def test_it_takes_no_forms(tmp_path: Path) -> None:
    fill(tmp_path)
    sandbox = Sandbox(suites=tmp_path)
    token = sandbox.open("miniwob")
    assert sandbox.post("miniwob", token, "/page.html", a="b").status_code == 405


def test_an_origin_without_an_episode_shows_no_file(tmp_path: Path) -> None:
    fill(tmp_path)
    assert (
        Sandbox(suites=tmp_path).get("miniwob", "ab12", "/page.html").status_code == 404
    )


def test_the_folder_lies_below_the_data_folder(monkeypatch) -> None:
    monkeypatch.setenv("WEBRL_DATA_DIR", "/data")
    assert find_suites() == Path("/data/suites")
