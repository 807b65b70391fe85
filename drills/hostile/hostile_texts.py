"""S8: hostile texts of models, task files and archives, read by our parsers.

An audit hook of the interpreter sees everything that would run code: eval, exec,
pickle, a process, a library loaded by name.
"""

from __future__ import annotations

import contextlib
import io
import random
import statistics
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from curriculum.errors import TaskImportError
from curriculum.models import Site
from curriculum.services import import_tasks, read_task_file
from drills.outcome import Outcome
from rollouts.browser.actions.dialects import DIALECTS
from scripts.workbench.install.wheel import Wheel, unpack
from tests.curriculum.test_fuzzed_task_files import LINES, LIST, TABLE, break_file
from webrl_site.backup.archive import BackupError
from webrl_site.backup.archive import unpack as unpack_backup

OUTPUTS, FILES, ARCHIVES = 10_000, 1000, 200
MAX_P99_MS = 1.0
# Names of Python's audit events: nothing here is called. Compiling is how BrowserGym's
# dialect is read; only running what was compiled counts.
RUNS_CODE = ("exec", "pickle.find_class", "os.system", "subprocess.Popen", "os.exec")
HOOK: dict[str, Any] = {"is_on": False, "seen": []}
MARKS = ("'", '"', "(", ")", "\\", "\n", "=")
# Texts that the parsers read; the drill shows that none of them is run.
SEEDS = (
    'do(action="Click", element="12")',
    'do(action="Type", argument="mug", element="3")',
    'exit(message="12.50")',
    "# Note: done\nexit()",
    "click('12')",
    "fill('3', 'mug')",
    "__import__('os').system('id')",
    "do(action=__import__('os').system('id'), element='1')",
    "exec(\"import os; os.system('id')\")",
    "lambda: (yield)",
    "f'{open(1)}'",
    "do(action='Click', element=10**10**10)",
    "[" * 500,
    "do(" * 300,
    "\x00\ud800 ' \" \\",
    "send_msg_to_user('" + "x" * 20_000 + "')",
)


def measure() -> Outcome:
    """Parse fuzzed texts while the hook listens."""
    # Imported beforehand: an import while the hook listens would count as running code.
    _try_all()
    sys.addaudithook(_listen)
    HOOK["is_on"] = True
    try:
        slow, faults = _try_all()
    finally:
        HOOK["is_on"] = False
    ran = HOOK["seen"]
    text = (
        f"{OUTPUTS} outputs in {len(DIALECTS)} dialects (p99 {slow:.2f} ms of the "
        f"processor), {FILES} task files, {ARCHIVES} archives: {len(faults)} "
        f"unexpected errors, {len(ran)} runs of code"
    )
    wrong = [*faults, *ran]
    return Outcome(text, not wrong and slow < MAX_P99_MS, "; ".join(wrong[:3]))


def _try_all() -> tuple[float, list[str]]:
    """Return the 99th percentile of outputs in ms, and what was raised anywhere."""
    draw = random.Random(8)
    slow, raised = _parse_outputs(draw)
    return slow, [*raised, *_import_files(draw), *_unpack_archives(draw)]


def _listen(event: str, arguments: Any) -> None:
    if HOOK["is_on"] and event.startswith(RUNS_CODE):
        HOOK["seen"].append(f"{event} {str(arguments)[:80]}")


def _parse_outputs(draw: random.Random) -> tuple[float, list[str]]:
    """Return the 99th percentile in ms, and what was raised."""
    times, raised = [], []
    names = sorted(DIALECTS)
    for number in range(OUTPUTS):
        text = _spoil(draw.choice(SEEDS), draw)
        parse = DIALECTS[names[number % len(names)]].parse
        began = time.thread_time()
        try:
            parse(text)
        except Exception as error:  # noqa: BLE001 (any exception is a fault)
            raised.append(f"{type(error).__name__} for {text[:60]!r}")
        times.append((time.thread_time() - began) * 1000)
    return statistics.quantiles(times, n=100)[-1], raised


def _spoil(text: str, draw: random.Random) -> str:
    for _ in range(draw.randrange(4)):
        place = draw.randrange(len(text) + 1)
        extra = draw.choice(
            ["'", '"', "(", ")", "\\", "\n", "=", chr(draw.randrange(1, 999))]
        )
        text = text[:place] + extra + text[place + draw.randrange(3) :]
    return text


def _import_files(draw: random.Random) -> list[str]:
    Site.objects.get_or_create(
        key="shop", defaults={"name": "Shop", "placeholder": "__SHOP__"}
    )
    kinds = [("a.json", LIST), ("a.jsonl", LINES), ("a.csv", TABLE)]
    return list(_faults(FILES, lambda: _import_one(*draw.choice(kinds), draw)))


def _import_one(name: str, data: bytes, draw: random.Random) -> None:
    try:
        import_tasks(tasks=read_task_file(break_file(data, draw), name))
    except TaskImportError:
        return


def _faults(count: int, try_one: Callable[[], None]) -> Iterator[str]:
    for _ in range(count):
        try:
            try_one()
        except Exception as error:  # noqa: BLE001 (any exception is a fault)
            yield f"{type(error).__name__}: {error}"[:120]


def _unpack_archives(draw: random.Random) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "in"
        folder.mkdir()
        found = list(_faults(ARCHIVES, lambda: _unpack_one(folder, draw)))
        escaped = [path.name for path in Path(name).iterdir() if path != folder]
    return [*found, *(f"{one} was written outside" for one in escaped)]


def _unpack_one(folder: Path, draw: random.Random) -> None:
    wheel = Wheel("a", "1", "", "a/pages", "a/LICENSE")
    place = folder / str(draw.random())
    file = folder / "archive"
    file.write_bytes(_hostile_zip(draw))
    # Only the wheel with the known digest is unpacked: its destination is tested.
    with contextlib.suppress(Exception):
        unpack(file, wheel, place / "out")
    with contextlib.suppress(BackupError):
        unpack_backup(file, place)


def _hostile_zip(draw: random.Random) -> bytes:
    """Return an archive with names that lead outside, a bomb, or corrupted bytes."""
    names = [
        "a/pages/x.html",
        "a/pages/../../../escaped",
        "/escaped",
        "a/pages/\\..\\x",
    ]
    names += ["a/pages/" + "d/" * 60 + "x", "a/pages/con:stream", "a/LICENSE"]
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in draw.sample(names, 3):
            size = draw.choice([1, 1000, 20 * 2**20 if draw.random() < 0.02 else 5])
            info = zipfile.ZipInfo(one)
            if draw.random() < 0.2:
                info.external_attr = 0o120777 << 16  # a symbolic link
            archive.writestr(info, b"../../escaped" if size == 1 else bytes(size))
    data = output.getvalue()
    return break_file(data, draw) if draw.random() < 0.5 else data
