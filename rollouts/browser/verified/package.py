"""Runs the package webarena-verified in the Python that the operator installed it in.

It pins its dependencies to versions that differ from ours, so it has its own
environment. It runs once for each episode, without our environment variables, and is
killed when it takes too long: answers and requests come from an agent and from pages.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

from rollouts.browser.evaluators.types import shorten
from rollouts.browser.types import CheckResult
from rollouts.browser.verified.types import (
    NAME,
    PackageFailed,
    VerifiedCase,
)

SCRIPT = Path(__file__).with_name("script.py")
ANSWER_S = 90.0
MAX_TOLD_LENGTH = 300


class VerifiedPackage:
    """Satisfies `VerifiedScorer`."""

    def __init__(self, python: str, *, seconds: float = ANSWER_S) -> None:
        """`python` is the interpreter, `seconds` the longest wait for a result."""
        self._python = python
        self._seconds = seconds

    async def score(self, case: VerifiedCase) -> list[CheckResult]:
        """Return what the package says of each evaluator, in their order."""
        asked = {
            "task": case.task,
            "answer": case.answer,
            "origins": dict(case.origins),
            "requests": str(case.requests) if case.requests else None,
        }
        told = await self._run(json.dumps(asked).encode())
        try:
            return [_read(check) for check in json.loads(told)]
        except (ValueError, TypeError, KeyError, AttributeError):
            raise PackageFailed(f"unreadable: {told[:MAX_TOLD_LENGTH]!r}") from None

    async def _run(self, asked: bytes) -> bytes:
        process = await self._start()
        try:
            async with asyncio.timeout(self._seconds):
                told, errors = await process.communicate(asked)
        except TimeoutError:
            raise PackageFailed(f"no result after {self._seconds:g} s") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            last = errors.decode(errors="replace").strip().rpartition("\n")[2]
            raise PackageFailed(last[:MAX_TOLD_LENGTH])
        return told

    async def _start(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        command = (self._python, "-I", "-X", "utf8", str(SCRIPT))
        try:
            return await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, stderr=pipe, env=_environment()
            )
        except OSError as error:
            raise PackageFailed(str(error)) from None


def _environment() -> dict[str, str]:
    """Return an environment without our variables, which may hold secrets."""
    return {"PATH": os.defpath}


def _read(check: dict[str, Any]) -> CheckResult:
    return CheckResult(
        f"{NAME}.{check['name']}",
        bool(check["passed"]),
        shorten(str(check["expected"])),
        shorten(str(check["got"])),
        shorten(str(check["why"])),
    )
