"""WebRL's form of observation beside the released observer, on the same pages.

`python -m benchmarks.fidelity.observations ORIGINALS [--suites DIR] [--only KIND]`;
ORIGINALS holds checkouts of VisualAgentBench and WebRL, DIR what `./webrl site add`
has added of MiniWoB++ and django-oscar. Exits with 1 where a page differs. A page that
changes by itself is looked at up to LOOKS times.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import difflib
import itertools
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.fidelity.pages.chosen import (
    OPTIONS,
    OWN_SITES,
    OpenPage,
    open_miniwob_pages,
    open_odd_pages,
    open_samples,
    open_site_pages,
)
from benchmarks.fidelity.released_observer import ReleasedObserver
from benchmarks.sandbox_process import sandbox_process
from rollouts.browser.observation.observations import look
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from rollouts.sites.miniwob.tasks import list_pages
from scripts.workbench.install import oscar

PAGES_PER_SITE = 8
MINIWOB_FOLDER = "miniwob-1.1.0"
MINIWOB_SEED = 0
OSCAR_PAGES = 12
KINDS = ("sites", "oscar", "miniwob", "odd", "samples")
LOOKS = 5


@dataclasses.dataclass(frozen=True, slots=True)
class Compared:
    """One page: both texts' lengths, how many characters differ, and where first."""

    page: str
    ours: int
    theirs: int
    differing: int
    first: str
    looks: int


def count_differing(ours: str, theirs: str) -> int:
    """Return how many characters of the longer text have no match in the other."""
    if ours == theirs:
        return 0
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    kept = sum(block.size for block in matcher.get_matching_blocks())
    return max(len(ours), len(theirs)) - kept


def compare(page: str, ours: str, theirs: str, looks: int) -> Compared:
    """Return how two observations of a page differ."""
    pairs = enumerate(itertools.zip_longest(ours, theirs))
    at = next((index for index, (a, b) in pairs if a != b), None)
    first = ""
    if at is not None:
        start = max(at - 60, 0)
        first = f"{ours[start : at + 60]!r} / {theirs[start : at + 60]!r}"
    differing = count_differing(ours, theirs)
    return Compared(page, len(ours), len(theirs), differing, first, looks)


async def compare_all(
    originals: Path, suites: Path | None, control_url: str, only: str
) -> AsyncIterator[Compared]:
    """Yield the comparison of each page, or of those of one kind."""
    observer = ReleasedObserver(originals)
    pool = BrowserPool(PoolOptions(), "webrl")
    kinds = _list_kinds(pool, originals, suites, control_url)
    try:
        for pages in [kinds[only]] if only else kinds.values():
            async for opened in pages:
                yield await _compare(opened, observer)
    finally:
        await pool.close()


async def _compare(opened: OpenPage, observer: ReleasedObserver) -> Compared:
    """Observe a page with both; one that changes meanwhile is observed again."""
    looks = 0
    while True:
        looks += 1
        ours = (await look(opened.page, OPTIONS)).observation.text
        theirs = await observer.observe(opened.page)
        again = (await look(opened.page, OPTIONS)).observation.text
        if ours in (theirs, again) or looks == LOOKS:
            return compare(opened.name, ours, theirs, looks)


def _list_kinds(
    pool: BrowserPool, originals: Path, suites: Path | None, control_url: str
) -> dict[str, AsyncIterator[OpenPage]]:
    """Return the pages of each kind, not yet opened."""
    names = _list_miniwob(suites)
    shops = ["oscar"] if _has_oscar(suites) else []
    return {
        "sites": open_site_pages(pool, control_url, OWN_SITES, PAGES_PER_SITE),
        "oscar": open_site_pages(pool, control_url, shops, OSCAR_PAGES),
        "miniwob": open_miniwob_pages(pool, control_url, names, MINIWOB_SEED),
        "odd": open_odd_pages(pool),
        "samples": open_samples(pool, originals),
    }


def _list_miniwob(suites: Path | None) -> list[str]:
    folder = suites / MINIWOB_FOLDER if suites else None
    return list_pages(folder) if folder and folder.is_dir() else []


def _has_oscar(suites: Path | None) -> bool:
    return suites is not None and (suites / oscar.NAME).is_dir()


async def _run(originals: Path, suites: Path | None, only: str) -> list[Compared]:
    compared = []
    with contextlib.ExitStack() as stack:
        if suites and _has_oscar(suites):
            stack.enter_context(oscar.running_shop(suites / oscar.NAME))
        control_url = stack.enter_context(sandbox_process(suites=suites))
        async for one in compare_all(originals, suites, control_url, only):
            compared.append(one)
            print(f"{one.differing:6} of {one.theirs:6}  {one.page}", flush=True)
            if one.first:
                print(f"        {one.first}")
    return compared


def main(arguments: list[str]) -> int:
    """Compare, print a line for each page, and write the rows if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("originals", type=Path)
    parser.add_argument("--suites", type=Path, help="folder of added sites")
    parser.add_argument("--only", choices=KINDS, default="", help="pages of one kind")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    given = parser.parse_args(arguments)
    compared = asyncio.run(_run(given.originals, given.suites, given.only))
    differing = [one for one in compared if one.differing]
    moved = sum(one.looks > 1 for one in compared)
    print(f"{len(compared)} pages, {len(differing)} differ; {moved} looked at again")
    if given.json:
        rows = [dataclasses.asdict(one) for one in compared]
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
