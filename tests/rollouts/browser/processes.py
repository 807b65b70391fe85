"""What tests ask of processes."""

from __future__ import annotations

import asyncio
from pathlib import Path


def is_running(pid: int) -> bool:
    """Whether a process exists and has not ended, waited for or not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def wait_until_gone(*pids: int, within_s: float = 5.0) -> None:
    async with asyncio.timeout(within_s):
        while any(map(is_running, pids)):
            await asyncio.sleep(0.02)
