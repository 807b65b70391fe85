"""A file for people who help the operator: what runs here, without secrets.

- versions.json: Python, the system, the database, packages
- settings.json: settings without secrets; of others, whether they are set
- health.txt: the health card's lines, and Django's checks of the deployment
- counts.json: rows by table, phases and episodes by state
- log/*.log: the last lines of each process
"""

from __future__ import annotations

import importlib.metadata
import io
import json
import os
import platform
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection

from curriculum.errors import WorkbenchError
from curriculum.models import Phase
from rollouts.models import Trajectory
from webrl_site.server.health import check_health
from webrl_site.support.scrubbing import (
    ADDRESSES,
    DOCUMENTS,
    SECRETS,
    Scrubber,
    open_scrubber,
)

MAX_LINES = 300
MAX_LOG_BYTES = 256 * 1024
APPS = ("curriculum", "rollouts", "training", "webrl_site")
# Numbers, flags and addresses without a name or password; nothing else is included.
SHOWN = (
    *("DASHBOARD_URL", "REPLAY_ORIGIN", "TRACE_ORIGIN", "SANDBOX_CONTROL_URL"),
    *("DEBUG", "BEHIND_PROXY", "IS_LOCAL", "IS_SECURE", "LANGUAGE_CODE"),
    *("ROLLOUT_WORKERS", "TRAINING_THREADS", "WEB_PROCESSES"),
    *("WEB_THREADS", "LEASE_S"),
    *("STUCK_AFTER_S", "TAKEOVER_IDLE_S", "REVIEW_LEASE_S", "MIN_FREE_MIB"),
    *("BROWSER_EXECUTABLE", "BROWSER_MEMORY_MIB", "EPISODE_MEMORY_MIB"),
    *("TRACE_MIB", "TRACE_DAYS", "TRACE_GIB", "SCREENSHOT_DAYS", "SCREENSHOT_GIB"),
    *("PAGE_DAYS", "PAGE_GIB", "SITE_CLOSES_AFTER", "SITE_PAUSE_S"),
    *("ROLLOUT_POLICY", "REWARD_MODEL", "VALUE_ESTIMATOR", "PHASE_TRAINER"),
    "OBJECT_STORE",
    *("TASK_GENERATOR", "EPISODE_COLLECTOR", "GENERATOR_URL", "GENERATOR_MODEL"),
    *("JUDGE_URL", "JUDGE_MODEL", "JUDGE_PROMPTS", "POLICY_URL"),
)
HIDDEN = (*SECRETS, *ADDRESSES, *DOCUMENTS, "NOTICE_EMAIL_TO", "EMAIL_HOST")


class SupportError(WorkbenchError):
    """The file cannot be written."""


def write_bundle(file: Path) -> list[str]:
    """Write the bundle to a new file, readable only by its owner; return its members.

    Raises:
        SupportError: The file exists or cannot be written.
    """
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as output:
                return _write_members(output)
        except BaseException:
            file.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise SupportError(f"{file} cannot be written: {error.strerror}.") from None


def _write_members(output: IO[bytes]) -> list[str]:
    scrubber = open_scrubber()
    names = []
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _members(scrubber):
            archive.writestr(name, text)
            names.append(name)
    return names


def _members(scrubber: Scrubber) -> Iterator[tuple[str, str]]:
    """Yield names and texts; all texts have been scrubbed."""
    described = {
        "versions.json": describe_versions,
        "settings.json": describe_settings,
        "counts.json": count_rows,
    }
    for name, describe in described.items():
        yield name, scrubber.scrub(json.dumps(describe(), indent=1, default=str))
    yield "health.txt", scrubber.scrub(describe_health())
    for log in sorted((Path(settings.DATA_DIR) / "log").glob("*.log")):
        yield f"log/{log.name}", scrubber.scrub(read_end(log))


def describe_versions() -> dict[str, Any]:
    """Return the versions of what runs here."""
    packages = importlib.metadata.distributions()
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "database": connection.vendor,
        "packages": sorted(f"{found.name} {found.version}" for found in packages),
    }


def describe_settings() -> dict[str, Any]:
    """Return what may be shown; of all others, the names of those that are set."""
    return {
        "shown": {name: getattr(settings, name, None) for name in SHOWN},
        "set": [name for name in HIDDEN if getattr(settings, name, "")],
    }


def describe_health() -> str:
    """Return the health card's lines and Django's checks of the deployment."""
    try:
        lines = [f"{one.state:<5} {one.name}: {one.text}" for one in check_health()]
    except DatabaseError as error:
        lines = [f"The database does not answer: {type(error).__name__}"]
    told = io.StringIO()
    call_command("check", deploy=True, stdout=told, stderr=told)
    return "\n".join([*lines, "", told.getvalue()])


def count_rows() -> dict[str, Any]:
    """Count rows by table, phases and episodes by state."""
    try:
        tables = [
            (model._meta.label, model._default_manager.count())
            for app in APPS
            for model in apps.get_app_config(app).get_models()
        ]
        phases = Counter(Phase.objects.values_list("status", flat=True))
        episodes = Counter(Trajectory.objects.values_list("status", flat=True))
    except DatabaseError as error:
        return {"error": type(error).__name__}
    return {"tables": tables, "phases": phases, "episodes": episodes}


def read_end(log: Path) -> str:
    """Return a log's last lines; a first one that was cut is left out."""
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - MAX_LOG_BYTES))
        text = file.read().decode(errors="replace")
    lines = text.splitlines()[1 if size > MAX_LOG_BYTES else 0 :]
    return "\n".join(lines[-MAX_LINES:]) + "\n"
