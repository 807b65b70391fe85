from __future__ import annotations

from typing import Any

import pytest

from curriculum.models import Task
from tests.seed import Example
from tests.webrl_site.conftest import SignIn


@pytest.mark.parametrize(
    ("rules", "shown"),
    [
        ({"eval_types": ["string_match"], "reference_answers": ["red"]}, "red"),
        ({"eval_types": ["string_match"], "reference_answers": "red"}, "red"),
        ({"eval_types": ["state_match"], "reference_state": ["cart"]}, "cart"),
        ({"eval_types": ["state_match"], "reference_state": {"path": "cart"}}, "cart"),
        ({"eval_types": ["program_html"], "program_html": 3}, "program_html"),
        ({"eval_types": "url_match", "reference_url": "__SHOP__/cart"}, "SHOP__/cart"),
        ([{"evaluator": "AgentResponseEvaluator"}], "AgentResponseEvaluator"),
    ],
)
def test_rules_of_another_form_are_shown_as_they_are(
    rules: Any, shown: str, sign_in: SignIn, example: Example
):
    task = example.evolved[0]
    Task.objects.filter(pk=task.pk).update(spec=task.spec | {"eval": rules})

    page = sign_in("researcher").get(f"/curriculum/{task.pk}/")

    assert page.status_code == 200
    assert shown in page.text
