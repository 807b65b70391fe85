"""A phase's history is kept in English with its figures, and read in any language."""

from __future__ import annotations

import pytest
from django.utils import translation

from curriculum.events import tell_phase
from curriculum.models import PhaseEvent
from curriculum.services import fail_phase, stop_phase
from curriculum.texts.saying import say_stored
from curriculum.texts.sentences import Sentence
from tests.factories import PhaseFactory, UserFactory


@pytest.mark.django_db
def test_what_is_written_is_english_in_every_language():
    phase = PhaseFactory()

    with translation.override("es"):
        tell_phase(phase.pk, "shortlisted", kept=3, count=5)

    event = PhaseEvent.objects.get(phase=phase)
    assert event.data == {
        "text": "3 of 5 instructions are in the value band.",
        "code": "shortlisted",
        "figures": {"kept": 3, "count": 5},
    }


def test_a_sentence_is_read_in_the_readers_language():
    figures = {"by": "ana", "low": 0.05, "high": 0.5, "entered": 2, "left": 1}
    data = {"text": "…", "code": "band_moved", "figures": figures}

    with translation.override("es"):
        said = say_stored(data)

    assert "ana" in said
    assert "de 0,05 a 0,50" in said


@pytest.mark.parametrize(
    "data",
    [
        {"text": "An old sentence."},
        {"reason": "An old sentence."},
        {"text": "An old sentence.", "code": "of another release", "figures": {}},
        {"text": "An old sentence.", "code": "shortlisted", "figures": {"kept": 3}},
        {"text": "An old sentence.", "code": "shortlisted"},
    ],
)
def test_what_no_sentence_fits_is_shown_as_it_is_stored(data: dict[str, object]):
    assert say_stored(data) == "An old sentence."


@pytest.mark.django_db
def test_who_stopped_a_phase_is_kept_as_a_figure():
    phase = PhaseFactory(status="collecting")

    stop_phase(phase_id=phase.pk, by=UserFactory(username="ana"))

    data = PhaseEvent.objects.get(phase=phase, kind="status").data
    assert data["reason"] == "Stopped by ana."
    assert (data["code"], data["figures"]) == ("stopped", {"by": "ana"})


@pytest.mark.django_db
def test_a_failure_in_the_workbenchs_words_is_kept_as_text_on_the_phase():
    phase = PhaseFactory(status="scoring")

    fail_phase(
        phase_id=phase.pk,
        stage="scoring",
        reason=Sentence("worker_died", count=5),
    )

    phase.refresh_from_db()
    assert phase.failure_reason == "Its worker died 5 times."
