from __future__ import annotations

import datetime as dt
import os
import time
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from curriculum.models import Flag, GoldItem, Run, Task
from rollouts import artifacts
from rollouts.models import (
    EvidenceUse,
    HumanVerdict,
    RemovedEvidence,
    Step,
    Takeover,
    Trajectory,
)
from rollouts.retention import GIB, Rule
from rollouts.selectors.evidence import list_rules
from rollouts.services import measure_evidence, remove_evidence
from rollouts.services.retention import Removal
from rollouts.tasks import remove_evidence as remove_job
from tests.factories import StepFactory, TaskFactory, TrajectoryFactory, UserFactory
from webrl_site.operations.evidence_page import describe_evidence

pytestmark = pytest.mark.django_db
MONTH = Rule("screenshot", days=30)


def keep(folder: Path, data: bytes, suffix: str = ".jpg") -> str:
    """Store a file as if it was stored long ago."""
    digest = artifacts.store(folder, data, suffix)
    os.utime(artifacts.artifact_path(folder, digest, suffix), (0, 0))
    return digest


def play(folder: Path, picture: bytes, days_ago: int = 60, **fields: Any) -> Trajectory:
    row: Trajectory = TrajectoryFactory(
        status=Trajectory.Status.FINISHED,
        ended_by="exit",
        attempt=1,
        ended_at=timezone.now() - dt.timedelta(days=days_ago),
        **fields,
    )
    StepFactory(trajectory=row, attempt=1, index=0, screenshot=keep(folder, picture))
    return row


def remove(rule: Rule = MONTH) -> Removal:
    return remove_evidence(rule=rule)


def pictures(folder: Path) -> int:
    return len(list(folder.glob("*/*.jpg")))


def test_nothing_goes_unless_the_operator_says_so(folder: Path):
    play(folder, b"old", days_ago=4000)

    assert not any(rule.is_on for rule in list_rules())
    assert remove_job() == 0
    assert pictures(folder) == 1


def test_old_pictures_go_and_it_says_when(folder: Path):
    old, new = play(folder, b"old"), play(folder, b"new", days_ago=3)

    done = remove()

    assert (done.episodes, done.files, done.bytes) == (1, 1, 3)
    assert pictures(folder) == 1
    [row] = RemovedEvidence.objects.all()
    assert (row.trajectory, row.kind, row.days) == (old, "screenshot", 30)
    assert not new.removed_evidence.exists()


def test_the_step_stays_with_what_the_policy_read(folder: Path):
    row = play(folder, b"old")
    before = Step.objects.values().get(trajectory=row)

    remove()

    assert Step.objects.values().get(trajectory=row) == before


def test_removing_again_changes_nothing(folder: Path):
    play(folder, b"old")
    remove()

    assert remove().episodes == 0
    assert RemovedEvidence.objects.count() == 1


def test_a_removal_that_was_cut_off_is_finished_later(folder: Path):
    row = play(folder, b"old")
    for path in folder.glob("*/*.jpg"):
        path.unlink()

    remove()

    assert row.removed_evidence.exists()


def test_a_picture_that_a_newer_episode_shows_too_stays(folder: Path):
    old = play(folder, b"the same page")
    play(folder, b"the same page", days_ago=3)

    remove()

    assert old.removed_evidence.exists()
    assert pictures(folder) == 1


def test_a_picture_goes_with_the_last_episode_that_shows_it(folder: Path):
    play(folder, b"the same page")
    play(folder, b"the same page")

    assert remove().files == 1
    assert pictures(folder) == 0


def test_a_file_that_was_stored_lately_stays(folder: Path):
    play(folder, b"old")
    artifacts.store(folder, b"old", ".jpg")

    remove()

    assert pictures(folder) == 1


def test_a_last_page_stays_even_if_it_was_a_step_s_page(folder: Path):
    digest = keep(folder, b"page", ".html.gz")
    other = keep(folder, b"another", ".html.gz")
    row = play(folder, b"old", final_snapshot=digest)
    StepFactory(trajectory=row, attempt=1, index=1, snapshot=digest)
    StepFactory(trajectory=row, attempt=1, index=2, snapshot=other)

    assert remove(Rule("page", days=30)).files == 1
    assert artifacts.artifact_path(folder, digest, ".html.gz").exists()


def test_traces_go_by_a_rule_of_their_own(folder: Path):
    play(folder, b"old", trace=keep(folder, b"trace", ".zip"))

    assert remove(Rule("trace", days=30)).files == 1
    assert pictures(folder) == 1


def judged(row: Trajectory) -> None:
    HumanVerdict.objects.create(trajectory=row, author=UserFactory(), verdict="unclear")


def demonstrated(row: Trajectory) -> None:
    _take_over(row, forked_from=TrajectoryFactory())


def taken_over_from(row: Trajectory) -> None:
    _take_over(TrajectoryFactory(), forked_from=row)


def _take_over(row: Trajectory, forked_from: Trajectory) -> None:
    now = timezone.now()
    Takeover.objects.create(
        trajectory=row,
        author=UserFactory(),
        forked_from=forked_from,
        forked_at=0,
        deadline=now,
        closed_at=now,
        kept_at=now,
    )


def of_a_kept_run(row: Trajectory) -> None:
    Run.objects.filter(phases=row.phase).update(keep_evidence=True)


def gold(row: Trajectory) -> None:
    GoldItem.objects.create(task=row.task, accepts=True)


def disputed(row: Trajectory) -> None:
    TaskFactory(parent=row.task, status=Task.Status.DISPUTED)


def flagged(row: Trajectory) -> None:
    Flag.objects.create(task=row.task, author=UserFactory(), note="Look at this.")


PINS = (
    *(judged, demonstrated, taken_over_from),
    *(of_a_kept_run, gold, disputed, flagged),
)


@pytest.mark.parametrize("pin", PINS)
def test_pinned_episodes_keep_everything(pin: Any, folder: Path):
    play(folder, b"another one")
    row = play(folder, b"old")
    pin(row)

    assert remove().episodes == 1
    assert not row.removed_evidence.exists()


def test_notes_and_tags_alone_keep_nothing(folder: Path):
    row = play(folder, b"old")
    Run.objects.filter(phases=row.phase).update(notes="A bad seed.", tags=" odd ")

    assert remove().episodes == 1


def test_an_episode_that_runs_keeps_everything(folder: Path):
    row = play(folder, b"old")
    Trajectory.objects.filter(pk=row.pk).update(status=Trajectory.Status.RUNNING)

    assert remove().episodes == 0


def test_above_the_limit_the_oldest_go_until_it_fits(folder: Path):
    rows = [play(folder, bytes([n]) * 100, days_ago=9 - n) for n in range(3)]
    EvidenceUse.objects.create(
        kind="screenshot", files=3, bytes=GIB + 150, measured_at=timezone.now()
    )

    assert remove(Rule("screenshot", gib=1)).episodes == 2

    left = [row for row in rows if not row.removed_evidence.exists()]
    assert left == rows[2:]
    assert EvidenceUse.objects.get().bytes == GIB - 50
    assert remove(Rule("screenshot", gib=1)).episodes == 0


def test_what_is_there_is_counted_by_kind(folder: Path):
    keep(folder, b"picture")
    keep(folder, b"trace!", ".zip")

    measure_evidence()
    measure_evidence()

    found = {row.kind: (row.files, row.bytes) for row in EvidenceUse.objects.all()}
    assert found == {"screenshot": (1, 7), "trace": (1, 6), "page": (0, 0)}


def test_storing_what_is_there_touches_it(folder: Path):
    path = artifacts.artifact_path(folder, keep(folder, b"page"), ".jpg")

    artifacts.store(folder, b"page", ".jpg")

    assert time.time() - path.stat().st_mtime < 60


def test_the_job_follows_the_settings(folder: Path, settings: Any):
    play(folder, b"old")
    settings.SCREENSHOT_DAYS = 30

    assert remove_job() == 1


@pytest.mark.parametrize("days", [999_999, 10**12])
def test_more_days_than_the_calendar_has_remove_nothing(
    days: int, folder: Path, settings: Any
):
    play(folder, b"old", days_ago=4000, trace=keep(folder, b"trace", ".zip"))
    settings.TRACE_DAYS, settings.SCREENSHOT_DAYS = days, 30

    assert remove_job() == 1
    assert [row.kind for row in RemovedEvidence.objects.all()] == ["screenshot"]
    assert [row.going for row in describe_evidence(list_rules())] == [0, 0, 0]


def test_an_episode_whose_file_is_too_new_to_go_is_not_called_removed(folder: Path):
    row = play(folder, b"new", days_ago=0)
    [path] = folder.glob("*/*.jpg")
    os.utime(path)
    EvidenceUse.objects.create(
        kind="screenshot", files=1, bytes=2 * GIB, measured_at=timezone.now()
    )
    rule = Rule("screenshot", gib=1)

    assert remove(rule) == Removal()
    assert not row.removed_evidence.exists()

    os.utime(path, (0, 0))
    Trajectory.objects.update(ended_at=timezone.now() - dt.timedelta(hours=2))
    assert remove(rule).files == 1
    assert not path.exists()
