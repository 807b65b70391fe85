"""A private PostgreSQL and a private Redis, on free ports, during a block."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scripts.workbench.commands import answers, find_program, tail
from scripts.workbench.console import step
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import debian
from scripts.workbench.processes.cleanup import accepts, die_with_parent, free_port

START_LIMIT_S = 40.0
STOP_LIMIT_S = 10.0
# Faster than a disk and safe to lose: the data lives as long as the tests.
POSTGRES_OPTIONS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


@contextmanager
def private() -> Iterator[dict[str, str]]:
    """Start both servers; yield DATABASE_URL, BROKER_URL and CHANNEL_URL.

    Raises:
        WorkbenchError: A server is missing and cannot be installed, or will not start.
    """
    binaries = _find_postgres()
    redis = _find_redis()
    with ExitStack() as stack:
        with step("Starting PostgreSQL, Redis", expected_s=5, key="servers"):
            database = stack.enter_context(_postgres(binaries))
            broker = stack.enter_context(_redis(redis))
        yield {
            "DATABASE_URL": database,
            "BROKER_URL": f"{broker}/0",
            "CHANNEL_URL": f"{broker}/1",
        }


def _find_postgres() -> Path:
    """Return the folder with initdb and postgres; install them if need be."""
    for attempt in ("look", "install"):
        if attempt == "install":
            _install("postgresql", 30)
        on_path = find_program("initdb")
        if on_path:
            return Path(on_path).resolve().parent
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if versions:
            return versions[-1].parent
    raise WorkbenchError("PostgreSQL was installed, but initdb is nowhere to be found.")


def _find_redis() -> str:
    path = find_program("redis-server", "valkey-server")
    if not path:
        _install("redis-server", 15)
        path = find_program("redis-server")
    return path


def _install(package: str, expected_s: float) -> None:
    if not debian.can_install():
        raise WorkbenchError(f"The services tests need the package {package}.")
    debian.install(package, expected_s=expected_s)


def _unprivileged() -> pwd.struct_passwd | None:
    """Return the account for PostgreSQL if we are root, as which it refuses to run."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise WorkbenchError(
        "PostgreSQL refuses to run as root, and there is no other user."
    )


@contextmanager
def _postgres(binaries: Path) -> Iterator[str]:
    user = _unprivileged()
    with _folder("webrl-postgres-", user) as folder:
        data, log, port = folder / "data", folder / "log", free_port()
        password = secrets.token_hex(16)
        secret = folder / "password"
        secret.write_text(password, encoding="utf-8")
        _give(secret, user)
        initdb = [binaries / "initdb", "-D", data, "-U", "webrl", "--no-sync"]
        safe = ["--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8"]
        with log.open("wb") as output:
            _start([*initdb, *safe, "--no-locale"], user, output.fileno()).wait()
        options = [f"-c{option}" for option in POSTGRES_OPTIONS]
        server = [binaries / "postgres", "-D", data, "-p", port, "-k", folder]
        ready = [binaries / "pg_isready", "-h", "127.0.0.1", "-p", port]
        with _server(
            [*server, "-clisten_addresses=127.0.0.1", *options],
            user=user,
            log=log,
            is_ready=lambda: answers([str(part) for part in ready]),
            stop=signal.SIGINT,
        ):
            yield f"postgresql://webrl:{password}@127.0.0.1:{port}/postgres"


@contextmanager
def _redis(program: str) -> Iterator[str]:
    with _folder("webrl-redis-", None) as folder:
        port = free_port()
        quiet = ["--save", "", "--appendonly", "no", "--daemonize", "no"]
        with _server(
            [program, "--port", port, "--bind", "127.0.0.1", "--dir", folder, *quiet],
            user=None,
            log=folder / "log",
            is_ready=lambda: accepts(port),
            stop=signal.SIGTERM,
        ):
            yield f"redis://127.0.0.1:{port}"


@contextmanager
def _folder(prefix: str, owner: pwd.struct_passwd | None) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        _give(folder, owner)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _give(path: Path, owner: pwd.struct_passwd | None) -> None:
    if owner is not None:
        os.chown(path, owner.pw_uid, owner.pw_gid)


def _start(
    command: Sequence[object], user: pwd.struct_passwd | None, output: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [str(part) for part in command],
        user=user.pw_uid if user else None,
        group=user.pw_gid if user else None,
        extra_groups=[] if user else None,
        cwd="/",
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=die_with_parent,
    )


@contextmanager
def _server(
    command: Sequence[object],
    *,
    user: pwd.struct_passwd | None,
    log: Path,
    is_ready: Callable[[], bool],
    stop: signal.Signals,
) -> Iterator[None]:
    with log.open("ab") as output:
        process = _start(command, user, output.fileno())
    try:
        deadline = time.monotonic() + START_LIMIT_S
        while not is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise WorkbenchError(f"{command[0]} did not start:\n{tail(log)}")
            time.sleep(0.1)
        yield
    finally:
        process.send_signal(stop)
        try:
            process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
