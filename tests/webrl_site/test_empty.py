"""Pages of an empty workbench say what to do next."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from tests.factories import UserFactory

EMPTY = re.compile(r'<(div|p) class="[^"]*\bempty\b.*?</\1>', re.DOTALL)
WAYS_ON = ("<a ", "<button", "<code>")
PAGES = [
    "/curriculum/",
    "/curriculum/value-band/",
    "/curriculum/sites/",
    "/review/",
    "/review/disputes/",
    "/review/gold/",
    "/review/progress/",
    "/review/team/",
    "/review/agreement/",
    "/review/bulk/",
    "/trajectories/",
    "/judges/",
    "/runs/",
    "/runs/queue/",
    "/runs/compare/",
    "/runs/notices/",
    "/charts/",
    "/account/tokens/",
]


@pytest.mark.parametrize("url", PAGES)
def test_an_empty_page_leads_on(url: str, client: Client, db: None):
    client.force_login(UserFactory(roles=["researcher"]))
    response = client.get(url)
    main = response.content.decode().partition("<main")[2]
    found = [match[0] for match in EMPTY.finditer(main)]

    assert response.status_code == 200
    assert found, "it says that there is nothing"
    assert [text for text in found if not any(way in text for way in WAYS_ON)] == []
