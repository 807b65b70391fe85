"""The settings as a process reads them: defaults that work, combinations refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
STRONG_KEY = "only-for-this-test-0123456789-abcdefghijklmnopqrstuvwxyz"
NO_ZONE = "TIME_ZONE must be a time zone like Europe/Madrid, not '%s'."
NO_DATABASE = (
    "DATABASE_URL must be an address like postgres://user:password@host:5432/name or "
    "sqlite:////folder/file."
)
NO_DATABASES = ("foo://bar", "postgres://ann:s3cret@host:port/webrl", "postgres://[x")
SHOW = """
import json
from webrl_site import settings as s
print(json.dumps({
    "engine": s.DATABASES["default"]["ENGINE"],
    "options": s.DATABASES["default"].get("OPTIONS", {}),
    "layer": s.CHANNEL_LAYERS["default"]["BACKEND"],
    "broker": s.BROKER_URL,
    "key": s.SECRET_KEY,
    "old_keys": s.SECRET_KEY_FALLBACKS,
    "secure": s.SESSION_COOKIE_SECURE,
    "hosts": s.ALLOWED_HOSTS,
}))
"""


def read(tmp_path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "WEBRL_DATA_DIR": str(tmp_path), **variables}
    return subprocess.run(
        [sys.executable, "-c", SHOW],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def show(tmp_path: Path, **variables: str) -> dict[str, Any]:
    done = read(tmp_path, **variables)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_with_nothing_set_everything_is_embedded(tmp_path: Path) -> None:
    found = show(tmp_path)

    assert found["engine"] == "webrl_site.sqlite"
    assert found["options"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in found["options"]["init_command"]
    assert "synchronous=FULL" in found["options"]["init_command"]
    assert found["broker"].startswith("files:")
    assert "InMemory" in found["layer"]
    assert found["key"] == show(tmp_path)["key"]


def test_one_setting_each_moves_it_to_servers(tmp_path: Path) -> None:
    found = show(
        tmp_path,
        DATABASE_URL="postgresql://u:p@db/webrl",
        BROKER_URL="redis://r/0",
        CHANNEL_URL="redis://r/1",
        DASHBOARD_URL="https://webrl.example.org",
        REPLAY_ORIGIN="https://replay.example.org",
        SECRET_KEY=STRONG_KEY,
    )

    assert found["engine"].endswith("postgresql")
    assert found["broker"] == "redis://r/0"
    assert "Redis" in found["layer"]
    assert found["secure"] is True
    assert found["hosts"] == ["webrl.example.org", "replay.example.org"]


def test_what_the_old_key_signed_stays_valid_while_it_is_set(tmp_path: Path) -> None:
    assert show(tmp_path)["old_keys"] == []
    assert show(tmp_path, OLD_SECRET_KEY=STRONG_KEY)["old_keys"] == [STRONG_KEY]


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        ({"DASHBOARD_URL": "https://webrl.example.org"}, "SECRET_KEY"),
        (
            {
                "DASHBOARD_URL": "https://webrl.example.org",
                "SECRET_KEY": STRONG_KEY,
                "WEBRL_DEBUG": "1",
            },
            "WEBRL_DEBUG",
        ),
        *(
            ({"DASHBOARD_URL": "https://webrl.example.org", "SECRET_KEY": key}, "guess")
            for key in ("x", "x" * 60, STRONG_KEY[:49], f"django-insecure-{STRONG_KEY}")
        ),
        (
            {
                "DASHBOARD_URL": "https://webrl.example.org",
                "SECRET_KEY": STRONG_KEY,
                "OLD_SECRET_KEY": "x",
            },
            "guess",
        ),
        (
            {"DASHBOARD_URL": "http://webrl.example.org", "SECRET_KEY": STRONG_KEY},
            "https",
        ),
        ({"REPLAY_ORIGIN": "http://localhost:8000"}, "REPLAY_ORIGIN"),
        ({"REPLAY_ORIGIN": "http://localhost:8001"}, "REPLAY_ORIGIN"),
        ({"LEASE_S": "0"}, "LEASE_S"),
        ({"ROLLOUT_WORKERS": "many"}, "ROLLOUT_WORKERS"),
        ({"DASHBOARD_URL": "nonsense"}, "DASHBOARD_URL must be an http(s) address"),
        ({"NOTICE_WEBHOOK_URL": "foo"}, "NOTICE_WEBHOOK_URL"),
        ({"NOTICE_EMAIL_TO": "a@b.org, notanaddress"}, "not 'notanaddress'"),
        ({"SITE_RESETS": "{bad"}, "SITE_RESETS must be JSON"),
        (
            {"SITE_RESETS": '{"forum": {"command": ["true"]}}'},
            "SITE_RESETS: forum: needs healthy, an address or a command.",
        ),
        ({"SITE_HOSTS": '{"map": ["http://*"]}'}, "SITE_HOSTS: map: must be a list"),
        ({"SITE_SIGN_INS": "[]"}, "SITE_SIGN_INS must be an object"),
        ({"LOG_LEVEL": "chatty"}, "DEBUG, INFO, WARNING, ERROR, CRITICAL, not 'chat"),
    ],
)
def test_an_unsafe_or_senseless_combination_refuses_to_start(
    tmp_path: Path, variables: dict[str, str], text: str
) -> None:
    done = read(tmp_path, **variables)

    assert done.returncode != 0
    assert text in done.stderr


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("TRACE_DAYS", "abc", "TRACE_DAYS must be a whole number, not 'abc'."),
        (
            "SITE_RESETS",
            '{"forum": {"command": "s3cret", "healthy": "http://x/"}}',
            "SITE_RESETS: forum: command must be a list of texts, program first.",
        ),
        *(("TIME_ZONE", zone, NO_ZONE % zone) for zone in ("Mars/Base", "/etc")),
        *(("DATABASE_URL", url, NO_DATABASE) for url in NO_DATABASES),
    ],
)
def test_a_mistake_in_a_variable_ends_a_command_with_one_line(
    name: str, value: str, line: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "list_sites"],
        env={
            "PATH": os.environ["PATH"],
            "WEBRL_DATA_DIR": str(tmp_path),
            name: value,
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.splitlines() == [f"{line} See docs/configuration.md."]


def test_a_database_that_nobody_prepared_is_told_in_one_line(tmp_path: Path):
    env = {**os.environ, "WEBRL_DATA_DIR": str(tmp_path)}
    env.pop("DATABASE_URL", None)
    env["DJANGO_SETTINGS_MODULE"] = "webrl_site.settings"

    done = subprocess.run(
        [sys.executable, "manage.py", "list_runs"],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "The database is empty or older than this version: `./webrl up` prepares it, "
        "and so does `./webrl manage migrate`."
    ]
