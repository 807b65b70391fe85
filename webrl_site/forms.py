"""The launch form, made from the configuration's own fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_type_hints

from django import forms

from curriculum.forms import usable_site_choices
from curriculum.scopes import SCOPES
from webrl_site.run_config import PRESETS, SECTIONS, RunConfig, RunConfigError

SECTION_TITLES = {
    "curriculum": (
        "Curriculum",
        "Which tasks a phase attempts, how new ones are made.",
    ),
    "review": ("Review", "How people decide about evolved tasks."),
    "rollout": ("Rollouts", "How episodes are collected."),
    "algorithm": ("Algorithm", "Critic first, policy second."),
}
LABELS = {"time_limit_s": "time limit, seconds", "gae_lambda": "GAE lambda"}
PRESET_TEXTS = {
    "demo": "Minutes on a laptop with the starter models.",
    "paper": "Every number as published, for models of 8B and more.",
    "reference": "What the authors' released code does.",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """One group of the form's settings."""

    key: str
    title: str
    text: str
    fields: list[forms.BoundField]


class RunForm(forms.Form):
    """Name, seed and every setting of `RunConfig`; unknown ones cannot be sent."""

    name = forms.CharField(max_length=100, help_text="Unique; shown everywhere.")
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        initial=0,
        help_text="Same seed, same tasks and same samples.",
    )
    auto_accept = forms.BooleanField(
        required=False,
        label="Accept evolved tasks without a person",
        help_text="For demonstrations; such tasks carry a visible label.",
    )
    policy_uri = forms.CharField(
        initial="starter/policy", label="Policy", help_text="Where phase 1 starts from."
    )
    critic_uri = forms.CharField(initial="starter/critic", label="Critic")
    orm_uri = forms.CharField(initial="starter/orm", label="Reward model")

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, preset: str = "demo"
    ) -> None:
        super().__init__(data, label_suffix="")
        base = RunConfig.parse(PRESETS.get(preset, {}))
        for section, config in SECTIONS.items():
            hints = get_type_hints(config)
            for field in dataclasses.fields(config):
                value = getattr(getattr(base, section), field.name)
                made = make_field(field, hints[field.name], value)
                self.fields[f"{section}.{field.name}"] = made
        for name in self.errors if self.is_bound else ():
            if name in self.fields:
                self.fields[name].widget.attrs["aria-invalid"] = "true"

    def sections(self) -> Iterator[Section]:
        for key, (title, text) in SECTION_TITLES.items():
            fields = [self[name] for name in self.fields if name.startswith(f"{key}.")]
            yield Section(key, title, text, fields)

    def general(self) -> list[forms.BoundField]:
        return [self[name] for name in ("name", "seed", "auto_accept")]

    def weights(self) -> list[forms.BoundField]:
        return [self[name] for name in ("policy_uri", "critic_uri", "orm_uri")]

    def clean(self) -> dict[str, Any]:
        """Build the configuration; rules across fields are its own."""
        data = super().clean() or {}
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
        return data


class TaskFileForm(forms.Form):
    """One task file; what is in it is checked by the import."""

    file = forms.FileField(
        label="Task file",
        help_text="JSON, JSON lines or CSV, up to 64 MiB.",
        widget=forms.FileInput({"accept": ".json,.jsonl,.csv,application/json"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)


class TokenForm(forms.Form):
    """A new token: what for, what it may do, how long."""

    name = forms.CharField(
        max_length=60, label="What it is for", help_text="For example: nightly export."
    )
    scopes = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, label="What it may do", initial=["read"]
    )
    days = forms.TypedChoiceField(
        coerce=int,
        initial=90,
        label="How long it is valid",
        choices=[(7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "One year")],
    )

    def __init__(self, data: Mapping[str, Any] | None, *, scopes: list[str]) -> None:
        super().__init__(data, label_suffix="")
        choices = [(name, f"{name}: {SCOPES[name]}") for name in scopes]
        self.fields["scopes"].choices = choices  # type: ignore[attr-defined]


class _SitesField(forms.MultipleChoiceField):
    """Ticks for the sites that can be reached."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **common: Any) -> None:
        super().__init__(required=False, choices=usable_site_choices, **common)


def make_field(
    field: dataclasses.Field[Any], kind: type[Any], value: Any
) -> forms.Field:
    """Return the form field that fits a setting's type, range and meaning."""
    low, high = field.metadata.get("low"), field.metadata.get("high")
    words = LABELS.get(field.name) or field.name.replace("_", " ")
    common: dict[str, Any] = {
        "label": words[:1].upper() + words[1:],
        "initial": value,
        "help_text": field.metadata.get("help", ""),
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
    return forms.FloatField(min_value=low, max_value=high, widget=widget, **common)
