"""Refused attempts are counted by place and kind, and by nothing else."""

from __future__ import annotations

from rollouts.browser.process.refusals import MAX_HOST_LENGTH, MAX_PLACES, Refusals
from rollouts.browser.types import RefusedAttempt


def test_attempts_are_counted_by_host_port_and_kind():
    refusals = Refusals()
    refusals.note("Evil.test", 80)
    refusals.note("evil.test", 80)
    refusals.note("evil.test", 443)

    refusals.explain("http://evil.test/path?secret=1", "image")

    assert set(refusals.list_attempts()) == {
        RefusedAttempt("evil.test", 80, "image", 1),
        RefusedAttempt("evil.test", 80, "connection", 1),
        RefusedAttempt("evil.test", 443, "connection", 1),
    }


def test_an_address_of_version_6_is_one_place_however_it_is_written():
    refusals = Refusals()
    refusals.note("0:0:0:0:0:0:0:1", 8080)

    refusals.explain("ws://[::1]:8080/", "websocket")

    assert refusals.list_attempts() == (RefusedAttempt("::1", 8080, "websocket", 1),)


def test_a_failed_request_that_was_not_refused_counts_nothing():
    refusals = Refusals()

    refusals.explain("http://shop.test/", "document")
    refusals.explain("http://[broken/", "document")

    assert refusals.list_attempts() == ()


def test_the_list_stays_short_however_many_places_are_tried():
    refusals = Refusals()
    for number in range(MAX_PLACES + 30):
        refusals.note(f"{number}.evil.test", 80)

    found = refusals.list_attempts()

    assert len(found) == MAX_PLACES + 1
    assert found[0] == RefusedAttempt("...", 0, "connection", 30)


def test_a_long_name_is_cut():
    refusals = Refusals()

    refusals.note("a" * 250, 80)

    assert refusals.list_attempts()[0].host == "a" * MAX_HOST_LENGTH
