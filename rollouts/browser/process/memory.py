"""How much memory a browser's processes use, read from /proc."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

PROC = Path("/proc")
# Fields of /proc/<pid>/status. Mapped files, such as the program, are shared by all
# processes and left out.
COUNTED = frozenset({"RssAnon", "RssShmem", "VmSwap"})
RENDERER = b"--type=renderer"
KIB_PER_MIB = 1024


@dataclasses.dataclass(frozen=True, slots=True)
class ProcessMemory:
    """One process's memory in MiB; pages run in renderers."""

    pid: int
    mib: float
    is_renderer: bool


def can_measure(proc: Path = PROC) -> bool:
    """Whether this system reports the memory of processes."""
    return (proc / "self" / "status").exists()


def measure_tree(root: int, proc: Path = PROC) -> list[ProcessMemory]:
    """Measure a process and all its descendants; those that have ended are left out."""
    children = _list_children(proc)
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        waiting += children.get(pid, ())
        memory = _measure(pid, proc)
        if memory is not None:
            found.append(memory)
    return found


def _list_children(proc: Path) -> Mapping[int, list[int]]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    for folder in proc.iterdir():
        if folder.name.isdecimal():
            try:
                # The name in brackets may contain anything, even brackets.
                rest = (folder / "stat").read_text("utf-8", "replace").rpartition(")")
                children[int(rest[2].split()[1])].append(int(folder.name))
            except (OSError, IndexError, ValueError):
                continue
    return children


def _measure(pid: int, proc: Path) -> ProcessMemory | None:
    folder = proc / str(pid)
    try:
        status = (folder / "status").read_text("utf-8", "replace")
        command = (folder / "cmdline").read_bytes()
    except OSError:
        return None
    kib = 0
    for line in status.splitlines():
        name, _, value = line.partition(":")
        if name in COUNTED:
            kib += int(value.split()[0])
    return ProcessMemory(pid, kib / KIB_PER_MIB, RENDERER in command)
