"""Keys, and which of them may be pressed."""

from __future__ import annotations

from rollouts.browser.actions.acting import Tabs
from rollouts.browser.actions.outcomes import ActOutcome, done
from rollouts.browser.types import Action

MODIFIERS = frozenset({"Control", "ControlOrMeta", "Alt", "Shift", "Meta"})
KEYS = frozenset(
    "Enter Tab Escape Backspace Delete Insert Home End PageUp PageDown Space "
    "ArrowUp ArrowDown ArrowLeft ArrowRight "
    "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12".split()
)


def explain_keys(keys: str) -> str:
    """Return why these keys cannot be pressed, "" when they can."""
    held, key = _split(keys)
    is_sign = len(key) == 1 and key.isascii() and key.isprintable()
    if key not in KEYS and not is_sign:
        return f"There is no key {key[:20]!r}; one is, for example, Enter or ArrowDown."
    unknown = [name for name in held if name not in MODIFIERS]
    if unknown:
        known = ", ".join(sorted(MODIFIERS))
        return f"{unknown[0][:20]!r} cannot be held down; these can: {known}."
    return ""


def _split(keys: str) -> tuple[list[str], str]:
    """Split "Control+a" into the modifiers and the key, which may be a plus."""
    parts = [""]
    for sign in keys:
        if sign == "+" and parts[-1]:
            parts.append("")
        else:
            parts[-1] += sign
    return parts[:-1], parts[-1]


async def focus(tabs: Tabs, action: Action) -> ActOutcome:
    """Give an element the keyboard focus."""
    found = await tabs.in_page("focus", action)
    return ActOutcome(found["error"]) if "error" in found else done(found)


async def press_key(tabs: Tabs, action: Action) -> ActOutcome:
    """Press a key, with others held down, on the focused element."""
    error = explain_keys(action.argument)
    if not error:
        await tabs.page.keyboard.press(action.argument)
    return ActOutcome(error)


async def press(tabs: Tabs, action: Action) -> ActOutcome:
    """Press a key, with others held down, on an element."""
    error = explain_keys(action.argument)
    if error:
        return ActOutcome(error)
    outcome = await focus(tabs, action)
    if not outcome.error:
        await tabs.page.keyboard.press(action.argument)
    return outcome
