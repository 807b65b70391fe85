"""`./webrl up`, `./webrl restart` and `./webrl down`."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType

from scripts.workbench import env_file
from scripts.workbench.commands import pass_on, run
from scripts.workbench.console import say, step
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import chromium, venv
from scripts.workbench.paths import DATA_DIR, LOG_DIR, PYTHON
from scripts.workbench.processes import children, running, stack
from scripts.workbench.processes.cleanup import ENDING, signals_handled
from scripts.workbench.processes.supervisor import Supervisor

LOOK_EVERY_S = 0.2
# What processes get from the supervisor, not from .env.
KEPT = (
    *("DASHBOARD_URL", "REPLAY_ORIGIN", "TRACE_ORIGIN", "SANDBOX_CONTROL_URL"),
    *("BROWSER_EXECUTABLE", "WEBRL_CHROMIUM", stack.MARKER_NAME),
)
# Title, command of manage.py and expected seconds.
Step = tuple[str, str, int]
ROLES = "create_roles"
# As `manage.py prepare` takes them.
PREPARING: tuple[Step, ...] = (
    ("Looking at the database", "check_database", 3),
    ("Preparing the database", "migrate", 5),
    ("Loading sites and tasks", "load_sandbox", 10),
    ("Looking at the accounts", ROLES, 3),
)
DEMO_ACCOUNTS: Step = ("Creating demo accounts", "create_demo_accounts", 3)
# Written by create_demo_accounts, readable only by us: "name password" per line.
ACCOUNTS = DATA_DIR / "accounts.txt"


class Ended(Exception):
    """A signal or Ctrl-C requested the end."""


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """Turn the first TERM, HUP or Ctrl-C of the block into `Ended`; ignore the rest.

    Ending takes a limited time, and must not be interrupted.
    """

    def end(signum: int, frame: FrameType | None) -> None:
        for other in ENDING:
            signal.signal(other, signal.SIG_IGN)
        raise Ended

    with signals_handled(end):
        yield


@contextmanager
def running_stack(browser: str) -> Iterator[tuple[Supervisor, dict[str, str]]]:
    """Run everything during the block; yield supervisor and environment."""
    with ExitStack() as starting:
        starting.enter_context(stack.starting_alone())
        addresses = stack.choose_addresses()
        marker = stack.new_marker()
        name, _, value = marker.partition("=")
        more = {**addresses.environment(), name: value}
        env = children.environment(browser, **more)
        running.write_state(marker=marker, addresses=addresses.environment())
        supervisor = Supervisor(stack.programs(addresses), env, marker)
        try:
            # Removes the counts of web processes that ended long ago.
            shutil.rmtree(DATA_DIR / "run" / "metrics", ignore_errors=True)
            with step("Starting the workbench", expected_s=10, key="start") as bar:
                supervisor.start()
                supervisor.wait_until_ready(bar)
            starting.close()
            yield supervisor, env
        finally:
            with step("Stopping the workbench", expected_s=5, key="stop"):
                supervisor.stop()


def prepare(browser: str, *more: Step) -> None:
    """Bring database, sites, tasks and roles up to date; safe to repeat."""
    env = children.environment(browser)
    for title, key, expected_s in (*PREPARING, *more):
        run(title, [PYTHON, "manage.py", key], expected_s=expected_s, key=key, env=env)


def install() -> str:
    """Install what a running workbench needs; return the browser's path."""
    venv.ensure()
    return chromium.ensure()


def up() -> int:
    """Run the workbench until Ctrl-C."""
    browser = install()
    with running.claim(), ending_cleanly():
        try:
            prepare(browser)
            with running_stack(browser) as (supervisor, env):
                announce(env["DASHBOARD_URL"])
                watch(supervisor, env)
        except Ended:
            pass
    return 0


def announce(address: str) -> None:
    """Print the dashboard's address, and who may sign in."""
    say(f"\nThe dashboard is at {address}")
    for line in describe_accounts(is_terminal=sys.stdout.isatty()):
        say(f"  {line}")
    if os.geteuid() == 0:
        say(
            "As root, Chromium runs without its sandbox: better run this as another "
            "user."
        )
    say(f"Logs are in {LOG_DIR}. Ctrl-C ends everything.\n")


def describe_accounts(*, is_terminal: bool) -> list[str]:
    """Return lines on who may sign in; a log or a journal never gets a password."""
    with suppress(OSError):
        lines = ACCOUNTS.read_text(encoding="utf-8").splitlines()
        if not is_terminal:
            return [f"the demo accounts' first passwords are in {ACCOUNTS}"]
        pairs = [line.partition(" ") for line in lines]
        return [f"sign in as {name:<11} password {word}" for name, _, word in pairs]
    with suppress(OSError):
        return (LOG_DIR / f"{ROLES}.log").read_text(encoding="utf-8").splitlines()
    return []


def watch(supervisor: Supervisor, env: Mapping[str, str]) -> None:
    """Keep the children alive, and replace them on request, until `Ended` is raised."""
    with noticing_restarts() as asked:
        running.write_state(restarts=0)
        for number in itertools.count(1):
            while not asked.is_set():
                for news in supervisor.look():
                    tell(news)
                asked.wait(LOOK_EVERY_S)
            asked.clear()
            tell("Replacing the processes.")
            failed = supervisor.replace(renew(env))
            for news in failed or ["All processes are replaced."]:
                tell(news)
            running.write_state(restarts=number, not_replaced=failed)


def tell(news: str) -> None:
    """Print what happened, and when."""
    say(f"{time.strftime('%H:%M:%S')}  {news}")


@contextmanager
def noticing_restarts() -> Iterator[threading.Event]:
    """Yield an event that `./webrl restart` sets."""
    asked = threading.Event()
    before = signal.signal(signal.SIGUSR1, lambda *_: asked.set())
    try:
        yield asked
    finally:
        signal.signal(signal.SIGUSR1, before)


def renew(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with .env's present values; addresses do not change."""
    try:
        env_file.reload()
    except WorkbenchError as error:
        tell(str(error))
        return dict(env)
    return children.environment(**{name: env[name] for name in KEPT if name in env})


def restart() -> int:
    """Replace the processes of the running workbench by ones of this version.

    Raises:
        WorkbenchError: It does not run.
    """
    if not running.is_running():
        raise WorkbenchError("The workbench does not run here: ./webrl up starts it.")
    prepare(install())
    with step("Replacing the processes", expected_s=40, key="restart"):
        failed = running.ask_to_restart()
    for news in failed:
        say(news)
    return 1 if failed else 0


def down() -> int:
    """End a workbench that another terminal started."""
    say("Ended." if running.stop() else "The workbench is not running.")
    return 0


def manage(arguments: Sequence[str]) -> int:
    """Pass a command on to manage.py, where the running workbench is reachable."""
    venv.ensure()
    command = [str(PYTHON), "manage.py", *arguments]
    # Links must lead to where the dashboard is, and checks to where the sandbox is.
    env = children.environment(chromium.ensure(), **running.find_addresses())
    return pass_on(command, env=env)
