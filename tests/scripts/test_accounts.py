"""What `up` and `demo` say of accounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.workbench import up


@pytest.fixture
def accounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "accounts.txt"
    monkeypatch.setattr(up, "ACCOUNTS", file)
    monkeypatch.setattr(up, "LOG_DIR", tmp_path)
    return file


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that preparing runs."""
    found: list[str] = []
    monkeypatch.setattr(up, "run", lambda title, command, **_: found.append(command[2]))
    return found


def test_a_journal_never_gets_a_password(accounts: Path) -> None:
    accounts.write_text("admin s3cret-word\n")

    [line] = up.describe_accounts(is_terminal=False)

    assert "s3cret-word" not in line
    assert str(accounts) in line


def test_a_terminal_gets_the_passwords(accounts: Path) -> None:
    accounts.write_text("admin s3cret-word\n")

    assert up.describe_accounts(is_terminal=True) == [
        "sign in as admin       password s3cret-word"
    ]


def test_without_accounts_the_way_to_one_is_told(accounts: Path) -> None:
    (accounts.parent / "create_roles.log").write_text("Nobody can sign in yet.\n")

    assert up.describe_accounts(is_terminal=True) == ["Nobody can sign in yet."]


def test_up_makes_no_account(steps: list[str]) -> None:
    up.prepare("")

    assert steps == ["check_database", "migrate", "load_sandbox", "create_roles"]


def test_the_demo_makes_accounts_last(steps: list[str]) -> None:
    up.prepare("", up.DEMO_ACCOUNTS)

    assert steps[-1] == "create_demo_accounts"
