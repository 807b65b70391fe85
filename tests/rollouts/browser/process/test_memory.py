"""Memory is measured per process, and what holds too much is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from rollouts.browser.process.chromium import RunningBrowser
from rollouts.browser.process.gates import Gates
from rollouts.browser.process.memory import ProcessMemory, can_measure, measure_tree
from rollouts.browser.process.memory_watch import MemoryWatch

HOLD = "kept = bytearray(80 << 20); print('held', flush=True); input()"


def write_process(proc: Path, pid: int, parent: int, kib: int, command: str) -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    (folder / "stat").write_text(f"{pid} (odd ) name (x) S {parent} 1 1")
    (folder / "status").write_text(
        f"Name:\todd\nVmRSS:\t99999999 kB\nRssAnon:\t{kib} kB\nRssFile:\t5000000 kB\n"
        f"RssShmem:\t1024 kB\nVmSwap:\t1024 kB\n"
    )
    (folder / "cmdline").write_text(command)


def test_the_memory_of_a_real_child_is_found():
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        found = {one.pid: one for one in measure_tree(os.getpid())}
        child.kill()
    assert 80 < found[child.pid].mib < 200
    assert os.getpid() in found


def test_descendants_count_and_strangers_do_not(tmp_path: Path):
    write_process(tmp_path, 10, 1, 2048, "chrome")
    write_process(tmp_path, 11, 10, 0, "chrome --type=zygote")
    write_process(tmp_path, 12, 11, 1024, "chrome --type=renderer --lang=en")
    write_process(tmp_path, 20, 1, 4096, "stranger")
    assert sorted(measure_tree(10, tmp_path), key=lambda one: one.pid) == [
        ProcessMemory(10, 4.0, False),
        ProcessMemory(11, 2.0, False),
        ProcessMemory(12, 3.0, True),
    ]


def test_processes_that_end_meanwhile_are_left_out(tmp_path: Path):
    write_process(tmp_path, 10, 1, 2048, "chrome")
    (tmp_path / "11").mkdir()
    assert [one.pid for one in measure_tree(10, tmp_path)] == [10]
    assert measure_tree(99, tmp_path) == []


def test_a_system_without_proc_says_so(tmp_path: Path):
    assert can_measure()
    assert not can_measure(tmp_path)


def make_watch(
    browser_mib: int, episode_mib: int, retired: list[RunningBrowser], **more: Any
) -> MemoryWatch:
    return MemoryWatch(
        browser_mib, episode_mib, browsers=list, retire=retired.append, **more
    )


def make_browser() -> RunningBrowser:
    return RunningBrowser(cast(Any, None), 10, Gates())


def test_a_renderer_that_is_too_large_is_killed_with_the_reason():
    running = make_browser()
    retired: list[RunningBrowser] = []
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=-1) as child:
        process = ProcessMemory(child.pid, 301.5, is_renderer=True)
        make_watch(0, 300, retired).judge(running, [process])
    assert child.returncode == -signal.SIGKILL
    assert running.explain_crash() == (
        "The page used 302 MiB of memory; an episode may use 300 MiB."
    )
    assert retired == []


@pytest.mark.parametrize(("limit", "is_retired"), [(0, False), (20, False), (19, True)])
def test_a_browser_that_holds_too_much_is_retired(limit: int, is_retired: bool):
    running = make_browser()
    retired: list[RunningBrowser] = []
    tree = [ProcessMemory(10, 12.0, False), ProcessMemory(11, 8.0, True)]
    make_watch(limit, 0, retired).judge(running, tree)
    assert (retired == [running]) is is_retired
    assert running.explain_crash() == ""


async def test_without_proc_the_limits_are_given_up_aloud(
    caplog: pytest.LogCaptureFixture,
):
    watch = make_watch(1, 1, [], can_see=lambda: False)
    watch.start()
    watch.start()
    assert caplog.text.count("Memory limits are not kept") == 1
    await watch.close()


def test_a_number_that_became_another_process_is_not_killed():
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as stranger:
        running = RunningBrowser(cast(Any, None), os.getpid(), Gates())
        running.pid = stranger.pid
        running.kill()
        assert stranger.poll() is None
        stranger.kill()


def test_a_browser_s_own_process_is_killed():
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, start_new_session=True
    ) as own:
        RunningBrowser(cast(Any, None), own.pid, Gates()).kill()
        assert own.wait() == -signal.SIGKILL
