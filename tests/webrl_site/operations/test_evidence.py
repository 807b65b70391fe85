from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from rollouts.models import RemovedEvidence, Trajectory
from rollouts.services import measure_evidence
from tests.factories import StepFactory, TrajectoryFactory
from tests.rollouts.test_retention import keep, play
from tests.webrl_site.conftest import CountQueries, SignIn
from webrl_site.replay.addresses import describe_removal

pytestmark = pytest.mark.django_db
PREVIEW = "/runs/evidence/?screenshot_days=30"


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.ARTIFACTS_DIR = tmp_path
    return tmp_path


def record(folder: Path, picture: bytes = b"picture") -> Trajectory:
    return play(folder, picture, final_screenshot=keep(folder, picture))


def test_it_says_that_the_retention_is_off(researcher: Client, folder: Path):
    assert "Retention is off" in researcher.get("/runs/evidence/").content.decode()


def test_a_preview_says_what_would_go_and_removes_nothing(
    researcher: Client, folder: Path
):
    record(folder)

    seen = researcher.get(PREVIEW)

    one = next(row[0] for row in seen.context["kinds"] if row[0].going)
    assert (one.rule.kind, one.going, one.freed) == ("screenshot", 1, 7)
    assert "SCREENSHOT_DAYS=30" in seen.content.decode()
    assert not RemovedEvidence.objects.exists()
    assert len(list(folder.glob("*/*.jpg"))) == 1


def test_before_the_first_count_a_sample_says_what_it_takes(
    researcher: Client, folder: Path
):
    record(folder)

    seen = researcher.get("/runs/evidence/").content.decode()

    assert "about 7\xa0bytes" in seen
    assert "<code>./webrl evidence</code> counts them now" in seen


def test_after_a_count_no_sample_is_taken(researcher: Client, folder: Path):
    record(folder)
    measure_evidence()

    seen = researcher.get("/runs/evidence/").content.decode()

    assert "1 files" in seen
    assert "from a sample" not in seen and "counts them now" not in seen


def test_a_rule_that_is_no_number_is_said_to_be_wrong(researcher: Client, folder: Path):
    seen = researcher.get("/runs/evidence/?screenshot_days=-3").content.decode()

    assert "greater than or equal to 0" in seen


def test_annotators_do_not_see_it(sign_in: SignIn):
    assert sign_in("annotator").get("/runs/evidence/").status_code == 403


def test_a_preview_asks_as_often_for_many_episodes(
    researcher: Client, folder: Path, count_queries: CountQueries
):
    record(folder, b"0")
    few = count_queries(researcher, PREVIEW)
    for number in range(1, 5):
        record(folder, str(number).encode())

    assert count_queries(researcher, PREVIEW) == few <= 21


def removed(kind: str, **rule: int) -> Trajectory:
    """Return an episode with a page, a picture and a trace, one kind removed."""
    row: Trajectory = TrajectoryFactory(
        status="finished",
        ended_by="exit",
        attempt=1,
        step_count=1,
        ended_at=timezone.now() - dt.timedelta(days=90),
        trace="c" * 64,
    )
    StepFactory(
        trajectory=row, attempt=1, index=0, snapshot="a" * 64, screenshot="b" * 64
    )
    RemovedEvidence.objects.create(trajectory=row, kind=kind, **rule)
    return row


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("page", "The recorded page was removed on"),
        ("screenshot", "The screenshot was removed on"),
        ("trace", "The trace was removed on"),
    ],
)
def test_the_replay_says_what_was_removed_and_why(
    kind: str, text: str, researcher: Client
):
    row = removed(kind, days=30)

    page = researcher.get(f"/trajectories/{row.pk}/").content.decode()

    today = timezone.now().date().isoformat()
    assert f"{text} {today} by the 30-day retention rule." in page


def test_the_day_of_a_removal_is_that_of_the_pages_time_zone():
    evening = dt.datetime(2026, 3, 1, 20, tzinfo=dt.UTC)
    row = RemovedEvidence(kind="page", days=30, removed_at=evening)

    with timezone.override("Asia/Shanghai"):
        assert "removed on 2026-03-02" in describe_removal(row)


def test_the_replay_asks_for_no_picture_that_is_gone(researcher: Client):
    row = removed("screenshot", gib=5)

    page = researcher.get(f"/trajectories/{row.pk}/").content.decode()

    assert f"{'b' * 64}.jpg" not in page
    assert f"{'a' * 64}.html" in page
    assert "to keep below 5 GiB" in page


def test_a_trace_that_is_gone_is_not_opened(researcher: Client):
    row = removed("trace", days=30)

    assert researcher.get(f"/trajectories/{row.pk}/trace/").status_code == 404


def test_the_command_says_what_would_go(folder: Path, capsys: Any):
    record(folder)

    call_command("show_evidence", "--screenshot-days=30")

    said = capsys.readouterr().out
    assert "screenshot: 1 files, 7 bytes, of 1 episodes (0 pinned); 1 would go" in said
    assert "trace: 0 files, 0 bytes, of 0 episodes (0 pinned); kept forever." in said
    assert not RemovedEvidence.objects.exists()


def test_the_command_removes_when_it_is_told_to(folder: Path, capsys: Any):
    for number in range(3):
        record(folder, str(number).encode())

    call_command("show_evidence", "--screenshot-days=30", "--remove")

    assert "removed of 3 episodes, 3 bytes freed" in capsys.readouterr().out
    assert not list(folder.glob("*/*.jpg"))


def test_the_command_refuses_less_than_no_days(folder: Path):
    with pytest.raises(CommandError, match="or more"):
        call_command("show_evidence", "--trace-days=-1")
