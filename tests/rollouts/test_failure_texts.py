"""Why an episode was broken is stored in English and read in any language."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.utils import translation

from rollouts.failure_texts import FAILURES
from rollouts.services.takeover_worker import STOPPED
from rollouts.services.takeovers import LOST, NOBODY_CAME

RAISED = {"SiteBroken", "HarnessBroken", "NotRebuilt"}
FOLDERS = ("rollouts/browser", "rollouts/services", "rollouts/collection/batching.py")
TOLD = [
    *(STOPPED, LOST, NOBODY_CAME),
    "Its worker died 3 times.",
    "No step was finished in 120 seconds.",
    "The record of its steps has a gap.",
    "Signing in to shop failed: it answered 503.",
    "Signing in to shop failed: Timeout 1000ms exceeded.",
    "The page held 900 MiB of memory; an episode may hold 800 MiB.",
    "The sandbox did not open ['shop']: the sandbox does not answer: gone",
]


def list_raised() -> list[str]:
    """Return each sentence that the code raises as it stands there, places filled."""
    paths = [
        path for name in FOLDERS for path in [Path(name), *Path(name).rglob("*.py")]
    ]
    nodes = [
        node
        for path in paths
        if path.suffix == ".py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    ]
    texts = [
        _fill(node.args[0])
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in RAISED
        and node.args
    ]
    return sorted({text for text in texts if " " in text})


def _fill(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_fill(part) for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else "x7"


def test_the_code_is_found():
    assert "The page closed its last tab." in list_raised()


@pytest.mark.parametrize("language", ["es", "zh-hans"])
@pytest.mark.parametrize("reason", [*list_raised(), *TOLD])
def test_why_an_episode_was_broken_is_told_in_other_languages(
    reason: str, language: str
):
    if reason.startswith("Step "):
        reason = reason.replace("It x7.", "It reads differently.")
    with translation.override(language):
        said = FAILURES.read(reason)
    assert said.is_known
    assert said.text not in ("", reason)


@pytest.mark.parametrize("reason", TOLD)
def test_in_english_it_is_what_was_written(reason: str):
    assert FAILURES.say(reason) == reason


def test_a_sentence_within_a_sentence_is_told_too():
    with translation.override("es"):
        said = FAILURES.say(TOLD[-1])
    assert "el entorno aislado no responde: gone" in said


def test_a_browsers_own_words_stay():
    with translation.override("es"):
        said = FAILURES.read("net::ERR_FAILED at %(odd)s <b>")
    assert said.text == "net::ERR_FAILED at %(odd)s <b>"
    assert not said.is_known
