from __future__ import annotations

import lxml.html
import pytest
from django.test import Client

from tests.seed import Example
from tests.webrl_site.conftest import example as example
from webrl_site.examples.every_page import list_pages
from webrl_site.examples.every_state import write_states

RENEWED = "//*[@id='file-report' or @id='launch-check' or @id='guideline-preview'"
RENEWED += " or @id='glossary' or @id='problems' or contains(@hx-trigger, 'every')]"
TOLD = "[@role='alert' or @role='status' or @aria-live]"


def test_no_part_that_is_fetched_again_and_again_is_read_out_as_a_whole(
    researcher: Client, example: Example
):
    write_states()
    found: dict[str, list[str]] = {}
    for name, path in list_pages().items():
        page = researcher.get(path)
        if page.status_code != 200:
            continue
        root = lxml.html.document_fromstring(page.content)
        told = root.xpath(f"{RENEWED}/descendant-or-self::*{TOLD}")
        found[name] = [lxml.html.tostring(one)[:100].decode() for one in told]

    assert len(found) > 40
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/phases/{phase}/", "/runs/queue/", "/runs/new/", "/help/"]
)
def test_what_changes_in_such_a_part_is_told_in_a_line_beside_it(
    researcher: Client, example: Example, path: str
):
    page = researcher.get(path.format(phase=example.closed_phase.pk))

    root = lxml.html.document_fromstring(page.content)

    (line,) = root.xpath("//*[@data-tells]")

    assert line.get("role") == "status"
    assert not line.text
