"""Whatever breaks an episode in our own words has a code."""

from __future__ import annotations

import ast
from pathlib import Path

from curriculum.texts.sentences.episodes import EPISODES

RAISED = {"SiteBroken", "HarnessBroken", "NotRebuilt", "SandboxError"}
FOLDERS = (Path("rollouts/browser"), Path("rollouts/services"), Path("rollouts"))


def list_calls() -> list[ast.Call]:
    paths = sorted({path for folder in FOLDERS for path in folder.rglob("*.py")})
    return [
        node
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]


CALLS = list_calls()


def name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def test_no_error_is_raised_with_a_sentence_without_a_code():
    bare = [
        ast.unparse(call)
        for call in CALLS
        if name_of(call) in RAISED
        and call.args
        and isinstance(call.args[0], ast.Constant | ast.JoinedStr)
    ]

    # What the sandbox answered is another program's text.
    assert bare == ["SandboxError(f'{method} {path}: {response.text}')"]


def test_each_sentence_of_broken_episodes_is_used():
    used = {
        call.args[0].value
        for call in CALLS
        if name_of(call) == "Sentence" and isinstance(call.args[0], ast.Constant)
    }

    assert set(EPISODES) <= used
