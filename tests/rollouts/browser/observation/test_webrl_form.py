"""How WebRL's form writes a document; see test_webrl_pages.py for real pages."""

from __future__ import annotations

import pytest

from rollouts.browser.observation.webrl_form import TEXT_LIMIT, write_page

SEEN = 'data-bbox="0,0,10,10"'
AWAY = 'data-bbox="0,900,10,10"'


def write(body: str) -> str:
    return write_page(f"<html><body>{body}</body></html>", (1280, 720))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"<p {SEEN}>Hi</p>", f"<p {SEEN}> Hi </p>"),
        (f"<p {AWAY}>Hi</p>", ""),
        ("<p>Hi</p>", ""),
        (f'<p {SEEN} aria-hidden="true">Hi</p>', ""),
        (f"<p {SEEN}></p>", ""),
        (f'<a {SEEN} data-label-id="0"></a>', f'<a id="0" {SEEN}> </a>'),
        (f"<div {SEEN}><p {SEEN}>Hi</p></div>", f"<p {SEEN}> Hi </p>"),
        (
            f"<div {SEEN}><b {SEEN}>A</b> <b {SEEN}>B</b></div>",
            f"<div {SEEN}> <b {SEEN}> A </b> <b {SEEN}> B </b> </div>",
        ),
        (
            f'<input {SEEN} title="Q" placeholder="Q" data-value="Q">',
            f'<input title="Q" {SEEN}> </input>',
        ),
        (f'<input {SEEN} type="hidden">', ""),
        (
            f"<select {SEEN}><option>A</option></select>",
            "<option> A </option>",
        ),
        (f"<p {SEEN}>a<!-- <b> -->b</p>", f"<p {SEEN}> ab </p>"),
        (f"<p {SEEN}>&lt;b&gt;</p>", f"<p {SEEN}> <b> </p>"),
    ],
    ids=[
        "a text",
        "off the screen",
        "without a box",
        "hidden by ARIA",
        "nothing to say",
        "an element with an id",
        "a wrapper around one",
        "a wrapper around two",
        "equal values once",
        "a hidden field's type",
        "options of a list",
        "comments",
        "markup as text",
    ],
)
def test_a_document_is_written_as_released(body: str, text: str):
    assert write(body) == text


def test_long_texts_are_cut_at_500_characters():
    assert write(f"<p {SEEN}>{'x' * 600}</p>") == f"<p {SEEN}> {'x' * 500} </p>"


def test_a_malformed_box_is_no_box():
    assert write('<p data-bbox="a,b,c,d">Hi</p>') == ""


def test_an_empty_document_says_nothing():
    assert write_page("", (1280, 720)) == ""


@pytest.mark.parametrize(("depth", "text"), [(200, "Hi"), (5000, "")])
def test_a_document_is_read_as_deep_as_its_parser_goes(depth: int, text: str):
    markup = f"<div {SEEN}>" * depth + "Hi" + "</div>" * depth
    assert write(markup) == (text and f"<div {SEEN}> {text} </div>")


def test_a_huge_document_is_cut():
    assert len(write(f"<p {SEEN}>{'x' * 100}</p>" * 10_000)) == TEXT_LIMIT
