from __future__ import annotations

import pytest

from webrl_site.replay.reading import break_lines, compare, find_target

PAGE = (
    '<a id="0">Shop</a><h1>1 found</h1><ul><li><a id="1">Mug</a>$3</li>'
    '<li><a id="2">Cup</a><button id="3">Add</button></li></ul>'
)


def test_a_page_is_broken_where_its_elements_end():
    assert break_lines(PAGE) == [
        '<a id="0">Shop</a>',
        "<h1>1 found</h1>",
        "<ul>",
        '  <li><a id="1">Mug</a>$3</li>',
        "  <li>",
        '    <a id="2">Cup</a>',
        '    <button id="3">Add</button>',
        "  </li>",
        "</ul>",
    ]


@pytest.mark.parametrize(
    "text", ["<a", "a < b", "</p></p>", "<p>never closed", "<a><b></a></b>", "", "\n"]
)
def test_no_letter_is_lost_or_added_whatever_the_page_is(text: str):
    kept = "".join("".join(break_lines(text)).split())

    assert kept == "".join(text.split())


def test_a_deeply_nested_page_is_read_too():
    assert len(break_lines("<div>" * 5000 + "x" * 200 + "</div>" * 5000)) == 10001


def kinds(before: str, now: str, target: int | None = None) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in compare(before, now, target)]


def test_lines_that_are_new_or_gone_are_marked():
    before, now = "<p>Cart: 0</p><p>Mug</p>", "<p>Cart: 1</p><p>Mug</p>"

    assert kinds(before, now) == [
        ("drop", "<p>Cart: 0</p>"),
        ("add", "<p>Cart: 1</p>"),
        ("same", "<p>Mug</p>"),
    ]


def test_an_id_that_alone_has_changed_is_no_news():
    assert kinds('<a id="4">Cart</a>', '<a id="7">Cart</a>') == [
        ("same", '<a id="7">Cart</a>')
    ]


def test_on_the_first_page_nothing_is_new():
    assert {line.kind for line in compare(None, PAGE, None)} == {"same"}


def test_the_targets_line_is_found_by_its_id_and_no_other():
    lines = compare(None, PAGE + '<a id="30">More</a>', 3)

    assert find_target(lines) == '<button id="3">Add</button>'
    assert sum(line.is_target for line in lines) == 1


def test_an_id_in_a_pages_text_is_no_target():
    assert find_target(compare(None, '<p>say id="3"</p>', 3)) == ""


def test_a_target_that_is_gone_is_not_marked():
    lines = compare('<a id="3">Old</a>', "<p>New</p>", 3)

    assert not any(line.is_target for line in lines)


def test_a_long_list_of_equal_buttons_is_compared_at_its_unique_lines():
    def page(first: str) -> str:
        rows = [f'<p>{i}</p><button id="{i}">Add</button>' for i in range(300)]
        return f"<h1>{first}</h1>" + "".join(rows) + f"<h2>{first}</h2>"

    changed = [
        line.text for line in compare(page("a"), page("b"), None) if line.kind != "same"
    ]

    assert changed == ["<h1>a</h1>", "<h1>b</h1>", "<h2>a</h2>", "<h2>b</h2>"]


def test_lines_before_and_after_a_change_stay_the_same():
    before, now = "<p>1</p><p>2</p><p>2</p>", "<p>1</p><p>2</p>"

    assert kinds(before, now) == [
        ("same", "<p>1</p>"),
        ("same", "<p>2</p>"),
        ("drop", "<p>2</p>"),
    ]
