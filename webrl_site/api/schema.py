"""What the OpenAPI schema says beyond what the views show by themselves."""

from __future__ import annotations

from drf_spectacular.extensions import OpenApiAuthenticationExtension

from curriculum.scopes import SCOPES
from webrl_site.api.authentication import BearerAuthentication


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
