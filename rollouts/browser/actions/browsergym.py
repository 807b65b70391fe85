"""BrowserGym's calls: text of a policy -> Action, and the manual that teaches them.

An answer is one call in Python's notation, `fill('4', 'Anna Bell')`, after any comment
lines. It is read as a syntax tree of literals and never run. Every answer becomes an
Action; an invalid one says why.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable

from rollouts.browser.actions.functions import (
    Function,
    Given,
    InvalidCall,
    read_element,
    read_text,
    write_manual,
)
from rollouts.browser.types import Action

Value = str | int | float | bool | list[str] | None
NOT_AVAILABLE = "N/A"
MAX_ANSWER_LENGTH = 20_000
_FENCE = re.compile(r"\A\s*```\w*[ \t]*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)


def parse_browsergym(output: str) -> Action:
    r"""Return the action that a policy's answer asks for. Never raises.

    >>> parse_browsergym("# the cart\nclick('12')").element
    12
    """
    if len(output) > MAX_ANSWER_LENGTH:
        return Action(
            "", error=f"The answer is longer than {MAX_ANSWER_LENGTH} letters."
        )
    try:
        call, arguments = _read_call(output)
        return call.build(arguments)
    except InvalidCall as invalid:
        return Action("", error=str(invalid))


def browsergym_manual() -> str:
    """Return the list of calls as it is shown to a prompted model."""
    return write_manual(CALLS.values())


def _read_call(output: str) -> tuple[Function, Given]:
    node = _only_call(_parse(output))
    if not isinstance(node.func, ast.Name) or node.func.id not in CALLS:
        name = ast.unparse(node.func)[:40]
        raise InvalidCall(
            f"There is no call {name}(); the calls are: {', '.join(CALLS)}."
        )
    call = CALLS[node.func.id]
    arguments = _name_arguments(call, node)
    call.require(arguments)
    return call, arguments


def _parse(output: str) -> ast.Module:
    fenced = _FENCE.match(output)
    text = (fenced[1] if fenced else output).strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in the text
            return ast.parse(text)
    except SyntaxError as error:
        raise InvalidCall(
            f"The answer is no call such as click('12'): {error.msg}."
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise InvalidCall("The answer is no call such as click('12').") from None


def _only_call(tree: ast.Module) -> ast.Call:
    if len(tree.body) != 1:
        found = "no call" if not tree.body else f"{len(tree.body)} statements"
        raise InvalidCall(
            f"Answer with one call such as click('12'); there is {found}."
        )
    statement = tree.body[0]
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        raise InvalidCall("The answer is no call such as click('12').")
    return statement.value


def _name_arguments(call: Function, node: ast.Call) -> dict[str, Value]:
    """Give positional arguments their names; values are literals."""
    if len(node.args) > len(call.parameters):
        raise InvalidCall(f"{call.name}() takes {len(call.parameters)} values at most.")
    arguments: dict[str, Value] = {}
    pairs: list[tuple[str | None, ast.expr]] = [
        *zip(call.parameters, node.args, strict=False),
        *((keyword.arg, keyword.value) for keyword in node.keywords),
    ]
    for name, value in pairs:
        if name is None or name not in call.parameters:
            raise InvalidCall(f"{call.name}() takes no {name or '**'}.")
        if name in arguments:
            raise InvalidCall(f"{name} is given twice.")
        arguments[name] = _literal(name, value)
    return arguments


def _literal(name: str, node: ast.expr) -> Value:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float):
        return node.value
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _literal(name, node.operand)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return -value
    if isinstance(node, ast.List | ast.Tuple):
        return [str(_literal(name, one)) for one in node.elts]
    raise InvalidCall(f"{name} must be a text or a number as it stands.")


def _element(given: Given) -> int:
    return read_element(given, "bid")


def _number(given: Given, name: str, low: float, high: float) -> float:
    value = given[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidCall(f"{name} must be a number, not {str(value)[:30]!r}.")
    if not low <= value <= high:
        raise InvalidCall(f"{name} must lie in {low:g} to {high:g}.")
    return value


def _on_element(name: str) -> Callable[[Given], Action]:
    return lambda given: Action(name, _element(given))


def _plain(name: str) -> Callable[[Given], Action]:
    return lambda given: Action(name)


_BUTTONS = {"left": "Click", "right": "Right Click"}


def _click(given: Given) -> Action:
    if given.get("modifiers"):
        raise InvalidCall("Clicks with keys held down are not offered.")
    button = given.get("button", "left")
    if button not in _BUTTONS:
        raise InvalidCall(
            f"button must be 'left' or 'right', not {str(button)[:30]!r}."
        )
    return Action(_BUTTONS[str(button)], _element(given))


def _fill(given: Given) -> Action:
    return Action("Type", _element(given), read_text(given, "value"))


def _select(given: Given) -> Action:
    options = given["options"]
    wanted = list(map(str, options)) if isinstance(options, list) else [str(options)]
    if len(wanted) != 1:
        raise InvalidCall("select_option() chooses one option at a time.")
    return Action("Select Dropdown Option", _element(given), wanted[0])


def _press(given: Given) -> Action:
    return Action("Press", _element(given), read_text(given, "key_comb"))


def _scroll(given: Given) -> Action:
    x = _number(given, "delta_x", -100_000, 100_000)
    y = _number(given, "delta_y", -100_000, 100_000)
    return Action("Scroll", argument=f"{x:g} {y:g}")


def _noop(given: Given) -> Action:
    asked = {"wait_ms": given.get("wait_ms", 1000)}
    return Action("Wait", argument=f"{_number(asked, 'wait_ms', 0, 10_000) / 1000:g}")


def _tab_focus(given: Given) -> Action:
    number = _number(given, "index", 0, 1000)
    return Action("Switch Tab", argument=f"{number:g}")


_CALLS = (
    Function(
        "click('12')",
        "Click an element; with button='right', open its context menu.",
        ("bid", "button", "modifiers"),
        1,
        _click,
    ),
    Function(
        "dblclick('12')",
        "Click an element twice.",
        ("bid",),
        1,
        _on_element("Double Click"),
    ),
    Function(
        "fill('4', 'Anna Bell')",
        "Replace the text of a field.",
        ("bid", "value", "enable_autocomplete_menu"),
        2,
        _fill,
    ),
    Function(
        "clear('4')",
        "Empty a field.",
        ("bid",),
        1,
        lambda given: Action("Type", _element(given)),
    ),
    Function(
        "select_option('9', 'Price')",
        "Choose an option of a drop-down list by its text.",
        ("bid", "options"),
        2,
        _select,
    ),
    Function(
        "hover('3')",
        "Move the mouse over an element.",
        ("bid",),
        1,
        _on_element("Hover"),
    ),
    Function(
        "focus('3')", "Give an element the keyboard.", ("bid",), 1, _on_element("Focus")
    ),
    Function(
        "press('4', 'Enter')",
        "Press a key or keys on an element, e.g. 'Control+a'.",
        ("bid", "key_comb"),
        2,
        _press,
    ),
    Function(
        "keyboard_press('Enter')",
        "Press a key or keys on whatever has the keyboard, e.g. 'Control+a'.",
        ("key",),
        1,
        lambda given: Action("Press Key", argument=read_text(given, "key")),
    ),
    Function(
        "scroll(0, 480)",
        "Scroll by pixels to the right and down; negative: left and up.",
        ("delta_x", "delta_y"),
        2,
        _scroll,
    ),
    Function(
        "goto('/cart')",
        "Go to an address of the task's sites.",
        ("url",),
        1,
        lambda given: Action("Go To", argument=read_text(given, "url")),
    ),
    Function(
        "go_back()", "Go to the page before this one.", (), 0, _plain("Go Backward")
    ),
    Function("go_forward()", "Undo going back.", (), 0, _plain("Go Forward")),
    Function("new_tab()", "Open an empty tab and go there.", (), 0, _plain("New Tab")),
    Function(
        "tab_focus(1)", "Go to another tab; the first is 0.", ("index",), 1, _tab_focus
    ),
    Function("tab_close()", "Close this tab.", (), 0, _plain("Close Tab")),
    Function(
        "noop(1000)",
        "Wait so many milliseconds, at most 10000.",
        ("wait_ms",),
        0,
        _noop,
    ),
    Function(
        "send_msg_to_user('$12.50')",
        "End the task with its answer.",
        ("text",),
        1,
        lambda given: Action("Exit", argument=read_text(given, "text")),
    ),
    Function(
        "report_infeasible('There is no such product.')",
        "End the task: it cannot be done.",
        ("reason",),
        1,
        lambda given: Action("Exit", argument=NOT_AVAILABLE),
    ),
)
CALLS = {call.name: call for call in _CALLS}
