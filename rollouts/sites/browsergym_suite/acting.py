"""Our actions as BrowserGym's calls with coordinates."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from rollouts.browser.types import Action

NOTHING = "noop()"
SELECT_ALL = "keyboard_press('ControlOrMeta+a')"
ENTER = "keyboard_press('Enter')"
# Two thirds of BrowserGym's usual viewport.
SCROLL = 480
_PLAIN = {
    "Scroll Down": f"scroll(0, {SCROLL})",
    "Scroll Up": f"scroll(0, -{SCROLL})",
    "Press Enter": ENTER,
    "Wait": NOTHING,
    "Go Backward": "go_back()",
    "Go Forward": "go_forward()",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Target:
    """Where an element is.

    Attributes:
        box: x, y, width, height in CSS pixels of the viewport.
        scale: Pixels of BrowserGym's screenshot, the unit of its calls, per CSS pixel.
    """

    box: tuple[float, float, float, float]
    scale: float = 1.0

    @property
    def middle(self) -> str:
        """Return the middle as arguments of a call."""
        x, y, width, height = self.box
        return (
            f"{(x + width / 2) * self.scale:.1f}, {(y + height / 2) * self.scale:.1f}"
        )


def write_calls(action: Action, targets: Mapping[int, Target]) -> tuple[str, str]:
    """Return an action's calls, one per line, and why it cannot be carried out.

    An action that cannot be carried out is a call that does nothing.
    """
    if not action.name:
        return NOTHING, action.error
    if action.name in _PLAIN:
        return _PLAIN[action.name], ""
    if action.name == "Exit":
        return f"send_msg_to_user({action.argument!r})", ""
    if action.name == "Switch Tab" and action.argument.isdecimal():
        return f"tab_focus({int(action.argument)})", ""
    if action.element is None:
        return NOTHING, f"{action.name} cannot be done here."
    if action.element not in targets:
        return NOTHING, f"There is no element {action.element} on the page."
    return _write_on_element(action, targets[action.element].middle)


def _write_on_element(action: Action, middle: str) -> tuple[str, str]:
    click = f"mouse_click({middle})"
    typed = [click, SELECT_ALL, f"keyboard_type({action.argument!r})"]
    calls = {
        "Click": [click],
        "Right Click": [f"mouse_click({middle}, 'right')"],
        "Hover": [f"mouse_move({middle})"],
        "Type": typed,
        "Search": [*typed, ENTER],
    }.get(action.name)
    if calls is None:
        return NOTHING, f"{action.name} cannot be done by coordinates."
    return "\n".join(calls), ""
