"""What Django's settings say of the API."""

from __future__ import annotations

from typing import Any

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "webrl_site.api.authentication.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["webrl_site.api.parsers.JSONParser"],
    "DEFAULT_PAGINATION_CLASS": "curriculum.api.paging.KeyPagination",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    # `?format=` is the exports' own.
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "webrl_site.api.problems.handle_error",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "WebRL Workbench",
    "VERSION": "1",
    "DESCRIPTION": "Everything that the pages show and do. See docs/api.md.",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "webrl_site.api.schema.describe_what_all_share",
    ],
    "ENUM_NAME_OVERRIDES": {
        "CheckpointKindEnum": "training.models.Checkpoint.Kind",
        "DecisionEnum": "curriculum.models.Review.Decision",
        "FirstDecisionEnum": "curriculum.models.FirstLook.Decision",
        "PhaseStatusEnum": "curriculum.models.Phase.Status",
        "TaskStatusEnum": "curriculum.models.Task.Status",
        "TrajectoryStatusEnum": "rollouts.models.Trajectory.Status",
    },
}
