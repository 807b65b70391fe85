"""Hit tests and actions inside the page, and inside frames of other origins.

An element in such a frame is found in three calls: the parent document shows the frame,
the frame gives the element's points, the parent says which are not covered.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rollouts.browser.observation.cross_origin_frames import ACT, ApartFrame
from rollouts.browser.observation.page_calls import call_script
from rollouts.browser.tidy_text import tidy

if TYPE_CHECKING:
    from playwright.async_api import Frame

MAX_ERROR_LENGTH = 500
Found = dict[str, Any]
Frames = Sequence[ApartFrame | None]


async def call(frame: Frame, *asked: object) -> Found:
    """Call the script of one document; a failure is text in `error`."""
    if frame.parent_frame is None:
        answer = await call_script(frame.page, "act", *asked)
    else:
        answer = await frame.evaluate(ACT, list(asked))
    if answer is None:
        return {"error": "The page is not ready."}
    found: Found = json.loads(answer)
    if "error" in found:
        found["error"] = tidy(found["error"])[:MAX_ERROR_LENGTH]
    return found


async def use_element(
    frame: Frame, frames: Frames, asked: Sequence[Any], shown_id: int | None = None
) -> Found:
    """Query an element, e.g. `["pointAt", 3, True]`.

    `shown_id` is the agent's id of the element, where the frame's own id differs.

    Returns:
        Point and box in CSS pixels of `frame`'s window, or `error`.
    """
    name, element, *rest = asked
    shown = element if shown_id is None else shown_id
    found = await call(frame, "onElement", name, element, shown_id, *rest)
    if "apart" not in found:
        return found
    number = found["apart"]
    inside, gone = frames[number] if number < len(frames) else None, _gone(shown)
    if inside is None or inside.frame.is_detached():
        return gone
    place = await call(frame, "showFrame", number)
    if "shown" not in place:
        return gone
    await call(inside.frame, "setShown", place["shown"])
    finds_only = [name, found["inner"], *rest] if name == "pointAt" else None
    point = await use_element(
        inside.frame,
        inside.frames,
        finds_only or ["pointAt", found["inner"], False],
        shown,
    )
    if "error" in point:
        return point
    passed = await call(frame, "passPoints", number, point, shown)
    if "error" in passed or finds_only:
        return passed
    asked_inside = [name, found["inner"], *rest]
    done = await use_element(inside.frame, inside.frames, asked_inside, shown)
    return done if "error" in done else {**done, "box": passed["box"]}


def _gone(shown: int) -> Found:
    return {"error": f"Element {shown} is gone since the page was observed."}


async def scroll(frame: Frame, frames: Frames, by: dict[str, float]) -> Found:
    """Scroll what is in the middle; when a frame is at its end, scroll the page.

    `by` are pixels `x` and `y`; with `screens`, `y` is a direction and that share of
    the height is scrolled.
    """
    found = await call(frame, "scroll", by, True)
    if "apart" not in found:
        return found
    number = found["apart"]
    inside = frames[number] if number < len(frames) else None
    if inside is not None and not inside.frame.is_detached():
        done = await scroll(inside.frame, inside.frames, by)
        if "error" not in done:
            return done
    return await call(frame, "scroll", by, False)
