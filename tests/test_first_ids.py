from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from tests.first_ids import FIRST_ID


@pytest.mark.django_db
@pytest.mark.parametrize("model", [User, Group])
def test_no_table_begins_with_row_1(model: type[User | Group]):
    row = model.objects.create()

    assert row.pk >= FIRST_ID
