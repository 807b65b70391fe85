"""Playwright's traces of episodes, in real Chromium."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import EpisodeLimits, Recording
from rollouts.browser.errors import EpisodeBroken
from rollouts.browser.types import Traces
from tests.rollouts.browser.tiny_site import do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
SPEC = task(eval_types=["string_match"], reference_answers={"exact_match": "right"})
HANG = "<button onclick='while (true) {}'>Hang</button>"


async def play(
    environment: BrowserEnvironment,
    traces: Traces,
    answer: str = "right",
    folder: Path | None = None,
) -> str:
    """Scroll, answer, and return the file of the trace."""
    recording = Recording(traces=traces, trace_folder=folder)
    await environment.reset(SPEC, recording=recording)
    await environment.step(do("Scroll Down"))
    *_, info = await environment.step(f'exit(message="{answer}")')
    return info["trace"]


def read_actions(name: str) -> str:
    with zipfile.ZipFile(name) as archive:
        found = [one for one in archive.namelist() if one.endswith(".trace")]
        return "".join(archive.read(one).decode() for one in found)


async def test_a_trace_names_the_calls_of_each_step(
    environment: BrowserEnvironment, serve: Any
) -> None:
    serve("<h1>Home</h1>")
    name = await play(environment, "all")
    actions = read_actions(name)
    Path(name).unlink()
    assert r"1: do(action=\"Scroll Down\")" in actions


async def test_a_trace_is_written_to_the_folder_that_is_named(
    environment: BrowserEnvironment, serve: Any, tmp_path: Path
) -> None:
    serve("<h1>Home</h1>")
    name = await play(environment, "all", folder=tmp_path / "traces")
    assert Path(name).parent == tmp_path / "traces"
    assert zipfile.is_zipfile(name)


async def test_a_folder_that_cannot_be_written_costs_the_trace_alone(
    environment: BrowserEnvironment, serve: Any, tmp_path: Path
) -> None:
    serve("<h1>Home</h1>")
    (tmp_path / "file").touch()
    assert await play(environment, "all", folder=tmp_path / "file") == ""


@pytest.mark.parametrize(
    ("traces", "answer", "kept"),
    [
        ("all", "right", True),
        ("failures", "right", False),
        ("failures", "wrong", True),
        ("off", "wrong", False),
    ],
)
async def test_which_traces_are_kept(
    environment: BrowserEnvironment,
    serve: Any,
    traces: Traces,
    answer: str,
    kept: bool,
) -> None:
    serve("<h1>Home</h1>")
    name = await play(environment, traces, answer)
    assert bool(name) is kept
    if name:
        Path(name).unlink()


async def test_an_episode_that_breaks_ends_in_time_with_or_without_a_trace(
    environment: BrowserEnvironment, serve: Any
) -> None:
    serve(HANG)
    limits, recording = EpisodeLimits(deadline_s=2), Recording(traces="failures")
    await environment.reset(task(), limits=limits, recording=recording)
    with pytest.raises(EpisodeBroken) as broken:
        await environment.step(do("Click", 0))
    Path(broken.value.trace or "none").unlink(missing_ok=True)
