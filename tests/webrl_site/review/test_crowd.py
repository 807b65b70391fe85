"""The next task is prepared only while few people are at the desk."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from webrl_site.review.crowd import AT_DESK, QUIET, Crowd

pytestmark = pytest.mark.django_db


def test_with_more_than_a_few_requests_the_desk_is_busy():
    crowd, seen = Crowd(), []
    with ExitStack() as stack:
        for _ in range(QUIET + 1):
            stack.enter_context(crowd.enter())
            seen.append(crowd.is_busy)

    assert seen == [False] * QUIET + [True]
    assert not crowd.is_busy


def test_a_request_counts_while_it_is_answered():
    crowd = Crowd()

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(str(crowd.inside))

    answer = crowd.counted(view)(HttpRequest())

    assert (answer.content, crowd.inside) == (b"1", 0)


def test_a_request_that_fails_counts_no_longer():
    crowd = Crowd()

    def view(request: HttpRequest) -> HttpResponse:
        raise ValueError

    with pytest.raises(ValueError):
        crowd.counted(view)(HttpRequest())

    assert crowd.inside == 0


def count_questions(desk: Client) -> int:
    with CaptureQueriesContext(connection) as asked:
        desk.get("/review/warm/")
    return len(asked)


def test_a_busy_desk_prepares_nothing(desk: Client):
    desk.get("/review/")
    cache.clear()
    with ExitStack() as stack:
        for _ in range(QUIET):
            stack.enter_context(AT_DESK.enter())
        busy = count_questions(desk)

    assert busy < count_questions(desk)
