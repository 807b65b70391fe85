"""Frames of another origin than the page around them: observed and acted in, too.

A page's own script cannot look into them. Each is asked in a call of its own, and the
document around it says where the frame lies and which of its points are covered.
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
# A frame that is on its way to another page is asked again.
_ATTEMPTS = 5


@dataclasses.dataclass(frozen=True, slots=True)
class ApartFrame:
    """One frame as it was last observed, and the frames apart from it in turn."""

    frame: Frame
    frames: tuple[ApartFrame | None, ...]


_NAVIGATED = (
    *("context was destroyed", "Cannot find context", "Cannot find default execution"),
    *("Inspected target navigated", "Promise was collected"),
)


def is_navigation(error: Error) -> bool:
    """Say whether a call failed only because the page went on to another."""
    return any(sign in error.message for sign in _NAVIGATED)


async def look_apart(
    outer: Frame, views: Sequence[Mapping[str, Any]], options: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[ApartFrame | None, ...]]:
    """Read the frames that `outer` could not, and let it put them in their places.

    Returns:
        What `outer` answers then, and the frames; None where one cannot be read.
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
                return None, None  # It is gone, or may run nothing.
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
