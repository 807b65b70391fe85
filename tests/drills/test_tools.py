"""What drills are made of: forked processes, a relay that cuts, counts of a process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from tqdm import tqdm

from drills.desk.relay import open_relay
from drills.faults.soak import Footprint, _is_flat, measure_process
from drills.faults.workers import count_due_kills
from drills.trainings.forked import Forked


def _sleep() -> int:
    signal.pause()
    return 0


def _hold_progress() -> int:
    with tqdm.get_lock():
        os.write(1, b"held")
        return _sleep()


def _show_progress() -> int:
    tqdm(total=1).close()
    return 0


def test_a_forked_process_tells_its_exit_code_and_writes_to_its_log(tmp_path: Path):
    log = tmp_path / "log"
    with log.open("wb") as output:
        process = Forked(lambda: os.write(1, b"done") and 3, output.fileno())

        assert process.wait(30) == 3
    assert log.read_bytes() == b"done"


def test_a_forked_process_that_is_killed_tells_the_signal(tmp_path: Path):
    with (tmp_path / "log").open("wb") as output:
        process = Forked(_sleep, output.fileno())
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.05)

        process.kill()

        assert process.wait(30) == -signal.SIGKILL


def test_a_process_that_is_killed_while_it_draws_its_progress_blocks_no_other(
    tmp_path: Path,
):
    log = tmp_path / "log"
    tqdm.get_lock()  # made here, it is inherited by both
    with log.open("wb") as output:
        killed = Forked(_hold_progress, output.fileno())
        while not log.read_bytes():
            assert killed.poll() is None
        killed.kill()
        killed.wait(30)

        process = Forked(_show_progress, output.fileno())
        try:
            assert process.wait(30) == 0
        finally:
            process.kill()


def test_the_relay_cuts_sockets_and_nothing_else():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        with open_relay(server.getsockname()[1]) as relay:
            live, plain = (
                socket.create_connection(("127.0.0.1", relay.port), timeout=30)
                for _ in range(2)
            )
            far = []
            for near, head in ((live, b"GET /ws/home/"), (plain, b"GET /")):
                near.sendall(head)
                far.append(server.accept()[0])
                assert far[-1].recv(100) == head
                far[-1].sendall(b"hello")
                assert near.recv(100) == b"hello"

            assert relay.cut() == 1

            assert live.recv(100) == b""
            plain.sendall(b"more")
            assert far[1].recv(100) == b"more"
            for one in (live, plain, *far):
                one.close()


def test_a_process_is_measured_and_growth_is_seen():
    held = measure_process(os.getpid())

    assert held.mib > 1
    assert held.threads >= 1
    assert _is_flat(Footprint(100, 10, 3), Footprint(119, 12, 4))
    assert not _is_flat(Footprint(100, 10, 3), Footprint(121, 10, 3))
    assert not _is_flat(Footprint(100, 10, 3), Footprint(100, 40, 3))


def test_kills_are_spread_over_the_episodes_and_all_come_before_the_last():
    due = [count_due_kills(2, ended, 100) for ended in (0, 22, 23, 67, 68, 99)]

    assert due == [0, 0, 1, 1, 2, 2]
    assert count_due_kills(200, 900, 1000) == 200
