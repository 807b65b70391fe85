"""The schema is valid, and what it describes holds for requests made from it."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.test import Client
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode

from tests.seed import Example
from webrl_site.account.tokens import make_token

EXAMPLES = 15
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
SEED = 20260821


def write_schema() -> dict[str, Any]:
    """The schema; fails on anything that the generator warns of."""
    out = io.StringIO()
    call_command(
        *("spectacular", "--validate", "--fail-on-warn"),
        *("--format", "openapi-json"),
        stdout=out,
    )
    return dict(json.loads(out.getvalue()))


SCHEMA = write_schema()
OPERATIONS = sorted(
    (path, method) for path, methods in SCHEMA["paths"].items() for method in methods
)


@pytest.fixture
def token(example: Example) -> str:
    scopes = ["read", "review", "run", "import"]
    return make_token(user=example.researcher, name="fuzz", scopes=scopes, days=1)[1]


def test_the_schema_is_valid_openapi_3_1():
    assert SCHEMA["openapi"].startswith("3.1")
    assert len(OPERATIONS) > 30


def test_the_schema_is_served(client: Client):
    served = client.get("/api/schema/", headers={"Accept": "application/json"})

    assert served.json() == SCHEMA


@pytest.mark.parametrize("name", ["Site", "SiteInstance"])
def test_an_address_of_a_site_has_one_form(name: str):
    # An empty text would fit both of two forms, and `oneOf` allows only one.
    described = SCHEMA["components"]["schemas"][name]["properties"]["base_url"]

    assert described["type"] == "string"
    assert "oneOf" not in described


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_operation_has_problems_and_every_post_the_key(path: str, method: str):
    operation = SCHEMA["paths"][path][method]

    names = {parameter["name"] for parameter in operation.get("parameters", [])}
    assert "default" in operation["responses"]
    assert ("Idempotency-Key" in names) == (method == "post")


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_no_request_makes_the_api_fail(
    path: str, method: str, token: str, application: WSGIHandler
):
    schema = schemathesis.openapi.from_dict(SCHEMA)
    schema.app = application
    operation = schema[path][method.upper()]
    right, wrong = (operation.as_strategy(generation_mode=mode) for mode in MODES)
    headers = {"Authorization": f"Bearer {token}", "Host": "testserver"}

    @seed(SEED)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=right | wrong)
    def ask(case: Any) -> None:
        case.call_and_validate(
            base_url="http://testserver",
            headers=headers,
            checks=[not_a_server_error],
        )

    ask()
