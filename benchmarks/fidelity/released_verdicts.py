"""WebRL's question to its reward model, written by the released code itself.

`scripts/process_data.py` imports the whole training; the two functions that make the
question are extracted from it and run with a tokenizer that records its input.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SOURCE = Path("WebRL/scripts/process_data.py")
FUNCTIONS = ("build_rm_data", "add_overall_reward")


class _Asked(Exception):
    """Raised with the text as soon as it is known, since there is no model."""


class _Tokenizer:
    def convert_tokens_to_ids(self, word: str) -> int:
        return len(word)

    def encode(self, text: str, **options: object) -> None:
        raise _Asked(text)


class ReleasedVerdicts:
    """Calls the released functions with an episode in a file, as they require."""

    def __init__(self, originals: Path) -> None:
        """`originals` holds a checkout of WebRL."""
        tree = ast.parse((originals / SOURCE).read_text(encoding="utf-8"))
        wanted = [
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name in FUNCTIONS
        ]
        self._released = _load(ast.unparse(ast.Module(list(wanted), [])))

    def ask(self, instruction: str, outputs: Sequence[str], page: str) -> str:
        """Return the text whose next token is the verdict."""
        rows = [
            {"target": instruction, "html": page, "fixed_response": one, "score": 1.0}
            for one in outputs
        ]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "fixed_traces").mkdir()
            lines = "\n".join(map(json.dumps, rows))
            (folder / "fixed_traces" / "1.jsonl").write_text(lines)
            with contextlib.redirect_stdout(io.StringIO()):
                self._released.build_rm_data(name, str(folder / "rows.json"))
            (row,) = json.loads((folder / "rows.json").read_text())
        try:
            self._released.add_overall_reward(row, None, _Tokenizer())
        except _Asked as asked:
            return str(asked)
        raise AssertionError("The released code asked nothing.")


def _load(source: str) -> Any:
    """Load the functions, with those imports of their module that they need."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "released_verdicts.py"
        path.write_text(source, encoding="utf-8")
        known = importlib.util.spec_from_file_location("released_verdicts", path)
        if known is None or known.loader is None:
            raise FileNotFoundError(path)
        module: Any = importlib.util.module_from_spec(known)
        known.loader.exec_module(module)
    module.os, module.json = os, json
    module.tqdm, module.read_jsonl = (lambda items, **options: items), _read_lines
    return module


def _read_lines(path: str) -> list[Any]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]
