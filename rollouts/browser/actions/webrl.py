"""The action grammar: text of a policy -> Action, and the manual that teaches it.

A plain answer is any number of comment lines (`# Element: Add to cart`) followed by
exactly one call. Models write more than that, and VisualAgentBench's WebArena-Lite runs
the last call in their text; so do we, and note each repair. The grammar is closed:
nothing is evaluated. Every answer becomes an Action; an invalid one says why.
"""

from __future__ import annotations

import dataclasses
import re

from rollouts.browser.actions.calls import (
    MAX_ANSWER_LENGTH,
    OPAQUE,
    Broken,
    Call,
    Value,
    find_calls,
)
from rollouts.browser.types import Action


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
    ActionKind(
        "Go Home",
        "Go to the site's start page, or to links to the task's sites.",
        'do(action="Go Home")',
    ),
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

# All calls, with their keywords.
KEYWORDS: dict[str, frozenset[str]] = {
    "do": frozenset({"action", "element", "argument"}),
    "exit": frozenset({"message"}),
    **dict.fromkeys(_SHORT_CALLS, frozenset[str]()),
}
_OPENING = re.compile(rf"({'|'.join(KEYWORDS)})\s*+\(")
# What distinguishes an intended call from a mention of it in a sentence.
_INTENDED = re.compile(r"\s*+(?:action|message)\s*+=")
_LEFT_OUT_LINE = re.compile(r"[ \t]*+(?:#[^\n]*+|```\w*+)?[ \t\r]*+\Z")
_ELEMENT = re.compile(r"\s*+\d{1,6}\s*+\Z")

TEXT_BEFORE = "text before the call"
TEXT_AFTER = "text after the call"
COMMENT_AFTER = "a comment after the call"
SEVERAL = "several calls"
EXTRA = "further arguments"
EMPTY = "an argument without a value"
NO_CALL = 'The answer has no call such as do(action="Click", element="1").'


class _Invalid(Exception):
    """The answer does not follow the grammar; the text says where."""


def parse_action(output: str) -> Action:
    r"""Return the action that a policy's answer asks for. Never raises.

    The last intended call counts, regardless of its position; the time is linear.

    >>> parse_action('# Element: Cart\ndo(action="Click", element="3")').element
    3
    """
    if len(output) > MAX_ANSWER_LENGTH:
        return Action(
            "", error=f"The answer is longer than {MAX_ANSWER_LENGTH} letters."
        )
    found = [one for one in find_calls(output, _OPENING) if _is_intended(output, one)]
    try:
        if not found:
            raise _Invalid(NO_CALL)
        last = found[-1]
        if isinstance(last, Broken):
            raise _Invalid(last.why)
        action = _build(last)
        return dataclasses.replace(action, repairs=_repairs(output, found, last))
    except _Invalid as invalid:
        return Action("", error=str(invalid))


def parse_strictly(output: str) -> Action:
    """The same for plain answers only: one that needs a repair is invalid."""
    action = parse_action(output)
    if not action.repairs:
        return action
    told = ", ".join(action.repairs)
    return Action("", error=f"Answer with comment lines and one plain call: {told}.")


def manual() -> str:
    """Return the list of actions as it is shown to a prompted model."""
    return "\n".join(f"{kind.example}  # {kind.help}" for kind in _KINDS)


def _is_intended(output: str, found: Call | Broken) -> bool:
    """Whether the call is intended, and not only a mention of do(...) in a sentence."""
    if isinstance(found, Broken):
        return _INTENDED.match(output, found.inside) is not None
    if found.name == "do":
        return bool(KEYWORDS["do"] & set(found.arguments))
    return all(isinstance(value, str) for value in found.positional)


def _repairs(output: str, found: list[Call | Broken], call: Call) -> tuple[str, ...]:
    """Name what had to be skipped."""
    before, after = output[: call.start], output[call.end :].removeprefix(";")
    known = KEYWORDS[call.name]
    given = call.arguments
    repairs = {
        TEXT_BEFORE: len(found) == 1 and not _is_left_out(before),
        SEVERAL: len(found) > 1,
        EXTRA: bool(call.positional or set(given) - known),
        EMPTY: any(given.get(name, "") is None for name in known),
        **dict.fromkeys(sorted(call.quirks), True),
        COMMENT_AFTER: "#" in after and _is_left_out(after),
        TEXT_AFTER: not _is_left_out(after),
    }
    return tuple(name for name, is_needed in repairs.items() if is_needed)


def _is_left_out(text: str) -> bool:
    """Whether there are comments, fences and blanks only."""
    return all(_LEFT_OUT_LINE.match(line) for line in text.split("\n"))


def _build(call: Call) -> Action:
    if call.name == "exit":
        if (call.arguments or call.positional) and "message" not in call.arguments:
            raise _Invalid('exit() takes message="text" and nothing else.')
        return Action("Exit", argument=_text("message", call.arguments) or "")
    if call.name in _SHORT_CALLS:
        return Action(_SHORT_CALLS[call.name])
    asked = _text("action", call.arguments) or ""
    name = _NAMES.get(" ".join(asked.lower().split()))
    if name is None:
        raise _Invalid(
            f"Unknown action; the actions are: {', '.join(_NAMES.values())}."
        )
    return _check(KINDS[name], call.arguments)


def _text(name: str, arguments: dict[str, Value]) -> str | None:
    """Return an argument as a text; None where it is not given or has no value."""
    value = arguments.get(name)
    if value is OPAQUE:
        raise _Invalid(f"{name} must be a text in quotes.")
    return None if value is None else str(value)


def _check(kind: ActionKind, arguments: dict[str, Value]) -> Action:
    """Only what the action needs is looked at."""
    element, argument = None, None
    if kind.needs_element:
        element = _text("element", arguments)
        if element is None:
            raise _Invalid(f'{kind.name} needs element="id".')
        if not _ELEMENT.match(element):
            raise _Invalid(
                f"element must be an id from the page, not {element[:30]!r}."
            )
    if kind.needs_argument or kind.takes_argument:
        argument = _text("argument", arguments)
    if kind.needs_argument and argument is None:
        raise _Invalid(f'{kind.name} needs argument="text".')
    return Action(
        kind.name,
        element=None if element is None else int(element),
        argument=argument or "",
    )
