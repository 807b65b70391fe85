from __future__ import annotations

import json

import pytest

from curriculum.task_files import reading
from curriculum.task_files.types import TaskFileError


def read(text, name=""):
    return [(entry.line, entry.item) for entry in reading.read_text(text, name)]


def test_a_list_is_read_with_the_line_of_each_task():
    text = '\n[\n  {"a": 1},\n  {"a":\n 2}, {"a": 3}\n]\n'
    assert read(text) == [(3, {"a": 1}), (4, {"a": 2}), (5, {"a": 3})]


def test_lines_are_read_with_their_numbers():
    assert read('{"a": 1}\n\n{"a": 2}\n') == [(1, {"a": 1}), (3, {"a": 2})]


def test_an_empty_list_holds_no_tasks():
    assert read(" [ ] ") == []


def test_tasks_are_numbered_from_one():
    entries = reading.read_text("[1, 2]")
    assert [entry.place for entry in entries] == ["Line 1, task 1", "Line 1, task 2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The file is empty"),
        ("  \n", "The file is empty"),
        ("nonsense", "Line 1 is not JSON"),
        ('{"a": 1}\n{"a": }', "Line 2 is not JSON"),
        ('[{"a": 1},\n {"a": }]', "Line 2 is not JSON"),
        ('[{"a": 1}\n {"a": 2}]', "Line 2 is not JSON: a comma"),
        ('[{"a": 1}', "Line 1 is not JSON: a comma or the end"),
        ("[1,", "Line 1 is not JSON"),
        ("[1]\n\n[2]", "Line 3 is not JSON: there is text after the list"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text, message):
    with pytest.raises(TaskFileError, match=message):
        reading.read_text(text)


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(TaskFileError, match=r"not UTF-8 text \(byte 1\)"):
        reading.read_bytes(b"[\xff]")


def test_a_byte_order_mark_does_no_harm():
    assert reading.read_bytes(b"\xef\xbb\xbf[1]")[0].item == 1


CSV = """instruction,site,start_url,key,answer,answer_includes,end_url,optimal_steps
"Find the ""red""
mug",shop,__SHOP__/,a.1,$5,,,3
Go there,shop;forum,__SHOP__/,,,big; red,__SHOP__/cart,
"""


def test_a_spreadsheet_becomes_tasks_with_evaluators():
    first, second = reading.read_text(CSV, "tasks.CSV")

    assert (first.line, second.line) == (2, 4)
    assert first.item["intent"] == 'Find the "red"\nmug'
    assert first.item["eval"]["reference_answers"] == {"exact_match": "$5"}
    assert first.item["optimal_steps"] == 3
    assert second.item["sites"] == ["shop", "forum"]
    assert second.item["eval"]["eval_types"] == ["string_match", "url_match"]
    assert second.item["eval"]["reference_answers"] == {"must_include": ["big", "red"]}
    assert second.item["key"].startswith("csv.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("instruction,site\nx,y", "Line 1: the column 'start_url' is missing"),
        (
            "instruction,site,start_url,colour\n",
            r"unknown column 'colour' \(known: instruction",
        ),
        ("instruction,site,start_url\na,b,c,d\n", "Line 2 has more cells"),
        ('instruction,site,start_url\n"a"b,c,d\n', "Line 2 is not CSV"),
    ],
)
def test_what_is_no_such_spreadsheet_is_refused(text, message):
    with pytest.raises(TaskFileError, match=message):
        reading.read_text(text, "x.csv")


def test_numbers_that_are_none_are_left_to_the_import():
    text = "instruction,site,start_url,optimal_steps\na,shop,__SHOP__/,many\n"
    assert reading.read_text(text, "x.csv")[0].item["optimal_steps"] == "many"


@pytest.mark.parametrize("steps", ["\u00b2", "\u2460", "9" * 5000], ids="abc")
def test_what_only_looks_like_a_number_is_left_to_be_refused(steps: str):
    text = f"instruction,site,start_url,optimal_steps\nBuy,shop,__SHOP__/,{steps}\n"
    assert reading.read_text(text, "x.csv")[0].item["optimal_steps"] == steps


def test_a_published_list_of_many_tasks_reads_in_one_pass():
    tasks = [{"task_id": number, "text": "x" * 100} for number in range(5000)]
    entries = reading.read_text(json.dumps(tasks, indent=1))
    assert entries[-1].item == tasks[-1]
    assert entries[-1].line == 2 + 4999 * 4
