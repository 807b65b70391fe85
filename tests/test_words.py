"""Words that have a plain successor stay out of names and texts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".py", ".html", ".md", ".js", ".css", ".toml"}
# What was measured or changed in the past keeps the words of its day; the glossary
# names the words that are not to be used, and test_docs.py the phrases.
HISTORY = re.compile(
    r"(^|/)(vendor|migrations)/|^CHANGELOG|^docs/experiments|^docs/structure|^docs/design"
    r"|^docs/glossary|^tests/test_docs"
)
RETIRED = {
    "doorbell": "wake-up",
    "doorbells": "wake-ups",
    "ring_stage": "enqueue_stage",
    "take_ring": "claim_wakeup",
    "rung_at": "woken_at",
    "ring_advance": "enqueue_advance",
    "ring_episodes": "notify_episodes",
    "ring_hands": "enqueue_takeovers",
    "ring_resets": "enqueue_resets",
    "kitchen": "pipeline",
    "cook": "run",
    "hurry": "truncated_demos",
    "slips": "noisy_oracle",
    "write_gate": "write turn",
    "StoredAnswer": "IdempotentResponse",
    "Patience": "FailedAttempts",
    "Held": "Reservation",
    "take_again": "reclaim",
    "find_held": "require_reservation",
    "apart_frames": "cross_origin_frames",
    "Courier": "Sender",
    "dial": "value band",
    "DialForm": "ValueBandForm",
    "site elsewhere": "external site",
    "sites elsewhere": "external sites",
    "phase that rests": "stopped or failed phase",
}
CONSTANTS = re.compile(r"\b(?:MOST|LONGEST|LARGEST|FEWEST|SHORTEST)_[A-Z]")


def list_texts() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    kept = [n for n in listed if Path(n).suffix in SUFFIXES and not HISTORY.search(n)]
    here = Path(__file__).relative_to(ROOT)
    return [ROOT / n for n in kept if Path(n) != here and (ROOT / n).is_file()]


def find_retired(text: str) -> list[str]:
    words = [w for w in RETIRED if re.search(rf"\b{w}\b(?!-| out)", text)]
    return words + CONSTANTS.findall(text)


def test_retired_words_stay_out():
    found = {
        str(path.relative_to(ROOT)): words
        for path in list_texts()
        if (words := find_retired(path.read_text(encoding="utf-8")))
    }

    assert found == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a doorbell", ["doorbell"]),
        ("MOST_BYTES = 1", ["MOST_B"]),
        ("Held-out tasks, Held out", []),
        ("a wake-up", []),
    ],
)
def test_the_search_for_retired_words_finds_them(text: str, found: list[str]):
    assert find_retired(text) == found
