"""An action in plain words: Click “Add to cart”; in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, gettext_noop

from rollouts.browser.actions.calls import LINE_BREAK, OTHER_QUOTES
from rollouts.browser.actions.element_names import name_element, shorten
from rollouts.browser.actions.webrl import (
    COMMENT_AFTER,
    EMPTY,
    EXTRA,
    SEVERAL,
    TEXT_AFTER,
    TEXT_BEFORE,
)

SENTENCES = {
    "Click": gettext_noop("Click %(element)s"),
    "Right Click": gettext_noop("Right-click %(element)s"),
    "Double Click": gettext_noop("Double-click %(element)s"),
    "Hover": gettext_noop("Hover over %(element)s"),
    "Focus": gettext_noop("Focus %(element)s"),
    "Type": gettext_noop("Type %(text)s into %(element)s"),
    "Search": gettext_noop("Search for %(text)s in %(element)s"),
    "Select Dropdown Option": gettext_noop("Choose %(text)s in %(element)s"),
    "Press": gettext_noop("Press %(text)s on %(element)s"),
    "Press Key": gettext_noop("Press %(text)s"),
    "Press Enter": gettext_noop("Press Enter"),
    "Scroll": gettext_noop("Scroll by %(text)s"),
    "Scroll Down": gettext_noop("Scroll down"),
    "Scroll Up": gettext_noop("Scroll up"),
    "Wait": gettext_noop("Wait"),
    "New Tab": gettext_noop("Open a tab"),
    "Close Tab": gettext_noop("Close the tab"),
    "Switch Tab": gettext_noop("Switch to tab %(text)s"),
    "Go To": gettext_noop("Go to %(text)s"),
    "Go Backward": gettext_noop("Go back"),
    "Go Forward": gettext_noop("Go forward"),
    "Go Home": gettext_noop("Go to the start page"),
    "Exit": gettext_noop("Answer %(text)s"),
}
WITHOUT_TEXT = {
    "Type": gettext_noop("Clear %(element)s"),
    "Exit": gettext_noop("Stop"),
}


# What the parser passed over to read an answer (`rollouts/browser/actions/webrl.py`).
REPAIRS = {
    TEXT_BEFORE: gettext_noop("text before the call"),
    TEXT_AFTER: gettext_noop("text after the call"),
    COMMENT_AFTER: gettext_noop("a comment after the call"),
    SEVERAL: gettext_noop("several calls"),
    EXTRA: gettext_noop("further arguments"),
    EMPTY: gettext_noop("an argument without a value"),
    OTHER_QUOTES: gettext_noop("other quotes"),
    LINE_BREAK: gettext_noop("a line break in a text"),
}


def name_repairs(action: Mapping[str, Any]) -> list[str]:
    """Return what the parser passed over, in the reader's language."""
    known = [name for name in action.get("repairs") or () if name in REPAIRS]
    return [gettext(text) for text in map(REPAIRS.__getitem__, known)]


def describe_action(action: Mapping[str, Any], observation: str) -> str:
    """Return an action with its element's name: Type “mug” into “Search”.

    `observation` is what the policy saw; the names come from it. An element without a
    name is shown by its id, an unknown action by its parts.
    """
    name, element = str(action.get("name") or ""), action.get("element")
    text = shorten(str(action.get("argument") or ""))
    sentence = (SENTENCES if text else SENTENCES | WITHOUT_TEXT).get(name, "")
    has_all = (text or "%(text)s" not in sentence) and (
        element is not None or "%(element)s" not in sentence
    )
    if not sentence or not has_all:
        return write_action(action)
    label = name_element(observation, element)
    called = f"“{label}”" if label else f"[{element}]"
    return gettext(sentence) % {"text": f"“{text}”", "element": called}


def write_action(action: Mapping[str, Any]) -> str:
    """Return an action as it was understood: Type “mug” → [4]."""
    name = action.get("name") or ""
    element, argument = action.get("element"), action.get("argument") or ""
    if not name:
        return gettext("No valid action")
    said = f"{name} “{argument}”" if argument else str(name)
    return f"{said} → [{element}]" if element is not None else said
