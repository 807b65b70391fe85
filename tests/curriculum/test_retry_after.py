"""How long a server asks its clients to wait."""

from __future__ import annotations

import pytest

from curriculum.rules.retry_after import MAX_WAIT_S, read_retry_after


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("9" * 5000, MAX_WAIT_S),
        ("Mon, 01 Jan 9999 00:00:00 GMT", MAX_WAIT_S),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("soon", None),
        ("", None),
    ],
)
def test_seconds_and_dates_are_read(text: str, seconds: float | None) -> None:
    assert read_retry_after(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        f"Mon, 01 Jan {10**20} 00:00:00 GMT",
        f"Thu, 01 Jan 2030 {10**20}:00:00 GMT",
        f"Thu, 01 Jan 2030 00:00:00 +{10**20}",
    ],
)
def test_a_date_that_no_calendar_has_asks_for_nothing(text: str) -> None:
    assert read_retry_after(text) is None
