"""S12: unsafe settings, and calls that run what they read."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from drills.outcome import Outcome
from scripts.workbench.paths import ROOT
from scripts.workbench.testing import DEPLOYED
from tests.test_architecture import find_forbidden, list_sources, parse

PUBLIC = "https://webrl.example.org"
STRONG = "only-for-this-drill-0123456789-abcdefghijklmnopqrstuvwxyz"
DEPLOYMENT = {
    "DASHBOARD_URL": PUBLIC,
    "REPLAY_ORIGIN": "https://replay.example.net",
    "SECRET_KEY": STRONG,
}
# Each is unsafe by itself, added to a deployment that would start.
UNSAFE: tuple[dict[str, str], ...] = (
    {"SECRET_KEY": ""},
    {"SECRET_KEY": "x"},
    {"SECRET_KEY": "x" * 60},
    {"SECRET_KEY": STRONG[:49]},
    {"SECRET_KEY": f"django-insecure-{STRONG}"},
    {"SECRET_KEY_FILE": "/nowhere/key"},
    {"WEBRL_DEBUG": "yes"},
    {"DASHBOARD_URL": "http://webrl.example.org"},
    {"REPLAY_ORIGIN": PUBLIC},
    {"REPLAY_ORIGIN": f"{PUBLIC}:8001"},
    {"TRACE_ORIGIN": f"{PUBLIC}:8002"},
    {"TRACE_ORIGIN": "https://replay.example.net"},
    {"ALLOWED_PRIVATE_HOSTS": "10.0.0.0/99"},
    {"POLICY_URL": "file:///etc/passwd"},
    {"LEASE_S": "0"},
)


def measure() -> Outcome:
    """Start with each combination; ask Django's own checks; search the source."""
    started = [str(change) for change in UNSAFE if _starts(DEPLOYMENT | change)]
    works = _starts(DEPLOYMENT)
    warnings = _check_deployment()
    found = {
        str(path.relative_to(ROOT)): calls
        for path in list_sources(".py")
        if (calls := find_forbidden(parse(path)))
    }
    text = (
        f"{len(UNSAFE) - len(started)} of {len(UNSAFE)} unsafe combinations refuse to "
        f"start, the safe one starts: {works}; deployment checks: "
        f"{warnings or 'no warning'}; {len(found)} files with forbidden calls"
    )
    ok = works and not (started or warnings or found)
    return Outcome(text, ok, "; ".join([*started, *found][:3]))


def _starts(variables: dict[str, str]) -> bool:
    return _run({}, variables, "-c", "import webrl_site.settings") == ""


def _check_deployment() -> str:
    variables = dict(pair.split("=", 1) for pair in DEPLOYED)
    words = ("check", "--fail-level", "WARNING", "--deploy", "--tag", "security")
    django = {"DJANGO_SETTINGS_MODULE": "webrl_site.settings"}
    return _run(django, variables, "manage.py", *words)


def _run(more: dict[str, str], variables: dict[str, str], *words: str) -> str:
    """Return the last line of a failed process's output; "" if it did not fail."""
    with tempfile.TemporaryDirectory() as folder:
        env = {"PATH": os.environ["PATH"], "WEBRL_DATA_DIR": folder}
        done = subprocess.run(
            [sys.executable, *words],
            cwd=ROOT,
            env=env | more | variables,
            capture_output=True,
            text=True,
            check=False,
        )
    if not done.returncode:
        return ""
    return (done.stderr.strip().splitlines() or ["?"])[-1]
