from __future__ import annotations

import hashlib
import json
from collections import Counter
from random import Random

import pytest

from curriculum.evolution.types import digest_task
from rollouts.sandbox import catalog
from rollouts.sandbox.catalog import (
    LENGTHS,
    SIZES,
    draw_more_tasks,
    identity_of,
    load_tasks,
)
from rollouts.sandbox.sites import SITES

TEST_SPLIT_SHA256 = {
    "shop": "805b741ef048c1731f5c94c9c4950e2a3a83d3b908753e74b8fe0e2fb5eaa8eb",
    "forum": "b3b6947780228a052c1054091cd98115393f748f90618423443dc7268869aa9d",
    "projects": "9a2343b0d5a98923c62ee36de52c6d9b33a9d2fe5068a396f62d6b1257397f4e",
    "atlas": "cbfd9ada00bdacf20c6b31adbd199894ebb70c745e8c41a62c761d60bd126510",
    "backoffice": "0341d30285ec5fd784c53d9ff616895c4978ab0a5ea73186c506852123ba67c8",
}


def test_the_splits_have_their_sizes() -> None:
    counts = Counter((task["sites"][0], task["split"]) for task in load_tasks())
    assert counts == {
        (site.key, split): size for site in SITES for split, size in SIZES.items()
    }


def test_keys_instructions_and_digests_are_unique_across_splits() -> None:
    tasks = load_tasks()
    for values in (
        {task["key"] for task in tasks},
        {task["intent"] for task in tasks},
        {digest_task(task["intent"], task["start_url"]) for task in tasks},
        {identity_of(task) for task in tasks},
    ):
        assert len(values) == len(tasks)


def test_the_catalog_is_the_same_every_time() -> None:
    again = [task for site in SITES for task in catalog._site_tasks(site.key)]
    assert again == load_tasks()


@pytest.mark.parametrize("site", [site.key for site in SITES])
def test_the_test_split_is_frozen(site: str) -> None:
    tasks = [task for task in load_tasks("test") if task["sites"] == [site]]
    text = json.dumps(tasks, sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest() == TEST_SPLIT_SHA256[site]


def test_a_fifth_of_the_test_templates_never_occurs_elsewhere() -> None:
    test = {task["template_key"] for task in load_tasks("test")}
    others = {task["template_key"] for task in load_tasks() if task["split"] != "test"}
    assert len(test - others) / len(test) >= 0.2


def test_tasks_beyond_the_catalog_are_none_of_the_catalogs() -> None:
    more = draw_more_tasks(60, seed=0)
    known = load_tasks()
    for name in (identity_of, lambda task: task["intent"], lambda task: task["key"]):
        names = {name(task) for task in more}
        assert len(names) == len(more) == 60 * len(SITES)
        assert not names & {name(task) for task in known}


def test_tasks_beyond_the_catalog_have_no_held_out_template() -> None:
    more = draw_more_tasks(60, seed=0)
    assert not any(catalog.TEMPLATES[t["template_key"]].is_held_out for t in more)


def test_tasks_beyond_the_catalog_follow_from_their_seed() -> None:
    assert draw_more_tasks(9, seed=1) == draw_more_tasks(9, seed=1)
    assert draw_more_tasks(9, seed=1) != draw_more_tasks(9, seed=2)


@pytest.mark.parametrize("split", SIZES)
def test_a_third_of_each_split_is_short_middling_and_long(
    split: catalog.Split,
) -> None:
    steps = [task["optimal_steps"] for task in load_tasks(split)]
    for low, high in LENGTHS:
        assert sum(low <= count <= high for count in steps) == len(steps) // 3


def test_a_catalog_that_asks_for_too_much_ends() -> None:
    template = catalog.TEMPLATES["shop.open_area"]
    rng = Random(0)
    tasks = list(catalog._tasks_of_length([template], (1, 3), rng, set()))
    assert 2 <= len(tasks) <= 4
