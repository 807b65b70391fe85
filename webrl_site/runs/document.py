"""A run as one JSON document, which the launch form shows, reads and downloads.

The form's fields are the only state. A document is read into them and written from
them, so that form, JSON view and file cannot disagree.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, NoReturn

from django.utils.translation import gettext, gettext_lazy

from curriculum.models import Run
from webrl_site.runs.config import SECTIONS, RunConfigError, complete, list_mistakes

GENERAL: dict[str, type[Any]] = {
    "name": str,
    "seed": int,
    "auto_accept": bool,
    "policy_uri": str,
    "critic_uri": str,
    "orm_uri": str,
    "served_uri": str,
}
# The largest that the databases hold.
HIGHEST_SEED = 2**63 - 1
KINDS = {
    str: "text",
    int: gettext_lazy("a whole number"),
    bool: gettext_lazy("true or false"),
}
LONGEST = 2**18


@dataclasses.dataclass(frozen=True, slots=True)
class Reading:
    """The content of a document.

    Attributes:
        values: By the form's field names, as the form takes them.
        mistakes: Messages by field name; those of no field are under "".
    """

    values: Mapping[str, Any]
    mistakes: dict[str, list[str]]


def describe_run(run: Run) -> dict[str, Any]:
    """Return the document of a run, with all settings."""
    values = {key: getattr(run, key) for key in GENERAL}
    return {**values, "config": complete(run.config)}


def compared(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a document that are compared: all but the name."""
    rest = {key: value for key, value in document.items() if key != "name"}
    config = rest.pop("config", {})
    return {**rest, **config} if isinstance(config, Mapping) else rest


def write_document(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False)


def read_document(text: str) -> Reading:
    """Read a document into the form's fields; missing settings are the paper's.

    Values of the wrong kind are kept as they are, so that they can be fixed.
    """
    try:
        document = _parse(text)
    except RunConfigError as error:
        return Reading({}, {"": [error.message]})
    mistakes: dict[str, list[str]] = {}
    unknown = sorted(set(document) - set(GENERAL) - {"config"})
    if unknown:
        known = ", ".join([*GENERAL, "config"])
        mistakes[""] = [
            gettext("Unknown key %(unknown)r; known are %(known)s.")
            % {"unknown": unknown[0], "known": known}
        ]
    values = _read_general(document, mistakes)
    config = document.get("config", {})
    for key, message in list_mistakes(config).items():
        mistakes.setdefault(key, []).append(message)
    if isinstance(config, Mapping):
        values |= _flatten(complete(config, keep=True))
    return Reading(values, mistakes)


def _read_general(
    document: Mapping[str, Any], mistakes: dict[str, list[str]]
) -> dict[str, Any]:
    values = {key: document[key] for key in GENERAL if key in document}
    for key, value in values.items():
        # In Python a flag counts as a whole number; here it must not.
        if type(value) is not GENERAL[key]:
            mistakes[key] = [
                gettext("%(key)s must be %(kinds)s, not %(value)r.")
                % {"key": key, "kinds": KINDS[GENERAL[key]], "value": value}
            ]
    return values


def _flatten(config: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        f"{section}.{key}": value
        for section in SECTIONS
        for key, value in config[section].items()
    }


def _parse(text: str) -> dict[str, Any]:
    """Read strict JSON: no key twice, no NaN, an object at the top level.

    Raises:
        RunConfigError: The message has the place of the mistake.
    """
    if len(text) > LONGEST:
        raise RunConfigError(
            gettext("The document is longer than %(longest)s KiB.")
            % {"longest": LONGEST // 1024}
        )
    try:
        found = json.loads(
            text, object_pairs_hook=_once, parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        raise RunConfigError(
            gettext("This is not JSON: %(msg)s at line %(lineno)s, column %(colno)s.")
            % {"msg": error.msg, "lineno": error.lineno, "colno": error.colno}
        ) from None
    except (ValueError, RecursionError):
        raise RunConfigError(
            gettext("This JSON is nested too deeply, or too long.")
        ) from None
    if not isinstance(found, dict):
        raise RunConfigError(gettext("The document must be an object: { ... }."))
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise RunConfigError(
                gettext("The key %(key)r appears twice.") % {"key": key}
            )
        found[key] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise RunConfigError(
        gettext("%(name)s is not a valid number for a setting.") % {"name": name}
    )
