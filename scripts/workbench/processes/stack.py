"""The processes of a running workbench, and their addresses."""

from __future__ import annotations

import dataclasses
import fcntl
import http.client
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import oscar
from scripts.workbench.paths import DATA_DIR, PYTHON
from scripts.workbench.processes.child import STOP_LIMIT_S, Program
from scripts.workbench.processes.cleanup import free_port

MARKER_NAME = "WEBRL_STACK"
# With the setting that may name another one on this machine.
WANTED_PORTS = (
    (8000, "DASHBOARD_URL"),
    (8001, "REPLAY_ORIGIN"),
    (8010, ""),
    (8011, "SANDBOX_CONTROL_URL"),
    (8002, "TRACE_ORIGIN"),
)
LOOPBACK = ("localhost", "127.0.0.1")
# What the web process prints when it serves (webrl_site/server/serve.py).
SERVING = "The web process serves."
# A trainer of a large model saves for minutes (training/rl/launch.py, MAX_STOP_S).
TRAINING_STOP_LIMIT_S = 1860.0
# They only matter to clusters; without them the embedded broker stays quiet.
CELERY_QUIET = ("--without-gossip", "--without-mingle", "--without-heartbeat")


@dataclasses.dataclass(frozen=True)
class Addresses:
    """Loopback ports of one running workbench."""

    dashboard: int
    replay: int
    sandbox: int
    control: int
    trace: int

    @property
    def dashboard_url(self) -> str:
        return os.environ.get("DASHBOARD_URL") or f"http://localhost:{self.dashboard}"

    @property
    def replay_origin(self) -> str:
        return os.environ.get("REPLAY_ORIGIN") or f"http://127.0.0.1:{self.replay}"

    @property
    def trace_origin(self) -> str:
        return os.environ.get("TRACE_ORIGIN") or f"http://127.0.0.1:{self.trace}"

    def environment(self) -> dict[str, str]:
        """Return the settings with which every process finds the others."""
        return {
            "DASHBOARD_URL": self.dashboard_url,
            "REPLAY_ORIGIN": self.replay_origin,
            "TRACE_ORIGIN": self.trace_origin,
            "SANDBOX_CONTROL_URL": f"http://127.0.0.1:{self.control}",
        }


def start_lock() -> Path:
    """The file that this user's workbenches lock while they start."""
    return Path(tempfile.gettempdir()) / f"webrl-workbench-{os.getuid()}.lock"


@contextmanager
def starting_alone() -> Iterator[None]:
    """Wait for workbenches of other folders that are just starting.

    Two that start at the same time would choose the same free ports, and one would
    use the other's sandbox.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    handle = os.open(start_lock(), flags, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def choose_addresses() -> Addresses:
    """Take the usual ports, or free ones if something else listens there.

    An address of this machine in the settings sets the port. If something listens there
    already, it is taken to be a proxy in front of the workbench.
    """
    ports: list[int] = []
    for usual, setting in WANTED_PORTS:
        ports.append(free_port(_port_of(setting) or usual, avoid=ports))
    return Addresses(*ports)


def _port_of(setting: str) -> int:
    """Return the port that a setting names on this machine, or 0 if it names none."""
    try:
        address = urlsplit(os.environ.get(setting, ""))
        is_ours = address.scheme == "http" and address.hostname in LOOPBACK
        return address.port or 0 if is_ours else 0
    except ValueError:
        return 0  # The settings report what is wrong with it.


def new_marker() -> str:
    """Return the variable that identifies this stack's processes."""
    return f"{MARKER_NAME}={secrets.token_hex(8)}"


def programs(addresses: Addresses) -> list[Program]:
    """Return everything that `./webrl up` runs, in the order of starting."""
    python = str(PYTHON)
    return [
        Program(
            "sandbox",
            (
                *(python, "-m", "rollouts.sites.sandbox.server"),
                *("--port", str(addresses.sandbox)),
                *("--control-port", str(addresses.control)),
            ),
            lambda log: answers_http(addresses.control, "/health"),
            ends_last=True,
            # It holds the states of running episodes.
            replaced="never",
        ),
        _oscar(),
        *(_web(name, addresses) for name in _numbered("web", "WEB_PROCESSES")),
        *(
            _worker(name, "rollouts")
            for name in _numbered("rollouts", "ROLLOUT_WORKERS")
        ),
        _worker("training", "training", stop_limit_s=TRAINING_STOP_LIMIT_S),
        _worker("loop", "loop"),
        # People keep a browser for minutes, a thread each.
        _worker("takeover", "takeover", pool=("--pool=threads", "--concurrency=4")),
        *_sites_worker(),
        Program(
            "beat",
            (*_celery(), "beat", "--loglevel=INFO", "--pidfile="),
            lambda log: "beat: Starting" in log,
            # Two would need the same file.
            replaced="at_once",
        ),
    ]


def _web(name: str, addresses: Addresses) -> Program:
    """Several listen at the same sockets: a free one takes the next connection."""
    return Program(
        name,
        (
            *(str(PYTHON), "-m", "webrl_site.server.serve"),
            *("--port", str(addresses.dashboard)),
            *("--replay-port", str(addresses.replay)),
            *("--trace-port", str(addresses.trace)),
        ),
        lambda log: SERVING in log,
        ports=(addresses.dashboard, addresses.replay, addresses.trace),
    )


def _oscar() -> Program:
    """The added shop; `./webrl site add oscar` may add it while the others run."""
    folder = DATA_DIR / "suites" / oscar.NAME
    return Program(
        "oscar",
        oscar.server_command(folder),
        lambda log: "ready" in log,
        ends_last=True,
        replaced="never",
        is_wanted=lambda: oscar.is_there(folder),
    )


def _numbered(name: str, setting: str) -> list[str]:
    """Return the number of names in the setting: "web", "web-2" and so on."""
    text = os.environ.get(setting, "").strip() or "1"
    if not text.isdecimal() or int(text) < 1:
        raise WorkbenchError(f"{setting} must be at least 1, not {text!r}.")
    return [name, *(f"{name}-{n}" for n in range(2, int(text) + 1))]


def _sites_worker() -> list[Program]:
    """Return the worker that resets external sites, if the settings have resets."""
    if not any(os.environ.get(name) for name in ("SITE_RESETS", "SITE_RESETS_FILE")):
        return []
    # Resets wait, for minutes: several share the process as threads.
    return [_worker("sites", "sites", pool=("--pool=threads", "--concurrency=4"))]


def _celery() -> tuple[str, ...]:
    return (str(PYTHON), "-m", "celery", "--app=webrl_site.celery")


def _worker(
    name: str,
    queues: str,
    pool: tuple[str, ...] = ("--pool=solo",),
    stop_limit_s: float = STOP_LIMIT_S,
) -> Program:
    """One process a worker: a killed one leaves no pool that waits for a child."""
    return Program(
        f"worker-{name}",
        (
            *(*_celery(), "worker", f"--hostname={name}@%h", f"--queues={queues}"),
            *(*pool, "--loglevel=INFO", *CELERY_QUIET),
        ),
        lambda log: " ready." in log,
        stop_limit_s=stop_limit_s,
    )


def answers_http(port: int, path: str) -> bool:
    """Return whether a server on loopback answers without a server error."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", path, headers={"Host": f"localhost:{port}"})
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
