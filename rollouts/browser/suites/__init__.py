"""Pages that run their own episodes, by the name that a task's `suite` gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import SiteBroken
from rollouts.browser.suites.miniwob import MiniWob
from rollouts.browser.suites.types import PageSuite

SUITES: dict[str, PageSuite] = {"miniwob": MiniWob()}


def find_suite(spec: Mapping[str, Any]) -> PageSuite | None:
    """Return the suite that a task object names; None where it names none.

    Raises:
        SiteBroken: There is no such suite.
    """
    name = spec.get("suite")
    if name is None:
        return None
    if name not in SUITES:
        known = ", ".join(SUITES)
        raise SiteBroken(Sentence("unknown_suite", name=repr(name), known=known))
    return SUITES[name]


__all__ = ["SUITES", "PageSuite", "find_suite"]
