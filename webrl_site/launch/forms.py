"""The launch form, made from the configuration's own fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_type_hints

from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext, gettext_lazy

from curriculum.access.scopes import SCOPES
from curriculum.forms import usable_site_choices
from curriculum.models import Run
from webrl_site.i18n.setting_words import explain_setting, say_setting
from webrl_site.launch.problems import list_problems
from webrl_site.launch.sweep import SweepError, list_variants, sweep_choices
from webrl_site.runs import document as run_document
from webrl_site.runs.config import (
    PRESET_WEIGHTS,
    PRESETS,
    SECTIONS,
    RunConfig,
    RunConfigError,
)
from webrl_site.runs.config_diff import Difference, list_differences
from webrl_site.runs.document import GENERAL, HIGHEST_SEED, Reading

SECTION_TITLES = {
    "curriculum": (
        gettext_lazy("Curriculum"),
        gettext_lazy("Which tasks a phase attempts and how new ones are made."),
    ),
    "review": (
        gettext_lazy("Review"),
        gettext_lazy("How people decide about evolved tasks."),
    ),
    "rollout": (gettext_lazy("Rollouts"), gettext_lazy("How episodes are collected.")),
    "algorithm": (
        gettext_lazy("Algorithm"),
        gettext_lazy("Critic first, policy second."),
    ),
    "orm": (
        gettext_lazy("Reward model"),
        gettext_lazy("Whether and how it learns from people's verdicts on episodes."),
    ),
}
SWEEP_FIELDS = ("sweep_over", "sweep_values")
WEIGHT_FIELDS = ("policy_uri", "critic_uri", "orm_uri", "served_uri")
PRESET_TEXTS = {
    "demo": gettext_lazy("The starter models on one site; minutes on a laptop."),
    "starter": gettext_lazy("The starter models on all sandbox sites."),
    "pretrained": gettext_lazy("SmolLM2-135M with adapters; add and clone it first."),
    "paper": gettext_lazy("Every number as published, for models of 8B and more."),
    "reference": gettext_lazy("What the authors' released code does."),
    "webarena": gettext_lazy("Pages, waits and limits of WebArena's runner."),
    "webarena-lite": gettext_lazy("A chat model asked as VisualAgentBench asks it."),
    "browsergym": gettext_lazy("Pages and actions as BrowserGym writes them."),
    "webrl": gettext_lazy("A served model that WebRL released, asked as there."),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """One group of the form's settings."""

    key: str
    title: str
    text: str
    fields: list[forms.BoundField]


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """One mistake; `field` is None if it does not belong to a field."""

    field: forms.BoundField | None
    message: str


def list_sections(form: forms.Form) -> Iterator[Section]:
    """Yield the sections that have fields in the form, in the schema's order."""
    for key, (title, text) in SECTION_TITLES.items():
        fields = [form[name] for name in form.fields if name.startswith(f"{key}.")]
        if fields:
            yield Section(key, str(title), str(text), fields)


class RunForm(forms.Form):
    """Name, seed and every setting of `RunConfig`; unknown ones cannot be sent."""

    name = forms.CharField(
        max_length=100,
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("Unique; shown everywhere."),
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=HIGHEST_SEED,
        initial=0,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy("Same seed, same tasks and same samples."),
    )
    auto_accept = forms.BooleanField(
        required=False,
        initial=False,
        label=gettext_lazy("Accept evolved tasks without review"),
        help_text=gettext_lazy("For demos; such tasks carry a visible label."),
    )
    policy_uri = forms.CharField(
        initial="starter/policy",
        label=gettext_lazy("Policy"),
        help_text=gettext_lazy("Where phase 1 starts from."),
    )
    # Only on the page: a document describes one run.
    sweep_over = forms.ChoiceField(
        required=False,
        choices=sweep_choices,
        label=gettext_lazy("Setting to sweep over"),
        help_text=gettext_lazy(
            "Creates one run per value; everything else stays the same."
        ),
    )
    sweep_values = forms.CharField(
        required=False,
        max_length=200,
        label=gettext_lazy("Its values"),
        help_text=gettext_lazy("2 to 6, separated by commas: 0.01, 0.1, 1"),
    )
    critic_uri = forms.CharField(initial="starter/critic", label=gettext_lazy("Critic"))
    orm_uri = forms.CharField(initial="starter/orm", label=gettext_lazy("Reward model"))
    served_uri = forms.CharField(
        required=False,
        max_length=300,
        initial="",
        label=gettext_lazy("Served policy"),
        help_text=gettext_lazy(
            "Empty, or the model of a server that acts with the policy's weights and "
            "gets the trained ones: http://host:8000/v1#model"
        ),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        preset: str = "demo",
        parent: Run | None = None,
        reading: Reading | None = None,
    ) -> None:
        """Fill the fields from the parent run, or else from a preset.

        `reading` is a document that replaces sent fields, except those of a sweep.
        """
        self.mistakes = reading.mistakes if reading else {}
        sweep = {name: data[name] for name in SWEEP_FIELDS if data and name in data}
        values = reading.values if reading else data
        if reading and values is not data:
            values = {**reading.values, **sweep}
        super().__init__(values, label_suffix="")
        self.base = RunConfig.parse(PRESETS.get(preset, {})).to_json()
        self.base_title = gettext("the preset %(preset)s") % {"preset": preset}
        for name, address in PRESET_WEIGHTS.get(preset, {}).items():
            self.fields[name].initial = address
        if parent is not None:
            self._start_from(parent)
        for section, config in SECTIONS.items():
            hints = get_type_hints(config)
            for field in dataclasses.fields(config):
                value = self.base[section][field.name]
                made = make_field(field, hints[field.name], value)
                self.fields[f"{section}.{field.name}"] = made
        # A text that is not a document has no values for fields.
        self.is_broken = reading is not None and not reading.values
        if self.is_broken:
            initial = {name: field.initial for name, field in self.fields.items()}
            self.data = {**initial, "name": "unnamed", **sweep}
        for name in self.errors if self.is_bound else ():
            if name in self.fields:
                self.fields[name].widget.attrs["aria-invalid"] = "true"

    def _start_from(self, parent: Run) -> None:
        document = run_document.describe_run(parent)
        self.base, self.base_title = document.pop("config"), parent.name
        for name, value in document.items():
            self.fields[name].initial = value

    def document(self) -> dict[str, Any]:
        """Return the form as a document; wrong values stay as they were sent."""
        general = {name: self._value(name) for name in GENERAL}
        if self.is_bound and not self.errors and "config" in self.cleaned_data:
            return {**general, "config": self.cleaned_data["config"]}
        config = {
            section: {key: self._value(f"{section}.{key}") for key in values}
            for section, values in self.base.items()
        }
        return {**general, "config": config}

    def settings(self) -> dict[str, Any] | None:
        """Return all values except the name; None if one of them is wrong.

        An unsent form has its initial values.
        """
        is_wrong = self.is_bound and set(self.errors) - {"name"}
        return None if is_wrong else self.document()

    def differences(self) -> list[Difference]:
        """Return what differs from the parent run or the preset, except the name."""
        general = {name: self.fields[name].initial for name in GENERAL}
        before = {**general, "config": self.base}
        return list_differences(
            run_document.compared(before), run_document.compared(self.document())
        )

    def changed(self) -> set[str]:
        """Return the names of the fields that differ."""
        return {difference.key for difference in self.differences()}

    def _value(self, name: str) -> Any:
        if not self.is_bound:
            return self.fields[name].initial
        if not self.errors.get(name) and name in self.cleaned_data:
            return self.cleaned_data[name]
        return self[name].value()

    def sections(self) -> Iterator[Section]:
        return list_sections(self)

    def problems(self) -> list[Problem]:
        """Return all mistakes, in the order of the fields."""
        general = [Problem(None, str(text)) for text in self.non_field_errors()]
        fields = [Problem(field, str(m)) for field in self for m in field.errors]
        return general + fields

    def general(self) -> list[forms.BoundField]:
        return [self[name] for name in ("name", "seed", "auto_accept")]

    def sweep(self) -> list[forms.BoundField]:
        return [self[name] for name in SWEEP_FIELDS]

    def weights(self) -> list[forms.BoundField]:
        return [self[name] for name in WEIGHT_FIELDS]

    def clean(self) -> dict[str, Any]:
        """Build the configuration, which checks rules across fields."""
        data = super().clean() or {}
        if self.is_broken:
            self.errors.clear()
        for name, messages in self.mistakes.items():
            # Errors from reading the document are more exact than those of the field.
            self.errors.pop(name, None)
            self.add_error(name if name in self.fields else None, messages)
        for name, message in ({} if self.is_broken else list_problems(data)).items():
            if name not in self.errors:
                self.add_error(name, message)
        if self.errors:
            return data
        config = {
            key: {
                name.removeprefix(f"{key}."): value
                for name, value in data.items()
                if name.startswith(f"{key}.")
            }
            for key in SECTIONS
        }
        try:
            data["config"] = RunConfig.parse(config).to_json()
        except RunConfigError as error:
            raise forms.ValidationError(error.message) from None
        self._list_variants(data)
        return data

    def _list_variants(self, data: dict[str, Any]) -> None:
        """Note the runs to make; a sweep has several."""
        given = (data.get("sweep_over", ""), data.get("sweep_values", ""))
        try:
            data["variants"] = list_variants(
                data["name"], data["seed"], data["config"], *given
            )
        except SweepError as error:
            self.add_error("sweep_values", error.message)


class TaskFileForm(forms.Form):
    """One task file; the import checks its content."""

    file = forms.FileField(
        label=gettext_lazy("Task file"),
        help_text=gettext_lazy("JSON, JSON lines or CSV, up to 64 MiB."),
        widget=forms.FileInput({"accept": ".json,.jsonl,.csv,application/json"}),
    )

    def __init__(
        self, data: Mapping[str, Any] | None, files: MultiValueDict[str, Any] | None
    ) -> None:
        super().__init__(data, files, label_suffix="")


class TokenForm(forms.Form):
    """A new token: what for, what it may do, how long."""

    name = forms.CharField(
        max_length=60,
        label=gettext_lazy("What it is for"),
        help_text=gettext_lazy("For example: nightly export."),
    )
    scopes = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("What it may do"),
        initial=["read"],
    )
    days = forms.TypedChoiceField(
        coerce=int,
        initial=90,
        label=gettext_lazy("How long it is valid"),
        choices=[
            (7, gettext_lazy("7 days")),
            (30, gettext_lazy("30 days")),
            (90, gettext_lazy("90 days")),
            (365, gettext_lazy("One year")),
        ],
    )

    def __init__(self, data: Mapping[str, Any] | None, *, scopes: list[str]) -> None:
        super().__init__(data, label_suffix="")
        choices = [(name, f"{name}: {SCOPES[name]}") for name in scopes]
        self.fields["scopes"].choices = choices  # type: ignore[attr-defined]


class _NumberField(forms.FloatField):
    """A number; a document may hold a whole one that no float can."""

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except OverflowError:
            raise forms.ValidationError(
                self.error_messages["invalid"], code="invalid"
            ) from None


class _SitesField(forms.MultipleChoiceField):
    """Check boxes for the sites that can be reached."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **common: Any) -> None:
        super().__init__(required=False, choices=usable_site_choices, **common)


def make_field(
    field: dataclasses.Field[Any], kind: type[Any], value: object
) -> forms.Field:
    """Return the form field that fits a setting's type, range and meaning."""
    low, high = field.metadata.get("low"), field.metadata.get("high")
    common: dict[str, Any] = {
        "label": say_setting(field.name),
        "initial": value,
        "help_text": explain_setting(field.metadata.get("help", "")),
    }
    if kind == tuple[str, ...]:
        return _SitesField(**common)
    if kind is bool:
        return forms.BooleanField(required=False, **common)
    if choices := get_args(kind):
        return forms.ChoiceField(choices=[(c, c) for c in choices], **common)
    if kind is int:
        return forms.IntegerField(min_value=low, max_value=high, **common)
    widget = forms.NumberInput({"step": "any"})
    return _NumberField(min_value=low, max_value=high, widget=widget, **common)
