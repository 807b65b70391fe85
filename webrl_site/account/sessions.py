"""Django's sessions in the database, read by a query that is composed once.

Each request reads its session, and composing that query costs more than answering it.
"""

from __future__ import annotations

import datetime as dt

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.models import Session
from django.utils import timezone

from curriculum.selectors.prepared import PreparedObjects, moment, text

# A session lasts as long as it is used; a write a request would be too many.
RENEW_EVERY = dt.timedelta(days=1)


class SessionStore(db.SessionStore):
    """The same rows, keys and signatures: those of before stay valid."""

    _is_renewed = False

    def _get_session_from_db(self) -> Session | None:
        key = self.session_key
        found = SESSION.first(key=key, now=timezone.now()) if key else None
        if found is None:
            # As Django does: a key that is unknown is not used again.
            self._session_key = None
        elif self._is_due(found):
            # The middleware saves what was changed, and sends the cookie again.
            self._is_renewed = self.modified = True
        return found

    def save(self, must_create: bool = False) -> None:
        """Save; a mere renewal may fail, as on a full disk: the page still works."""
        try:
            super().save(must_create)
        except UpdateError:
            if not self._is_renewed:
                raise

    def _is_due(self, row: Session) -> bool:
        left = row.expire_date - timezone.now()
        return left < dt.timedelta(seconds=self.get_session_cookie_age()) - RENEW_EVERY


SESSION = PreparedObjects(
    lambda: Session.objects.filter(
        session_key=text("key"), expire_date__gt=moment("now")
    )
)
