"""REST: make a run, with its first phase where that is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from curriculum import services
from curriculum.api.permissions import CanRun
from curriculum.api.serializers import ObjectField, RunSerializer
from curriculum.api.views import RunViewSet as ReadableRunViewSet
from curriculum.models import Run
from curriculum.selectors.pages import list_runs
from webrl_site.api.idempotency import AnswersOnce
from webrl_site.run_config import PRESETS, RunConfig
from webrl_site.tasks import advance_phase

HIGHEST_SEED = 2**63 - 1


class NewRunSerializer(serializers.Serializer[Any]):
    """A run to make; `config` goes over the preset, setting by setting."""

    name = serializers.CharField(max_length=100)
    preset = serializers.ChoiceField(choices=sorted(PRESETS), default="demo")
    config = ObjectField(required=False, default=dict)
    seed = serializers.IntegerField(min_value=0, max_value=HIGHEST_SEED, default=0)
    auto_accept = serializers.BooleanField(default=False)
    policy_uri = serializers.CharField(max_length=300, default="starter/policy")
    critic_uri = serializers.CharField(max_length=300, default="starter/critic")
    orm_uri = serializers.CharField(max_length=300, default="starter/orm")
    notes = serializers.CharField(
        allow_blank=True, trim_whitespace=False, max_length=20_000, default=""
    )
    launch = serializers.BooleanField(
        default=False, help_text="Open its first phase; both are made, or neither."
    )


class RunViewSet(AnswersOnce, ReadableRunViewSet):
    """Runs, newest first."""

    def get_permissions(self) -> Sequence[Any]:
        return [CanRun()] if self.action == "create" else super().get_permissions()

    @extend_schema(request=NewRunSerializer, responses={201: RunSerializer})
    def create(self, request: Request) -> Response:
        """Make a run, and launch it when asked to."""
        form = NewRunSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        run = _make(dict(form.validated_data), request.user)
        body = RunSerializer(list_runs().get(pk=run.pk)).data
        return Response(body, status=status.HTTP_201_CREATED)


@transaction.atomic
def _make(values: dict[str, Any], user: Any) -> Run:
    preset, launch = values.pop("preset"), values.pop("launch")
    config = merge_config(PRESETS[preset], values.pop("config"))
    run = services.create_run(config=config.to_json(), created_by=user, **values)
    if launch:
        phase = services.open_phase(run_id=run.pk, created_by=user)
        advance_phase.delay_on_commit(phase.pk)
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
