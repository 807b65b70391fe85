"""The virtual environment with exactly the locked packages."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scripts.workbench.commands import run
from scripts.workbench.console import say
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import catalogues, debian, oscar
from scripts.workbench.install.readable import open_folder, readable
from scripts.workbench.paths import DATA_DIR, PYTHON, ROOT, VENV

TORCH = "torch==2.13.0"
RUNTIME_LOCK = ROOT / "requirements.lock"
DEV_LOCK = ROOT / "requirements-dev.lock"
S3_LOCK = ROOT / "requirements-s3.lock"
SETUP_LOCK = DATA_DIR / "run" / "setup.lock"
STAMP = VENV / "webrl-stamp.json"
# For packages of an external application, every file is checked.
HASHED = ["--generate-hashes", "--allow-unsafe"]
PIP = (PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input")
# Modules are compiled when they are first imported; most of them never are.
INSTALL = (*PIP, "install", "--progress-bar=off", "--no-compile")


def ensure(*, dev: bool = False, s3: bool = False) -> None:
    """Install the locked packages in .venv; return at once if it has them.

    Args:
        dev: Also what tests and linters need.
        s3: Also what reads a bucket; always if OBJECT_STORE names one.

    Raises:
        WorkbenchError: An installation failed.
    """
    with _alone(), readable():
        open_folder(VENV)
        _ensure(dev, s3 or os.environ.get("OBJECT_STORE", "").startswith("s3://"))
        catalogues.ensure()


def _ensure(dev: bool, s3: bool) -> None:
    stamp = _read_stamp()
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    if VENV.exists() and (not PYTHON.exists() or stamp.get("python") != python):
        shutil.rmtree(VENV)
        stamp = {}
    if not VENV.exists():
        _create()
        stamp = {"python": python}
        _write_stamp(stamp)
    wanted: dict[str, tuple[str, Callable[[], None]]] = {
        "torch": (TORCH, _install_torch),
        "runtime": (_digest(RUNTIME_LOCK), _sync),
    }
    if dev:
        wanted["dev"] = (_digest(DEV_LOCK), _sync_dev)
    if s3:
        wanted["s3"] = (_digest(S3_LOCK), _sync_s3)
    for name, (digest, install) in wanted.items():
        if stamp.get(name) != digest:
            install()
            stamp[name] = digest
            _write_stamp(stamp)


@contextmanager
def _alone() -> Iterator[None]:
    """Make a second command wait while a first one installs."""
    SETUP_LOCK.parent.mkdir(parents=True, exist_ok=True)
    with SETUP_LOCK.open("a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("Another ./webrl is installing; waiting for it.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _create() -> None:
    if importlib.util.find_spec("ensurepip") is None:
        if not debian.can_install():
            raise WorkbenchError(
                "This Python has no ensurepip. Install the package python3-venv."
            )
        debian.install("python3-venv", expected_s=15)
    run(
        "Creating .venv",
        [sys.executable, "-m", "venv", VENV],
        expected_s=5,
        key="venv",
    )


def _install_torch() -> None:
    # Its own dependencies have the versions of the lock.
    run(
        "Installing PyTorch",
        [*INSTALL, "-c", RUNTIME_LOCK, TORCH],
        expected_s=60,
        key="pip-torch",
    )


def _sync() -> None:
    _install("Installing the packages", RUNTIME_LOCK, expected_s=70)


def _sync_dev() -> None:
    _install("Installing the test tools", DEV_LOCK, expected_s=30)


def _sync_s3() -> None:
    _install("Installing what reads a bucket", S3_LOCK, expected_s=10)


def _install(title: str, lock: Path, *, expected_s: float) -> None:
    run(
        title,
        [*INSTALL, "--no-deps", "-r", lock],
        expected_s=expected_s,
        key=f"pip-{lock.stem}",
        measure=_installed(len(_pins(lock))),
    )


def _installed(total: int) -> Callable[[Path], float]:
    """Return a measure: first pip collects every package, then it unpacks them."""
    before = _count_installed()

    def measure(log: Path) -> float:
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        lines = [line.partition(" ")[0] for line in text.splitlines()]
        collected = lines.count("Collecting") + lines.count("Requirement")
        unpacked = _count_installed() - before
        return 0.4 * collected / total + 0.6 * min(1.0, unpacked / total)

    return measure


def _count_installed() -> int:
    return sum(1 for _ in VENV.glob("lib/python*/site-packages/*.dist-info"))


def _pins(lock: Path) -> list[str]:
    lines = lock.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _digest(lock: Path) -> str:
    return hashlib.sha256("\n".join(_pins(lock)).encode()).hexdigest()


def _read_stamp() -> dict[str, str]:
    with suppress(OSError, ValueError):
        return dict(json.loads(STAMP.read_text(encoding="utf-8")))
    return {}


def _write_stamp(stamp: dict[str, str]) -> None:
    STAMP.write_text(json.dumps(stamp, indent=1), encoding="utf-8")


def lock() -> int:
    """Resolve our own requirements, and those of django-oscar, into lock files.

    Raises:
        WorkbenchError: They cannot be resolved.
    """
    ensure(dev=True)
    options = dict.fromkeys((RUNTIME_LOCK, DEV_LOCK, S3_LOCK), _leave_out())
    options |= dict.fromkeys(oscar.LOCKS, HASHED)
    for target, more in options.items():
        source = target.with_suffix(".in").relative_to(ROOT)
        run(
            f"Resolving {source}",
            [*_compile(), *more, "-o", target, source],
            expected_s=30,
            key=f"lock-{source.parent.name}{target.stem}",
            env=os.environ | {"CUSTOM_COMPILE_COMMAND": "./webrl lock"},
        )
    say("Read the difference, run ./webrl test, then commit the lock files.")
    return 0


def _leave_out() -> list[str]:
    """What pip includes itself, or is installed separately."""
    names = ("torch", "setuptools", "pip", "wheel")
    return [f"--unsafe-package={name}" for name in names]


def _compile() -> list[str]:
    hidden = ["find-links", "index-url", "trusted-host"]
    return [
        str(VENV / "bin" / "pip-compile"),
        "--quiet",
        "--strip-extras",
        "--no-annotate",
        *(f"--no-emit-{name}" for name in hidden),
    ]
