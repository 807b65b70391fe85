"""The ways in which a policy may write its actions; what they mean is the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Literal

from rollouts.browser.actions.autowebglm import autowebglm_manual, parse_autowebglm
from rollouts.browser.actions.browsergym import browsergym_manual, parse_browsergym
from rollouts.browser.actions.webrl import (
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
        select: What chooses an option, as explanations name it.
    """

    parse: Callable[[str], Action]
    manual: Callable[[], str]
    example: str
    select: str

    def word(self, error: str) -> str:
        """Return an explanation in this dialect's words."""
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
