"""A phase on real workers, one of which is killed in the middle of every stage."""

from __future__ import annotations

from functools import partial

import pytest

from scripts.workbench.console import Bar
from tests.services.live import LiveWorkbench

pytestmark = [pytest.mark.services, pytest.mark.slow]

# Stage, the purpose of its episodes, and which worker dies.
VICTIMS = (
    ("baseline", "baseline", "worker-rollouts"),
    ("collecting", "collect", "worker-rollouts"),
    ("scoring", "", "worker-training"),
    ("training", "", "worker-training"),
    ("evaluating", "evaluate", "worker-rollouts"),
    ("evolving", "", "worker-training"),
)
EPISODES = {"baseline": 10, "collect": 12, "evaluate": 10}


def is_at_work(workbench: LiveWorkbench, stage: str, purpose: str) -> bool:
    """Whether somebody holds work of this stage; of rollouts, with steps behind it."""
    ((status, lease),) = workbench.rows(
        "SELECT status, work_leased_until FROM curriculum_phase"
    )
    if status != stage:
        return False
    if not purpose:
        return lease is not None
    return bool(
        workbench.rows(
            "SELECT s.id FROM rollouts_step s JOIN rollouts_trajectory t "
            "ON s.trajectory_id = t.id "
            f"WHERE t.status = 'running' AND t.purpose = '{purpose}'"
        )
    )


def test_a_phase_survives_the_death_of_a_worker_in_every_stage(
    workbench: LiveWorkbench,
):
    workbench.supervisor.start()
    workbench.supervisor.wait_until_ready(Bar("Starting", 5))
    workbench.python("-m", "tests.services.seed")

    for stage, purpose, worker in VICTIMS:
        workbench.wait_for(stage, partial(is_at_work, workbench, stage, purpose))
        workbench.kill(worker)
    workbench.wait_for(
        "closed",
        lambda: workbench.rows("SELECT status FROM curriculum_phase") == [("closed",)],
    )

    check_episodes(workbench)
    check_training(workbench)


def check_episodes(workbench: LiveWorkbench) -> None:
    rows = workbench.rows(
        "SELECT id, purpose, status, attempt, step_count FROM rollouts_trajectory"
    )
    counts = dict.fromkeys(EPISODES, 0)
    for trajectory_id, purpose, status, attempt, step_count in rows:
        counts[purpose] += 1
        steps = workbench.rows(
            'SELECT "index" FROM rollouts_step '
            f"WHERE trajectory_id = {trajectory_id} AND attempt = {attempt} "
            'ORDER BY "index"'
        )
        assert status == "finished"
        assert [index for (index,) in steps] == list(range(step_count))
    assert counts == EPISODES
    assert max(attempt for _, _, _, attempt, _ in rows) > 1


def check_training(workbench: LiveWorkbench) -> None:
    assert workbench.rows("SELECT status FROM training_trainingrun") == [("finished",)]
    ((unscored,),) = workbench.rows(
        "SELECT count(*) FROM rollouts_trajectory "
        "WHERE purpose = 'collect' AND reward IS NULL"
    )
    assert unscored == 0
