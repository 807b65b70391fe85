from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.factories import SMALL, TaskFactory
from webrl_site.launch.helper_checks import check_helpers, check_marks

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
