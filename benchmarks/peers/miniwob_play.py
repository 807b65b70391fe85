"""A policy of ours and random clicks on MiniWoB++, in BrowserGym's own loop.

    .venv/bin/python -m benchmarks.peers.miniwob_play --browsergym SITE_PACKAGES
        --miniwob FOLDER [--policy models/starter/policy] [--seeds 4] [--page NAME ...]

SITE_PACKAGES has BrowserGym with its MiniWoB++ suite, FOLDER that suite's pages. Each
page is played by both with the same seeds and as many steps: the control clicks an
element of the page at random, uniformly among those that a policy can name. Prints
what each solved. Docs: docs/interchange.md.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rollouts.browser.process.chromium_path import find_chromium
from rollouts.policies.protocol import Policy, PolicyAnswer, PolicyRequest

# Pages that clicks alone can solve.
PAGES = ("click-link", "click-button", "click-test-2", "click-dialog", "click-tab")
MAX_STEPS = 6
SCRIPTED = "scripted"
ELEMENT = re.compile(r'\bid="(\d+)"')


class RandomClicks:
    """Satisfies `Policy`: clicks any element of the page, drawn by the seed."""

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Answer every request with one click."""
        return [PolicyAnswer(self._click(one), 0.0, 0) for one in requests]

    def _click(self, request: PolicyRequest) -> str:
        elements = ELEMENT.findall(request.observation) or ["0"]
        chosen = random.Random(request.seed).choice(elements)
        return f'do(action="Click", element="{chosen}")'

    def close(self) -> None:
        """There is nothing to close."""


def open_policies(address: str) -> dict[str, Policy]:
    """Return the policy, greedy as in evaluations, and the control."""
    if address == SCRIPTED:
        from rollouts.sites.miniwob.solutions.policy import SolutionPolicy

        return {"scripted": SolutionPolicy(), "random clicks": RandomClicks()}
    from training.rl.local_policy import load_policy

    policy = load_policy(
        address, temperature=0, max_prompt_tokens=1024, max_action_tokens=48
    )
    return {"policy": policy, "random clicks": RandomClicks()}


def prepare(site_packages: Path, pages: Path) -> None:
    """Make BrowserGym importable, with our browser and without network."""
    # Behind our own packages: Playwright and its types are those of the workbench.
    sys.path.append(str(site_packages))
    os.environ["MINIWOB_URL"] = f"{pages.resolve().as_uri()}/"
    import browsergym.experiments.loop as loop
    import browsergym.miniwob  # noqa: F401  registers the pages
    from playwright.sync_api import BrowserType

    # The usual counter downloads its vocabulary.
    loop.count_tokens = lambda text, model="": len(text) // 4
    launch, executable = BrowserType.launch, find_chromium()

    def launch_ours(self: BrowserType, **options: Any) -> Any:
        return launch(self, **{**options, "executable_path": executable})

    BrowserType.launch = launch_ours  # type: ignore[method-assign]


def main(arguments: list[str]) -> int:
    """Play and print a line an episode and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browsergym", type=Path, required=True)
    parser.add_argument("--miniwob", type=Path, required=True)
    parser.add_argument(
        "--policy",
        default="models/starter/policy",
        help=f"a checkpoint, or {SCRIPTED}: our written solutions of the pages",
    )
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--page", action="append", metavar="NAME")
    given = parser.parse_args(arguments)
    prepare(given.browsergym, given.miniwob)
    from benchmarks.peers.miniwob_agents import POLICIES, play

    POLICIES.update(open_policies(given.policy))
    solved: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for page in given.page or PAGES:
            for seed in range(given.seeds):
                for name in POLICIES:
                    won = play(name, page, seed, MAX_STEPS, Path(folder)) > 0
                    solved[page, name] += won
                    print(page, seed, name, "solved" if won else "not", flush=True)
    for page in given.page or PAGES:
        counts = ", ".join(f"{n} {solved[page, n]} of {given.seeds}" for n in POLICIES)
        print(f"{page}: {counts}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
