from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.test import RequestFactory
from django.utils import translation

from tests.flat_pages import flatten
from tests.webrl_site.conftest import SignIn
from webrl_site.help.glossary import parse_glossary, read_glossary
from webrl_site.i18n.glossary_words import SECTIONS, TERMS

ROOT = Path(__file__).resolve().parents[3]
USES = sorted(
    (path.name, word)
    for path in (ROOT / "templates").rglob("*.html")
    for word in re.findall(r'{% term "([^"]+)"', path.read_text())
)


def show(text: str, **variables: object) -> str:
    """Render a template's text as a page of one request would."""
    context = Context({"request": RequestFactory().get("/"), **variables})
    return Template("{% load help %}" + text).render(context)


def test_a_row_of_the_page_is_a_term_without_its_marks():
    rows = "## Acting\n\n| word | means here | x |\n| --- | --- | --- |\n"
    rows += "| step | one `x` | turn |\n"

    (term,) = parse_glossary(rows)

    assert (term.word, term.meaning, term.avoid) == ("step", "one x", "turn")
    assert term.section == "Acting"


def test_each_word_is_defined_once():
    page = (ROOT / "docs/glossary.md").read_text()

    words = [term.word for term in parse_glossary(page)]

    assert len(words) == len(set(words)) == len(read_glossary())


@pytest.mark.parametrize(("template", "word"), USES)
def test_every_word_that_a_page_explains_is_in_the_glossary(template: str, word: str):
    assert word in read_glossary(), template


def test_a_word_explains_itself_where_it_first_appears():
    seen = show('{% term "lease" "Lease" %} and {% term "lease" %}')

    assert seen.count("<button") == 1
    assert seen.endswith("and lease")
    assert 'aria-describedby="term-lease"' in seen
    assert "How long a claim is valid without a heartbeat." in seen


def test_a_word_that_the_glossary_lacks_is_plain_text():
    assert show('{% term "moon" "Moon" %}') == "Moon"


def test_an_archive_without_a_request_holds_plain_words():
    assert show('{% term "lease" %}', request=None) == "lease"


def test_a_translatable_label_keeps_its_sign_of_percent():
    seen = flatten(show('{% term "Wilson interval" _("95 % intervals") %}'))

    assert ">95 % intervals<" in seen


def test_a_label_is_escaped():
    assert "<i>" not in show('{% term "lease" label %}', label="<i>x</i>")


def test_the_page_names_words_and_keys(sign_in: SignIn):
    seen = sign_in("annotator").get("/help/").content.decode()

    assert "Perplexity band" in seen or "perplexity band" in seen
    assert "Keys of the review desk" in seen
    assert "Undo your last decision" in seen


def test_the_glossary_is_searched_by_word_and_meaning(sign_in: SignIn):
    seen = sign_in("annotator").get("/help/?q=behaviour").content.decode()

    assert 'id="sft"' in seen
    assert 'id="lease"' not in seen


def test_a_search_without_a_find_says_what_to_do(sign_in: SignIn):
    seen = sign_in("annotator").get("/help/?q=<b>zebra").content.decode()

    assert "No term contains “&lt;b&gt;zebra”" in seen
    assert "clear the field" in seen


def test_typing_fetches_the_glossary_alone(sign_in: SignIn):
    response = sign_in("annotator").get(
        "/help/?q=lease", headers={"HX-Request": "true"}
    )

    seen = response.content.decode()
    assert 'id="lease"' in seen
    assert "<html" not in seen


def test_every_text_of_the_glossary_is_in_the_catalogues():
    terms = read_glossary().values()

    assert {term.word: term.meaning for term in terms} == TERMS
    assert set(SECTIONS) == {term.section for term in terms}


@pytest.mark.parametrize(
    ("language", "shown"),
    [("zh-hans", "没有心跳时领取仍然有效的时间"), ("es", "Cuánto vale una fila")],
)
def test_a_word_explains_itself_in_the_readers_language(language: str, shown: str):
    with translation.override(language):
        assert shown in show('{% term "lease" %}')


def test_the_glossary_is_found_by_both_languages_words(sign_in: SignIn):
    client = sign_in("annotator")
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"

    for word in ("租约", "lease"):
        seen = client.get("/help/", {"q": word}).content.decode()
        assert '租约 <code lang="en">lease</code>' in seen
