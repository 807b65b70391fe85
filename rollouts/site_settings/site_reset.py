"""Resets an external site to its first state, and waits until it is healthy.

The operator's command or HTTP call does the work; then the site's health is checked
until it is good or the deadline has passed. Nothing here knows Django.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import logging
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping

import httpx

from curriculum.texts.sentences import Sentence

logger = logging.getLogger(__name__)

# Seconds between two polls of a command, and between two health checks.
LOOK_EVERY_S = 0.1
ASK_EVERY_S = 1.0
# Longest wait for the answer to one health check.
ANSWER_S = 10.0
# Seconds for a whole reset where the operator names none.
DEADLINE_S = 300.0
PR_SET_PDEATHSIG = 1
LAST_BYTES = 2000

# Placeholders of the instance in commands and addresses of a site with several.
NUMBER = "{number}"
ADDRESS = "{address}"

MustStop = Callable[[], bool]
Command = tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class HttpCall:
    """A request that must be answered below 400. `headers` may hold secrets."""

    url: str = dataclasses.field(repr=False)
    method: str = "POST"
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class PageText:
    """An address whose answer contains a text only in the first state."""

    url: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class SiteReset:
    """How one site is reset.

    Attributes:
        action: A command, as a list of arguments, or an HTTP call.
        healthy: An address that must answer below 500, or a command that exits with 0.
        deadline_s: Seconds for both together.
        first_state: Checks whether the site is in its first state: a command that then
            exits with 0, or a text on a page; None where there is no check.
    """

    action: Command | HttpCall
    healthy: Command | str
    deadline_s: float = DEADLINE_S
    first_state: Command | PageText | None = None

    @property
    def names_instance(self) -> bool:
        """Whether it resets the named instance, not always the same one."""
        action = self.action
        parts = (action.url,) if isinstance(action, HttpCall) else action
        return is_filled_in(*parts)

    def fill(self, number: int, address: str) -> SiteReset:
        """Return the reset of one instance; `address` is where it is."""

        def put(text: str) -> str:
            plain = text.replace(NUMBER, str(number))
            return plain.replace(ADDRESS, address.rstrip("/"))

        def put_all(value: Command | str) -> Command | str:
            return put(value) if isinstance(value, str) else tuple(map(put, value))

        action = self.action
        if isinstance(action, HttpCall):
            filled: Command | HttpCall = dataclasses.replace(
                action, url=put(action.url)
            )
        else:
            filled = tuple(map(put, action))
        first = self.first_state
        if isinstance(first, PageText):
            first = PageText(put(first.url), first.text)
        elif first is not None:
            first = tuple(map(put, first))
        return dataclasses.replace(
            self, action=filled, healthy=put_all(self.healthy), first_state=first
        )


def is_filled_in(*texts: str) -> bool:
    """Whether one of the texts names the instance."""
    return any(word in text for text in texts for word in (NUMBER, ADDRESS))


class ResetFailed(Exception):
    """The site is not in its first state; the message says why, without secrets."""


class ResetStopped(Exception):
    """It was given up because `must_stop` said so."""


def carry_out(reset: SiteReset, must_stop: MustStop) -> None:
    """Reset a site and wait until it is healthy.

    Raises:
        ResetFailed: The action failed, or the site was not healthy in time.
        ResetStopped: `must_stop` said so.
    """
    deadline = time.monotonic() + reset.deadline_s
    if isinstance(reset.action, HttpCall):
        _call(reset.action, deadline)
    else:
        code = run_command(reset.action, deadline, must_stop)
        if code != 0:
            raise ResetFailed(_tell_code("The reset command", code, reset.deadline_s))
    _wait_until_healthy(reset, deadline, must_stop)


def _call(call: HttpCall, deadline: float) -> None:
    left = max(deadline - time.monotonic(), 0.001)
    try:
        response = httpx.request(
            call.method,
            call.url,
            headers=dict(call.headers),
            timeout=left,
            trust_env=False,
        )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ResetFailed(f"The reset call failed: {type(error).__name__}.") from error
    if response.status_code >= 400:
        raise ResetFailed(f"The reset call was answered {response.status_code}.")


def _wait_until_healthy(reset: SiteReset, deadline: float, must_stop: MustStop) -> None:
    while True:
        why = _find_ill(reset.healthy, deadline, must_stop)
        if not why:
            return
        if time.monotonic() + ASK_EVERY_S >= deadline:
            told = f"The site was not well within {reset.deadline_s:g} s"
            raise ResetFailed(f"{told}: {why}")
        _pause(ASK_EVERY_S, must_stop)


def _find_ill(healthy: Command | str, deadline: float, must_stop: MustStop) -> str:
    """Return why the site is not healthy, "" when it is."""
    if not isinstance(healthy, str):
        code = run_command(healthy, deadline, must_stop)
        return "" if code == 0 else _tell_code("the health command", code, ANSWER_S)
    left = max(min(ANSWER_S, deadline - time.monotonic()), 0.001)
    try:
        response = httpx.get(healthy, timeout=left, trust_env=False)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return f"it did not answer ({type(error).__name__})."
    if response.status_code >= 500:
        return f"it answered {response.status_code}."
    return ""


def find_change(reset: SiteReset) -> str:
    """Return why the site is not in its first state, "" where it is.

    A sentence with a code. Only for a reset that has a `first_state`.
    """
    first = reset.first_state
    if isinstance(first, PageText):
        return _find_missing(first)
    try:
        code = run_command(first or (), time.monotonic() + ANSWER_S, lambda: False)
    except ResetFailed:
        code = None
    return "" if code == 0 else Sentence("first_state_command")


def _find_missing(page: PageText) -> str:
    try:
        response = httpx.get(
            page.url, timeout=ANSWER_S, trust_env=False, follow_redirects=True
        )
    except (httpx.HTTPError, httpx.InvalidURL):
        return Sentence("first_state_silent")
    return "" if page.text in response.text else Sentence("text_missing")


def _tell_code(what: str, code: int | None, seconds: float) -> str:
    if code is None:
        return f"{what} did not end in time."
    return f"{what} ended with exit code {code}; its output is in the worker's log."


def run_command(command: Command, deadline: float, must_stop: MustStop) -> int | None:
    """Run a command to its end; return None if it was killed at the deadline.

    Raises:
        ResetFailed: There is no such program.
        ResetStopped: `must_stop` said so; the command is killed.
    """
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(  # noqa: S603 - the operator's own list
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_die_with_worker,
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "not a command"
            raise ResetFailed(f"A command could not be started: {why}.") from error
        try:
            code = _await_end(process, deadline, must_stop)
        finally:
            _kill_what_runs(process)
        if code != 0:
            output.seek(max(output.seek(0, os.SEEK_END) - LAST_BYTES, 0))
            logger.warning(
                "An operator's command ended with %s: %s", code, output.read()
            )
        return code


def _await_end(
    process: subprocess.Popen[bytes], deadline: float, must_stop: MustStop
) -> int | None:
    while time.monotonic() < deadline:
        if must_stop():
            raise ResetStopped
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(LOOK_EVERY_S)
    return None


def _kill_what_runs(process: subprocess.Popen[bytes]) -> None:
    """Kill a running command; processes that an ended one has started are kept."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _die_with_worker() -> None:
    """A worker killed with -9 must not leave a running reset behind."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _pause(seconds: float, must_stop: MustStop) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if must_stop():
            raise ResetStopped
        time.sleep(min(left, LOOK_EVERY_S))
