from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.utils.module_loading import import_string

from curriculum.services.generators import open_openai_generator
from rollouts.sites.sandbox.generator import GrammarGenerator
from tests.factories import SMALL, SiteFactory, TaskFactory
from tests.fakes import write_checkpoint
from webrl_site.launch.helper_checks import (
    GRAMMAR,
    SERVED_GENERATOR,
    check_helpers,
    check_marks,
    check_positions,
)

pytestmark = pytest.mark.django_db
FUZZY = {"eval": {"reference_answers": {"fuzzy_match": ["a mug"]}}}
VERIFIED = {"eval": {"eval_types": ["webarena_verified"]}}


def config(prompt: str = "manual") -> dict[str, Any]:
    made = SMALL.to_json()
    made["rollout"]["served_prompt"] = prompt
    return made


def test_a_run_that_needs_nobody_is_told_nothing():
    TaskFactory(split="test", spec={"eval": {"eval_types": ["url_match"]}})
    TaskFactory(split="train", spec=FUZZY)

    assert check_helpers(config()) == []


def test_a_missing_published_prompt_is_told_before_the_launch(
    tmp_path: Path, settings: Any
):
    settings.VAB_PROMPT_FILE = str(tmp_path / "none.json")
    (check,) = check_helpers(config("vab"))

    assert check.state == "bad"
    assert "VAB_PROMPT_FILE" in check.text
    (tmp_path / "none.json").write_text('{"intro": "You act."}')
    assert check_helpers(config("vab"))[0].state == "ok"


@pytest.mark.parametrize(
    ("spec", "name", "value"),
    [
        (FUZZY, "JUDGE_URL", "http://judge.test/v1"),
        (VERIFIED, "WEBARENA_VERIFIED_PYTHON", "/opt/python"),
    ],
)
def test_tasks_that_would_stay_undecided_are_counted(
    settings: Any, spec: Any, name: str, value: str
):
    setattr(settings, name, "")
    TaskFactory.create_batch(2, split="test", spec=spec)
    (check,) = check_helpers(config())

    assert check.state == "warn"
    assert ": 2. No " in check.text
    assert name in check.text
    setattr(settings, name, value)
    assert check_helpers(config())[0].state == "ok"


def outside(spec: dict[str, Any]) -> None:
    site = SiteFactory(key="shopping", kind="external", base_url="http://shop.lab")
    TaskFactory(split="train", site=site, spec=spec)


def test_sites_for_which_the_default_generator_writes_nothing_are_named(settings: Any):
    settings.TASK_GENERATOR = GRAMMAR
    outside({})
    TaskFactory(split="train")
    (check,) = check_helpers(config())

    assert check.state == "warn"
    assert "for Shopping:" in check.text
    assert "open_openai_generator" in check.text
    made = config()
    made["curriculum"]["use_curriculum"] = False
    assert check_helpers(made) == []


def test_pages_of_a_suite_need_no_generator(settings: Any):
    settings.TASK_GENERATOR = GRAMMAR
    outside({"suite": "miniwob"})

    assert check_helpers(config()) == []


@pytest.mark.parametrize(("url", "state"), [("", "bad"), ("http://llm.lab/v1", "ok")])
def test_a_served_generator_needs_an_address(settings: Any, url: str, state: str):
    settings.TASK_GENERATOR = SERVED_GENERATOR
    settings.GENERATOR_URL, settings.GENERATOR_MODEL = url, "llama"

    assert [check.state for check in check_helpers(config())] == [state]


def test_the_known_generators_exist():
    assert import_string(GRAMMAR) is GrammarGenerator
    assert import_string(SERVED_GENERATOR) is open_openai_generator


@pytest.mark.parametrize(
    ("mark", "states"), [("<|eot_id|>", []), ("<|im_end|>", ["warn"])]
)
def test_a_tokenizer_without_the_prompts_marks_is_named(
    tmp_path: Path, settings: Any, mark: str, states: list[str]
):
    settings.CHECKPOINT_ROOTS = [tmp_path]
    shutil.copytree(Path("models/starter/policy"), tmp_path / "llama")
    (tmp_path / "llama" / "manifest.json").unlink()
    (tmp_path / "llama" / "tokenizer.json").write_text(f'["{mark}"]')

    found = check_marks(config("webrl"), "llama")

    assert [check.state for check in found] == states
    assert check_marks(config("manual"), "llama") == []


@pytest.mark.parametrize(
    ("described", "states"),
    [
        ({"max_position_embeddings": 1071}, ["warn"]),
        ({"text_config": {"n_positions": 1071}}, ["warn"]),
        ({"max_position_embeddings": 1072}, []),
        ({"max_position_embeddings": True}, []),
        ({}, []),
        ([], []),
    ],
)
def test_a_model_that_reads_less_than_a_run_allows_is_named(
    tmp_path: Path, settings: Any, described: Any, states: list[str]
):
    settings.CHECKPOINT_ROOTS = [tmp_path]
    write_checkpoint(tmp_path / "policy", 0.5)
    (tmp_path / "policy/config.json").write_text(json.dumps(described))
    made = config()
    made["algorithm"] |= {"max_prompt_tokens": 1024, "max_action_tokens": 48}

    found = check_positions(made, "policy")

    assert [check.state for check in found] == states


def test_a_served_model_and_one_that_is_missing_are_not_asked_how_much_they_read():
    assert check_positions(config(), "http://models.example/v1#model") == []
    assert check_positions(config(), "missing/policy") == []
