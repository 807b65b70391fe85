from __future__ import annotations

from rollouts.browser.observation.recorded_sheets import MOST, RecordedSheets

SHOP = "http://shop.test"
NAME = "1f-2e-64"
PAGE = f'<head><style data-recorded-sheet="{NAME}"></style></head>'
WHOLE = "<head><style>p{color:red}</style></head>"


def fill_in(sheets, told, *, origin=SHOP, url=f"{SHOP}/cart"):
    return sheets.fill_in(PAGE, origin, told, url=url)


def test_a_sheet_is_told_once_and_put_into_every_page():
    sheets = RecordedSheets()

    assert fill_in(sheets, {NAME: "p{color:red}"}) == WHOLE
    assert sheets.names() == {SHOP: [NAME]}
    assert fill_in(sheets, {}) == WHOLE


def test_another_origin_does_not_see_it():
    sheets = RecordedSheets()
    fill_in(sheets, {NAME: "p{color:red}"})

    forum = "http://forum.test"
    assert fill_in(sheets, {}, origin=forum, url=f"{forum}/") == PAGE


def test_a_page_cannot_speak_for_another_origin():
    sheets = RecordedSheets()

    url = "http://evil.test/"
    assert fill_in(sheets, {NAME: "p{color:red}"}, url=url) == WHOLE
    assert sheets.names() == {}


def test_more_than_the_limit_is_told_again_each_time():
    sheets = RecordedSheets()

    fill_in(sheets, {NAME: "x" * (MOST + 1)})
    assert sheets.names() == {}


def test_letters_that_mean_something_to_patterns_stay_as_they_are():
    assert r"\1\g<0>" in fill_in(RecordedSheets(), {NAME: r"\1\g<0>"})
