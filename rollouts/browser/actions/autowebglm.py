"""AutoWebGLM's calls: text of a policy -> Action, and the manual that teaches them.

The functions are those that its prompt for WebArena offers (THUDM/AutoWebGLM,
`webarena/agent/prompts/raw/new_action_prompt.py`): one command with a brief comment.
Element ids are the page's numbers. As under WebRL's grammar the last call counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rollouts.browser.actions.calls import (
    MAX_ANSWER_LENGTH,
    Call,
    Value,
    find_calls,
)
from rollouts.browser.actions.functions import (
    Function,
    Given,
    InvalidCall,
    read_element,
    read_text,
    write_manual,
)
from rollouts.browser.types import Action

# "One page", as the prompt says: the height of the viewport in CSS pixels.
PAGE_HEIGHT = 720


def parse_autowebglm(output: str) -> Action:
    r"""Return the action that a policy's answer asks for. Never raises.

    >>> parse_autowebglm('click(element_id="12") # the cart').element
    12
    """
    if len(output) > MAX_ANSWER_LENGTH:
        return Action(
            "", error=f"The answer is longer than {MAX_ANSWER_LENGTH} letters."
        )
    calls = [one for one in find_calls(output, _OPENING) if isinstance(one, Call)]
    if not calls:
        return Action("", error="The answer has no call such as click('12').")
    call = calls[-1]
    function = FUNCTIONS[call.name]
    try:
        return function.build(_name_arguments(function, call))
    except InvalidCall as invalid:
        return Action("", error=str(invalid))


def autowebglm_manual() -> str:
    """Return the list of functions as it is shown to a prompted model."""
    return write_manual(FUNCTIONS.values())


def _name_arguments(function: Function, call: Call) -> dict[str, Value]:
    """Give positional arguments their names."""
    given = dict(zip(function.parameters, call.positional, strict=False))
    for name, value in call.arguments.items():
        if name not in function.parameters or name in given:
            raise InvalidCall(f"{function.name}() takes no {name}, or takes it once.")
        given[name] = value
    function.require(given)
    return given


def _element(given: Given) -> int:
    return read_element(given, "element_id")


def _choice(given: Given, name: str, actions: Mapping[str, Action]) -> Action:
    value = read_text(given, name)
    if value not in actions:
        known = " or ".join(repr(one) for one in actions)
        raise InvalidCall(f"{name} must be {known}, not {value[:30]!r}.")
    return actions[value]


def _type(given: Given) -> Action:
    name = "Search" if given.get("press_enter") is True else "Type"
    return Action(name, _element(given), read_text(given, "content"))


def _jump(given: Given) -> Action:
    if given.get("new_tab") is True:
        raise InvalidCall("jump_to() does not open tabs here; leave new_tab out.")
    return Action("Go To", argument=read_text(given, "url"))


def _switch(given: Given) -> Action:
    number = str(given["tab_index"])
    if not (number.isascii() and number.isdigit() and len(number) < 5):
        raise InvalidCall(f"tab_index must be a tab's number, not {number[:30]!r}.")
    return Action("Switch Tab", argument=number)


def _finish(given: Given) -> Action:
    answer = given.get("answer")
    return Action("Exit", argument="" if answer is None else read_text(given, "answer"))


_SCROLLS = {
    "down": Action("Scroll", argument=f"0 {PAGE_HEIGHT}"),
    "up": Action("Scroll", argument=f"0 -{PAGE_HEIGHT}"),
}
_WAYS = {"forward": Action("Go Forward"), "backward": Action("Go Backward")}
_FUNCTIONS = (
    Function(
        'click(element_id="12")',
        "Click on an element.",
        ("element_id",),
        1,
        lambda given: Action("Click", _element(given)),
    ),
    Function(
        'hover(element_id="3")',
        "Hover on an element.",
        ("element_id",),
        1,
        lambda given: Action("Hover", _element(given)),
    ),
    Function(
        'select(element_id="9", option="Price")',
        "Select an option from a drop-down list.",
        ("element_id", "option"),
        2,
        lambda given: Action(
            "Select Dropdown Option", _element(given), read_text(given, "option")
        ),
    ),
    Function(
        'type_string(element_id="4", content="Anna Bell", press_enter=False)',
        "Type a text into an element, and press Enter where press_enter is True.",
        ("element_id", "content", "press_enter"),
        2,
        _type,
    ),
    Function(
        'scroll_page(direction="down")',
        "Scroll down or up one page.",
        ("direction",),
        1,
        lambda given: _choice(given, "direction", _SCROLLS),
    ),
    Function(
        'go(direction="backward")',
        "Go forward or backward.",
        ("direction",),
        1,
        lambda given: _choice(given, "direction", _WAYS),
    ),
    Function(
        'jump_to(url="/cart")',
        "Go to an address of the task's sites.",
        ("url", "new_tab"),
        1,
        _jump,
    ),
    Function(
        "switch_tab(tab_index=1)",
        "Switch to another tab; the first is 0.",
        ("tab_index",),
        1,
        _switch,
    ),
    Function(
        'finish(answer="$12.50")',
        "Finish the task, with an answer where it asks for one.",
        ("answer",),
        0,
        _finish,
    ),
)
FUNCTIONS = {function.name: function for function in _FUNCTIONS}
_OPENING = re.compile(rf"\b({'|'.join(FUNCTIONS)})\s*+\(")
