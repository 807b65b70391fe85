"""The bench's episodes as runs of the dashboard."""

from __future__ import annotations

import dataclasses
import json

import pytest

from benchmarks.learning import acting, dataset
from benchmarks.learning.acting import Job
from benchmarks.learning.command import parse_choices
from rollouts.interchange.dataset import read_dataset
from rollouts.sites.sandbox.catalog import load_tasks

CLICK = 'do(action="Click", element="1")'


@pytest.fixture
def work(tmp_path):
    """One phase of one method: the start, what it collected, and what came of it."""
    folder = tmp_path / "work"
    start = str(tmp_path / "start/policy")
    trained = str(folder / "runs/filtered_bc/0/1/policy")
    write_job(folder / "episodes/a", make_job(start, "validation"), solved=False)
    write_job(folder / "episodes/b", make_job(start, "train", 1.0), solved=True)
    write_job(folder / "episodes/c", make_job(trained, "validation"), solved=True)
    return folder


def make_job(policy, split, temperature=0.0, **fields):
    tasks = [task for task in load_tasks() if task["split"] == split][:1]
    seed = 1 if temperature else 0
    return dataclasses.replace(Job(policy, tasks, 1, temperature, seed=seed), **fields)


def write_job(folder, job, solved):
    folder.mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps(dataclasses.asdict(job)))
    step = {
        "history": [],
        "errors": [],
        "observation": '<a id="1">Cart</a>',
        "output": CLICK,
        "token_ids": [4, 2],
        "token_log_probabilities": [-0.5, -0.25],
    }
    after = {**step, "history": [CLICK], "errors": ["no element 1"], "output": "what"}
    row = {
        "key": job.tasks[0]["key"],
        "attempt": 0,
        "outcome": solved,
        "ended_by": "exit",
        "trajectory": {"transitions": [step, after], "final_observation": "<b/>"},
    }
    (folder / "0.episodes.jsonl").write_text(json.dumps(row) + "\n")


def export(work, *more):
    choices = ["methods=filtered_bc", "seeds=0", "phases=1", "attempts=1"]
    paths = [f"work={work}", f"start={work.parent / 'start'}"]
    dataset.main([str(work.parent / "data"), *choices, *paths, *more])
    return list(read_dataset(work.parent / "data"))


def test_each_episode_stands_where_it_was_played(work):
    found = [(one.phase, one.purpose, one.outcome) for one in export(work)]
    assert sorted(found) == [
        (1, "baseline", False),
        (1, "collect", True),
        (1, "evaluate", True),
    ]


def make_weights(policy, text):
    policy.mkdir(parents=True, exist_ok=True)
    (policy / "model.safetensors").write_text(text)
    return acting.digest_weights(policy)


def test_two_methods_that_have_made_equal_weights_share_their_episodes(work):
    ours, other = (
        work / f"runs/{method}/0/1/policy" for method in ("filtered_bc", "sft")
    )
    digest = make_weights(ours, "equal")
    assert digest == make_weights(other, "equal")
    # The other method has asked last.
    job = make_job(str(other), "validation")
    (work / "episodes/c/job.json").write_text(json.dumps(dataclasses.asdict(job)))
    (work / "episodes/c/weights.sha256").write_text(digest)

    assert "evaluate" in {one.purpose for one in export(work)}


def test_weights_that_were_trained_anew_have_not_played_what_their_path_has(work):
    ours = work / "runs/filtered_bc/0/1/policy"
    (work / "episodes/c/weights.sha256").write_text(make_weights(ours, "earlier"))
    make_weights(ours, "anew")
    assert "evaluate" not in {one.purpose for one in export(work)}


def test_episodes_stay_where_their_weights_are_gone(work):
    (work / "episodes/c/weights.sha256").write_text("of weights that are gone")
    assert "evaluate" in {one.purpose for one in export(work)}


def test_tasks_drawn_beyond_the_catalog_are_training_tasks(work):
    job = make_job(str(work.parent / "start/policy"), "train", 1.0)
    job.tasks[0] = {**job.tasks[0], "key": "shop.more.00000", "split": "more"}
    write_job(work / "episodes/d", job, solved=True)

    splits = {one.task.key: one.task.split for one in export(work)}

    assert splits["shop.more.00000"] == "train"


def test_a_phase_is_named_by_its_policy(work):
    names = {one.purpose: one.policy for one in export(work)}
    assert names == {
        "baseline": "start",
        "collect": "start",
        "evaluate": "filtered_bc, seed 0, phase 1",
    }


def test_other_policies_seeds_and_controls_stay_out(work):
    others = [
        make_job("elsewhere", "validation"),
        make_job(str(work.parent / "start/policy"), "train", 1.0, seed=101),
        make_job(str(work.parent / "start/policy"), "validation", exit_bias=1.0),
    ]
    for number, job in enumerate(others):
        write_job(work / f"episodes/other{number}", job, solved=True)
    assert len(export(work)) == 3


@pytest.mark.parametrize(("balanced", "kept"), [("true", 4), ("false", 3)])
def test_only_a_balanced_phase_has_tasks_of_more_attempts(work, balanced, kept):
    start = str(work.parent / "start/policy")
    rare = make_job(start, "train", 1.0, attempts=10)
    write_job(work / "episodes/rare", rare, solved=False)
    assert len(export(work, f"balanced={balanced}")) == kept


def test_attempts_at_the_chosen_temperature_are_what_was_collected(work):
    start = str(work.parent / "start/policy")
    cooler = make_job(start, "train", 0.5)
    write_job(work / "episodes/cooler", cooler, solved=False)
    found = export(work, "training_temperature=0.5")
    collected = [one.outcome for one in found if one.purpose == "collect"]
    assert collected == [False]


def test_an_action_s_error_is_told_with_the_action(work):
    click, what = export(work)[0].steps
    assert click.action == {"name": "Click", "element": 1, "argument": ""}
    assert click.error == "no element 1"
    assert what.action == {}


def test_sampled_tokens_are_kept(work):
    step = export(work)[0].steps[0]
    assert (step.token_ids, step.log_probability) == ((4, 2), -0.75)


def test_no_reward_is_made_up(work):
    assert {one.reward for one in export(work)} == {None}


def test_a_reward_model_judges_what_was_collected(work):
    choices = [f"work={work}", f"start={work.parent / 'start'}", "attempts=1"]
    plan = parse_choices([*choices, "phases=1"]).plan()
    parts = dataset.find_parts(plan, "filtered_bc", 0)
    episodes = dataset.read_episodes(parts, lambda rows: [0.75] * len(rows))
    judged = {
        one.episode.purpose: (one.episode.success_probability, one.episode.reward)
        for one in episodes
    }
    assert judged["collect"] == (0.75, 1.0)
    assert judged["evaluate"] == (None, None)
