"""Makes a run from an object, which the API gets as a body, the shell as a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, gettext_lazy
from rest_framework import serializers

from curriculum import services
from curriculum.api.serializers import ObjectField
from curriculum.models import Run
from webrl_site.launch.readiness import require_fit_sites
from webrl_site.loop.wakeups import advance_after_commit
from webrl_site.runs.config import PRESET_WEIGHTS, PRESETS, RunConfig
from webrl_site.runs.document import HIGHEST_SEED


class NewRunSerializer(serializers.Serializer[Any]):
    """A run to make; `config` goes over the preset, setting by setting."""

    name = serializers.CharField(max_length=100)
    preset = serializers.ChoiceField(choices=sorted(PRESETS), default="demo")
    config = ObjectField(required=False, default=dict)
    seed = serializers.IntegerField(min_value=0, max_value=HIGHEST_SEED, default=0)
    auto_accept = serializers.BooleanField(default=False)
    # Missing ones are the preset's, or else the starter's.
    policy_uri = serializers.CharField(max_length=300, required=False)
    critic_uri = serializers.CharField(max_length=300, required=False)
    orm_uri = serializers.CharField(max_length=300, required=False)
    served_uri = serializers.CharField(
        max_length=300,
        default="",
        allow_blank=True,
        help_text=gettext_lazy("A served model that acts with the policy's weights."),
    )
    notes = serializers.CharField(
        allow_blank=True, trim_whitespace=False, max_length=20_000, default=""
    )
    launch = serializers.BooleanField(
        default=False,
        help_text=gettext_lazy(
            "Also open its first phase; either both are created or neither."
        ),
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse unknown keys: a setting outside of `config` would be ignored."""
        unknown = sorted(set(self.initial_data) - set(self.fields))
        if unknown:
            raise serializers.ValidationError(
                gettext("Unknown key %(unknown)r; known are %(known)s.")
                % {"unknown": unknown[0], "known": ", ".join(self.fields)}
            )
        return attrs


@transaction.atomic
def make_run(values: dict[str, Any], user: User | None) -> Run:
    """Make a run from the serializer's values, and its first phase if they say so.

    Raises:
        WorkbenchError: Nothing was made; the message has the reason.
    """
    preset, launch = values.pop("preset"), values.pop("launch")
    config = merge_config(PRESETS[preset], values.pop("config"))
    values = PRESET_WEIGHTS.get(preset, {}) | values
    run = services.create_run(config=config.to_json(), created_by=user, **values)
    if launch:
        require_fit_sites(run.pk)
        phase = services.open_phase(run_id=run.pk, created_by=user)
        advance_after_commit(phase.pk)
    return run


def merge_config(base: Mapping[str, Any], over: Mapping[str, Any]) -> RunConfig:
    """Return `base` with the settings of `over` in place of its own.

    Raises:
        RunConfigError: A section or setting is unknown, or out of range.
    """
    merged = dict(base)
    for name, section in over.items():
        both = isinstance(section, Mapping) and name in base
        merged[name] = {**base[name], **section} if both else section
    return RunConfig.parse(merged)
