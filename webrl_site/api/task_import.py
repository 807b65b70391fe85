"""REST: import tasks as JSON, or a task file as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from curriculum import services
from curriculum.api.permissions import CanImport
from webrl_site.api.idempotency import AnswersOnce
from webrl_site.api.parsers import CSVParser, JSONLinesParser, JSONParser


class TaskImportSerializer(serializers.Serializer[Any]):
    """Task objects in WebArena's JSON format."""

    tasks = serializers.ListField(child=serializers.JSONField(), allow_empty=False)


class ImportReportSerializer(serializers.Serializer[Any]):
    """How many tasks an import wrote and how many were there already.

    `leaks` training tasks resemble a test task and are filtered out.
    """

    created = serializers.IntegerField()
    kept = serializers.IntegerField()
    repeated = serializers.IntegerField()
    suite = serializers.CharField()
    sites = serializers.ListField(child=serializers.CharField())
    leaks = serializers.IntegerField()


class TaskImportView(AnswersOnce):
    """Import tasks: all of them, or none and what is wrong with which.

    The body is `{"tasks": [...]}`, or a task file as it is: JSON lines
    (`application/x-ndjson`) or CSV (`text/csv`). The published files of WebArena,
    WebArena-Lite and WebRL are recognised. Mistakes come in `errors` by field, such
    as `tasks.2.intent`, tasks counted from 1.
    """

    permission_classes = [CanImport]
    parser_classes = [JSONParser, JSONLinesParser, CSVParser]

    @extend_schema(
        request={
            "application/json": TaskImportSerializer,
            "application/x-ndjson": OpenApiTypes.STR,
            "text/csv": OpenApiTypes.STR,
        },
        responses=ImportReportSerializer,
    )
    def post(self, request: Request) -> Response:
        report = services.import_tasks(tasks=_read_tasks(request))
        return Response(ImportReportSerializer(report).data)


def _read_tasks(request: Request) -> Sequence[Any]:
    if isinstance(request.data, bytes):
        is_csv = (request.content_type or "").startswith("text/csv")
        name = "tasks.csv" if is_csv else "tasks.jsonl"
        return services.read_task_file(request.data, name)
    form = TaskImportSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    tasks: list[Any] = form.validated_data["tasks"]
    return tasks
