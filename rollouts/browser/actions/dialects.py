"""The dialects in which a policy may write actions; their meaning is the same."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Mapping
from typing import Literal

from rollouts.browser.actions.autowebglm import (
    FUNCTIONS,
    autowebglm_manual,
    parse_autowebglm,
)
from rollouts.browser.actions.browsergym import (
    CALLS,
    browsergym_manual,
    parse_browsergym,
)
from rollouts.browser.actions.webrl import (
    KEYWORDS,
    KINDS,
    NO_CALL,
    manual,
    parse_action,
    parse_strictly,
)
from rollouts.browser.types import Action

DialectName = Literal["webrl", "webrl_strict", "autowebglm", "browsergym", "tools"]


@dataclasses.dataclass(frozen=True, slots=True)
class Dialect:
    """One way to write actions.

    Attributes:
        parse: Text of a policy -> Action; never raises.
        manual: The list of actions for a prompted model.
        example: One action.
        select: The call that chooses an option, as explanations name it.
    """

    parse: Callable[[str], Action]
    manual: Callable[[], str]
    example: str
    select: str

    def word(self, error: str) -> str:
        """Return an explanation in this dialect's terms."""
        return error.replace(_SELECT, self.select)


NO_TOOL = "The answer calls no tool that there is."


def parse_tool_call(output: str) -> Action:
    """Return the action of a tool call, which the policy has written as WebRL's."""
    action = parse_action(output)
    if action.error == NO_CALL:
        return dataclasses.replace(action, error=NO_TOOL)
    return action


_SELECT = '"Select Dropdown Option"'
DIALECTS: dict[DialectName, Dialect] = {
    "webrl": Dialect(parse_action, manual, KINDS["Click"].example, _SELECT),
    "webrl_strict": Dialect(parse_strictly, manual, KINDS["Click"].example, _SELECT),
    "autowebglm": Dialect(
        parse_autowebglm, autowebglm_manual, 'click(element_id="12")', "select()"
    ),
    "browsergym": Dialect(
        parse_browsergym, browsergym_manual, "click('12')", "select_option()"
    ),
    "tools": Dialect(
        parse_tool_call,
        manual,
        KINDS["Click"].example,
        "select_dropdown_option",
    ),
}


def _parts_of_grammar() -> re.Pattern[str]:
    tables: list[Mapping[str, Collection[str]]] = [
        KEYWORDS,
        {call.name: call.parameters for call in CALLS.values()},
        {call.name: call.parameters for call in FUNCTIONS.values()},
    ]
    calls = sorted({name for table in tables for name in table})
    words = sorted({word for table in tables for one in table.values() for word in one})
    kinds = [f"{quote}{name}{quote}" for name in KINDS for quote in "\"'"]
    return re.compile(
        rf"\baction\s*+=\s*+(?i:{'|'.join(kinds)})"
        rf"|\b(?:{'|'.join(calls)})(?=\s*+\()"
        rf"|\b(?:{'|'.join(words)})(?=\s*+=)"
    )


# The parts of an answer that come from the grammar and not from the page: names of
# calls and keywords in their places, and the names of WebRL's actions.
GRAMMAR = _parts_of_grammar()
