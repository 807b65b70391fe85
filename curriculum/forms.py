"""Forms for tasks and reviews: fields and messages; the rules are in the services."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from curriculum.errors import WorkbenchError
from curriculum.models import Phase, Review, Site, Task
from curriculum.rules.ids import MAX_ID, read_id
from curriculum.selectors.pages import list_run_choices
from curriculum.selectors.pools import list_usable_sites
from curriculum.services import check_address

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    SiteModelForm = forms.ModelForm[Site]
else:
    SiteModelForm = forms.ModelForm

# Labels are translated when they are shown.
Label: TypeAlias = "str | _StrPromise"
Choices = list[tuple[str, Label]]
PLACEHOLDER = re.compile(r"__[A-Z0-9]+(_[A-Z0-9]+)*__")
ANY = gettext_lazy("Any")
# As long as a filtered text may be; SQLite searches for no text above 50 kB.
MAX_SEARCH_LENGTH = 1000


def with_any(choices: Choices, label: Label = ANY) -> Choices:
    return [("", label), *choices]


def site_choices() -> Choices:
    return [*Site.objects.order_by("name").values_list("key", "name")]


def usable_site_choices() -> Choices:
    """Leave out the external sites that have no address yet."""
    usable = list_usable_sites(())
    return [choice for choice in site_choices() if choice[0] in usable]


def phase_choices(asked: str = "", limit: int = 200) -> Choices:
    """Offer the newest, and the one that is asked for, regardless of its age."""
    phases = Phase.objects.select_related("run").order_by("-id")
    choices = {str(phase.pk): str(phase) for phase in phases[:limit]}
    wanted = read_id(asked)
    if wanted and str(wanted) not in choices:
        choices |= {str(one.pk): str(one) for one in phases.filter(pk=wanted)}
    return [*choices.items()]


# Labels of filters that have none of their own.
LABELS = {
    "site": gettext_lazy("Site"),
    "status": gettext_lazy("Status"),
    "origin": gettext_lazy("Origin"),
    "split": gettext_lazy("Split"),
    "phase": gettext_lazy("Phase"),
    "purpose": gettext_lazy("Purpose"),
    "run": gettext_lazy("Run"),
    "flagged": gettext_lazy("Flagged"),
    "judged": gettext_lazy("Judged"),
    "decision": gettext_lazy("Decision"),
}


def list_problems(form: forms.Form) -> list[tuple[str, str]]:
    """Return the label of each field that is wrong, and why."""
    return [
        (str(form.fields[name].label or name), str(problem))
        for name, problems in form.errors.items()
        for problem in problems
    ]


class FilterForm(forms.Form):
    """A form that leaves wrong values out and reports them: links get old."""

    def __init__(self, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, label_suffix="")
        for name, field in self.fields.items():
            if field.label is None:
                field.label = LABELS.get(name)
        self.fill_choices()

    def fill_choices(self) -> None:
        """Offer the present rows, read once per form and not again with each use."""

    def offer_phases(self, label: Label = ANY) -> None:
        choices = phase_choices(str(self.data.get("phase", "")))
        self.fields["phase"].choices = with_any(choices, label)  # type: ignore[attr-defined]

    def offer_runs(self) -> None:
        asked = read_id(str(self.data.get("run", "")))
        runs = list_run_choices([asked] if asked else [])
        choices: Choices = [(str(run.pk), run.name) for run in runs]
        self.fields["run"].choices = with_any(choices)  # type: ignore[attr-defined]

    def values(self) -> dict[str, Any]:
        """Return the valid fields that are not empty."""
        self.is_valid()
        return {k: v for k, v in self.cleaned_data.items() if v not in ("", None)}

    def left_out(self) -> list[tuple[str, str]]:
        """Return the label of each wrong value and what is wrong with it."""
        return list_problems(self)


def _value_field(label: Label, *, required: bool = False) -> forms.FloatField:
    """A critic value, 0 to 1."""
    number = forms.NumberInput({"min": 0, "max": 1, "step": 0.01})
    return forms.FloatField(
        required=required, min_value=0, max_value=1, label=label, widget=number
    )


def _search_field() -> forms.CharField:
    return forms.CharField(
        required=False,
        max_length=MAX_SEARCH_LENGTH,
        label=gettext_lazy("Text"),
        widget=forms.TextInput({"type": "search"}),
    )


class WaitingFilterForm(FilterForm):
    """Filters that choose which waiting tasks are decided together."""

    text = _search_field()
    site = forms.ChoiceField(required=False)
    phase = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    value_from = _value_field(gettext_lazy("Value from"))
    value_to = _value_field(gettext_lazy("Value to"))
    flagged = forms.ChoiceField(
        required=False, choices=with_any([("yes", gettext_lazy("Flagged"))])
    )

    def fill_choices(self) -> None:
        self.fields["site"].choices = with_any(site_choices())  # type: ignore[attr-defined]
        self.offer_phases()


class TaskFilterForm(WaitingFilterForm):
    """Which tasks the curriculum list shows."""

    status = forms.ChoiceField(required=False, choices=with_any([*Task.Status.choices]))
    origin = forms.ChoiceField(required=False, choices=with_any([*Task.Origin.choices]))
    split = forms.ChoiceField(required=False, choices=with_any([*Task.Split.choices]))
    # The phase in which a task evolved; links of chart marks use it.
    born_in = forms.IntegerField(
        required=False, min_value=1, max_value=MAX_ID, widget=forms.HiddenInput
    )
    field_order = ("text", "site", "status", "origin", "split", "phase")


class BulkForm(forms.Form):
    """The decision about the ticked tasks."""

    task_ids = forms.TypedMultipleChoiceField(coerce=int, required=False)
    decision = forms.ChoiceField(
        choices=[("accept", gettext_lazy("Accept")), ("reject", gettext_lazy("Reject"))]
    )
    reason = forms.ChoiceField(
        required=False,
        choices=with_any([*Review.Reason.choices], gettext_lazy("Reason")),
    )
    note = forms.CharField(required=False, max_length=4000)

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data, label_suffix="")
        ticked = data.getlist("task_ids") if data else ()
        numbers = [(one, one) for one in ticked if re.fullmatch(r"[0-9]{1,18}", one)]
        self.fields["task_ids"].choices = numbers  # type: ignore[attr-defined]


class ValueBandForm(FilterForm):
    """The tasks whose values are shown, and the band that is tried."""

    phase = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    low = _value_field(gettext_lazy("From"))
    high = _value_field(gettext_lazy("To"))

    def fill_choices(self) -> None:
        self.offer_phases(gettext("All phases"))


class BandForm(forms.Form):
    """The band that is applied to tasks; a wrong end is refused, not left out."""

    low = _value_field(gettext_lazy("From"), required=True)
    high = _value_field(gettext_lazy("To"), required=True)


class ReviewForm(forms.Form):
    """One decision as the desk sends it."""

    task_id = forms.IntegerField(min_value=1, max_value=MAX_ID)
    token = forms.CharField(max_length=40)
    decision = forms.ChoiceField(
        choices=[
            *Review.Decision.choices,
            ("others", gettext_lazy("Leave to others")),
            ("drop", gettext_lazy("Not for me")),
            ("flag", gettext_lazy("Flag")),
            ("unflag", gettext_lazy("Withdraw the flag")),
        ]
    )
    instruction = forms.CharField(required=False, max_length=4000)
    reason = forms.ChoiceField(
        required=False, choices=with_any([*Review.Reason.choices])
    )
    note = forms.CharField(required=False, max_length=4000)
    seconds_spent = forms.FloatField(required=False, min_value=0, max_value=86_400)
    guideline = forms.IntegerField(required=False, min_value=1, max_value=MAX_ID)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        is_accepted = data.get("decision") in ("accept", "edit")
        # Without a text, as from a script, the instruction stays unchanged.
        if is_accepted and "instruction" in self.data and data.get("instruction") == "":
            raise forms.ValidationError(
                gettext("The instruction is empty; write one or restore the original.")
            )
        return data


class GoldForm(forms.Form):
    """What the right decision about a task is."""

    accepts = forms.ChoiceField(
        choices=[("yes", gettext_lazy("Accept")), ("no", gettext_lazy("Reject"))]
    )
    why = forms.CharField(required=False, max_length=4000)


class GuidelineForm(forms.Form):
    """A new version of the guidelines, and the one that was edited."""

    text = forms.CharField(required=False, max_length=40_000, strip=False)
    based_on = forms.IntegerField(min_value=0)


class LeaseForm(forms.Form):
    """The heartbeat of the desk."""

    task_id = forms.IntegerField(min_value=1, max_value=MAX_ID)
    token = forms.CharField(max_length=40)


class ReviewFilterForm(FilterForm):
    """Which decisions a list shows."""

    task = forms.IntegerField(required=False, label="Id of the task")
    phase = forms.IntegerField(
        required=False, label="Id of the phase that the task was evolved in"
    )
    reviewer = forms.CharField(required=False, max_length=150, label="Sign-in name")
    decision = forms.ChoiceField(
        required=False, choices=with_any([*Review.Decision.choices])
    )
    reason = forms.ChoiceField(
        required=False, choices=with_any([*Review.Reason.choices])
    )
    standing = forms.ChoiceField(
        required=False,
        choices=with_any([("yes", "Standing"), ("no", "Undone")]),
        label="Whether the decision still stands",
    )
    site = forms.ChoiceField(required=False, label="Key of the task's site")
    text = forms.CharField(
        required=False,
        max_length=MAX_SEARCH_LENGTH,
        label="Words of the instructions or of the note",
    )

    def fill_choices(self) -> None:
        self.fields["site"].choices = with_any(site_choices())  # type: ignore[attr-defined]


class OwnDecisionsForm(FilterForm):
    """Which of a person's own decisions a list shows; exports have the same filters."""

    text = _search_field()
    decision = forms.ChoiceField(
        required=False, choices=with_any([*Review.Decision.choices])
    )
    site = forms.ChoiceField(required=False)
    phase = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)

    def fill_choices(self) -> None:
        self.fields["site"].choices = with_any(site_choices())  # type: ignore[attr-defined]
        self.offer_phases()


class PhaseFilterForm(FilterForm):
    """Which phases a list shows."""

    run = forms.IntegerField(required=False, label="Id of the run")
    status = forms.ChoiceField(
        required=False, choices=with_any([*Phase.Status.choices])
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
    """How a researcher ends a dispute; the page uses the labels as field names."""

    decision = forms.ChoiceField(
        label=gettext_lazy("Decision"),
        choices=[
            ("accept", gettext_lazy("Accept")),
            ("reject", gettext_lazy("Reject")),
        ],
    )
    instruction = forms.CharField(
        required=False, max_length=4000, label=gettext_lazy("Accept with this text")
    )
    reason = forms.ChoiceField(
        required=False,
        choices=with_any([*Review.Reason.choices]),
        label=gettext_lazy("Reason for a rejection"),
    )
    note = forms.CharField(required=False, max_length=4000, label=gettext_lazy("Note"))


class AgreementForm(FilterForm):
    """Whose decisions are compared, and what counts as the same."""

    phase = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    labels = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Edits"),
        choices=[
            ("outcome", gettext_lazy("as accept")),
            ("decision", gettext_lazy("separately")),
        ],
    )
    pair = forms.CharField(required=False, widget=forms.HiddenInput)

    def fill_choices(self) -> None:
        self.offer_phases(gettext("All phases"))


class SiteForm(SiteModelForm):
    """An external site, for the admin; the sandbox writes down its own."""

    base_url = forms.URLField(
        label=gettext_lazy("Address"),
        required=False,
        max_length=200,
        assume_scheme="http",
        help_text=gettext_lazy("An http(s) address; leave empty if there is none."),
    )

    class Meta:
        model = Site
        fields = ("key", "name", "description", "placeholder", "base_url")
        help_texts = {
            "placeholder": gettext_lazy(
                "Stands for the site's address in task files, like __SHOPPING__."
            ),
        }

    def clean_placeholder(self) -> str:
        placeholder = str(self.cleaned_data["placeholder"])
        if not PLACEHOLDER.fullmatch(placeholder):
            raise forms.ValidationError(
                gettext(
                    "Two underscores, then capitals, digits or underscores, "
                    "then two underscores, like __SHOPPING__."
                )
            )
        return placeholder

    def clean_base_url(self) -> str:
        url = str(self.cleaned_data["base_url"])
        try:
            check_address(url)
        except WorkbenchError as error:
            raise forms.ValidationError(error.message) from None
        return url
