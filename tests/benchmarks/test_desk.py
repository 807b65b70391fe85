from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from benchmarks import desk
from benchmarks.desk_clients import FIELD, TEXT, Seen
from benchmarks.desk_rows import Sent, count_doubled, count_lost, open_desk
from curriculum.models import Review, Run, Task
from tests.factories import ReviewFactory, TaskFactory

pytestmark = pytest.mark.django_db


def test_the_rows_of_the_benchmark_leave_no_trace():
    TaskFactory()
    with open_desk(3, 5) as made:
        assert Task.objects.filter(born_in_id=made.phase_id).count() == 5
        ReviewFactory(task=Task.objects.filter(born_in_id=made.phase_id)[0])

    assert Run.objects.count() == 0
    assert Task.objects.count() == 1
    assert Session.objects.count() == 0
    assert not User.objects.filter(username__startswith="bench").exists()


def test_its_clients_read_the_desk():
    TaskFactory()
    with open_desk(1, 2) as made:
        client = Client()
        client.cookies["webrl_session"] = made.sessions[0]
        page = client.get("/review/").content.decode()

        fields = dict(FIELD.findall(page))
        assert set(fields) == {"task_id", "token", "csrfmiddlewaretoken"}
        assert TEXT.search(page)


def test_what_was_decided_twice_or_lost_is_counted():
    TaskFactory()
    with open_desk(2, 3) as made:
        first, second, _ = Task.objects.filter(born_in_id=made.phase_id)
        ReviewFactory(task=first, decision="edit", edited_instruction="Mine")
        sent = [Sent(first.pk, "Mine"), Sent(second.pk, "Gone")]
        assert count_lost(made.phase_id, sent) == 1
        assert count_doubled(made.phase_id) == 0

        ReviewFactory(task=first)
        assert count_doubled(made.phase_id) == 1
        Review.objects.all().delete()


def test_an_empty_dashboard_is_not_measured():
    with pytest.raises(SystemExit, match="seed --scale large"):
        desk.run()


def test_the_counts_name_what_failed():
    TaskFactory()
    with open_desk(1, 1) as made:
        calm = Seen(errors=["claim: 500"])
        records = list(desk._count(made, calm, Seen(decisions=[1.0] * 120)))

    assert records[0].ours == 2
    assert records[-1].metric == "answers that were none: claim: 500 (1)"
