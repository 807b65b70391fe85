"""MiniWoB++ as tasks: one for each page and seed, with the goal that the page sets.

The pages are published by the Farama Foundation under the MIT licence. `./webrl site
add miniwob` downloads them to a folder outside the repository.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rollouts.sites.kit.sites import MINIWOB

Task = dict[str, Any]
Goals = Mapping[str, Sequence[str]]

# Which seeds belong to which split. A page's goals may repeat from seed to seed.
SPLITS: dict[str, range] = {
    "test": range(2),
    "validation": range(2, 3),
    "train": range(3, 13),
}
SEEDS = range(13)


def list_pages(folder: Path) -> list[str]:
    """Names of the pages in the unpacked folder, sorted."""
    return sorted(path.stem for path in (folder / "miniwob").glob("*.html"))


def page_path(page: str) -> str:
    """Where the site has the page."""
    return f"/miniwob/{page}.html"


def task_key(page: str, seed: int) -> str:
    """The task's name in the database."""
    return f"{MINIWOB.key}.{page}.{seed}"


def build_tasks(goals: Goals) -> Iterator[Task]:
    """Task objects; `goals` gives for each page those of all `SEEDS` in order."""
    for page, texts in goals.items():
        for split, seeds in SPLITS.items():
            for seed in seeds:
                yield build_task(page, seed, texts[seed], split)


def build_task(page: str, seed: int, goal: str, split: str = "train") -> Task:
    """One task object in WebArena's format, with the fields that its suite needs."""
    return {
        "key": task_key(page, seed),
        "sites": [MINIWOB.key],
        "intent": goal,
        # The seed in the address is for people, to distinguish the tasks.
        "start_url": f"{MINIWOB.placeholder}{page_path(page)}?seed={seed}",
        "template_key": f"{MINIWOB.key}.{page}",
        "split": split,
        "suite": MINIWOB.key,
        "page": page,
        "seed": seed,
        "eval": {"eval_types": ["page_reward"]},
    }
