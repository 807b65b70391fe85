"""What a phase's history says in sentences: a code and its figures.

The English sentence is written beside them, for programs and for whoever reads the
rows; people read it in their language. Rows from before have the sentence alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeAlias

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_noop

Figure: TypeAlias = str | int | float
# A figure that is a float is shown with two decimals, as values are.
SENTENCES: Mapping[str, str] = {
    "review_finished": gettext_noop(
        "%(by)s finished the review; %(count)s tasks left undecided."
    ),
    "band_moved": gettext_noop(
        "%(by)s moved the value band to %(low)s to %(high)s; "
        "entered the review: %(entered)s, left: %(left)s."
    ),
    "proposed": gettext_noop(
        "%(count)s instructions proposed, %(left)s passed the first filters."
    ),
    "shortlisted": gettext_noop(
        "%(kept)s of %(count)s instructions lie in the value band."
    ),
    "accepted": gettext_noop("%(count)s instructions accepted unreviewed."),
    "not_opened": gettext_noop("The next phase was not opened: %(reason)s"),
    "training_was_killed": gettext_noop(
        "%(reason)s Training resumes; it was killed %(count)s times, at most %(most)s."
    ),
    "reward_model_stays": gettext_noop("The reward model stays. %(reason)s"),
    "reward_model_learnt": gettext_noop(
        "The reward model has learnt from people's verdicts; "
        "no judged task was held out to measure it."
    ),
    "reward_model_measured": gettext_noop(
        "The reward model has learnt from people's verdicts: right on %(after)s %% "
        "of %(count)s held-out episodes, %(before)s %% before."
    ),
    "site_closed": gettext_noop(
        "%(site)s is closed until %(until)s: it broke %(count)s episodes in a row. "
        "The last: %(reason)s"
    ),
    "site_works": gettext_noop("%(site)s works again."),
    "site_opened": gettext_noop("%(site)s was opened by hand."),
    "site_reset": gettext_noop("%(site)s has been reset."),
    "reset_failed": gettext_noop(
        "%(site)s could not be reset: %(reason)s Tried again at %(at)s."
    ),
    "stopped": gettext_noop("Stopped by %(by)s."),
    "stopped_itself": gettext_noop("Stopped by the workbench."),
    "resumed": gettext_noop("Resumed by %(by)s."),
    "resumed_itself": gettext_noop("Resumed by the workbench."),
    "no_tasks": gettext_noop("There are no tasks to attempt."),
    "no_episode": gettext_noop("No episode could be carried out. %(reasons)s"),
    "worker_died": gettext_noop("Its worker died %(count)s times."),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Sentence:
    """One of `SENTENCES` with its figures; in English as text.

    Args:
        code: A key of `SENTENCES`.
        figures: What stands in its places; they are stored as JSON.
    """

    code: str
    figures: Mapping[str, Figure] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        with translation.override("en"):
            return _fill(SENTENCES[self.code], self.figures)

    def to_json(self) -> dict[str, Any]:
        """Return what an event's data keep beside the English text."""
        return {"code": self.code, "figures": dict(self.figures)}


def say_event(data: Mapping[str, Any]) -> str:
    """Return what an event says, in the reader's language where its code is known."""
    stored = str(data.get("text") or data.get("reason") or "")
    sentence = SENTENCES.get(str(data.get("code")))
    if sentence is None:
        return stored
    try:
        return _fill(gettext(sentence), data["figures"])
    except (KeyError, TypeError, ValueError):
        # Rows outlive releases: a sentence may have got other places since.
        return stored


def _fill(sentence: str, figures: Mapping[str, Figure]) -> str:
    shown = {
        name: number_format(figure, 2) if isinstance(figure, float) else figure
        for name, figure in figures.items()
    }
    return sentence % shown
