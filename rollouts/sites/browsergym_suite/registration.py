"""Names of the benchmark's tasks for Gymnasium; loads neither sites nor BrowserGym.

register()
env = gymnasium.make("browsergym/webrl_sites.shop.test.00000")
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register as register_env
from gymnasium.envs.registration import registry

if TYPE_CHECKING:
    from browsergym.core.env import BrowserEnv

SUITE = "webrl_sites"
MAX_STEPS = 30
ENTRY_POINT = "rollouts.sites.browsergym_suite.registration:make_env"
# Tasks of each site by split, as the catalog numbers them; building it takes seconds.
SITES = ("shop", "forum", "backoffice", "projects", "atlas")
COUNTS = {"train": 300, "validation": 30, "test": 60}
COUNTS_ACROSS = {"train": 90, "validation": 15, "test": 30}


def list_keys(split: str) -> Iterator[str]:
    """Yield the keys of a split's tasks: train, validation or test."""
    for site in (*SITES, "across"):
        counts = COUNTS_ACROSS if site == "across" else COUNTS
        for number in range(counts[split]):
            yield f"{site}.{split}.{number:05d}"


def register() -> None:
    """Register every task as `browsergym/webrl_sites.KEY`; may be called twice."""
    for split in COUNTS:
        for key in list_keys(split):
            name = f"browsergym/{SUITE}.{key}"
            if name not in registry:
                register_env(name, entry_point=ENTRY_POINT, kwargs={"key": key})


def make_env(key: str, task_kwargs: Any = None, **options: Any) -> BrowserEnv:
    """Return BrowserGym's environment of a task; `options` are those of BrowserEnv."""
    from browsergym.core.env import BrowserEnv

    from rollouts.sites.browsergym_suite.task import SandboxTask

    def begin(seed: int, **more: Any) -> SandboxTask:
        return SandboxTask(seed, key, **more)

    return BrowserEnv(begin, task_kwargs=task_kwargs or {}, **options)
