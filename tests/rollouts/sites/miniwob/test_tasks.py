from __future__ import annotations

from rollouts.sites.miniwob.tasks import SEEDS, SPLITS, build_tasks, list_pages


def test_no_seed_is_in_two_splits():
    seeds = [seed for split in SPLITS.values() for seed in split]
    assert sorted(seeds) == list(SEEDS)


def test_a_task_says_its_page_its_seed_and_its_goal():
    goals = [f"Goal {seed}" for seed in SEEDS]
    tasks = {task["key"]: task for task in build_tasks({"click-test": goals})}
    task = tasks["miniwob.click-test.5"]
    assert len(tasks) == len(SEEDS)
    assert (task["intent"], task["split"]) == ("Goal 5", "train")
    assert (task["suite"], task["page"], task["seed"]) == ("miniwob", "click-test", 5)
    assert task["start_url"] == "__MINIWOB__/miniwob/click-test.html?seed=5"
    assert tasks["miniwob.click-test.0"]["split"] == "test"


def test_pages_are_found_by_their_files(tmp_path):
    (tmp_path / "miniwob").mkdir()
    for name in ("b.html", "a.html", "notes.txt"):
        (tmp_path / "miniwob" / name).touch()
    assert list_pages(tmp_path) == ["a", "b"]
