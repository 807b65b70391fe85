"""One writer at a time, in one process and in several."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from webrl_site.sqlite.turn import WriteTurn, turn_at

HOLD = """
import sys
from webrl_site.sqlite.turn import WriteTurn
turn = WriteTurn(sys.argv[1])
print(turn.take(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "turn")


@contextmanager
def other_process(path: str) -> Iterator[subprocess.Popen[bytes]]:
    """Hold the turn in a process that ends with the block."""
    command = [sys.executable, "-c", HOLD, path]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdout and process.stdout.readline() == b"True\n"
        yield process


def take_in_thread(turn: WriteTurn) -> bool:
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(turn.take()))
    thread.start()
    thread.join()
    return found[0]


def test_a_turn_that_nobody_holds_comes_at_once(path):
    assert WriteTurn(path, wait_s=0).take()


def test_another_thread_waits(path):
    turn = WriteTurn(path, wait_s=0)
    turn.take()
    assert not take_in_thread(turn)


def test_another_thread_is_next(path):
    turn = WriteTurn(path, wait_s=0)
    turn.take()
    turn.give()
    assert take_in_thread(turn)


def test_another_process_waits(path):
    with other_process(path):
        assert not WriteTurn(path, wait_s=0).take()


def test_a_killed_process_keeps_no_turn(path):
    turn = WriteTurn(path, wait_s=20)
    with other_process(path) as process:
        process.kill()
        assert turn.take()


def test_a_turn_comes_when_another_process_has_ended(path):
    turn, found = WriteTurn(path, wait_s=20), []
    thread = threading.Thread(target=lambda: found.append(turn.take()))
    with other_process(path) as process:
        thread.start()
        process.communicate(b"")
    thread.join()
    assert found == [True]


def test_a_turn_that_did_not_come_can_be_waited_for_again(path):
    turn = WriteTurn(path, wait_s=0)
    with other_process(path):
        turn.take()
    assert turn.take()


def test_a_folder_that_cannot_be_written_gives_no_turn(tmp_path):
    assert not WriteTurn(str(tmp_path / "missing" / "turn"), wait_s=0).take()


def test_a_child_does_not_wait_for_a_thread_that_it_lacks(path):
    turn = WriteTurn(path, wait_s=0)
    turn._among_threads.acquire()  # by a thread that has yet to take the file
    assert in_child(turn.take)


def test_a_child_does_not_hold_its_parents_turn(path):
    turn = WriteTurn(path, wait_s=0)
    turn.take()
    assert not in_child(turn.take)


def in_child(work) -> bool:
    pid = os.fork()
    if pid == 0:
        os._exit(int(bool(work())))
    _, status = os.waitpid(pid, 0)
    return bool(os.waitstatus_to_exitcode(status))


def test_a_file_has_one_turn_in_a_process(path):
    assert turn_at(path) is turn_at(path)


def test_only_the_owner_may_open_the_file(path):
    WriteTurn(path).take()
    assert Path(path).stat().st_mode & 0o777 == 0o600
