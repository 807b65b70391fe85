"""Scores endings twice: by our script, and by the package's own entry point.

Run by the Python that has the package: `original.py SCRIPT CASES`. Writes one JSON
object a line, with both outcomes.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main(script: str, cases: str) -> None:
    """Compare each case of the file."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    score = _load(script)
    entry_point: Any = None
    for line in Path(cases).read_text("utf-8").splitlines():
        case = json.loads(line)
        entry_point = entry_point or _open(case["origins"])
        theirs = _ask_original(entry_point, case["theirs"])
        both = {"theirs": theirs, "ours": _ask_ours(score, case["ours"])}
        output.write(json.dumps({"case": case["theirs"], **both}) + "\n")
    output.close()


def _load(script: str) -> Callable[[dict[str, Any]], list[dict[str, Any]]]:
    spec = importlib.util.spec_from_file_location("script", script)
    if spec is None or spec.loader is None:
        raise ImportError(script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.score  # type: ignore[no-any-return]


def _open(origins: dict[str, str]) -> Any:
    from webarena_verified.api import WebArenaVerified  # type: ignore[import-not-found]
    from webarena_verified.types.config import WebArenaVerifiedConfig  # type: ignore[import-not-found]

    sites = {site: {"urls": [url]} for site, url in origins.items()}
    return WebArenaVerified(config=WebArenaVerifiedConfig(environments=sites))


def _ask_original(entry_point: Any, given: dict[str, Any]) -> str:
    result = entry_point.evaluate_task(
        task_id=given["task_id"],
        agent_response=given["answer"],
        network_trace=Path(given["requests"]),
    )
    return "success" if result.score == 1.0 else "failure"


def _ask_ours(
    score: Callable[[dict[str, Any]], list[dict[str, Any]]], asked: dict[str, Any]
) -> str:
    try:
        checks = score(asked)
    except Exception as error:  # noqa: BLE001 (an episode would stay undecided)
        return f"undecided: {error}"
    return "success" if all(check["passed"] for check in checks) else "failure"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
