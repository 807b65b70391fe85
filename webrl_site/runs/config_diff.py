"""What differs between two configurations, setting by setting. Pure functions."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

# Shown if a configuration has no such setting.
MISSING = "\N{EN DASH}"


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """One setting by its dotted key, as two configurations have it, as text."""

    key: str
    before: str
    after: str


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One setting as several configurations have it, as text, in their order."""

    key: str
    values: tuple[str, ...]

    @property
    def differs(self) -> bool:
        return len(set(self.values)) > 1


def flatten(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested settings by dotted key: {"a": {"b": 1}} -> {"a.b": 1}."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, Mapping):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def compare(configs: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return every setting of any of the configurations, in order of appearance."""
    flat = [flatten(config) for config in configs]
    keys = dict.fromkeys(key for one in flat for key in one)
    return [Row(key, tuple(show(one, key) for one in flat)) for key in keys]


def list_differences(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[Difference]:
    """Return the settings whose values differ; 1 and 1.0 are equal."""
    return [
        Difference(row.key, *row.values)
        for row in compare([before, after])
        if row.differs
    ]


def show(flat: Mapping[str, Any], key: str) -> str:
    if key not in flat:
        return MISSING
    value = flat[key]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
