"""The reviewers' guidelines: every change is a version of its own."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from curriculum.access.roles import ROLE_RESEARCHER, has_role
from curriculum.errors import LeaseLost, NotAllowed, ReviewError
from curriculum.models import Guideline
from curriculum.selectors.reviewing.guidelines import (
    find_guideline,
    forget_newest_guideline,
)

MAX_TEXT_LENGTH = 20_000


@transaction.atomic
def write_guideline(*, text: str, based_on: int, by: User) -> Guideline:
    """Add a version; `based_on` is the one that was edited, 0 for the first.

    Raises:
        NotAllowed: Not a researcher.
        ReviewError: The text is empty, too long, or unchanged.
        LeaseLost: Another person wrote a version meanwhile; nothing was written.
    """
    if not has_role(by, ROLE_RESEARCHER):
        raise NotAllowed(gettext("Only researchers can write the guidelines."))
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise ReviewError(gettext("Guidelines cannot be empty."))
    if len(text) > MAX_TEXT_LENGTH:
        raise ReviewError(
            gettext("Guidelines have at most %(longest_text)s characters.")
            % {"longest_text": f"{MAX_TEXT_LENGTH:,}"}
        )
    newest = find_guideline()
    if newest is not None and newest.text == text:
        raise ReviewError(gettext("Nothing has changed."))
    version = newest.version if newest else 0
    try:
        with transaction.atomic():
            if version != based_on:
                raise IntegrityError
            written = Guideline.objects.create(
                version=version + 1, text=text, author_id=by.pk
            )
    except IntegrityError:
        raise LeaseLost(
            gettext(
                "Someone else has since saved version %(based_on)s. Compare, then save."
            )
            % {"based_on": based_on + 1}
        ) from None
    forget_newest_guideline()
    return written
