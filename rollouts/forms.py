"""Filters over trajectories, a person's verdict, and rules for evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from curriculum.forms import (
    MAX_SEARCH_LENGTH,
    Choices,
    FilterForm,
    site_choices,
    with_any,
)
from curriculum.rules.ids import MAX_ID
from rollouts.models import EvidenceKind, HumanVerdict, Trajectory
from rollouts.retention import Rule
from rollouts.services import MAX_NOTE_LENGTH

VERDICTS: Choices = [
    ("", gettext_lazy("Any")),
    ("yes", gettext_lazy("Success")),
    ("no", gettext_lazy("Failure")),
    ("none", gettext_lazy("Not judged")),
]


def _hidden_number(low: int | None = None) -> forms.IntegerField:
    """A whole number of a link, within a database's range."""
    return forms.IntegerField(
        required=False, min_value=low, max_value=MAX_ID, widget=forms.HiddenInput
    )


class TrajectoryFilterForm(FilterForm):
    """Which trajectories the list shows."""

    text = forms.CharField(
        required=False,
        max_length=MAX_SEARCH_LENGTH,
        label=gettext_lazy("Instruction"),
        widget=forms.TextInput({"type": "search"}),
    )
    run = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    phase = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    purpose = forms.ChoiceField(
        required=False, choices=with_any([*Trajectory.Purpose.choices])
    )
    site = forms.ChoiceField(required=False)
    status = forms.ChoiceField(
        required=False, choices=with_any([*Trajectory.Status.choices])
    )
    outcome = forms.ChoiceField(
        required=False, choices=VERDICTS, label=gettext_lazy("Evaluators")
    )
    reward = forms.ChoiceField(
        required=False, choices=VERDICTS, label=gettext_lazy("Reward model")
    )
    ended_by = forms.ChoiceField(
        required=False,
        choices=with_any([*Trajectory.EndedBy.choices]),
        label=gettext_lazy("Ended by"),
    )
    error_type = forms.ChoiceField(
        required=False,
        choices=with_any([*Trajectory.ErrorType.choices]),
        label=gettext_lazy("Error type"),
    )
    kept = forms.ChoiceField(
        required=False,
        choices=[
            ("", gettext_lazy("Any")),
            ("yes", gettext_lazy("Kept")),
            ("held_out", gettext_lazy("Kept from held-out tasks; not trained on")),
        ],
        label=gettext_lazy("Demonstration"),
    )
    task = _hidden_number(1)
    # Filters that links of chart marks set.
    template = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)
    judged = forms.ChoiceField(
        required=False, choices=[("", ""), ("yes", "yes")], widget=forms.HiddenInput
    )
    scored = forms.ChoiceField(
        required=False, choices=[("", ""), ("yes", "yes")], widget=forms.HiddenInput
    )
    optimal_from = _hidden_number()
    optimal_to = _hidden_number()
    words_from = _hidden_number()
    words_to = _hidden_number()
    chance_from = forms.FloatField(required=False, widget=forms.HiddenInput)
    chance_below = forms.FloatField(required=False, widget=forms.HiddenInput)

    def fill_choices(self) -> None:
        self.fields["site"].choices = with_any(site_choices())  # type: ignore[attr-defined]
        self.offer_runs()
        self.offer_phases()


class _NoteField(forms.CharField):
    """Lines of text; a browser counts a line break once and sends two characters."""

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class HumanVerdictForm(forms.Form):
    """What a person says of an episode; `step` is where to go back to."""

    verdict = forms.ChoiceField(choices=HumanVerdict.Verdict.choices)
    note = _NoteField(required=False, max_length=MAX_NOTE_LENGTH)
    step = forms.IntegerField(required=False, min_value=1)


class RetentionForm(forms.Form):
    """A rule for each kind of evidence, to try before it is set."""

    def __init__(
        self, data: Mapping[str, Any] | None, *, initial: dict[str, int]
    ) -> None:
        super().__init__(data, initial=initial)
        for kind, label in EvidenceKind.choices:
            for unit, most in (("days", 36500), ("gib", 10**6)):
                number = forms.NumberInput(
                    {"min": 0, "max": most, "inputmode": "numeric"}
                )
                self.fields[f"{kind}_{unit}"] = forms.IntegerField(
                    required=False,
                    min_value=0,
                    max_value=most,
                    widget=number,
                    label=label,
                )

    def rules(self) -> list[Rule]:
        """Return the rules of a valid form; missing values are 0."""
        return [
            Rule(
                kind,
                days=self.cleaned_data[f"{kind}_days"] or 0,
                gib=self.cleaned_data[f"{kind}_gib"] or 0,
            )
            for kind in EvidenceKind.values
        ]

    def lines(self) -> list[str]:
        """Return the settings that switch these rules on."""
        return [
            f"{name.upper()}={value}"
            for name, value in self.cleaned_data.items()
            if value
        ]
