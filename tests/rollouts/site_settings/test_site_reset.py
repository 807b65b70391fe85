"""A site is put back and asked for its health: real commands, a loopback server."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rollouts.site_settings import site_reset
from rollouts.site_settings.site_reset import (
    HttpCall,
    ResetFailed,
    ResetStopped,
    SiteReset,
    carry_out,
)
from tests.loopback import serving

WELL = (sys.executable, "-c", "")
HANG = "import time; time.sleep(60)"
# Writes its process id, then hangs.
HANG_AND_TELL = "import os, sys; open(sys.argv[1], 'w').write(str(os.getpid())); "


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def never() -> bool:
    return False


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_reset, "ASK_EVERY_S", 0.02)


def test_the_command_runs_and_the_site_is_well(tmp_path: Path) -> None:
    action = python(f"open(r'{tmp_path / 'done'}', 'w').write('x')")
    carry_out(SiteReset(action, WELL), never)
    assert (tmp_path / "done").exists()


def test_arguments_are_never_read_by_a_shell(tmp_path: Path) -> None:
    odd = f"$(touch {tmp_path / 'evil'}); `touch {tmp_path / 'evil'}`"
    check = f"import sys; sys.exit(sys.argv[1] != {odd!r})"
    carry_out(SiteReset((sys.executable, "-c", check, odd), WELL), never)
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_fails_says_with_what() -> None:
    with pytest.raises(ResetFailed, match="ended with exit code 3"):
        carry_out(SiteReset(python("raise SystemExit(3)"), WELL), never)


def test_what_a_command_prints_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    noisy = python("print('s3cret'); raise SystemExit(1)")
    with pytest.raises(ResetFailed) as caught:
        carry_out(SiteReset(noisy, WELL), never)
    assert "s3cret" not in str(caught.value)
    assert "s3cret" in caplog.text


def test_a_program_that_is_not_there_is_a_failure() -> None:
    with pytest.raises(ResetFailed, match="No such file"):
        carry_out(SiteReset(("/no/such/program",), WELL), never)


def test_a_command_that_hangs_is_killed_at_the_deadline() -> None:
    began = time.monotonic()
    with pytest.raises(ResetFailed, match="did not end in time"):
        carry_out(SiteReset(python(HANG), WELL, deadline_s=0.5), never)
    assert time.monotonic() - began < 5


def test_a_reset_that_must_stop_leaves_no_process_behind(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    hangs = (*python(HANG_AND_TELL + HANG), str(file))
    with pytest.raises(ResetStopped):
        carry_out(SiteReset(hangs, WELL), lambda: bool(read(file)))
    assert not is_running(int(read(file)))


def test_a_killed_worker_takes_its_reset_with_it(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    hangs = (*python(HANG_AND_TELL + HANG), str(file))
    work = (
        "from rollouts.site_settings.site_reset import SiteReset, carry_out;"
        f"carry_out(SiteReset({hangs!r}, {WELL!r}), lambda: False)"
    )
    with subprocess.Popen(python(work)) as worker:
        wait_until(lambda: bool(read(file)))
        worker.kill()
    wait_until(lambda: not is_running(int(read(file))))


def read(file: Path) -> str:
    return file.read_text() if file.exists() else ""


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_call_carries_its_headers() -> None:
    seen: list[tuple[str, str, str]] = []

    def respond(method: str, path: str, headers: dict[str, str]) -> tuple[int, str]:
        seen.append((method, path, headers.get("Authorization", "")))
        return 200, "{}"

    with serving(respond) as url:
        call = HttpCall(f"{url}/reset", "PUT", {"Authorization": "key"})
        carry_out(SiteReset(call, f"{url}/well"), never)
    assert seen == [("PUT", "/reset", "key"), ("GET", "/well", "")]


def test_a_call_that_is_refused_is_a_failure() -> None:
    with (
        serving(lambda *_: (403, "")) as url,
        pytest.raises(ResetFailed, match="answered 403"),
    ):
        carry_out(SiteReset(HttpCall(url), url), never)


def test_a_call_that_reaches_nobody_is_a_failure() -> None:
    with pytest.raises(ResetFailed, match="ConnectError"):
        carry_out(SiteReset(HttpCall("http://127.0.0.1:9/"), WELL), never)


def test_the_site_is_asked_until_it_is_well() -> None:
    answers = [503, 500, 404]
    with serving(lambda *_: (answers.pop(0), "")) as url:
        carry_out(SiteReset(WELL, url), never)
    assert answers == []


@pytest.fixture
def asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second question fits before the deadline of ten seconds."""
    monkeypatch.setattr(site_reset, "ASK_EVERY_S", 60.0)


def test_a_site_that_stays_ill_fails_with_its_last_answer(asked_once: None) -> None:
    with (
        serving(lambda *_: (502, "")) as url,
        pytest.raises(ResetFailed, match=r"not well within 10 s: it answered 502"),
    ):
        carry_out(SiteReset(WELL, url, deadline_s=10), never)


def test_a_site_that_hangs_fails_at_the_deadline() -> None:
    ends = threading.Event()

    def hang(*_: object) -> tuple[int, str]:
        ends.wait(30)
        return 200, ""

    with serving(hang) as url:
        with pytest.raises(ResetFailed, match="did not answer"):
            carry_out(SiteReset(WELL, url, deadline_s=0.5), never)
        ends.set()


def test_a_health_command_counts_by_its_exit_code(asked_once: None) -> None:
    ill = python("raise SystemExit(7)")
    with pytest.raises(ResetFailed, match="the health command ended with exit code 7"):
        carry_out(SiteReset(WELL, ill, deadline_s=10), never)
