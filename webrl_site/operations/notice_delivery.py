"""Sends notices to the operator's webhook and mailbox, with growing pauses."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
import logging
import smtplib
import threading
import time

import httpx
from django.conf import settings
from django.core.mail import send_mail
from django.db import DatabaseError, connection
from django.utils import timezone

from webrl_site.models import Delivery

logger = logging.getLogger(__name__)

TIMEOUT_S = 10.0
# Tries, and seconds between the first two; each pause is twice the one before.
MAX_ATTEMPTS = 12
FIRST_PAUSE_S = 10.0
MAX_PAUSE_S = 3600.0
BATCH = 20


class NotDelivered(Exception):
    """The receiver did not accept it; the message has the reason, and no secret."""


def pause_after(attempts: int) -> float:
    """Return the seconds until the next try: 10, 20, 40, ... at most an hour."""
    return float(min(FIRST_PAUSE_S * 2 ** (attempts - 1), MAX_PAUSE_S))


def deliver_due() -> int:
    """Try the notices that are due; returns how many were delivered."""
    due = Delivery.objects.filter(next_at__lte=timezone.now()).order_by("next_at")
    return sum(_try(row) for row in due[:BATCH] if _claim(row))


def _claim(row: Delivery) -> bool:
    """Postpone the next try, unless another process has just done so."""
    attempts = row.attempts + 1
    next_at = timezone.now() + dt.timedelta(seconds=pause_after(attempts) + TIMEOUT_S)
    mine = Delivery.objects.filter(pk=row.pk, attempts=row.attempts)
    is_ours = bool(mine.update(attempts=attempts, next_at=next_at))
    row.attempts = attempts
    return is_ours


def _try(row: Delivery) -> bool:
    mine = Delivery.objects.filter(pk=row.pk, attempts=row.attempts)
    try:
        _send(row)
    except NotDelivered as error:
        changes = {"error": str(error)[:300]}
        mine.update(**changes)
        if row.attempts >= MAX_ATTEMPTS:
            mine.update(next_at=None)
        return False
    mine.update(next_at=None, delivered_at=timezone.now(), error="")
    return True


def _send(row: Delivery) -> None:
    if row.channel == Delivery.Channel.WEBHOOK:
        _post(row)
    else:
        _mail(row)


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """Return the HMAC-SHA256 of `TIMESTAMP.BODY` in hex, as the receiver checks it."""
    message = timestamp.encode() + b"." + body
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def _post(row: Delivery) -> None:
    body = json.dumps(row.payload).encode()
    timestamp = str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "X-WebRL-Delivery": str(row.pk),
        "X-WebRL-Timestamp": timestamp,
    }
    if settings.NOTICE_WEBHOOK_SECRET:
        signature = sign(settings.NOTICE_WEBHOOK_SECRET, timestamp, body)
        headers["X-WebRL-Signature"] = f"sha256={signature}"
    try:
        answer = httpx.post(
            settings.NOTICE_WEBHOOK_URL,
            content=body,
            headers=headers,
            timeout=TIMEOUT_S,
            trust_env=False,
        )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise NotDelivered(f"It was not reached ({type(error).__name__}).") from None
    if not answer.is_success:
        raise NotDelivered(f"It answered {answer.status_code}.")


def _mail(row: Delivery) -> None:
    text = str(row.payload.get("text", ""))
    lines = [text, "", str(row.payload.get("url", ""))]
    subject = " ".join(f"[WebRL] {text}".split())[:120]
    recipients = settings.NOTICE_EMAIL_TO.replace(",", " ").split()
    try:
        send_mail(subject, "\n".join(lines), settings.DEFAULT_FROM_EMAIL, recipients)
    except (OSError, smtplib.SMTPException) as error:
        raise NotDelivered(f"It was not sent ({type(error).__name__}).") from None


class Sender:
    """Delivers in a separate thread, one at a time: the sweep never waits."""

    def __init__(self) -> None:
        self._busy = threading.Lock()

    def wake(self) -> None:
        """Start to deliver if something is due and no thread is delivering."""
        is_due = Delivery.objects.filter(next_at__lte=timezone.now()).exists()
        if is_due and self._busy.acquire(blocking=False):
            threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            deliver_due()
        except DatabaseError:
            logger.exception("Notices were not delivered")
        finally:
            connection.close()
            self._busy.release()


SENDER = Sender()
