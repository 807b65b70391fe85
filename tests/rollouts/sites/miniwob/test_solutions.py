from __future__ import annotations

import pytest

from rollouts.policies.protocol import PolicyRequest
from rollouts.sites.miniwob.solutions import SOLVED_PAGES, SolutionPolicy
from rollouts.sites.miniwob.solutions.answers import GIVE_UP, REST
from rollouts.sites.miniwob.solutions.reading import Page


def act(instruction, observation, *history):
    request = PolicyRequest(instruction, history, ("",) * len(history), observation, 0)
    (answer,) = SolutionPolicy().act([request])
    return answer.output


def test_a_page_is_read_with_what_stands_before_and_around():
    page = Page(
        '<p>Name<input id="0" type="password" label="Word"/></p>'
        '<div id="1">Row &lt;1&gt;<i id="2"/></div>'
    )
    first, row, icon = page.items
    assert (first.before, first.kind, first.names) == ("Name", "password", {"Word"})
    assert (row.text, icon.text, icon.id) == ("Row <1>", "", 2)
    assert page.text == "Name Row <1>"


def test_the_exact_name_is_found_before_another_spelling():
    page = Page('<b id="0">ok</b><b id="1">OK</b>')
    assert page.find("OK").id == 1
    assert page.find("Ok").id == 0
    assert page.find("No") is None


@pytest.mark.parametrize(
    ("instruction", "observation", "history", "answer"),
    [
        (
            'Click on the "Ok" button.',
            '<button id="3">Ok</button>',
            (),
            'do(action="Click", element="3")',
        ),
        (
            "Enter 1:04 PM as the time and press submit.",
            '<input id="0" type="time"/><button id="1">Submit</button>',
            (),
            'do(action="Type", argument="13:04", element="0")',
        ),
        (
            "Solve for x and type your answer into the textbox.",
            '<div>3 - x = 21<input id="0"/></div><button id="1">Submit</button>',
            (),
            'do(action="Type", argument="-18", element="0")',
        ),
        (
            "Select nothing and click Submit.",
            '<input id="0" type="checkbox" label="a"/><button id="1">Submit</button>',
            (),
            'do(action="Click", element="1")',
        ),
    ],
)
def test_an_instruction_leads_to_its_step(instruction, observation, history, answer):
    assert act(instruction, observation, *history) == answer


def test_a_third_equal_step_is_put_off():
    click = 'do(action="Click", element="0")'
    page = '<button id="0">ONE</button>'
    assert act("Click button ONE.", page, click) == click
    assert act("Click button ONE.", page, click, click) == REST
    assert act("Click button ONE.", page, click, click, REST) == click


def test_what_no_rule_knows_is_given_up():
    assert act("Draw a circle.", "") == GIVE_UP


def test_more_than_twenty_pages_are_known():
    assert len(SOLVED_PAGES) >= 60
