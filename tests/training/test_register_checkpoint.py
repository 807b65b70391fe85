"""A checkpoint that is registered again."""

from __future__ import annotations

import pytest

from training.models import Checkpoint
from training.services import register_checkpoint

pytestmark = pytest.mark.django_db
URI = "starter/policy"


def test_parameters_that_nobody_counted_are_counted() -> None:
    first = register_checkpoint(uri=URI, kind="policy")
    Checkpoint.objects.filter(pk=first.pk).update(parameter_count=None)

    again = register_checkpoint(uri=URI, kind="policy")

    assert again.parameter_count is not None
    assert again.parameter_count == first.parameter_count


def test_a_number_that_is_known_stays() -> None:
    register_checkpoint(uri=URI, kind="policy", parameter_count=7)

    assert register_checkpoint(uri=URI, kind="policy").parameter_count == 7
