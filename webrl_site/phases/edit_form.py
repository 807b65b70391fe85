"""The form that changes settings of a stopped or failed phase."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, get_type_hints

from django import forms

from webrl_site.launch.forms import Section, list_sections, make_field
from webrl_site.runs.config import SECTIONS, RunConfig, RunConfigError
from webrl_site.runs.config_diff import Difference, list_differences


class EditForm(forms.Form):
    """The settings of a stopped or failed phase that may still be changed."""

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        config: Mapping[str, Mapping[str, Any]],
        editable: Mapping[str, str],
    ) -> None:
        """`editable` has the meaning of a change by dotted key."""
        super().__init__(data, label_suffix="")
        self.config = config
        for section, kind in SECTIONS.items():
            hints = get_type_hints(kind)
            for field in dataclasses.fields(kind):
                key = f"{section}.{field.name}"
                if key in editable:
                    value = config[section][field.name]
                    made = make_field(field, hints[field.name], value)
                    made.help_text = f"{made.help_text} {editable[key]}".strip()
                    self.fields[key] = made

    def clean(self) -> dict[str, Any]:
        """Build the whole configuration, which checks rules across fields."""
        data = super().clean() or {}
        if self.errors:
            return data
        sections = {key: dict(values) for key, values in self.config.items()}
        for key, value in data.items():
            section, _, name = key.partition(".")
            sections[section][name] = value
        try:
            data["config"] = RunConfig.parse(sections).to_json()
        except RunConfigError as error:
            raise forms.ValidationError(error.message) from None
        return data

    def sections(self) -> Iterator[Section]:
        return list_sections(self)

    def differences(self) -> list[Difference]:
        """Return the changed settings; none if a value is wrong."""
        config = self.cleaned_data.get("config") if self.is_valid() else None
        return list_differences(self.config, config) if config else []
