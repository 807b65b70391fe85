"""R16: checkpoints of a running training, truncated or with a flipped bit."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from drills.outcome import Outcome
from training.rl.resume import find_newest, publish

CUTS = FLIPS = 100
FILES = {
    "model.safetensors": 60_000,
    "optimizer.bin": 90_000,
    "trainer_state.json": 700,
}
OLDER, NEWER = "checkpoint-10", "checkpoint-20"


def measure() -> Outcome:
    """Damage the newest of two checkpoints; the older one must be used."""
    draw = random.Random(16)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for step in (OLDER, NEWER):
            _write(work, step, draw)
        whole = _taken(work)
        cut = sum(_is_refused(work, _cut, draw) for _ in range(CUTS))
        flipped = sum(_is_refused(work, _flip, draw) for _ in range(FLIPS))
    text = (
        f"{cut} of {CUTS} cut and {flipped} of {FLIPS} flipped ones refused, the older "
        f"one taken; undamaged, the newest is taken: {whole == NEWER}"
    )
    return Outcome(text, whole == NEWER and (cut, flipped) == (CUTS, FLIPS))


def _write(work: Path, step: str, draw: random.Random) -> None:
    staged = work / ".saving" / step
    staged.mkdir(parents=True)
    for name, size in FILES.items():
        (staged / name).write_bytes(draw.randbytes(size))
    publish(staged, work)


def _taken(work: Path) -> str:
    return Path(find_newest(work) or "").name


def _is_refused(
    work: Path, damage: Callable[[bytes, random.Random], bytes], draw: random.Random
) -> bool:
    """Damage one file of the newest checkpoint; return whether the older is used."""
    path = work / NEWER / draw.choice(sorted(FILES))
    kept = work / "kept"
    shutil.copy2(path, kept)
    path.write_bytes(damage(path.read_bytes(), draw))
    taken = _taken(work)
    kept.replace(path)
    return taken == OLDER


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def _flip(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data))
    flipped = data[place] ^ (1 << draw.randrange(8))
    return data[:place] + bytes([flipped]) + data[place + 1 :]
