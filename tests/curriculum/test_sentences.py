"""A sentence is stored in English with its code, and read in any language."""

from __future__ import annotations

import copy
import json
import re

import pytest
from django.conf import settings
from django.core import serializers
from django.utils import translation

from curriculum.models import Phase
from curriculum.texts.saying import say, say_stored
from curriculum.texts.sentence_field import SentenceField, read_column
from curriculum.texts.sentences import (
    SENTENCES,
    Sentence,
    code_of,
    restore,
)
from curriculum.texts.sentences.checks import CHECKS, FINDINGS
from curriculum.texts.sentences.episodes import EPISODES
from curriculum.texts.sentences.filters import FILTERS
from curriculum.texts.sentences.phases import PHASES
from curriculum.texts.sentences.serving import SERVING
from curriculum.texts.sentences.sites import SITES
from rollouts.services.text import clean_reason
from tests.factories import PhaseFactory

PLACE = re.compile(r"%\((\w+)\)s")
LANGUAGES = [code for code, _ in settings.LANGUAGES]
OTHERS = [code for code in LANGUAGES if not code.startswith("en")]
SILENT = Sentence("sandbox_silent", reason="gone")
NESTED = Sentence("sandbox_not_forked", sentence=SILENT)


def fill(code: str) -> Sentence:
    return Sentence(
        code, **{name: f"<{name}>" for name in PLACE.findall(SENTENCES[code])}
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_sentence_takes_its_figures_in_each_language(language: str):
    with translation.override(language):
        said = {code: say(fill(code)) for code in SENTENCES}

    places = {code: PLACE.findall(text) for code, text in SENTENCES.items()}
    lost = [c for c, names in places.items() for n in names if f"<{n}>" not in said[c]]
    assert lost == []


@pytest.mark.parametrize("language", OTHERS)
def test_each_sentence_has_words_of_its_own_in_each_language(language: str):
    with translation.override(language):
        english = [code for code in SENTENCES if say(fill(code)) == fill(code)]

    assert english == []


def test_no_two_sentences_have_the_same_code():
    families = (PHASES, SERVING, FILTERS, EPISODES, CHECKS, FINDINGS, SITES)

    assert len(SENTENCES) == sum(len(family) for family in families)


def test_a_sentence_is_english_where_a_text_is_wanted():
    with translation.override("es"):
        text = f"Failed. {Sentence('worker_died', count=3)}"

    assert text == "Failed. Its worker died 3 times."


def test_a_sentence_within_a_sentence_is_read_in_the_readers_language_too():
    with translation.override("es"):
        assert "el entorno aislado no responde: gone" in say(NESTED)


def test_an_error_keeps_its_sentence():
    assert str(RuntimeError(NESTED)) is NESTED


def test_a_copy_keeps_code_and_figures():
    copied = copy.deepcopy(NESTED)

    assert copied == NESTED
    assert code_of(copied) == code_of(NESTED)


def test_a_sentence_that_is_cleaned_stays_one():
    failed = Sentence("page_failed", url="http://x", reason="y\x00" * 90)

    cleaned = clean_reason(failed)

    assert cleaned == f"http://x failed: {'y' * 90}"
    assert code_of(cleaned)["figures"] == {"url": "http://x", "reason": "y" * 90}


def test_a_sentence_comes_back_from_json_as_it_was():
    stored = json.loads(json.dumps({"text": NESTED, **code_of(NESTED)}))

    back = restore(stored["text"], stored)

    assert isinstance(back, Sentence)
    assert code_of(back) == code_of(NESTED)


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"code": "of another release", "figures": {}},
        {"code": "worker_died", "figures": {"name": 3}},
        {"code": "worker_died", "figures": None},
        {"code": ["worker_died"], "figures": {}},
    ],
)
def test_what_no_sentence_fits_is_read_as_it_is_stored(stored: dict[str, object]):
    with translation.override("es"):
        said = say_stored({"text": "Its worker died 3 times.", **stored})

    assert said == "Its worker died 3 times."


@pytest.mark.django_db
@pytest.mark.parametrize("reason", [NESTED, Sentence("worker_died", count=2)])
def test_a_column_gives_a_sentence_back(reason: Sentence):
    phase = PhaseFactory(failure_reason=reason)

    kept = Phase.objects.values_list("failure_reason", flat=True).get(pk=phase.pk)

    assert kept == reason
    assert code_of(kept) == code_of(reason)


@pytest.mark.django_db
@pytest.mark.parametrize("reason", [NESTED, "plain", '{"text": "The page says: {'])
def test_a_backup_gives_a_reason_back(reason: str):
    phase = PhaseFactory(failure_reason=reason)

    (back,) = serializers.deserialize("jsonl", serializers.serialize("jsonl", [phase]))

    assert isinstance(back.object, Phase)
    assert back.object.failure_reason == reason
    assert code_of(back.object.failure_reason) == code_of(reason)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        "",
        "net::ERR_FAILED at %(odd)s <b>",
        '{"text": "The page says: {',
        '{"text": "Its worker died.", "code": "worker_died", "figures": {}}',
    ],
)
def test_any_other_text_comes_back_as_it_was(text: str):
    phase = PhaseFactory(failure_reason=text)

    phase.refresh_from_db()

    assert phase.failure_reason == text
    assert not isinstance(phase.failure_reason, Sentence)


def test_a_row_from_before_is_read_as_it_is_stored():
    read = SentenceField().from_db_value

    assert read("The site answered 500.") == "The site answered 500."
    assert read(None) is None


@pytest.mark.parametrize("stored", ['{"text": ', '{"text": 1', '{"text": "a"} b'])
def test_a_broken_column_is_read_as_it_is_stored(stored: str):
    assert read_column(stored) == stored
