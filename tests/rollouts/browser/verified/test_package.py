from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rollouts.browser.types import CheckResult
from rollouts.browser.verified.package import VerifiedPackage
from rollouts.browser.verified.types import PackageFailed, VerifiedCase
from tests.rollouts.browser.verified.helpers import published

CASE = VerifiedCase(published(), "{}", {"shop": "http://shop.test"}, None)
ECHO = """
asked = json.load(sys.stdin)
told = [asked["task"]["task_id"], asked["answer"], asked["origins"], asked["requests"]]
check = {"name": "A", "passed": True, "expected": told, "got": 2, "why": "x"}
print(json.dumps([check]))
"""


@pytest.fixture
def python(tmp_path: Path):
    """Write an interpreter that runs this instead of the script it is given."""

    def write(text: str) -> str:
        path = tmp_path / "python"
        head = f"#!{sys.executable}\nimport json, os, sys, time\n"
        path.write_text(head + text, "utf-8")
        path.chmod(0o700)
        return str(path)

    return write


async def test_the_package_is_given_the_episode_and_its_checks_are_read(python):
    (check,) = await VerifiedPackage(python(ECHO)).score(CASE)
    expected = "[7, '{}', {'shop': 'http://shop.test'}, None]"
    assert check == CheckResult("webarena_verified.A", True, expected, "2", "x")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sys.exit('no module named webarena_verified')", "no module named"),
        ("print('hm')", "unreadable"),
        ("print('[{}]')", "unreadable"),
    ],
)
async def test_a_package_that_gives_no_result_says_why(python, text, told):
    with pytest.raises(PackageFailed, match=told):
        await VerifiedPackage(python(text)).score(CASE)


async def test_a_package_that_takes_too_long_is_ended(python):
    with pytest.raises(PackageFailed, match=r"no result after 0\.1 s"):
        await VerifiedPackage(python("time.sleep(60)"), seconds=0.1).score(CASE)


async def test_a_python_that_is_not_there_is_named():
    with pytest.raises(PackageFailed, match="/nowhere/python"):
        await VerifiedPackage("/nowhere/python").score(CASE)


async def test_the_package_gets_none_of_our_secrets(python, monkeypatch):
    monkeypatch.setenv("JUDGE_API_KEY", "secret")
    package = VerifiedPackage(python("sys.exit(str('JUDGE_API_KEY' in os.environ))"))
    with pytest.raises(PackageFailed, match="False"):
        await package.score(CASE)
