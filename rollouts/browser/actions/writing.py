"""Writes a person's action as one call, in the dialect that the run's policy uses."""

from __future__ import annotations

import re
from collections.abc import Callable

from rollouts.browser.actions.dialects import DialectName
from rollouts.browser.actions.webrl import KINDS
from rollouts.browser.tidy_text import tidy

MAX_LABEL_LENGTH = 60
# A site's placeholder at the beginning of an address.
_MARK = re.compile(r"__[A-Z0-9_-]+?__(?=[/?#\s]|\Z)")
_SHORT = {"Go Backward": "go_backward()", "Go Forward": "go_forward()"}
# BrowserGym's calls take Python's literals: element and argument are quoted.
_BROWSERGYM: dict[str, Callable[[str, str], str]] = {
    "Click": lambda element, _: f"click({element})",
    "Right Click": lambda element, _: f"click({element}, button='right')",
    "Type": lambda element, text: f"fill({element}, {text})",
    "Select Dropdown Option": lambda element, text: f"select_option({element}, {text})",
    "Hover": lambda element, _: f"hover({element})",
    "Press Enter": lambda element, _: f"press({element}, 'Enter')",
    "Scroll Down": lambda *_: "scroll(0, 480)",
    "Scroll Up": lambda *_: "scroll(0, -480)",
    "Switch Tab": lambda _, text: f"tab_focus({text[1:-1]})",
    "Go Backward": lambda *_: "go_back()",
    "Go Forward": lambda *_: "go_forward()",
    "Go Home": lambda _, home: f"goto({home})",
    "Exit": lambda _, text: f"send_msg_to_user({text})",
}
# The same for AutoWebGLM's.
_AUTOWEBGLM: dict[str, Callable[[str, str], str]] = {
    "Click": lambda element, _: f"click(element_id={element})",
    "Type": lambda element, text: (
        f"type_string(element_id={element}, content={text}, press_enter=False)"
    ),
    "Search": lambda element, text: (
        f"type_string(element_id={element}, content={text}, press_enter=True)"
    ),
    "Select Dropdown Option": lambda element, text: (
        f"select(element_id={element}, option={text})"
    ),
    "Hover": lambda element, _: f"hover(element_id={element})",
    "Scroll Down": lambda *_: 'scroll_page(direction="down")',
    "Scroll Up": lambda *_: 'scroll_page(direction="up")',
    "Switch Tab": lambda _, text: f"switch_tab(tab_index={text[1:-1]})",
    "Go Backward": lambda *_: 'go(direction="backward")',
    "Go Forward": lambda *_: 'go(direction="forward")',
    "Go Home": lambda _, home: f"jump_to(url={home})",
    "Exit": lambda _, text: f"finish(answer={text})",
}
_LITERAL_CALLS: dict[DialectName, dict[str, Callable[[str, str], str]]] = {
    "browsergym": _BROWSERGYM,
    "autowebglm": _AUTOWEBGLM,
}
WRITABLE: dict[DialectName, tuple[str, ...]] = {
    "webrl": tuple(KINDS),
    "webrl_strict": tuple(KINDS),
    "autowebglm": tuple(_AUTOWEBGLM),
    "browsergym": tuple(_BROWSERGYM),
    "tools": tuple(KINDS),
}


def write_call(
    dialect: DialectName,
    name: str,
    *,
    element: int | None = None,
    argument: str = "",
    label: str = "",
    home: str = "/",
) -> str:
    r"""Return the answer that asks for an action; the parser says whether it is valid.

    `label` names the element in a comment line, as policies write it. `home` is where
    "Go Home" leads in a dialect that has an address for it (`find_home`).

    >>> write_call("webrl", "Click", element=3, label="Cart")
    '# Element: Cart\ndo(action="Click", element="3")'
    """
    if name not in WRITABLE[dialect]:
        raise ValueError(f"{name!r} cannot be written as {dialect}.")
    argument = home if name == "Go Home" else tidy(argument)
    if dialect in _LITERAL_CALLS:
        call = _LITERAL_CALLS[dialect][name](repr(str(element)), repr(argument))
    else:
        call = _write_webrl(name, element, argument)
    named = " ".join(tidy(label).split())[:MAX_LABEL_LENGTH]
    return f"# Element: {named}\n{call}" if named and element is not None else call


def find_home(start_url: str) -> str:
    """Return the start page of a task's site, as calls write it.

    A path alone would lead elsewhere on a site whose own address has a path.

    >>> find_home("__SHOP__/cart |AND| __FORUM__/")
    '__SHOP__'
    """
    found = _MARK.match(start_url)
    return found[0] if found else "/"


def _write_webrl(name: str, element: int | None, argument: str) -> str:
    kind = KINDS[name]
    if name == "Exit":
        return f"exit(message={_quote(argument)})"
    if name in _SHORT:
        return _SHORT[name]
    parts = [f'action="{name}"']
    if kind.needs_argument or (kind.takes_argument and argument):
        parts.append(f"argument={_quote(argument)}")
    if kind.needs_element and element is not None:
        parts.append(f'element="{element}"')
    return f"do({', '.join(parts)})"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
