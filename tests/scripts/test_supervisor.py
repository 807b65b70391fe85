from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scripts.workbench.console import Bar
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.paths import ROOT
from scripts.workbench.processes import child as child_module
from scripts.workbench.processes.child import Program
from scripts.workbench.processes.cleanup import find_marked, free_port
from scripts.workbench.processes.supervisor import Supervisor
from tests.waiting import wait_for

SERVE = "print('ready', flush=True); import time; time.sleep(60)"
# Starts a child in a session of its own, as browsers do, and ignores TERM.
STUBBORN = (
    "import signal, subprocess, sys, time;"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'],"
    " start_new_session=True);"
    "print('ready', flush=True); time.sleep(60)"
)
# Greets whoever connects to the socket that it inherits.
ANSWER = (
    "import socket, sys;"
    "print('ready', flush=True);"
    "listener = socket.socket(fileno=int(sys.argv[-1]));"
    "[listener.accept()[0].sendall(b'hello') for _ in range(9)]"
)


def program(code: str, **options: Any) -> Program:
    command = (sys.executable, "-c", code)
    given = {"stop_limit_s": 0.3} | options
    return Program("child", command, lambda log: "ready" in log, **given)


@pytest.fixture
def supervise(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Supervisor]]:
    monkeypatch.setattr(child_module, "LOG_DIR", tmp_path)
    monkeypatch.setattr(child_module, "FIRST_PAUSE_S", 0.01)
    started: list[Supervisor] = []

    def start(code: str, count: int = 1, **options: Any) -> Supervisor:
        marker = f"WEBRL_STACK={secrets.token_hex(8)}"
        name, _, value = marker.partition("=")
        made = Supervisor(
            [program(code, **options)] * count, os.environ | {name: value}, marker
        )
        started.append(made)
        made.start()
        return made

    yield start
    for made in started:
        made.stop()


def test_a_child_that_is_killed_starts_again(supervise):
    made = supervise(SERVE)
    made.wait_until_ready(Bar("Starting", 1))
    first = made.children[0].process
    os.kill(first.pid, signal.SIGKILL)
    first.wait()

    assert "signal 9" in made.look()[0]
    wait_for(lambda: made.look() == [] and made.children[0].process)
    assert made.children[0].process.pid != first.pid


def test_a_child_that_was_asked_to_end_starts_again_at_once(supervise, monkeypatch):
    monkeypatch.setattr(child_module, "FIRST_PAUSE_S", 60.0)
    made = supervise(SERVE)
    made.wait_until_ready(Bar("Starting", 1))
    first = made.children[0].process
    first.terminate()
    first.wait()

    made.look()
    made.look()
    assert made.children[0].process is not None


SLOW = (
    "import signal, sys, time;"
    "signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.5), sys.exit(7)));"
    "print('ready', flush=True); time.sleep(60)"
)


def test_a_child_that_may_take_longer_to_end_is_not_killed(supervise):
    made = supervise(SLOW, stop_limit_s=60.0)
    made.wait_until_ready(Bar("Starting", 1))
    process = made.children[0].process

    made.stop()

    assert process.returncode == 7


def test_a_replaced_child_ends_when_the_next_one_is_ready(supervise):
    made = supervise(SERVE)
    made.wait_until_ready(Bar("Starting", 1))
    first = made.children[0].process

    assert made.replace() == []

    assert made.children[0].is_ready
    assert made.children[0].process.pid != first.pid
    assert first.poll() == -signal.SIGTERM


def test_a_child_stays_where_its_successor_does_not_start(supervise):
    made = supervise(f"import os\nif 'BROKEN' in os.environ: raise SystemExit\n{SERVE}")
    made.wait_until_ready(Bar("Starting", 1))
    first = made.children[0].process

    assert made.replace({**os.environ, "BROKEN": "yes"}) == [
        f"child: the new process does not start; {made.children[0].log} says why."
    ]
    assert made.children[0].process is first
    assert first.poll() is None


NEEDS_REPAIR = f"import os\nif 'BROKEN' in os.environ: raise SystemExit(3)\n{SERVE}"


def test_a_child_that_keeps_dying_is_replaced_as_well(supervise, monkeypatch):
    monkeypatch.setenv("BROKEN", "yes")
    monkeypatch.setattr(child_module, "FIRST_PAUSE_S", 60.0)
    made = supervise(NEEDS_REPAIR)
    wait_for(lambda: made.look() or made.children[0].process is None)

    assert made.replace({k: v for k, v in os.environ.items() if k != "BROKEN"}) == []
    assert made.children[0].is_ready


def test_a_child_that_ends_before_its_successor_starts_is_missed(supervise):
    made = supervise(NEEDS_REPAIR, replaced="at_once")
    made.wait_until_ready(Bar("Starting", 1))

    assert len(made.replace({**os.environ, "BROKEN": "yes"})) == 1


def test_a_log_is_moved_aside_while_its_process_writes(supervise, monkeypatch):
    monkeypatch.setattr(child_module, "KEPT_LOG_BYTES", 2000)
    write = "import time\nfor n in range(999): print(n, 'x' * 100, flush=True); "
    made = supervise(f"{write} time.sleep(0.002)")
    log = made.children[0].log
    earlier = log.with_suffix(".log.1")
    wait_for(lambda: made.look() == [] and earlier.exists())

    assert earlier.read_text().startswith("0 x")
    assert not log.read_text().startswith("0 x")


def test_who_connects_to_a_held_port_waits_while_its_process_is_replaced(supervise):
    port = free_port()
    made = supervise(ANSWER, ports=(port,))
    made.wait_until_ready(Bar("Starting", 1))
    made.children[0].process.kill()
    made.children[0].process.wait()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        wait_for(lambda: made.look() == [] and made.children[0].is_ready)
        assert connection.recv(5) == b"hello"


def test_programs_with_the_same_port_answer_for_one_another(supervise):
    port = free_port()
    made = supervise(ANSWER, count=2, ports=(port,))
    made.wait_until_ready(Bar("Starting", 1))
    made.children[0].process.kill()
    made.children[0].process.wait()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        assert connection.recv(5) == b"hello"


def test_a_port_is_free_once_all_has_ended(supervise):
    port = free_port()
    made = supervise(ANSWER, ports=(port,))
    made.stop()
    assert free_port(port) == port


def test_a_child_that_keeps_dying_is_given_up_with_its_last_words(supervise):
    made = supervise("raise SystemExit('no such port')")

    with pytest.raises(WorkbenchError, match="no such port"):
        made.wait_until_ready(Bar("Starting", 1))


def test_stopping_ends_stubborn_children_and_their_children(supervise):
    made = supervise(STUBBORN)
    made.wait_until_ready(Bar("Starting", 1))
    assert len(find_marked(made.marker)) == 2

    made.stop()

    assert find_marked(made.marker) == []


def test_children_end_when_the_supervisor_is_killed(tmp_path):
    marker = f"WEBRL_STACK={secrets.token_hex(8)}"
    name, _, value = marker.partition("=")
    code = (
        "import subprocess, sys, time;"
        "from scripts.workbench.processes.cleanup import die_with_parent;"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'],"
        " start_new_session=True, preexec_fn=die_with_parent);"
        "time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=os.environ | {name: value}
    )
    wait_for(lambda: len(find_marked(marker)) == 2)

    parent.kill()
    parent.wait()

    wait_for(lambda: not find_marked(marker))


def test_a_program_that_nobody_wants_yet_is_not_waited_for(supervise):
    wanted: list[bool] = []
    made = supervise(SERVE, is_wanted=lambda: bool(wanted))
    made.wait_until_ready(Bar("Starting", 1))
    made.look()
    assert made.children[0].process is None


def test_a_program_starts_as_soon_as_it_is_wanted(supervise):
    wanted: list[bool] = []
    made = supervise(SERVE, is_wanted=lambda: bool(wanted))
    wanted.append(True)
    made.wait_until_ready(Bar("Starting", 1))
    assert made.children[0].is_ready
