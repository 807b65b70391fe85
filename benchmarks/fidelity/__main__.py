"""Compare with the originals: `python -m benchmarks.fidelity --originals FOLDER`.

The folder holds `webarena`, `VisualAgentBench` and `BrowserGym` as they are published;
NLTK's `punkt_tab` is wherever `NLTK_DATA` says. Docs: docs/fidelity.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.fidelity.compare import Comparison, Counts, compare_all

MAX_SHOWN = 20


def main(arguments: list[str]) -> int:
    """Compare, print the table and the differences; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--originals", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0)
    defaults = Counts()
    for name in ("answers", "addresses", "contents", "outputs"):
        parser.add_argument(f"--{name}", type=int, default=getattr(defaults, name))
    parser.add_argument("--all", action="store_true", help="list every difference")
    given = parser.parse_args(arguments)
    counts = Counts(given.answers, given.addresses, given.contents, given.outputs)
    found = compare_all(given.originals, counts, given.seed)
    for one in found:
        _print(one, None if given.all else MAX_SHOWN)
    return int(any(one.differences for one in found))


def _print(one: Comparison, shown: int | None) -> None:
    print(f"{one.name}: {one.count}, agreement {one.agreement:.2f} %")
    for note, count in sorted(one.notes.items()):
        print(f"    {count} {note}")
    for line in one.differences[:shown]:
        print(f"    {line}")
    hidden = len(one.differences) - len(one.differences[:shown])
    if hidden:
        print(f"    and {hidden} more")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
