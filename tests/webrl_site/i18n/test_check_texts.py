"""Why a check failed is read in the reader's language, a page's own words are not."""

from __future__ import annotations

import pytest
from django.template import Context, Template
from django.utils import translation

from curriculum.texts.sentences import Sentence, code_of
from rollouts.browser.types import CheckResult

WHY = Sentence("state_differs", place="shop.cart")
PAGE = Template("{% load workbench %}{{ check|is_coded }} {{ check|said }}")


def show(check: object) -> str:
    with translation.override("es"):
        return PAGE.render(Context({"check": check}))


@pytest.mark.parametrize(
    "check",
    [
        CheckResult("state_match", False, "1", "2", WHY),
        {"name": "state_match", "why": str.__str__(WHY), **code_of(WHY)},
    ],
)
def test_why_a_check_failed_is_told_in_the_readers_language(check: object):
    assert show(check) == "True shop.cart es distinto"


def test_what_a_page_says_of_itself_stays():
    assert show({"why": "Wrong button!"}) == "False Wrong button!"
