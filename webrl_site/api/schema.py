"""What the OpenAPI schema says beyond what the views show by themselves."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.views import SpectacularAPIView

from curriculum.access.scopes import SCOPES
from webrl_site.api.authentication import BearerAuthentication
from webrl_site.api.idempotency import HEADER, MAX_KEY_LENGTH
from webrl_site.api.problems import CONTENT_TYPE

PROBLEM = {
    "type": "object",
    "description": "What went wrong, as RFC 9457 has it.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "The name of the kind of problem."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What to do, in words."},
        "errors": {
            "type": "object",
            "additionalProperties": True,
            "description": "What is wrong, by field.",
        },
        "errors_left_out": {
            "type": "integer",
            "description": "Of a task-import-error: mistakes beyond those in `errors`.",
        },
        "phase_id": {
            "type": ["integer", "null"],
            "description": "Of a phase-conflict: the phase that is open.",
        },
    },
}
KEY_PARAMETER = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": (
        "A name of your own for this request. Sent again under the same name within "
        "a day, it is answered again and not done again."
    ),
    "schema": {
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_KEY_LENGTH,
        "pattern": "^[!-~]+$",
    },
}


class SchemaView(SpectacularAPIView):
    """This schema, in YAML, or in JSON where that is accepted."""


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema describes tokens."""

    target_class = BearerAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        scopes = "; ".join(f"`{name}`: {text}" for name, text in SCOPES.items())
        return {
            "type": "http",
            "scheme": "bearer",
            "description": f"Made under /account/tokens/. Scopes: {scopes}.",
        }


def describe_what_all_share(
    result: dict[str, Any], **options: object
) -> dict[str, Any]:
    """Add problems to every operation, and the idempotency key to every POST."""
    components = result["components"]
    components["schemas"]["Problem"] = PROBLEM
    components["responses"] = {
        "Problem": {
            "description": "It was not done.",
            "content": {
                CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}
            },
        }
    }
    for methods in result["paths"].values():
        for method, operation in methods.items():
            reference = {"$ref": "#/components/responses/Problem"}
            operation["responses"]["default"] = reference
            if method == "post":
                operation.setdefault("parameters", []).append(KEY_PARAMETER)
    return result
