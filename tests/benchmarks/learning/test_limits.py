"""How long prompts and answers are holds for acting and judging as for training."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from benchmarks.learning import loop, reward_model, without_training
from benchmarks.learning.acting import Job, keep_job
from benchmarks.learning.command import STARTER, parse_choices
from benchmarks.learning.filtering import ValueBand
from benchmarks.learning.methods import BY_NAME
from benchmarks.learning.playing import load_actor
from rollouts.policies.protocol import PolicyRequest
from training.rl.encoding import PromptTooLong

CHOICES = ["phases=1", "tasks=2", "max_prompt_tokens=512", "max_action_tokens=64"]
LIMITS = {"max_prompt_tokens": 512, "max_action_tokens": 64}
TASK = {"key": "a", "intent": "Open the cart.", "start_url": "__SHOP__/"}
LONG_PAGE = "<p>Item in the list</p>" * 400


@pytest.fixture
def played(monkeypatch):
    """The jobs that are asked for; none is played."""
    jobs: list[Job] = []
    for module in (loop, without_training):
        monkeypatch.setattr(module, "act", lambda plan, job: jobs.append(job) or [])
    monkeypatch.setattr(loop, "train", lambda *_: None)
    return jobs


def limits_of(job):
    return {name: getattr(job, name) for name in LIMITS}


def test_a_method_acts_and_is_evaluated_under_the_plan_s_limits(played):
    method = dataclasses.replace(BY_NAME["filtered_bc"], filters_tasks=False)
    loop.run_method(parse_choices(CHOICES).plan(), method, 0)
    assert len(played) == 3
    assert [limits_of(job) for job in played] == [LIMITS] * 3


def test_a_control_acts_under_them_too(played):
    plan = parse_choices(CHOICES).plan()
    without_training.run_control(plan, BY_NAME["exit_bias"], 0)
    assert played
    assert all(limits_of(job) == LIMITS for job in played)


def test_an_answer_ends_at_the_job_s_limit():
    job = Job(str(STARTER / "policy"), [], 1, 0.0, max_action_tokens=3)
    (answer,) = load_actor(job).act([request("Open the cart.")])
    assert answer.token_count == 3


def test_a_prompt_ends_at_the_job_s_limit():
    usual = Job(str(STARTER / "policy"), [], 1, 0.0)
    longer = dataclasses.replace(usual, max_prompt_tokens=4096)
    asked = [request("Open the cart. " * 400)]
    counts = [load_actor(job).act(asked)[0].token_count for job in (usual, longer)]
    assert counts[0] == 0 < counts[1]


def request(instruction: str) -> PolicyRequest:
    return PolicyRequest(instruction, (), (), "<p>Cart</p>", 0)


def test_the_value_band_reads_pages_under_the_plan_s_limits():
    task = TASK | {"intent": "Open the cart. " * 400}
    read = {"critic": STARTER / "critic", "pages": {}, "max_action_tokens": 64}
    assert ValueBand(**read, max_prompt_tokens=4096).keep([task], 1) == [task]
    with pytest.raises(PromptTooLong):
        ValueBand(**read, max_prompt_tokens=1024).keep([task], 1)


def test_the_judge_reads_the_last_page_up_to_the_limit():
    rows = [judged_row(LONG_PAGE + end) for end in ("<p>Sent</p>", "<p>Cart</p>")]
    usual = reward_model.score(STARTER / "orm", rows)
    longer = reward_model.score(STARTER / "orm", rows, 8192)
    assert usual[0] == usual[1]
    assert longer[0] != longer[1]


def judged_row(page):
    step = {
        "step_id": 1,
        "history": [],
        "errors": [],
        "observation": page,
        "output": "exit()",
    }
    trajectory = {
        "trajectory_id": 1,
        "task_id": 1,
        "instruction": "Open the cart.",
        "transitions": [step],
        "final_observation": page,
        "reward": 1.0,
    }
    return {"trajectory": trajectory}


def test_episodes_of_an_earlier_version_were_played_under_the_usual_limits(tmp_path):
    job = Job("p", [TASK], 1, 1.0)
    stored = dataclasses.asdict(job)
    for name in LIMITS:
        del stored[name]
    (tmp_path / "job.json").write_text(json.dumps(stored))
    keep_job(tmp_path / "job.json", job)
    (tmp_path / "job.json").write_text(json.dumps(stored))
    with pytest.raises(ValueError, match="other tasks or settings"):
        keep_job(tmp_path / "job.json", dataclasses.replace(job, **LIMITS))


def test_the_usual_limits_keep_the_folder_s_name_of_earlier_versions():
    plan = loop.Plan(Path("w"), Path("p"), Path("c"), 2, 10, 2, "validation", {})
    job = Job("p", [{"key": "a"}, {"key": "b"}], 2, 1.0)
    assert loop.episodes_folder(plan, job).name == "4f1458816ae75410"
    longer = dataclasses.replace(job, max_action_tokens=64)
    assert loop.episodes_folder(plan, longer).name != "4f1458816ae75410"


def test_processes_and_their_contexts_can_be_chosen():
    plan = parse_choices(["processes=5", "contexts=24"]).plan()
    assert (plan.processes, plan.contexts) == (5, 24)
