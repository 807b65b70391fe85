"""A policy that knows each task's plan: writes demonstrations, proves solvability.

It reads what every policy reads, the page's text, and finds each element by its visible
text; it never sees the document or the site's state.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from rollouts.sites.kit.plans import Click, Exit, Plan, Scroll, Select, Step, Switch
from rollouts.sites.sandbox.catalog import TEMPLATES

SCROLL_DOWN = 'do(action="Scroll Down")'
# Unlike the action above, it is a step of the plan.
PLANNED_SCROLL = f"# To read on\n{SCROLL_DOWN}"
ELEMENT = re.compile(
    r'<(?P<tag>[a-z][a-z0-9-]*) id="(?P<id>\d+)"(?P<attributes>[^>]*?)'
    r"(?:/>|>(?P<inner>.*?)</(?P=tag)>)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
_TAG = re.compile(r"<[^>]*>")
_NAMES = ("label", "placeholder", "title", "value")


class UnknownInstruction(KeyError):
    """The oracle does not have the plan of the requested task."""


def plan_of(task: dict[str, Any]) -> Plan:
    """The shortest plan of a sandbox task."""
    template = TEMPLATES[task["template_key"]]
    return template.solve(task["instantiation_dict"]).plan


def find_elements(observation: str, label: str) -> list[int]:
    """Ids of the elements that are called exactly `label`, in document order."""
    return [
        int(match["id"])
        for match in ELEMENT.finditer(observation)
        if label in _names_of(match)
    ]


def _names_of(match: re.Match[str]) -> set[str]:
    """The element's own text, or else the name in its attributes."""
    text = ""
    if match["tag"] != "select":
        text = " ".join(html.unescape(_TAG.sub(" ", match["inner"] or "")).split())
    if text:
        return {text}
    attributes = dict(_ATTRIBUTE.findall(match["attributes"]))
    return {html.unescape(attributes[name]) for name in _NAMES if name in attributes}


def write_action(step: Step, element: int) -> str:
    """The answer that carries out a step on an element."""
    if isinstance(step, Exit):
        return write_exit(step.answer)
    if isinstance(step, Switch):
        return f'do(action="Switch Tab", argument="{step.tab}")'
    if isinstance(step, Scroll):
        return PLANNED_SCROLL
    comment = f"# Element: {step.label}\n"
    if isinstance(step, Click):
        return f'{comment}do(action="Click", element="{element}")'
    if isinstance(step, Select):
        name, argument = "Select Dropdown Option", step.option
    else:
        name, argument = type(step).__name__, step.text
    call = f'do(action="{name}", argument="{_quote(argument)}", element="{element}")'
    return comment + call


def write_exit(answer: str) -> str:
    """The answer that ends an episode."""
    return f'exit(message="{_quote(answer)}")'


def _quote(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def count_done(history: Sequence[str], errors: Sequence[str]) -> int:
    """How many steps of the plan the history has carried out."""
    pairs = zip(history, errors, strict=True)
    return sum(1 for output, error in pairs if not error and output != SCROLL_DOWN)


class OraclePolicy:
    """A `Policy` that follows the plans of the given tasks."""

    def __init__(
        self,
        tasks: Iterable[dict[str, Any]],
        plan_of: Callable[[dict[str, Any]], Plan] = plan_of,
    ) -> None:
        """Load the tasks' plans by instruction; `plan_of` is for other catalogs."""
        self._plans = {task["intent"]: plan_of(task) for task in tasks}

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """The next step of each request's plan."""
        return [PolicyAnswer(self._next(request), 0.0, 0) for request in requests]

    def close(self) -> None:
        """Nothing to free."""

    def _next(self, request: PolicyRequest) -> str:
        try:
            plan = self._plans[request.instruction]
        except KeyError:
            raise UnknownInstruction(request.instruction) from None
        step = plan[min(count_done(request.history, request.errors), len(plan) - 1)]
        if isinstance(step, Exit | Scroll | Switch):
            return write_action(step, 0)
        found = find_elements(request.observation, step.label)
        return write_action(step, found[0]) if found else SCROLL_DOWN
