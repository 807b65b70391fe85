"""The comparison with the originals, without them: its inputs and its counting."""

from __future__ import annotations

import random
import types

import pytest

from benchmarks.fidelity.compare import Comparison, compare_parsers, read_original
from benchmarks.fidelity.inputs import draw_addresses, draw_answers, draw_outputs

TASK = {
    "intent": "?",
    "eval": {
        "eval_types": ["string_match", "url_match"],
        "reference_answers": {"must_include": ["red", "blue"]},
        "reference_url": "http://host.example/a?b=1 |OR| http://host.example/c",
    },
}


class Refusal(Exception):
    """What a stand-in's parser raises."""


def parser_that(answer):
    """A module like the original's, whose parser is a function of the output."""
    kinds = types.SimpleNamespace(
        **{
            name: name
            for name in "STOP CLICK HOVER TYPE SEARCH SELECT_DROPDOWN_OPTION SCROLL "
            "KEY_PRESS GO_BACK GO_FORWARD".split()
        }
    )
    return types.SimpleNamespace(
        ActionTypes=kinds,
        ActionParsingError=Refusal,
        create_webrl_id_based_action=answer,
    )


def click(element):
    return {
        **{"action_type": "CLICK", "element_id": element, "answer": "", "text": ""},
        "direction": "",
    }


def refuse(output):
    raise Refusal


@pytest.mark.parametrize("draw", [draw_answers, draw_addresses])
def test_inputs_follow_from_their_seed(draw):
    first, again, other = (
        [text for _, text in draw([TASK], 50, random.Random(seed))]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert len(set(first)) > 20


def test_outputs_follow_from_their_seed():
    first, again = (list(draw_outputs(50, random.Random(3))) for _ in range(2))
    assert first == again


def test_a_difference_lowers_the_agreement_and_is_listed():
    comparison = Comparison("x")
    for theirs in (True, True, None, False):
        comparison.add("input", theirs, True)
    assert comparison.agreement == 50
    assert comparison.differences[0] == "'input': original None, ours True"


def test_parsers_that_read_the_same_agree():
    output = 'do(action="Click", element="3")'
    found = compare_parsers(parser_that(lambda _: click("3")), [output])
    assert (found.count, found.differences) == (1, [])


def test_an_output_that_ours_reads_otherwise_is_a_difference():
    output = 'do(action="Click", element="4")'
    found = compare_parsers(parser_that(lambda _: click("3")), [output])
    assert len(found.differences) == 1


def test_what_the_original_refuses_is_noted():
    found = compare_parsers(parser_that(refuse), ["nothing"])
    assert found.count == 0
    assert found.notes == {"refused there, refused by both": 1}


def test_what_stops_the_original_is_told_apart():
    assert read_original(parser_that(lambda output: {}["x"]), "") == "stopped the run"
