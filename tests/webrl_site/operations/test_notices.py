from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from curriculum.events import LOOK_BACK
from curriculum.services import fail_phase, move_phase, pause_phase, stop_phase
from curriculum.texts.sentences import Sentence
from tests.factories import PhaseEventFactory, PhaseFactory, UserFactory
from webrl_site.models import Delivery
from webrl_site.operations.notice_delivery import (
    MAX_ATTEMPTS,
    deliver_due,
    pause_after,
    sign,
)
from webrl_site.operations.notices import Watch, send_test, tell_stuck

pytestmark = pytest.mark.django_db


class Receiver:
    """A webhook of the lab's: keeps what it gets, answers what it is told."""

    def __init__(self) -> None:
        self.status, self.got = 200, list[tuple[dict[str, str], bytes]]()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), body))
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, *_: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    made = Receiver()
    Thread(target=made.server.serve_forever, daemon=True).start()
    settings.NOTICE_WEBHOOK_URL = made.url
    settings.NOTICE_WEBHOOK_SECRET = "between us"
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_a_phase_that_fails_is_told_once(receiver: Receiver):
    phase = PhaseFactory(status="collecting")
    fail_phase(phase_id=phase.pk, stage="collecting", reason="No browser.")
    told = Watch().look()

    again = Watch().look()

    assert (told, again) == (1, 0)
    payload = Delivery.objects.get().payload
    assert (payload["kind"], payload["reason"]) == ("failed", "No browser.")


def test_a_phase_that_is_finished_is_told(receiver: Receiver):
    phase = PhaseFactory(status="review")
    move_phase(phase_id=phase.pk, before="review", after="closed")

    Watch().look()

    assert Delivery.objects.get().payload["kind"] == "finished"


def test_a_phase_that_waits_for_a_person_is_told_with_what_to_do(receiver: Receiver):
    phase = PhaseFactory(status="collecting")
    reason = Sentence("budget_spent", spent=5.0, budget=4.0)
    pause_phase(phase_id=phase.pk, stage="collecting", reason=reason)

    Watch().look()

    payload = Delivery.objects.get().payload
    assert (payload["kind"], payload["reason"]) == ("paused", str(reason))


def test_a_stop_by_a_person_is_not_told(receiver: Receiver):
    phase = PhaseFactory(status="collecting")
    stop_phase(phase_id=phase.pk, by=None)

    assert Watch().look() == 0


def test_other_moves_are_not_told(receiver: Receiver):
    phase = PhaseFactory(status="collecting")
    move_phase(phase_id=phase.pk, before="collecting", after="scoring")

    assert Watch().look() == 0


def test_a_move_that_is_written_after_one_with_a_higher_id_is_told(receiver: Receiver):
    phase, watch = PhaseFactory(status="training"), Watch()
    began = PhaseEventFactory(phase=phase, kind="status", data={"status": "training"})
    later = {"phase": phase, "kind": "status", "data": {"status": "scoring"}}
    PhaseEventFactory(id=began.pk + 5, **later)
    assert watch.look() == 0
    PhaseEventFactory(id=began.pk + 4, **later | {"data": {"status": "failed"}})

    assert (watch.look(), watch.look()) == (1, 0)


def test_only_new_events_are_read(receiver: Receiver, django_assert_num_queries: Any):
    phase, watch = PhaseFactory(status="training"), Watch()
    last = PhaseEventFactory(phase=phase, kind="progress", data={"done": 1})
    assert watch._tell_moves() == 0

    with django_assert_num_queries(2) as asked:
        watch._tell_moves()

    assert f'"id" > {last.pk - LOOK_BACK}' in asked[-1]["sql"]


def test_a_stuck_phase_is_told_once(receiver: Receiver):
    PhaseFactory(
        status="collecting", progressed_at=timezone.now() - dt.timedelta(hours=1)
    )

    assert (tell_stuck(), tell_stuck()) == (1, 0)


def test_without_a_channel_nothing_is_written():
    assert send_test(by="me") == 0


def test_a_webhook_gets_the_notice_with_its_signature(receiver: Receiver):
    send_test(by="me")

    assert deliver_due() == 1

    [(headers, body)] = receiver.got
    expected = sign("between us", headers["X-WebRL-Timestamp"], body)
    assert headers["X-WebRL-Signature"] == f"sha256={expected}"
    assert json.loads(body)["kind"] == "test"


def test_what_was_delivered_is_not_sent_again(receiver: Receiver):
    send_test(by="me")
    deliver_due()

    assert deliver_due() == 0
    assert Delivery.objects.get().delivered_at is not None


def test_a_refusal_is_tried_again_after_a_pause(receiver: Receiver):
    receiver.status = 500
    send_test(by="me")
    deliver_due()
    row = Delivery.objects.get()

    assert row.error == "It answered 500."
    assert row.next_at is not None
    assert row.next_at > timezone.now()
    assert deliver_due() == 0


def test_the_pauses_grow_to_an_hour():
    assert [pause_after(n) for n in (1, 2, 3, 12)] == [10, 20, 40, 3600]


def test_after_many_tries_it_is_given_up(receiver: Receiver):
    receiver.status = 500
    send_test(by="me")
    Delivery.objects.update(attempts=MAX_ATTEMPTS - 1)

    deliver_due()

    row = Delivery.objects.get()
    assert (row.next_at, row.delivered_at) == (None, None)


def test_an_e_mail_has_no_line_break_in_its_subject(settings: Any):
    settings.NOTICE_EMAIL_TO, settings.EMAIL_HOST = "a@lab.org, b@lab.org", "mail"
    send_test(by="me\nBcc: them@lab.org")

    deliver_due()

    [sent] = mail.outbox
    assert sent.to == ["a@lab.org", "b@lab.org"]
    assert "\n" not in sent.subject


def test_the_page_sends_a_test(receiver: Receiver):
    client = Client()
    client.force_login(UserFactory(roles=["researcher"]))

    seen = client.post("/runs/notices/test/", follow=True)

    assert "A test, asked for by" in seen.content.decode()


def test_without_a_channel_the_page_says_what_turns_notices_on(db: None):
    client = Client()
    client.force_login(UserFactory(roles=["researcher"]))

    seen = client.get("/runs/notices/").content.decode()

    assert "Notices are off" in seen
    assert "<code>NOTICE_WEBHOOK_URL</code>" in seen
    assert "appear here" not in seen


def test_an_annotator_sends_nothing():
    client = Client()
    client.force_login(UserFactory(roles=["annotator"]))

    assert client.post("/runs/notices/test/").status_code == 403
