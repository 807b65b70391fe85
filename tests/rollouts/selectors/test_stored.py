from __future__ import annotations

from typing import Any

import pytest

from rollouts.artifacts import store_html
from rollouts.browser.scoring.rescoring import StoredEpisode
from rollouts.selectors.stored import load_episodes, stored_episodes
from tests.factories import StepFactory, TaskFactory, TrajectoryFactory

pytestmark = pytest.mark.django_db
RULES = {"eval_types": ["url_match"], "reference_url": "__SHOP__/cart"}


def load(**changes: Any) -> StoredEpisode:
    task = TaskFactory(spec={"sites": ["shop"], "eval": RULES})
    row = TrajectoryFactory(
        task=task,
        purpose="evaluate",
        status="finished",
        ended_by="exit",
        final_url="http://shop.0a1b.localhost:8010/cart",
        **changes,
    )
    (episode,) = load_episodes(stored_episodes(row.phase_id, "evaluate"))
    return episode


def test_the_episodes_own_address_stands_in_its_rules() -> None:
    rules = load().spec["eval"]
    assert rules["reference_url"] == "http://shop.0a1b.localhost:8010/cart"


def test_the_last_page_is_loaded_when_it_is_wanted(settings, tmp_path) -> None:
    settings.ARTIFACTS_DIR = tmp_path
    digest = store_html(tmp_path, "<p>hi</p>")
    assert load(final_snapshot=digest).load_page() == "<p>hi</p>"


def test_a_page_that_is_gone_is_empty(settings, tmp_path) -> None:
    settings.ARTIFACTS_DIR = tmp_path
    assert load(final_snapshot="0" * 64).load_page() == ""
    assert load().load_page() == ""


def test_checks_come_back_as_they_were() -> None:
    check = {"name": "a", "passed": None, "expected": "x", "got": "y", "why": "z"}
    assert load(outcome_checks=[check]).checks[0].passed is None


def test_the_published_answer_names_the_limits_of_the_run() -> None:
    limits = {"repeated_limit": 5, "typing_limit": 4}
    row = TrajectoryFactory(
        purpose="evaluate", status="finished", ended_by="repeated", step_count=2
    )
    row.phase.run.config = {"rollout": limits}
    row.phase.run.save()
    for index, name in enumerate(("Type", "Click")):
        StepFactory(trajectory=row, index=index, action={"name": name})
    (episode,) = load_episodes(stored_episodes(row.phase_id, "evaluate"))
    assert episode.stop == "Early stop: Same action for 5 times"


def test_only_finished_episodes_of_the_purpose_count() -> None:
    row = TrajectoryFactory(purpose="evaluate", status="queued")
    assert not stored_episodes(row.phase_id, "evaluate").exists()
