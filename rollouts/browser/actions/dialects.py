"""The ways in which a policy may write its actions; what they mean is the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Literal

from rollouts.browser.actions.browsergym import browsergym_manual, parse_browsergym
from rollouts.browser.actions.webrl import KINDS, manual, parse_action
from rollouts.browser.types import Action

DialectName = Literal["webrl", "browsergym"]


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
        return error.replace('"Select Dropdown Option"', self.select)


DIALECTS: dict[DialectName, Dialect] = {
    "webrl": Dialect(
        parse_action, manual, KINDS["Click"].example, '"Select Dropdown Option"'
    ),
    "browsergym": Dialect(
        parse_browsergym, browsergym_manual, "click('12')", "select_option()"
    ),
}
