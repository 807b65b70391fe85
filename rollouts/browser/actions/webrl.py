"""The action grammar: text of a policy -> Action, and the manual that teaches it.

An answer is any number of comment lines (`# Element: Add to cart`) followed by
exactly one call. The grammar is closed: nothing is evaluated, and whatever a
model writes becomes an Action, if need be an invalid one that says why.
"""

from __future__ import annotations

import dataclasses
import re

from rollouts.browser.types import Action

MAX_ANSWER_LENGTH = 20_000


@dataclasses.dataclass(frozen=True, slots=True)
class ActionKind:
    """One action: what it needs, and how the manual explains it."""

    name: str
    help: str
    example: str
    needs_element: bool = False
    needs_argument: bool = False
    takes_argument: bool = False


_KINDS = (
    ActionKind(
        "Click",
        "Click an element.",
        'do(action="Click", element="12")',
        needs_element=True,
    ),
    ActionKind(
        "Right Click",
        "Open the context menu of an element.",
        'do(action="Right Click", element="12")',
        needs_element=True,
    ),
    ActionKind(
        "Type",
        "Replace the text of a field.",
        'do(action="Type", argument="Anna Bell", element="4")',
        needs_element=True,
        needs_argument=True,
    ),
    ActionKind(
        "Search",
        "Replace the text of a field and press Enter.",
        'do(action="Search", argument="blue mug", element="4")',
        needs_element=True,
        needs_argument=True,
    ),
    ActionKind(
        "Select Dropdown Option",
        "Choose an option of a drop-down list by its text.",
        'do(action="Select Dropdown Option", argument="Price", element="9")',
        needs_element=True,
        needs_argument=True,
    ),
    ActionKind(
        "Hover",
        "Move the mouse over an element.",
        'do(action="Hover", element="3")',
        needs_element=True,
    ),
    ActionKind("Scroll Down", "See what is below.", 'do(action="Scroll Down")'),
    ActionKind("Scroll Up", "See what is above.", 'do(action="Scroll Up")'),
    ActionKind("Press Enter", "Press the Enter key.", 'do(action="Press Enter")'),
    ActionKind(
        "Wait",
        "Wait for the page, 1 second or as many as the argument says (at most 10).",
        'do(action="Wait")',
        takes_argument=True,
    ),
    ActionKind(
        "Switch Tab",
        "Go to another tab; the first is 0.",
        'do(action="Switch Tab", argument="1")',
        needs_argument=True,
    ),
    ActionKind("Go Backward", "Go to the page before this one.", "go_backward()"),
    ActionKind("Go Forward", "Undo going backward.", "go_forward()"),
    ActionKind("Go Home", "Go to the site's start page.", 'do(action="Go Home")'),
    ActionKind(
        "Exit",
        "End the task with its answer, or N/A when it cannot be done.",
        'exit(message="$12.50")',
        takes_argument=True,
    ),
)
KINDS = {kind.name: kind for kind in _KINDS}
_NAMES = {kind.name.lower(): kind.name for kind in _KINDS if kind.name != "Exit"}
_SHORT_CALLS = {
    "go_backward": "Go Backward",
    "go_forward": "Go Forward",
    "go_home": "Go Home",
}

_SKIPPED_LINE = re.compile(r"[ \t]*(?:#[^\n]*|```[\w]*)?[ \t]*(?:\n|\Z)")
_OPENING = re.compile(r"\s*([A-Za-z_]{1,20})\s*\(\s*")
_ARGUMENT = re.compile(
    r"([A-Za-z_]{1,20})\s*=\s*"
    r"(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|(\d{1,9}))\s*",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CLOSING = re.compile(r"\)\s*;?\s*(?:```\s*)?\Z")
_COMMA = re.compile(r",\s*")
_ELEMENT = re.compile(r"\s*\d{1,6}\s*\Z")


class _Invalid(Exception):
    """The answer does not follow the grammar; the text says where."""


def parse_action(output: str) -> Action:
    r"""Return the action that a policy's answer asks for. Never raises.

    >>> parse_action('# Element: Cart\ndo(action="Click", element="3")').element
    3
    """
    if len(output) > MAX_ANSWER_LENGTH:
        return Action(
            "", error=f"The answer is longer than {MAX_ANSWER_LENGTH} letters."
        )
    try:
        call, arguments = _parse_call(output)
        return _build(call, arguments)
    except _Invalid as invalid:
        return Action("", error=str(invalid))


def manual() -> str:
    """Return the list of actions as it is shown to a prompted model."""
    return "\n".join(f"{kind.example}  # {kind.help}" for kind in _KINDS)


def _parse_call(output: str) -> tuple[str, dict[str, str]]:
    position = 0
    while position < len(output) and (skipped := _SKIPPED_LINE.match(output, position)):
        position = skipped.end()
    opening = _OPENING.match(output, position)
    if not opening:
        raise _Invalid(
            'The answer has no call such as do(action="Click", element="1").'
        )
    arguments: dict[str, str] = {}
    position = opening.end()
    while not _CLOSING.match(output, position):
        position = _parse_argument(output, position, arguments)
    return opening[1].lower(), arguments


def _parse_argument(output: str, position: int, arguments: dict[str, str]) -> int:
    found = _ARGUMENT.match(output, position)
    if not found:
        rest = output[position : position + 30]
        raise _Invalid(f'Expected name="value" or one closing bracket at: {rest!r}.')
    name = found[1].lower()
    if name in arguments:
        raise _Invalid(f"{name} is given twice.")
    quoted = found[2] if found[2] is not None else found[3]
    arguments[name] = found[4] if quoted is None else _unescape(quoted)
    comma = _COMMA.match(output, found.end())
    if comma is None and not _CLOSING.match(output, found.end()):
        rest = output[found.end() : found.end() + 30]
        raise _Invalid(f"Expected a comma or one closing bracket at: {rest!r}.")
    return comma.end() if comma else found.end()


def _unescape(text: str) -> str:
    return _ESCAPE.sub(
        lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text
    )


def _build(call: str, arguments: dict[str, str]) -> Action:
    if call == "exit":
        _refuse_others(call, arguments, {"message"})
        return Action("Exit", argument=arguments.get("message", ""))
    if call in _SHORT_CALLS:
        _refuse_others(call, arguments, set())
        return Action(_SHORT_CALLS[call])
    if call != "do":
        raise _Invalid(f"There is no call {call}(); use do(), exit() or go_backward().")
    _refuse_others(call, arguments, {"action", "element", "argument"})
    name = _NAMES.get(" ".join(arguments.get("action", "").lower().split()))
    if name is None:
        raise _Invalid(
            f"Unknown action; the actions are: {', '.join(_NAMES.values())}."
        )
    return _check(KINDS[name], arguments)


def _refuse_others(call: str, arguments: dict[str, str], known: set[str]) -> None:
    for name in arguments:
        if name not in known:
            raise _Invalid(f"{call}() takes no {name}.")


def _check(kind: ActionKind, arguments: dict[str, str]) -> Action:
    element = arguments.get("element")
    if element is not None and not _ELEMENT.match(element):
        raise _Invalid(f"element must be an id from the page, not {element[:30]!r}.")
    if kind.needs_element and element is None:
        raise _Invalid(f'{kind.name} needs element="id".')
    if kind.needs_argument and "argument" not in arguments:
        raise _Invalid(f'{kind.name} needs argument="text".')
    has_element = kind.needs_element and element is not None
    takes = kind.needs_argument or kind.takes_argument
    return Action(
        kind.name,
        element=int(element) if has_element and element else None,
        argument=arguments.get("argument", "") if takes else "",
    )
