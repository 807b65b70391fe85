"""Scores one episode with webarena-verified; run by the Python that has the package.

Reads a JSON object from standard input and writes a JSON list of checks. Imports
nothing of the workbench: that Python does not have it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

ANSWER = "AgentResponseEvaluator"


def main() -> None:
    """Read, score, write; any failure ends with an error."""
    output = os.dup(1)
    # The package's log output must not be in the result.
    os.dup2(2, 1)
    checks = score(json.load(sys.stdin))
    with os.fdopen(output, "w") as stream:
        json.dump(checks, stream)


def score(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Return name, passed, expected, got and why of each evaluator."""
    from webarena_verified.api.internal.evaluator import (  # type: ignore[import-not-found]
        WebArenaVerifiedEvaluator,
    )
    from webarena_verified.types.config import WebArenaVerifiedConfig  # type: ignore[import-not-found]
    from webarena_verified.types.eval import TaskEvalContext  # type: ignore[import-not-found]
    from webarena_verified.types.task import WebArenaVerifiedTask  # type: ignore[import-not-found]

    task = dict(asked["task"])
    if asked["requests"] is None:
        task["eval"] = [one for one in task["eval"] if one["evaluator"] == ANSWER]
    origins = {site: {"urls": [url]} for site, url in asked["origins"].items()}
    config = WebArenaVerifiedConfig(environments=origins)
    context = TaskEvalContext(
        task=WebArenaVerifiedTask.model_validate(task),
        agent_response_raw=asked["answer"],
        network_trace=_read_requests(asked["requests"]),
        config=config,
    )
    evaluator = WebArenaVerifiedEvaluator(config=config, reader=None)
    result = evaluator.evaluate_task(context=context)
    if len(result.evaluators_results) != len(task["eval"]):
        raise RuntimeError(result.error_msg or "not every evaluator gave a result")
    return [_tell(one) for one in result.evaluators_results]


def _read_requests(file: str | None) -> Any:
    from webarena_verified.types.tracing import (  # type: ignore[import-not-found]
        NetworkTrace,
    )

    recorded = json.loads(Path(file).read_text()) if file else {"log": {"entries": []}}
    entries = recorded["log"]["entries"]
    if entries:
        return NetworkTrace.from_content(entries)
    return NetworkTrace.model_construct(
        is_playwright=False, src_file=Path("none"), events=()
    )


def _tell(result: Any) -> dict[str, Any]:
    """An evaluator that stopped with an error scores 0, as published."""
    told = [message for one in result.assertions or () for message in _messages(one)]
    shown = result.model_dump(mode="json")
    return {
        "name": result.evaluator_name,
        "passed": result.score == 1.0,
        "expected": json.dumps(shown["expected"], ensure_ascii=False),
        "got": json.dumps(shown["actual_normalized"], ensure_ascii=False),
        "why": " ".join([*told, result.error_msg or ""]).strip(),
    }


def _messages(assertion: Any) -> tuple[str, ...]:
    return assertion.assertion_msgs or (assertion.assertion_name,)


if __name__ == "__main__":
    main()
