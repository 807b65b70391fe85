"""What leaves the lab for support holds no secret, wherever one was planted."""

from __future__ import annotations

import importlib.metadata
import json
import stat
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.factories import QueuedTrajectoryFactory
from tests.webrl_site.exports.test_full_disk import full_disk
from webrl_site.support.bundle import MAX_LINES, read_end
from webrl_site.support.scrubbing import MASK, Scrubber

pytestmark = pytest.mark.django_db
PLANTED = {
    "SECRET_KEY": "planted-secret-key-51",
    "OLD_SECRET_KEY": "planted-secret-key-50",
    "METRICS_TOKEN": "planted-metrics-token",
    "GENERATOR_API_KEY": "planted-generator-key",
    "JUDGE_API_KEY": "planted-judge-key",
    "POLICY_API_KEY": "planted-policy-key",
    "NOTICE_WEBHOOK_URL": "https://chat.example/hooks/planted-hook",
    "NOTICE_WEBHOOK_SECRET": "planted-hook-secret",
    "EMAIL_HOST_PASSWORD": 'planted"mail\\password',
    "DATABASE_URL": "postgresql://lab:planted%40base@db.example/webrl",
    "BROKER_URL": "redis://:planted-broker@10.0.0.5/0",
    "CHANNEL_URL": "redis://:planted-channel@10.0.0.5/1",
    "SITE_SIGN_INS": '{"gitlab": {"user": "robot", "password": "planted-sign-in"}}',
    "SITE_INTERFACES": '{"shop": {"token": "planted-interface"}}',
    "SITE_RESETS": '{"shop": {"url": "http://x/", "headers": {"A": "planted-reset"}}}',
}
# What else a log may hold that no setting names.
SEEN = (
    "GET /recorded/ab.html?key=planted-signature 200",
    "Authorization: Bearer planted.header-token",
    "Cookie: webrl_session=planted-session",
    "{'password': 'planted-form'}",
    "connect http://me:planted-userinfo@host/",
    "token wrl_planted_token",
    "told planted.person@lab.example",
    "WANDB planted-environment",
)


@pytest.fixture
def planted(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder whose log repeats every secret in several spellings."""
    for name, value in PLANTED.items():
        setattr(settings, name, value)
    monkeypatch.setenv("WANDB_API_KEY", "planted-environment")
    settings.DATA_DIR = tmp_path
    (tmp_path / "log").mkdir()
    lines = [f"it was {value!r} or {json.dumps(value)}" for value in PLANTED.values()]
    (tmp_path / "log" / "web.log").write_text("\n".join(["begun", *lines, *SEEN]))
    return tmp_path


def read(file: Path) -> dict[str, str]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_no_planted_secret_is_in_the_bundle(planted: Path):
    call_command("write_support", str(planted / "lab.zip"), verbosity=0)
    members = read(planted / "lab.zip")

    assert set(members) == {
        *("versions.json", "settings.json", "counts.json", "health.txt"),
        "log/web.log",
    }
    assert [name for name, text in members.items() if "planted" in text.lower()] == []
    assert members["log/web.log"].startswith("begun\n")
    assert members["log/web.log"].count(MASK) >= len(PLANTED) + len(SEEN)


def test_the_control_finds_the_secrets_in_the_log_itself(planted: Path):
    text = (planted / "log" / "web.log").read_text()

    assert text.count("planted") >= len(PLANTED) + len(SEEN)


def test_it_says_what_runs_here(planted: Path):
    QueuedTrajectoryFactory()
    call_command("write_support", str(planted / "lab.zip"), verbosity=0)
    members = read(planted / "lab.zip")

    packages = json.loads(members["versions.json"])["packages"]
    settings = json.loads(members["settings.json"])
    counts = json.loads(members["counts.json"])

    assert f"tokenizers {importlib.metadata.version('tokenizers')}" in packages
    assert settings["shown"]["LEASE_S"] == 6.0
    assert {"POLICY_API_KEY", "SITE_RESETS"} <= set(settings["set"])
    assert ["webrl_site.ApiToken", 0] in counts["tables"]
    assert counts["episodes"] == {"queued": 1}
    assert "Workers" in members["health.txt"]


def test_it_is_for_its_owner_alone_and_overwrites_nothing(planted: Path):
    file = planted / "lab.zip"
    call_command("write_support", str(file), verbosity=0)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(CommandError, match="File exists"):
        call_command("write_support", str(file), verbosity=0)


def test_a_full_disk_leaves_no_half_written_file(planted: Path):
    with full_disk(), pytest.raises(CommandError, match="cannot be written"):
        call_command("write_support", str(planted / "lab.zip"), verbosity=0)

    assert not (planted / "lab.zip").exists()


def test_only_the_end_of_a_log_is_read(tmp_path: Path):
    log = tmp_path / "web.log"
    log.write_text("".join(f"line {number}\n" for number in range(100_000)))

    lines = read_end(log).splitlines()

    assert (len(lines), lines[-1]) == (MAX_LINES, "line 99999")


def test_what_is_no_secret_stays_readable():
    scrubber = Scrubber(SimpleNamespace(SECRET_KEY="x" * 50), {"API_KEY": "short"})
    line = "INFO a short line: phase 7 at http://localhost:8000/phases/7/ in 12 s"

    assert scrubber.scrub(line) == line


@pytest.mark.parametrize("unit", ["a", "session", "://a", "wrl_", "?", "a.", "@a."])
def test_a_hostile_log_costs_no_more_than_its_length(unit: str):
    began = time.process_time()
    Scrubber(SimpleNamespace(), {}).scrub(unit * (200_000 // len(unit)))

    assert time.process_time() - began < 5
