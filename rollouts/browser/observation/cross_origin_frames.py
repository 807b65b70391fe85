"""Frames of another origin than the page around them: observed and acted in, too.

A page's own script cannot read them. Each gets a call of its own, and its parent
document says where the frame is and which of its points are covered.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

if TYPE_CHECKING:
    from playwright.async_api import Frame

LOOK_INSIDE = "a => window.__webrl ? window.__webrl.look(...a) : null"
ACT = "a => window.__webrl ? window.__webrl.act(...a) : null"
_FRAME_AT = "n => window.__webrl.frameAt(n)"
_COMPLETE = "a => window.__webrl.complete(a)"
# A frame that is navigating to another page is called again.
_ATTEMPTS = 5


@dataclasses.dataclass(frozen=True, slots=True)
class ApartFrame:
    """One frame as it was last observed, with its own cross-origin frames."""

    frame: Frame
    frames: tuple[ApartFrame | None, ...]


_NAVIGATED = (
    *("context was destroyed", "Cannot find context", "Cannot find default execution"),
    *("Inspected target navigated", "Promise was collected"),
)


def is_navigation(error: Error) -> bool:
    """Say whether a call failed only because the page navigated to another."""
    return any(sign in error.message for sign in _NAVIGATED)


async def look_apart(
    outer: Frame, views: Sequence[Mapping[str, Any]], options: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[ApartFrame | None, ...]]:
    """Read the frames that `outer` could not, and let it insert them.

    Returns:
        The answer of `outer`, and the frames; None where one cannot be read.
    """
    limits = {**options["limits"], "least": 0}
    seen = [
        await _look_inside(outer, number, view, {**options, "limits": limits})
        for number, view in enumerate(views)
    ]
    insides = [data for data, _ in seen]
    answer = json.loads(await outer.evaluate(_COMPLETE, insides))
    return answer, tuple(frame for _, frame in seen)


async def _look_inside(
    outer: Frame, number: int, view: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[dict[str, Any] | None, ApartFrame | None]:
    frame = await _find(outer, number)
    if frame is None:
        return None, None
    for _ in range(_ATTEMPTS):
        try:
            answer = await frame.evaluate(LOOK_INSIDE, [options, view])
            data = json.loads(answer) if answer else None
            frames: tuple[ApartFrame | None, ...] = ()
            if data and "apart" in data:
                data, frames = await look_apart(frame, data["apart"], options)
        except Error as error:
            if not is_navigation(error):
                return None, None  # The frame no longer exists, or may not run scripts.
            continue
        is_page = data is not None and not data["url"].startswith("chrome-error:")
        return (data, ApartFrame(frame, frames)) if is_page else (None, None)
    return None, None


async def _find(outer: Frame, number: int) -> Frame | None:
    handle = await outer.evaluate_handle(_FRAME_AT, number)
    element = handle.as_element()
    frame = await element.content_frame() if element else None
    await handle.dispose()
    return frame
