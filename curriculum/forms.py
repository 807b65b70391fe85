"""Forms over tasks and reviews: shape and messages; rules are the services'."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from curriculum.models import Phase, Review, Site, Task
from curriculum.selectors.pools import list_usable_sites

Choices = list[tuple[str, str]]


def with_any(choices: Choices, label: str = "Any") -> Choices:
    return [("", label), *choices]


def site_choices() -> Choices:
    return list(Site.objects.values_list("key", "name"))


def usable_site_choices() -> Choices:
    """Leave out the external sites that have no address yet."""
    usable = list_usable_sites(())
    return [choice for choice in site_choices() if choice[0] in usable]


def phase_choices(limit: int = 200) -> Choices:
    phases = Phase.objects.select_related("run").order_by("-id")[:limit]
    return [(str(phase.pk), str(phase)) for phase in phases]


class FilterForm(forms.Form):
    """A form whose wrong values are left out rather than refused: links get old."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)

    def values(self) -> dict[str, Any]:
        """Return the valid fields that say something."""
        self.is_valid()
        return {k: v for k, v in self.cleaned_data.items() if v not in ("", None)}


def _value_field(label: str) -> forms.FloatField:
    """A critic value, 0 to 1."""
    number = forms.NumberInput({"min": 0, "max": 1, "step": 0.01})
    return forms.FloatField(
        required=False, min_value=0, max_value=1, label=label, widget=number
    )


class TaskFilterForm(FilterForm):
    """Which tasks the curriculum list shows."""

    text = forms.CharField(
        required=False, label="Text", widget=forms.TextInput({"type": "search"})
    )
    site = forms.ChoiceField(required=False)
    status = forms.ChoiceField(
        required=False, choices=with_any(list(Task.Status.choices))
    )
    origin = forms.ChoiceField(
        required=False, choices=with_any(list(Task.Origin.choices))
    )
    split = forms.ChoiceField(
        required=False, choices=with_any(list(Task.Split.choices))
    )
    phase = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    value_from = _value_field("Value from")
    value_to = _value_field("Value to")
    flagged = forms.ChoiceField(required=False, choices=with_any([("yes", "Flagged")]))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["site"].choices = with_any(site_choices())  # type: ignore[attr-defined]
        self.fields["phase"].choices = with_any(phase_choices())  # type: ignore[attr-defined]


class WaitingFilterForm(FilterForm):
    """Which of the waiting tasks are decided at once."""

    text = forms.CharField(
        required=False, label="Text", widget=forms.TextInput({"type": "search"})
    )
    site = forms.ChoiceField(required=False)
    phase = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    value_from = _value_field("Value from")
    value_to = _value_field("Value to")
    flagged = forms.ChoiceField(required=False, choices=with_any([("yes", "Flagged")]))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["site"].choices = with_any(site_choices())  # type: ignore[attr-defined]
        self.fields["phase"].choices = with_any(phase_choices())  # type: ignore[attr-defined]


class BulkForm(forms.Form):
    """What is to happen to the ticked tasks."""

    task_ids = forms.TypedMultipleChoiceField(coerce=int, required=False)
    decision = forms.ChoiceField(choices=[("accept", "Accept"), ("reject", "Reject")])
    reason = forms.ChoiceField(
        required=False, choices=with_any(list(Review.Reason.choices), "Why not")
    )
    note = forms.CharField(required=False, max_length=4000)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="")
        ticked = data.getlist("task_ids") if data else ()
        numbers = [(one, one) for one in ticked if re.fullmatch(r"[0-9]{1,18}", one)]
        self.fields["task_ids"].choices = numbers  # type: ignore[attr-defined]


class DialForm(FilterForm):
    """Whose values the dial shows, and the band that it tries out."""

    phase = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    low = _value_field("From")
    high = _value_field("To")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["phase"].choices = with_any(phase_choices(), "All phases")  # type: ignore[attr-defined]


class ReviewForm(forms.Form):
    """One decision as the desk sends it."""

    task_id = forms.IntegerField()
    token = forms.CharField(max_length=40)
    decision = forms.ChoiceField(
        choices=[
            *Review.Decision.choices,
            ("others", "Leave to others"),
            ("drop", "Not for me"),
            ("flag", "Flag"),
        ]
    )
    instruction = forms.CharField(required=False, max_length=4000)
    reason = forms.ChoiceField(
        required=False, choices=with_any(list(Review.Reason.choices))
    )
    note = forms.CharField(required=False, max_length=4000)
    seconds_spent = forms.FloatField(required=False, min_value=0, max_value=86_400)
    guideline = forms.IntegerField(required=False, min_value=1)


class GoldForm(forms.Form):
    """What the right decision about a task is."""

    accepts = forms.ChoiceField(choices=[("yes", "Accept"), ("no", "Reject")])
    why = forms.CharField(required=False, max_length=4000)


class GuidelineForm(forms.Form):
    """A new version of the guidelines, and the one that was edited."""

    text = forms.CharField(required=False, max_length=40_000, strip=False)
    based_on = forms.IntegerField(min_value=0)


class LeaseForm(forms.Form):
    """The heartbeat of the desk."""

    task_id = forms.IntegerField()
    token = forms.CharField(max_length=40)


class ReviewFilterForm(FilterForm):
    """Which decisions a list shows."""

    task = forms.IntegerField(required=False, label="Id of the task")
    phase = forms.IntegerField(
        required=False, label="Id of the phase that the task was evolved in"
    )
    reviewer = forms.CharField(required=False, max_length=150, label="Sign-in name")
    decision = forms.ChoiceField(
        required=False, choices=with_any(list(Review.Decision.choices))
    )
    reason = forms.ChoiceField(
        required=False, choices=with_any(list(Review.Reason.choices))
    )
    standing = forms.ChoiceField(
        required=False,
        choices=with_any([("yes", "Standing"), ("no", "Undone")]),
        label="Whether the decision still stands",
    )


class PhaseFilterForm(FilterForm):
    """Which phases a list shows."""

    run = forms.IntegerField(required=False, label="Id of the run")
    status = forms.ChoiceField(
        required=False, choices=with_any(list(Phase.Status.choices))
    )


class EventFilterForm(FilterForm):
    """Which events a list shows."""

    phase = forms.IntegerField(required=False, label="Id of the phase")
    kind = forms.CharField(required=False, max_length=20)
    after = forms.IntegerField(
        required=False,
        min_value=0,
        label="Only events with a greater id: those one has not seen",
    )


class AdjudicationForm(forms.Form):
    """How a researcher ends a dispute."""

    decision = forms.ChoiceField(choices=[("accept", "Accept"), ("reject", "Reject")])
    instruction = forms.CharField(required=False, max_length=4000)
    reason = forms.ChoiceField(
        required=False, choices=with_any(list(Review.Reason.choices))
    )
    note = forms.CharField(required=False, max_length=4000)


class AgreementForm(FilterForm):
    """Whose decisions are compared, and what counts as the same."""

    phase = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    labels = forms.ChoiceField(
        required=False,
        label="An edit",
        choices=[("outcome", "accepts"), ("decision", "stands apart")],
    )
    pair = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["phase"].choices = with_any(phase_choices(), "All phases")  # type: ignore[attr-defined]
