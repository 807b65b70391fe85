"""Compares our locators of the published page checks with the original JavaScript.

`python -m benchmarks.fidelity.locators ORIGINALS [--each 20] [--seed 0]`; ORIGINALS
holds checkouts of WebArena and VisualAgentBench. Each distinct locator of their task
files is run on generated pages in one Chromium: as the original does it, the locator's
own text as JavaScript, and as we do it, as a program of known steps. The texts must be
equal, character for character; it exits with 1 where they are not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import Error

from benchmarks.fidelity.pages.located import make_page
from rollouts.browser.evaluators.functions import parse_function, role_program
from rollouts.browser.evaluators.locators import parse_locator
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from rollouts.browser.scoring.page_reader import TabReader

if TYPE_CHECKING:
    from playwright.async_api import Page

FILES = (
    "webarena/config_files/test.raw.json",
    "VisualAgentBench/VAB-WebArena-Lite/new/test_webarena_lite.raw.json",
)
ROLE = "func:gitlab_get_project_memeber_role"
# The JavaScript that the original's helper runs, with the account's name as parameter.
_FIND_ACCOUNT = """name => [...document.querySelectorAll(
  "td[data-label='Account'] span.gl-avatar-labeled-sublabel")]
  .findIndex(el => el.outerText === '@' + name)"""
_READ_ROLE = 'at => document.querySelectorAll("td.col-max-role span")[at].outerText'


def list_locators(originals: Path) -> list[str]:
    """Return the distinct locators that read a page, in the order of the files."""
    found: dict[str, None] = {}
    for name in FILES:
        for task in json.loads((originals / name).read_text(encoding="utf-8")):
            for target in task["eval"].get("program_html") or []:
                locator = target["locator"]
                if locator.startswith(("document.", "[...document.", ROLE)):
                    found[locator] = None
    return list(found)


async def read_original(page: Page, locator: str) -> str:
    """Return what WebArena's evaluator reads: `str` of the value, "" after an error."""
    try:
        if locator.startswith(ROLE):
            account = parse_function(locator).arguments[0]
            at = await page.evaluate(_FIND_ACCOUNT, account)
            return str(await page.evaluate(_READ_ROLE, at))
        return str(await page.evaluate(f"() => {locator}"))
    except Error:
        return ""


async def read_ours(page: Page, locator: str) -> str:
    """Return what our evaluator reads."""
    if locator.startswith(ROLE):
        program = role_program(parse_function(locator).arguments[0])
        return await TabReader(page).read("last", program)
    return await TabReader(page).read("last", parse_locator(locator))


async def compare(originals: Path, each: int, seed: int) -> tuple[Counter[str], bool]:
    """Print differences; return texts by kind, and whether all agree."""
    draw, kinds, agrees = random.Random(seed), Counter[str](), True
    pool = BrowserPool(PoolOptions())
    lease = await pool.open_page()
    try:
        for locator in list_locators(originals):
            for _ in range(each):
                text = make_page(locator, draw)
                await lease.page.set_content(text)
                theirs = await read_original(lease.page, locator)
                ours = await read_ours(lease.page, locator)
                kinds[_name_kind(theirs)] += 1
                if ours != theirs:
                    agrees = False
                    print(f"{locator}\n  {text!r}\n  {theirs!r} / {ours!r}")
    finally:
        await pool.give_back(lease)
        await pool.close()
    return kinds, agrees


def _name_kind(text: str) -> str:
    if text in ("", "None"):
        return "nothing found" if text else "an empty value or an error"
    return "a text"


def main(arguments: list[str]) -> int:
    """Compare and print what was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("originals", type=Path)
    parser.add_argument("--each", type=int, default=20, metavar="N", help="pages each")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    kinds, agrees = asyncio.run(compare(given.originals, given.each, given.seed))
    count = len(list_locators(given.originals))
    print(f"{count} locators, {sum(kinds.values())} pages, {dict(kinds)}")
    print("all equal" if agrees else "NOT equal")
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
