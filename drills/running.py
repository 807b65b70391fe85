"""Runs drills, each group in a process of its own with a deployment of its own."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, redirect_stdout
from pathlib import Path

from drills.bars import Bar
from drills.deployment import Deployment, open_deployment
from drills.outcome import Outcome, format_line, format_table
from scripts.workbench.install import servers
from scripts.workbench.paths import ROOT
from scripts.workbench.processes.cleanup import die_with_parent

QUIET_NOTE = "Its number is a time: on a machine that does nothing else, give --quiet."
TAIL_LINES = 3


def run_all(
    bars: Sequence[Bar], profile: str, *, is_quiet: bool, table: Path | None = None
) -> int:
    """Run the bars' drills and print a line for each; return 0 if all hold.

    `table` is a file for the same results as a table, in the order of the bars.
    """
    found: dict[str, str] = {}
    with ExitStack() as stack:
        addresses = stack.enter_context(_servers()) if profile == "servers" else {}
        groups = _run_groups(bars, profile, addresses, is_quiet)
        # Closes open groups even if no further line is read.
        for line in stack.enter_context(closing(groups)):
            print(line, flush=True)
            found[_bar_of(line)] = line
    if table:
        ordered = [found[bar.name] for bar in bars]
        table.write_text(format_table(ordered), encoding="utf-8")
    held = [json.loads(line)["ok"] is True for line in found.values()]
    return 0 if all(held) and len(held) == len(bars) else 1


@contextmanager
def _servers() -> Iterator[dict[str, str]]:
    """Yield the addresses of private servers.

    Standard output is for the lines of JSON; the servers' start is reported on stderr.
    """
    with ExitStack() as stack:
        with redirect_stdout(sys.stderr):
            addresses = stack.enter_context(servers.private())
        yield addresses


def _run_groups(
    bars: Sequence[Bar], profile: str, addresses: dict[str, str], is_quiet: bool
) -> Generator[str, None, None]:
    for bar in bars:
        if reason := why_not_run(bar, is_quiet=is_quiet):
            nothing = Outcome("nothing", None, reason)
            yield format_line(bar.name, bar.asked, nothing, profile=profile)
    able = [bar for bar in bars if not why_not_run(bar, is_quiet=is_quiet)]
    ordered = sorted(able, key=lambda bar: bar.group)
    for _, found in itertools.groupby(ordered, key=lambda bar: bar.group):
        yield from _run_group(list(found), profile, addresses)


def why_not_run(bar: Bar, *, is_quiet: bool) -> str:
    """Return why a bar cannot be measured now, or ""."""
    if not bar.drill:
        return bar.why_not
    return QUIET_NOTE if bar.is_timed and not is_quiet else ""


def _run_group(
    bars: list[Bar], profile: str, addresses: dict[str, str]
) -> Iterator[str]:
    left = {bar.name: bar for bar in bars}
    with _folder() as folder, open_deployment(folder, profile, addresses) as place:
        log = folder / "drill.log"
        for line in _lines(bars, place, log):
            name = _bar_of(line)
            if left.pop(name, None) is None:
                print(line, file=sys.stderr)
                continue
            yield line
        end = " ".join(_tail(log))
    for bar in left.values():
        broken = Outcome(f"the drill broke: {end}"[:600], False)
        yield format_line(bar.name, bar.asked, broken, profile=profile)


def _lines(bars: Sequence[Bar], place: Deployment, log: Path) -> Iterator[str]:
    names = [bar.name for bar in bars]
    with (
        log.open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "drills.inside", *names],
            cwd=ROOT,
            env=place.env | {"DJANGO_SETTINGS_MODULE": bars[0].settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            preexec_fn=die_with_parent,
        ) as process,
        _ended_with(process, place),
    ):
        try:
            yield from (line.rstrip("\n") for line in process.stdout or ())
        except BaseException:
            # Otherwise the end of the block would wait for it.
            process.kill()
            raise


@contextmanager
def _ended_with(process: subprocess.Popen[str], place: Deployment) -> Iterator[None]:
    """End the deployment's processes as soon as the process of the drills has ended.

    Processes that it forked hold its output open; after a crash it would never close.
    """

    def wait() -> None:
        process.wait()
        place.end_processes()

    watching = threading.Thread(target=wait)
    watching.start()
    try:
        yield
    finally:
        watching.join()


def _bar_of(line: str) -> str:
    try:
        return str(json.loads(line)["bar"])
    except (ValueError, TypeError, KeyError):
        return ""


def _tail(log: Path) -> list[str]:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[-TAIL_LINES:]


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(
        prefix="webrl-drill-", ignore_cleanup_errors=True
    ) as name:
        yield Path(name)
