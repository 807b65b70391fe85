from __future__ import annotations

import pytest

from curriculum.rules.ids import read_id


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), ("012", 12), ("9" * 18, 999_999_999_999_999_999)]
)
def test_an_id_is_read(text: str, number: int):
    assert read_id(text) == number


@pytest.mark.parametrize(
    "text",
    [None, "", "abc", "-1", "1.5", " 1", "\u00b2", "\u0663", "9" * 19, "9" * 5000],
)
def test_what_is_no_id_is_none(text: str | None):
    assert read_id(text) is None
