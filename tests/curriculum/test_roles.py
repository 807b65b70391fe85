from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from curriculum.access.roles import (
    ROLE_ANNOTATOR,
    ROLE_RESEARCHER,
    has_any_role,
    has_role,
    role_required,
)
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@role_required(ROLE_RESEARCHER)
def page(request: HttpRequest, number: int) -> HttpResponse:
    return HttpResponse(f"page {number}")


def visit(user: Any) -> Any:
    request = RequestFactory().get("/somewhere/?x=1")
    request.user = user
    return page(request, 5)


def test_a_role_is_a_group() -> None:
    user = UserFactory(roles=[ROLE_ANNOTATOR])

    assert has_role(user, ROLE_ANNOTATOR)
    assert not has_role(user, ROLE_RESEARCHER)
    assert has_any_role(user)


def test_an_admin_has_every_role() -> None:
    assert has_role(UserFactory(is_superuser=True), ROLE_RESEARCHER)


@pytest.mark.parametrize("active", [True, False])
def test_a_person_who_left_has_none(active: bool) -> None:
    user = UserFactory(is_superuser=True, is_active=active)

    assert has_any_role(user) is active


def test_roles_are_asked_for_once_per_request(django_assert_num_queries: Any) -> None:
    user = UserFactory(roles=[ROLE_ANNOTATOR])

    with django_assert_num_queries(1):
        for _ in range(3):
            has_role(user, ROLE_RESEARCHER)


def test_a_stranger_is_sent_to_sign_in_and_back() -> None:
    answer = visit(AnonymousUser())

    assert answer.status_code == 302
    assert answer.url.endswith("?next=/somewhere/%3Fx%3D1")


def test_the_wrong_role_is_refused_and_the_right_one_let_in() -> None:
    with pytest.raises(PermissionDenied):
        visit(UserFactory(roles=[ROLE_ANNOTATOR]))
    assert visit(UserFactory(roles=[ROLE_RESEARCHER])).content == b"page 5"
