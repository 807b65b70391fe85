"""Why a check says what it says is stored in English and read in any language."""

from __future__ import annotations

import pytest
from django.utils import translation

from rollouts.browser.evaluators.fuzzy import NO_JUDGE, UNCLEAR
from rollouts.browser.evaluators.rewards import STILL_OPEN
from webrl_site.i18n.check_texts import CHECKS

WHYS = [
    *(NO_JUDGE, UNCLEAR, STILL_OPEN),
    "the phrase is not there",
    "shop.cart is otherwise",
    "orders, cart changed too",
    "http://shop.example/cart was not reached",
    "malformed rules: unknown url_note 'X'",
    "malformed rules: KeyError 'site'",
    "the rule set webarena has no rule 'odd' for pages",
]


@pytest.mark.parametrize("language", ["es", "zh-hans"])
@pytest.mark.parametrize("why", WHYS)
def test_why_a_check_failed_is_told_in_other_languages(why: str, language: str):
    with translation.override(language):
        said = CHECKS.read(why)
    assert said.is_known
    assert said.text not in ("", why)


@pytest.mark.parametrize("why", WHYS)
def test_in_english_it_is_what_was_written(why: str):
    assert CHECKS.say(why) == why


def test_what_a_page_says_of_itself_stays():
    with translation.override("es"):
        assert not CHECKS.read("Wrong button!").is_known
