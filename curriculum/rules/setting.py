"""A setting: one number or word of the method, with its help text and its range."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class ConfigError(ValueError):
    """A setting that is unknown, of the wrong type or out of range."""


def setting(
    default: T,
    text: str,
    *,
    low: float | None = None,
    high: float | None = None,
    former: Mapping[str, str] | None = None,
) -> T:
    """Return a dataclass field that people can set.

    Args:
        default: The value where none is set.
        text: The help text, with the source of the default.
        low: The smallest allowed number, if there is one.
        high: The largest allowed number, if there is one.
        former: The present word for each word that older versions stored.
    """
    return dataclasses.field(
        default=default,
        metadata={"help": text, "low": low, "high": high, "former": former or {}},
    )


def check_range(field: dataclasses.Field[Any], value: object) -> None:
    """Check one number against its field's `low` and `high`.

    Raises:
        ConfigError: The value is not a number of the field's kind or out of range.
    """
    low, high = field.metadata.get("low"), field.metadata.get("high")
    if low is None and high is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"{field.name} must be a number, not {value!r}.")
    if "int" in str(field.type) and not isinstance(value, int):
        raise ConfigError(f"{field.name} must be a whole number, not {value!r}.")
    if (low is not None and not value >= low) or (
        high is not None and not value <= high
    ):
        raise ConfigError(f"{field.name} must lie in [{low}, {high}], not {value!r}.")
