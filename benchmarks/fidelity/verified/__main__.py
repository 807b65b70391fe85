"""Compare with WebArena-Verified: `python -m benchmarks.fidelity.verified ...`.

    python -m benchmarks.fidelity.verified ORIGINALS --python PYTHON [--each 8]

ORIGINALS holds `webarena-verified`, PYTHON is the interpreter that has its package.
Every task goes the way of an import and an episode's end here; what reaches the
package is compared with what its own entry point says of the same answer and the same
requests. Docs: docs/fidelity.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.fidelity.verified.inputs import ORIGINS, draw_endings
from curriculum.task_files.reading import read_bytes
from curriculum.task_files.suites import WEBARENA_VERIFIED, complete, recognise
from rollouts.browser.evaluators import Ending, evaluate
from rollouts.browser.hosting.hosts import OpenSites, locate_task
from rollouts.browser.types import CheckResult, TaskSpec
from rollouts.browser.verified.types import VerifiedCase, wants_requests

TASKS = Path("webarena-verified/assets/dataset/webarena-verified.json")
SCRIPT = Path("rollouts/browser/verified/script.py")
ORIGINAL = Path(__file__).with_name("original.py")
MAX_SHOWN = 20


class _Keeper:
    """Satisfies `VerifiedScorer`: records the package's input."""

    def __init__(self) -> None:
        self.case: VerifiedCase | None = None

    async def score(self, case: VerifiedCase) -> list[CheckResult]:
        self.case = case
        return []


class _NoPages:
    """Satisfies `PageReader`: these tasks read no pages."""

    async def read(self, *given: object, wait_ms: int = 0) -> str:
        raise AssertionError(given)


def main(arguments: list[str]) -> int:
    """Compare, print counts and differences; return 1 if there are differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("originals", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--each", type=int, default=8, help="endings of each task")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    specs = _import_tasks(given.originals / TASKS)
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "asked.jsonl"
        with asked.open("w", encoding="utf-8") as stream:
            for one in _make_cases(specs, given.each, given.seed, Path(folder)):
                stream.write(json.dumps(one) + "\n")
        command = [given.python, str(ORIGINAL), str(SCRIPT), str(asked)]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return _report([json.loads(line) for line in told.decode().splitlines()])


def _import_tasks(file: Path) -> list[TaskSpec]:
    entries = read_bytes(file.read_bytes(), file.name)
    if recognise(entries) is not WEBARENA_VERIFIED:
        raise SystemExit(f"{file} is not recognised as WebArena-Verified's tasks.")
    completed, _ = complete(entries, WEBARENA_VERIFIED)
    return [_as_spec(entry.item) for entry in completed]


def _as_spec(item: dict[str, Any]) -> TaskSpec:
    sites = tuple(item["sites"])
    return TaskSpec(item["task_id"], item["intent"], item["start_url"], sites, item)


def _make_cases(
    specs: list[TaskSpec], each: int, seed: int, folder: Path
) -> list[dict[str, Any]]:
    cases = []
    for spec in specs:
        origins = {site: ORIGINS[site] for site in spec.sites}
        located = locate_task(spec, OpenSites("", origins))
        published = spec.spec["eval"]["published"]
        for number, (answer, entries) in enumerate(draw_endings(published, each, seed)):
            log = folder / f"{spec.task_id}-{number}.har"
            log.write_text(json.dumps({"log": {"entries": entries}}), "utf-8")
            case = asyncio.run(_end(located, answer, origins, log))
            cases.append(_write(spec, answer, log, case))
    return cases


async def _end(
    located: TaskSpec, answer: str | None, origins: dict[str, str], log: Path
) -> VerifiedCase:
    """End an episode here; requests are passed if the task needs them."""
    ending = Ending(
        answer or "",
        "",
        has_exited=answer is not None,
        origins=origins,
        requests=log if wants_requests(located.spec) else None,
    )
    keeper = _Keeper()
    await evaluate(located.spec, ending, _NoPages(), verified=keeper)
    if keeper.case is None:
        raise RuntimeError("The evaluators did not ask the package.")
    return keeper.case


def _write(
    spec: TaskSpec, answer: str | None, log: Path, case: VerifiedCase
) -> dict[str, Any]:
    ours = {
        "task": case.task,
        "answer": case.answer,
        "origins": dict(case.origins),
        "requests": str(case.requests) if case.requests else None,
    }
    theirs = {"task_id": spec.task_id, "answer": answer, "requests": str(log)}
    return {"ours": ours, "theirs": theirs, "origins": ORIGINS}


def _report(results: list[dict[str, Any]]) -> int:
    counts = Counter((one["theirs"], one["ours"]) for one in results)
    for (theirs, ours), count in sorted(counts.items(), key=str):
        print(f"{count} original {theirs}, ours {ours}")
    different = [one for one in results if one["theirs"] != one["ours"]]
    for one in different[:MAX_SHOWN]:
        print(f"    {one}")
    share = 100 * (1 - len(different) / max(len(results), 1))
    print(f"{len(results)} episodes, agreement {share:.2f} %")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
