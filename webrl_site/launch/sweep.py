"""A sweep: several runs that differ in one setting, made together."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_type_hints

from django.utils.translation import gettext

from curriculum.errors import WorkbenchError
from curriculum.models import Run
from curriculum.selectors.pages import is_run_name_taken
from webrl_site.i18n.setting_words import say_setting
from webrl_site.runs.config import SECTIONS, RunConfig, RunConfigError
from webrl_site.runs.document import HIGHEST_SEED

SEED = "seed"
# As many as the charts and the comparison show side by side.
MAX_RUNS = 6
MAX_NAME = Run._meta.get_field("name").max_length or 0


class SweepError(WorkbenchError):
    """The values of a sweep cannot be used."""


@dataclasses.dataclass(frozen=True, slots=True)
class Variant:
    """One run of a sweep."""

    name: str
    seed: int
    config: dict[str, Any]

    def is_like(self, other: Variant) -> bool:
        """Say whether the two differ in their names only."""
        return (self.seed, self.config) == (other.seed, other.config)


def sweep_choices() -> Iterator[tuple[str, str]]:
    """Every setting with one value, as the form's choices; the first is no sweep."""
    yield "", gettext("None: one run")
    yield SEED, gettext("Seed")
    for section, config in SECTIONS.items():
        hints = get_type_hints(config)
        for field in dataclasses.fields(config):
            if hints[field.name] != tuple[str, ...]:
                yield f"{section}.{field.name}", str(say_setting(field.name))


def list_variants(
    name: str, seed: int, config: Mapping[str, Any], over: str, text: str
) -> list[Variant]:
    """Return the runs to make; one without a setting to sweep over.

    Args:
        name: The run's name, to which a sweep's runs add setting and value.
        seed: The run's seed.
        config: Its settings, already validated.
        over: `section.setting`, `seed`, or "".
        text: The values, separated by commas; of equal ones the first counts.

    Raises:
        SweepError: A value is of the wrong kind or out of range, there are too few or
            too many, or a name is too long or taken.
    """
    if not over:
        return [Variant(name, seed, dict(config))]
    values = list(dict.fromkeys(part.strip() for part in text.split(",")))
    variants: list[Variant] = []
    for value in values if all(values) else ():
        made = _make_variant(name, seed, config, over, value)
        # Equal values may be written differently, such as 1 and 1.0.
        if not any(made.is_like(one) for one in variants):
            variants.append(made)
    if not 2 <= len(variants) <= MAX_RUNS:
        raise SweepError(
            gettext("Give 2 to %(most)s different values, separated by commas.")
            % {"most": MAX_RUNS}
        )
    for variant in variants:
        _check_name(variant.name)
    return variants


def _make_variant(
    name: str, seed: int, config: Mapping[str, Any], over: str, value: str
) -> Variant:
    section, _, key = over.rpartition(".")
    title = f"{name} {key} {value}"
    if over == SEED:
        if not re.fullmatch(r"[0-9]{1,19}", value) or int(value) > HIGHEST_SEED:
            raise SweepError(_say_wrong(value))
        return Variant(title, int(value), dict(config))
    changed = copy.deepcopy(dict(config))
    changed[section][key] = _read(get_type_hints(SECTIONS[section])[key], value)
    try:
        return Variant(title, seed, RunConfig.parse(changed).to_json())
    except RunConfigError as error:
        raise SweepError(error.message) from None


def _read(kind: Any, text: str) -> object:
    """Return the value of a text for a setting of this type.

    Raises:
        SweepError: It is not a value of this type.
    """
    if get_args(kind):  # words; the configuration checks which
        return text
    if kind is bool:
        if text not in ("true", "false"):
            raise SweepError(_say_wrong(text))
        return text == "true"
    try:
        return kind(text)
    except ValueError:
        raise SweepError(_say_wrong(text)) from None


def _say_wrong(value: str) -> str:
    return gettext("%(value)r is not a valid value for this setting.") % {
        "value": value[:40]
    }


def _check_name(name: str) -> None:
    if len(name) > MAX_NAME:
        raise SweepError(
            gettext("The name is too long for a sweep: %(name)s") % {"name": name}
        )
    if is_run_name_taken(name):
        raise SweepError(
            gettext("There is already a run called %(name)r.") % {"name": name}
        )
