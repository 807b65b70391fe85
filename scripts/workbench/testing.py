"""`./webrl test` and `./webrl lint`: stages, each in a process of its own."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from scripts.workbench import env_file
from scripts.workbench.console import format_seconds, say
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import chromium, servers, venv
from scripts.workbench.paths import DATA_DIR, PYTHON, ROOT, VENV
from scripts.workbench.processes import children

BIN = VENV / "bin"
FAST = "not browser and not services and not gpu"
# A file has browser tests if it names their mark; other files are not loaded.
BROWSER_MARK = "pytest.mark.browser"
# None of their tests uses a database (tests/stages.py checks). Most need no Django;
# the single files import torch or a browser, or make every task.
WITHOUT_DATABASE = (
    "tests/benchmarks/learning",
    "tests/benchmarks/test_training.py",
    "tests/drills/test_bars.py",
    "tests/rollouts/browser",
    "tests/rollouts/sites",
    "tests/rollouts/test_failure_texts.py",
    "tests/rollouts/test_gym_env.py",
    "tests/scripts",
    "tests/training/rl",
)

# Its handlers' threads hold sessions that a server's database cannot be dropped under,
# and no limit of a body depends on the kind of database.
NOT_ON_SERVERS = "tests/webrl_site/server/test_body_limits.py"

# As an operator behind a reverse proxy would set it.
DEPLOYED = (
    "DASHBOARD_URL=https://webrl.example",
    "REPLAY_ORIGIN=https://replay.example",
    "SECRET_KEY=only-for-this-check-0123456789-abcdefghijklmnopqrstuvwxyz",
)


@dataclasses.dataclass(frozen=True)
class Command:
    """One process of a stage; all of a stage's processes run, even if one fails."""

    title: str
    arguments: tuple[str, ...]


def lint_commands() -> list[Command]:
    """Return what `./webrl lint` runs."""
    manage = (str(PYTHON), "manage.py")
    check = ("check", "--fail-level", "WARNING")
    return [
        # The longest begins first.
        Command("mypy", (str(BIN / "mypy"),)),
        Command("ruff check", (str(BIN / "ruff"), "check", "--quiet")),
        Command("ruff format", (str(BIN / "ruff"), "format", "--check", "--quiet")),
        Command("import contracts", (str(BIN / "lint-imports"), "--no-cache")),
        Command("templates", (str(BIN / "djlint"), "templates", "--lint", "--quiet")),
        Command("migrations", (*manage, "makemigrations", "--check", "--dry-run")),
        Command("django check", (*manage, *check)),
        Command(
            "deployment check",
            ("env", *DEPLOYED, *manage, *check, "--deploy", "--tag", "security"),
        ),
    ]


def _pytest(*arguments: str, more_workers: int = 0) -> tuple[str, ...]:
    """Return a pytest with a worker for each core, at most four, plus `more`."""
    workers = min(4, os.cpu_count() or 1) + more_workers
    return (str(PYTHON), "-m", "pytest", "-q", "-n", str(workers), *arguments)


def _marked_browser() -> list[str]:
    return sorted(
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("test_*.py")
        if BROWSER_MARK in path.read_text(encoding="utf-8")
    )


STAGES: dict[str, Callable[[], list[Command]]] = {
    "lint": lint_commands,
    # One more works while others wait for a process, a timer or the disk.
    "unit": lambda: [Command("pytest", _pytest("-m", FAST, more_workers=1))],
    "pages": lambda: [Command("pytest", _pytest("-m", FAST, "tests/webrl_site"))],
    # A module's tests share a server and its rows: they stay with one worker. One
    # more works while others wait for their browser; with two, limits ran out. On a
    # busy machine they may still: a test that fails has a second try, and is named.
    "browser": lambda: [
        Command(
            "pytest",
            _pytest(
                *("-m", "browser", "--dist", "loadfile", *_marked_browser()),
                # By the mark `slow`, not by the number of a file's tests.
                "--no-loadscope-reorder",
                *("--reruns", "1", "-rfER"),
                more_workers=1,
            ),
        )
    ],
    # What talks to the database, the broker or the channel layer runs on both kinds;
    # `--on-servers` finds it by its fixtures. One more, while others wait for workers.
    "services": lambda: [
        Command(
            "pytest",
            _pytest(
                *("-m", "not browser and not gpu", "--on-servers"),
                *(f"--ignore={path}" for path in (NOT_ON_SERVERS, *WITHOUT_DATABASE)),
                more_workers=1,
            ),
        )
    ],
}
# `pages` is the part of `unit` that concerns templates and views.
ALL = ("lint", "unit", "browser", "services")


def test(stages: Sequence[str]) -> int:
    """Run the named stages, or all; return 0 only if every one passed."""
    names = list(stages) or list(ALL)
    unknown = sorted(set(names) - set(STAGES))
    if unknown:
        raise WorkbenchError(
            f"No such stage: {unknown[0]}. There are {', '.join(STAGES)}."
        )
    venv.ensure(dev=True)
    browser = chromium.ensure() if "browser" in names else ""
    results = {name: _run_stage(name, browser) for name in names}
    return summarize(results)


def _run_stage(name: str, browser: str) -> tuple[float, list[str]]:
    started = time.monotonic()
    say(f"\n== {name} ==")
    env = children.environment(browser)
    # Tests choose their own settings and data; none of ours may leak in.
    for variable in ("DJANGO_SETTINGS_MODULE", "WEBRL_DATA_DIR", *env_file.loaded):
        env.pop(variable, None)
    keep_bytecode(env)
    commands = STAGES[name]()
    if name == "services":
        with servers.private() as addresses:
            mine = {f"TEST_{name}": url for name, url in addresses.items()}
            failed = _run_all(commands, env | mine)
    else:
        failed = _run_all(commands, env)
    return time.monotonic() - started, failed


def keep_bytecode(env: dict[str, str]) -> None:
    """Let the hundreds of processes share their compiled code.

    If it may not be next to the sources, as in many container images, it is in the data
    folder.
    """
    if env.pop("PYTHONDONTWRITEBYTECODE", ""):
        env.setdefault("PYTHONPYCACHEPREFIX", str(DATA_DIR / "bytecode"))


def _run_all(commands: Sequence[Command], env: dict[str, str]) -> list[str]:
    """Run one command and show its output, or several in parallel, in order."""
    if len(commands) == 1:
        (command,) = commands
        return [command.title] if _run(command, env).returncode else []
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = pool.map(lambda one: _run(one, env, stdout=subprocess.PIPE), commands)
        for command, done in zip(commands, running, strict=True):
            say(f"-- {command.title}")
            sys.stdout.write(done.stdout)
            if done.returncode:
                failed.append(command.title)
    return failed


def _run(
    command: Command, env: dict[str, str], stdout: int | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command.arguments,
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.STDOUT if stdout else None,
        text=True,
        check=False,
    )


def summarize(results: dict[str, tuple[float, list[str]]]) -> int:
    """Print one line per stage; return the exit code."""
    say("\n== summary ==")
    for name, (seconds, failed) in results.items():
        verdict = f"FAILED: {', '.join(failed)}" if failed else "passed"
        say(f"{name:<10} {format_seconds(seconds):>14}  {verdict}")
    return 1 if any(failed for _, failed in results.values()) else 0
