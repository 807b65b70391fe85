"""Django's sessions in the database, read by a query that is composed once.

Each request reads its session, and composing that query costs more than answering it.
"""

from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from curriculum.selectors.prepared import PreparedObjects, moment, text


class SessionStore(db.SessionStore):
    """The same rows, keys and signatures: those of before stay valid."""

    def _get_session_from_db(self) -> Session | None:
        key = self.session_key
        found = SESSION.first(key=key, now=timezone.now()) if key else None
        if found is None:
            # As Django does: a key that is unknown is not used again.
            self._session_key = None
        return found


SESSION = PreparedObjects(
    lambda: Session.objects.filter(
        session_key=text("key"), expire_date__gt=moment("now")
    )
)
