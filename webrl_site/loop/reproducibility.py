"""The record of what a phase ran with: code, packages, browser, sites, weights."""

from __future__ import annotations

import hashlib
import json
import logging
import platform
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction

from curriculum.errors import CheckpointError, EndpointDown
from curriculum.models import Phase, Task
from curriculum.rules.checkpoints import HASHED_AT_ONCE, measure_size, read_digest
from curriculum.selectors.pools import list_instances, list_usable_sites, usable_tasks
from rollouts.browser.errors import HarnessBroken
from rollouts.browser.process.chromium_path import find_chromium
from rollouts.services import draw_seed
from webrl_site.models import PhaseRecord

logger = logging.getLogger(__name__)
Moment = PhaseRecord.Moment
# The stages at whose beginning a record is made.
MOMENTS: dict[str, str] = {
    Phase.Status.BASELINE: Moment.OPENED,
    Phase.Status.COLLECTING: Moment.OPENED,
    Phase.Status.TRAINING: Moment.TRAINING,
}
LOCKS = ("requirements.lock", "requirements-dev.lock")
PROGRAM_TIMEOUT_S = 10.0


def record_phase(
    *,
    phase: Phase,
    stage: str,
    anew: bool = False,
    weights: Mapping[str, str | None] | None = None,
) -> None:
    """Record what the phase runs with, once for each of these stages.

    Training that starts again with other settings (`anew`) makes other weights: its
    record replaces the earlier one. `weights` are digests that the caller has already
    read. If a record cannot be written, that is logged and the phase continues.

    Raises:
        EndpointDown: The object store does not answer; nothing is recorded.
    """
    moment = MOMENTS.get(stage)
    if moment is None:
        return
    made = PhaseRecord.objects.filter(phase=phase, moment=moment)
    try:
        if anew or not made.exists():
            data = describe_surroundings(phase, weights)
            with transaction.atomic():
                if anew:
                    made.delete()
                PhaseRecord.objects.get_or_create(
                    phase=phase, moment=moment, defaults={"data": data}
                )
    except (DatabaseError, OSError):
        logger.exception("Phase %s: its record was not written", phase.pk)


def list_records(phase_id: int) -> list[PhaseRecord]:
    return list(PhaseRecord.objects.filter(phase_id=phase_id))


def describe_surroundings(
    phase: Phase, weights: Mapping[str, str | None] | None = None
) -> dict[str, Any]:
    """Return everything that determines what the phase does, as JSON.

    Raises:
        EndpointDown: The object store does not answer.
    """
    run = phase.run
    training = draw_seed(run.seed, phase.number, "training")
    return {
        "code": describe_code(settings.BASE_DIR),
        "locks": {name: _digest_file(settings.BASE_DIR / name) for name in LOCKS},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "browser": describe_browser(),
        "seeds": {"run": run.seed, "training": training},
        "weights": weights or digest_phase_weights(phase),
        "served": phase.served_uri,
        "sites": describe_sites(phase),
        "tasks": describe_tasks(phase),
        "config": run.config,
        "config_sha256": _digest_text(json.dumps(run.config, sort_keys=True)),
    }


def describe_code(folder: Path) -> dict[str, Any]:
    """Return the commit and the differences from it; None without a checkout."""
    commit = _ask_git(folder, "rev-parse", "HEAD")
    if commit is None:
        return {"commit": None, "is_dirty": None, "diff_sha256": None}
    changes = _ask_git(folder, "status", "--porcelain") or ""
    difference = _ask_git(folder, "diff", "HEAD") or ""
    return {
        "commit": commit.strip(),
        "is_dirty": bool(changes.strip()),
        "diff_sha256": _digest_text(difference) if difference else None,
    }


def describe_browser() -> dict[str, str | None]:
    """Return the browser on this machine, and the version that it reports."""
    try:
        found = find_chromium(settings.BROWSER_EXECUTABLE or None)
    except HarnessBroken:
        found = None
    version = _run([found, "--version"]) if found else None
    return {"path": found, "version": version.strip() if version else None}


def digest_phase_weights(phase: Phase) -> dict[str, str | None]:
    """Return the digests of the weights that the phase begins with, by address.

    Raises:
        EndpointDown: The object store does not answer.
    """
    uris = (phase.policy_uri, phase.critic_uri, phase.orm_uri)
    return {uri: digest_weights(uri) for uri in uris}


def digest_weights(uri: str) -> str | None:
    """Return the weights' digest; None for served, missing or very large ones.

    Raises:
        EndpointDown: The object store does not answer.
    """
    try:
        is_small = measure_size(uri) <= HASHED_AT_ONCE
        return (read_digest(uri) or None) if is_small else None
    except EndpointDown:
        raise
    except CheckpointError:
        return None


def describe_sites(phase: Phase) -> dict[str, Any]:
    """Return addresses of external sites, and a digest of the sandbox's own code."""
    wanted = phase.run.config.get("curriculum", {}).get("sites", ())
    keys, instances = list_usable_sites(wanted), list_instances()
    sandbox = settings.BASE_DIR / "rollouts/sites"
    files = (path for path in sandbox.rglob("*") if path.suffix not in (".pyc", ""))
    return {
        "keys": keys,
        "elsewhere": {key: urls[1] for key, urls in instances.items() if key in keys},
        "instances": {
            key: list(urls.values())
            for key, urls in instances.items()
            if key in keys and len(urls) > 1
        },
        "sandbox_sha256": _digest_files(sandbox, files),
        "suites": _list_folders(settings.SUITES_DIR),
    }


def describe_tasks(phase: Phase) -> dict[str, Any]:
    """Return how many tasks are attempted and tested, and a digest of their texts."""
    attempted = phase.tasks.order_by("digest").values_list("digest", flat=True)
    tests = usable_tasks(phase.run, Task.Split.TEST).order_by("digest")
    tested = tests.values_list("digest", flat=True)
    return {
        "attempted": len(attempted),
        "attempted_sha256": _digest_text("\n".join(attempted)),
        "test": len(tested),
        "test_sha256": _digest_text("\n".join(tested)),
    }


def _ask_git(folder: Path, *words: str) -> str | None:
    return _run(["git", "-C", str(folder), *words])


def _run(command: list[str]) -> str | None:
    """Return what a program prints; None if it is missing or fails."""
    try:
        done = subprocess.run(  # noqa: S603  (a fixed list, no shell)
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROGRAM_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def _digest_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _digest_file(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _digest_files(folder: Path, files: Iterable[Path]) -> str:
    lines = [f"{path.relative_to(folder)} {_digest_file(path)}" for path in files]
    return _digest_text("\n".join(sorted(lines)))


def _list_folders(folder: Path) -> list[str]:
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path.name for path in found if path.is_dir())
