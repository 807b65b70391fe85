"""One run's configuration: curriculum, rollouts and algorithm, and its presets."""

from __future__ import annotations

import dataclasses
import functools
import json
import operator
import sys
from collections.abc import Callable, Container, Hashable, Mapping
from typing import Any, cast, get_args, get_type_hints

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from curriculum.errors import WorkbenchError
from curriculum.phase_config import (
    PROFILES,
    CurriculumConfig,
    ReviewConfig,
    RolloutConfig,
)
from curriculum.rules.setting import ConfigError, check_range
from training.rl.orm.config import OrmConfig
from training.rl.webrl_config import WebRLConfig, upgrade_algorithm

SECTIONS: dict[str, type[Any]] = {
    "curriculum": CurriculumConfig,
    "review": ReviewConfig,
    "rollout": RolloutConfig,
    "algorithm": WebRLConfig,
    "orm": OrmConfig,
}
# Settings that are valid alone but may clash: two keys, when, and what to say.
CLASHES: tuple[tuple[str, str, Callable[[Any, Any], Any], str | Promise], ...] = (
    (
        "curriculum.value_low",
        "curriculum.value_high",
        operator.gt,
        gettext_lazy("curriculum: value_low must not exceed value_high."),
    ),
    (
        "algorithm.perplexity_low",
        "algorithm.perplexity_high",
        operator.gt,
        gettext_lazy("algorithm: perplexity_low must not exceed perplexity_high."),
    ),
    (
        "algorithm.batch_size",
        "algorithm.micro_batch_size",
        operator.mod,
        gettext_lazy("algorithm: batch_size must be a multiple of micro_batch_size."),
    ),
    (
        "algorithm.objective",
        "rollout.attempts_per_task",
        lambda objective, attempts: objective == "grpo" and attempts < 2,
        gettext_lazy(
            "grpo compares attempts at one task: set attempts_per_task to 2 or more."
        ),
    ),
    (
        "rollout.served_prompt",
        "rollout.observation",
        lambda prompt, form: prompt == "webrl" and form != "webrl",
        gettext_lazy(
            "rollout: served_prompt webrl needs observation webrl: the released models "
            "read no other pages."
        ),
    ),
    (
        "rollout.navigation_limit_s",
        "rollout.step_time_limit_s",
        lambda page, step: page + 10 > step,  # Seconds for a step's other waits.
        gettext_lazy("rollout: step_time_limit_s must be 10 above navigation_limit_s."),
    ),
    (
        "rollout.share_sites",
        "rollout.reset_sites",
        lambda shares, when: shares and when == "per_task",
        gettext_lazy(
            "rollout: share_sites needs reset_sites per_episodes or per_phase: with "
            "a reset after each episode, only one at a time can use an instance."
        ),
    ),
)


class RunConfigError(WorkbenchError):
    """A setting that is unknown, of the wrong kind or out of range."""


class SettingsClash(RunConfigError):
    """Two settings that are valid alone exclude one another."""


@dataclasses.dataclass(frozen=True)
class RunConfig:
    """All settings of a run."""

    curriculum: CurriculumConfig = dataclasses.field(default_factory=CurriculumConfig)
    review: ReviewConfig = dataclasses.field(default_factory=ReviewConfig)
    rollout: RolloutConfig = dataclasses.field(default_factory=RolloutConfig)
    algorithm: WebRLConfig = dataclasses.field(default_factory=WebRLConfig)
    orm: OrmConfig = dataclasses.field(default_factory=OrmConfig)

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> RunConfig:
        """Read a nested mapping; missing settings have the paper's values.

        Raises:
            RunConfigError: The message names the section, the field and the range.
        """
        if not isinstance(data, Mapping):
            raise RunConfigError(gettext("The configuration must be an object."))
        unknown = sorted(set(data) - set(SECTIONS))
        if unknown:
            raise RunConfigError(
                gettext("Unknown section %(unknown)r; known are %(sections)s.")
                % {"unknown": unknown[0], "sections": ", ".join(SECTIONS)}
            )
        config = cls(
            **{name: _parse_section(name, data.get(name, {})) for name in SECTIONS}
        )
        for message in list_clashes(_flatten(config.to_json())).values():
            raise SettingsClash(message)
        return config

    def to_json(self) -> dict[str, Any]:
        """Return the nested mapping that `parse` reads."""
        data: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(self)))
        return data


def _parse_section(name: str, data: object) -> Any:
    """Build one section's dataclass after checking each field."""
    section = SECTIONS[name]
    if not isinstance(data, Mapping):
        raise RunConfigError(gettext("%(name)s must be an object.") % {"name": name})
    if section is WebRLConfig:
        data = upgrade_algorithm(data)
    fields = {field.name: field for field in dataclasses.fields(section)}
    unknown = sorted(set(data) - set(fields))
    if unknown:
        raise RunConfigError(
            gettext("%(name)s has no setting %(unknown)r.")
            % {"name": name, "unknown": unknown[0]}
        )
    values = {key: _coerce(fields[key], value) for key, value in data.items()}
    _check_choices(section, values)
    try:
        for key, value in values.items():
            check_range(fields[key], value)
        whole = {f"{name}.{k}": values.get(k, f.default) for k, f in fields.items()}
        for message in list_clashes(whole).values():
            raise SettingsClash(message)
        return section(**values)
    except ConfigError as error:
        raise RunConfigError(f"{name}: {error}") from None


def _flatten(sections: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings by dotted key."""
    return {
        f"{section}.{key}": value
        for section, values in sections.items()
        for key, value in values.items()
    }


def list_clashes(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the clashes between two settings, by the dotted key of the first.

    `settings` are by dotted key, each valid alone; missing settings never clash.
    """
    return {
        key: str(message)
        for key, other, clash, message in CLASHES
        if key in settings
        and other in settings
        and clash(settings[key], settings[other])
    }


def _check_choices(section: type[Any], values: Mapping[str, Any]) -> None:
    """Refuse a word that is not among a setting's choices."""
    # A class can be hashed, which mypy does not see.
    known_words = _list_choices(cast("Hashable", section))
    for name, value in values.items():
        choices = known_words[name]
        if choices and value not in choices:
            known = ", ".join(choices)
            raise RunConfigError(
                gettext("%(name)s must be one of %(known)s, not %(value)r.")
                % {"name": name, "known": known, "value": value}
            )


@functools.cache
def _list_choices(section: Any) -> dict[str, list[str]]:
    """Return the choices of each setting of a section; [] if any value is allowed."""
    return {
        name: [one for one in get_args(hint) if isinstance(one, str)]
        for name, hint in get_type_hints(section).items()
    }


def _coerce(field: dataclasses.Field[Any], value: object) -> object:
    """Return the value in the field's present type, if that can hold it, and words."""
    kind = str(field.type)
    if kind == "bool" and not isinstance(value, bool):
        raise RunConfigError(
            gettext("%(name)s must be true or false, not %(value)r.")
            % {"name": field.name, "value": value}
        )
    if kind == "tuple[str, ...]":
        return _coerce_names(field.name, value)
    if isinstance(value, str):
        return field.metadata.get("former", {}).get(value, value)
    if kind == "float" and type(value) is int and abs(value) < sys.float_info.max:
        return float(value)
    return value


def _coerce_names(name: str, value: object) -> tuple[str, ...]:
    """Return a list of names without repeats, sorted."""
    if not isinstance(value, list | tuple) or not all(
        isinstance(one, str) and one for one in value
    ):
        raise RunConfigError(
            gettext("%(name)s must be a list of names, not %(value)r.")
            % {"name": name, "value": value}
        )
    return tuple(sorted(set(value)))


def list_mistakes(data: object) -> dict[str, str]:
    """Return what is wrong with a configuration, by dotted key; {} if nothing is.

    Unknown sections and settings are listed under "".
    """
    if not isinstance(data, Mapping):
        return {"": gettext("The configuration must be an object.")}
    found: dict[str, str] = {}
    for section, values in data.items():
        known = _field_names(section)
        if section == "algorithm" and isinstance(values, Mapping):
            values = upgrade_algorithm(values)
        if known and isinstance(values, Mapping):
            for key, value in values.items():
                dotted = f"{section}.{key}" if key in known else ""
                _note(found, dotted, {section: {key: value}})
        else:
            _note(found, "", {section: values})
    whole = _overlay(data, found)
    flat = _flatten(whole)
    right = {key: value for key, value in flat.items() if key not in found}
    return found | list_clashes(right)


def _note(found: dict[str, str], key: str, data: Mapping[str, Any]) -> None:
    try:
        RunConfig.parse(data)
    except SettingsClash:
        return  # A single setting may clash with a default; all are checked at the end.
    except RunConfigError as error:
        found.setdefault(key, error.message)


def complete(data: Mapping[str, Any], *, keep: bool = False) -> dict[str, Any]:
    """Return every setting, from `data` where it has a usable one.

    Runs of an older version may lack settings, or have removed ones. With `keep`
    even a wrong value stays, so that a person can fix it.
    """
    return _overlay(data, {} if keep else list_mistakes(data))


def _overlay(data: Mapping[str, Any], wrong: Container[str]) -> dict[str, Any]:
    """Return the defaults, overridden by `data` except for the keys in `wrong`."""
    whole = RunConfig().to_json()
    for section, defaults in whole.items():
        given = data.get(section, {})
        if section == "algorithm" and isinstance(given, Mapping):
            given = upgrade_algorithm(given)
        for key in defaults if isinstance(given, Mapping) else ():
            if key in given and f"{section}.{key}" not in wrong:
                defaults[key] = given[key]
    return whole


def _field_names(section: str) -> set[str]:
    config = SECTIONS.get(section)
    return {field.name for field in dataclasses.fields(config)} if config else set()


# What models of a few million parameters need.
STARTER: dict[str, dict[str, Any]] = {
    "rollout": {
        "contexts": 4,
        "step_limit": 12,
        "time_limit_s": 60.0,
        "screenshot_share": 0.2,
    },
    "algorithm": {
        "objective": "webrl_reference",
        "policy_learning_rate": 5e-4,
        "learning_rate_schedule": "linear",
        # One pass over each step and copies of it with other names, which a small
        # model cannot memorise (docs/experiments/learning_shop.md, "The demo").
        "policy_epochs": 1,
        "augmented_copies": 8,
        "skip_familiar_copies": True,
        # As released, steps of failures are learnt as well.
        "min_advantage": 0.2,
        # With more passes the critic memorises this phase's outcomes.
        "critic_learning_rate": 2e-4,
        "critic_epochs": 1,
        "batch_size": 16,
        "micro_batch_size": 4,  # sorted by length, fours pad less than eights
        "micro_batch_tokens": 4096,
        "max_prompt_tokens": 1024,
        "max_action_tokens": 48,
    },
    # With its reward model's verdicts a phase gained nothing (learning.md).
    "orm": {"rewards": "evaluators", "learning_rate": 5e-5},
}
PRESETS: dict[str, dict[str, Any]] = {
    "demo": {
        **STARTER,
        "curriculum": {
            # The demo has eight minutes, so few copies. On one site a phase attempts
            # each template sixteen times, on five sites three times.
            "sites": ["shop"],
            "tasks_per_phase": 240,
            "proposals_per_phase": 120,
        },
        "rollout": {**STARTER["rollout"], "attempts_per_task": 2},
        "algorithm": {**STARTER["algorithm"], "augmented_copies": 5},
    },
    "starter": {
        **STARTER,
        "curriculum": {
            "tasks_per_phase": 300,
            "evaluation_tasks": 120,
            "proposals_per_phase": 240,
        },
    },
    # SmolLM2-135M, cloned on careful demonstrations: docs/pretrained.md.
    "pretrained": {
        "curriculum": {
            "tasks_per_phase": 200,
            "proposals_per_phase": 240,
        },
        "rollout": {"contexts": 4, "step_limit": 12, "time_limit_s": 300.0},
        "algorithm": {
            "lora_rank": 16,
            "precision": "native",
            "policy_learning_rate": 1e-3,
            "learning_rate_schedule": "linear",
            "critic_learning_rate": 1e-5,
            "batch_size": 64,
            "micro_batch_size": 4,
            "micro_batch_tokens": 4096,
            "max_prompt_tokens": 1024,
            "max_action_tokens": 64,
        },
        "orm": {"learning_rate": 5e-5},
    },
    "paper": {},
    **{
        name: {"rollout": settings}
        for name, settings in PROFILES.items()
        if name != "workbench"
    },
    "reference": {"algorithm": {"objective": "webrl_reference"}},
}

# Weights that a preset starts from, if not the starter's.
PRESET_WEIGHTS: dict[str, dict[str, str]] = {
    "pretrained": {
        "policy_uri": "clone-pretrained/policy",
        # A critic reads the policy's tokens: the same base with new heads.
        "critic_uri": "smollm2/base",
    },
}


def preset(name: str) -> RunConfig:
    """Return a named preset.

    Raises:
        RunConfigError: There is no preset of that name.
    """
    if name not in PRESETS:
        raise RunConfigError(
            gettext("Unknown preset %(name)r; known are %(presets)s.")
            % {"name": name, "presets": ", ".join(PRESETS)}
        )
    return RunConfig.parse(PRESETS[name])
