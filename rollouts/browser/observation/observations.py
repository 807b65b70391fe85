"""Page -> what the policy reads: the options of the observing script, its answer.

The script itself is `script/*.js`; it is installed in every page and frame before their
own scripts run, and one call of it waits for quiet, walks the document and the frames
of its origin once, and returns the simplified HTML, the elements and the snapshot
together. Only frames of other origins need further calls.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

from rollouts.browser.observation.cross_origin_frames import (
    ApartFrame,
    is_navigation,
    look_apart,
)
from rollouts.browser.observation.page_calls import call_script, calls_of
from rollouts.browser.observation.page_script import SCRIPT_FOLDER, Form
from rollouts.browser.observation.recorded_sheets import RecordedSheets
from rollouts.browser.observation.webrl_form import MARKUP_LIMIT, write_page
from rollouts.browser.types import Element, Observation

if TYPE_CHECKING:
    from playwright.async_api import Page

VIEWPORT = (1280, 720)
NAVIGATION_MS = 10_000


@dataclasses.dataclass(frozen=True, slots=True)
class ObservationOptions:
    """What the observation keeps.

    Attributes:
        text_limit: Most characters of an observation; the rest is cut off. WebRL's form
            has its own limit.
        value_limit: Most characters of one attribute or option.
        option_limit: How many options are shown of one drop-down list; the selected
            ones are shown beyond it, and how many are left out is stated.
        boxes: Add WebRL's data-bbox="x,y,width,height" to each element with an id.
        snapshot_limit: Most characters of a recorded page.
        whole_page: Show all of the page, not only what is on the screen (WebRL: the
            screen); an action scrolls to its element.
        form: "compact", simplified HTML of our own; "webrl", the simplified HTML that
            WebRL's released models read, of what is on the screen;
            "accessibility_tree", one line per element with its role and name.
        least_ms: Shortest wait of each observation, besides the wait for quiet.
    """

    text_limit: int = 16_000
    value_limit: int = 200
    option_limit: int = 50
    boxes: bool = False
    snapshot_limit: int = 2_000_000
    whole_page: bool = False
    form: Form = "compact"
    least_ms: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class SettleLimits:
    """Longest wait for quiet, in milliseconds, by what is still active.

    `navigation` is for the first answer of a page, and for the page to come whole.
    """

    navigation: int = NAVIGATION_MS
    load: int = 3_000
    network: int = 3_000
    timers: int = 1_000


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """One answer of the observing script.

    `told` is what a page of a suite reports of its end: nothing, or one value. `status`
    is the HTTP status of the page's document (0 when unknown), `opened` the number of
    tabs that the page has opened since it was loaded, `settle_ms` and `observe_ms` the
    time spent waiting and walking. `notes` are names of messages to the agent (see
    `errors.NOTES`), `frames` those of other origins, None where one could not be read.
    """

    observation: Observation
    status: int
    opened: int
    settle_ms: float
    observe_ms: float
    told: tuple[Any, ...] = ()
    notes: frozenset[str] = frozenset()
    frames: tuple[ApartFrame | None, ...] = ()


def look_options(
    options: ObservationOptions,
    limits: SettleLimits,
    *,
    with_snapshot: bool,
    least_ms: int = 0,
    asks_ending: bool = False,
) -> dict[str, Any]:
    """Return the argument of the observing script.

    `asks_ending` is for pages of a suite, which say whether they have ended.
    """
    least = max(least_ms, options.least_ms)
    return {
        "textLimit": MARKUP_LIMIT if options.form == "webrl" else options.text_limit,
        "valueLimit": options.value_limit,
        "optionLimit": options.option_limit,
        "boxes": options.boxes,
        "form": options.form,
        "whole": options.whole_page,
        "snapshotLimit": options.snapshot_limit if with_snapshot else 0,
        "asksEnding": asks_ending,
        "limits": dataclasses.asdict(limits) | {"least": least},
    }


def parse_look(
    data: dict[str, Any], frames: tuple[ApartFrame | None, ...] = ()
) -> Look:
    """Read the observing script's answer."""
    elements = tuple(
        Element(item["id"], item["tag"], item["text"], _box(item["box"]))
        for item in data["elements"]
    )
    observation = Observation(
        text=data["text"],
        elements=elements,
        url=data["url"],
        title=data["title"],
        snapshot=data["snapshot"],
    )
    return Look(
        observation=observation,
        status=data["status"],
        opened=data["opened"],
        settle_ms=data["settle"],
        observe_ms=data["observe"],
        told=tuple(data["told"]),
        notes=frozenset(data["notes"]),
        frames=frames,
    )


def _box(values: list[float]) -> tuple[float, float, float, float]:
    x, y, width, height = values
    return (x, y, width, height)


async def warm_up(page: Page, form: Form) -> None:
    """Prepare an empty page so that its first observation is fast."""
    options = look_options(
        ObservationOptions(form=form), SettleLimits(), with_snapshot=True
    )
    script = (SCRIPT_FOLDER / "warm_up.js").read_text(encoding="utf-8")
    await (await calls_of(page)).evaluate(f"{script}({json.dumps(options)})")


class PageBlocked(Exception):
    """The browser shows an error page of its own: the address was not reached."""


async def look(
    page: Page, options: dict[str, Any], sheets: RecordedSheets | None = None
) -> Look:
    """Wait until the page is quiet and return what it shows.

    A navigation that begins meanwhile is followed. The caller sets the deadline: a page
    with a script that never ends never answers. `sheets` are those of the pages that
    were recorded before.
    """
    sheets = sheets or RecordedSheets()
    options = options | {"knownSheets": sheets.names()}
    while True:
        try:
            answer = await call_script(page, "look", options)
        except Error as error:
            if not is_navigation(error):
                raise
            continue
        if answer is None:
            await asyncio.sleep(0.005)
            continue
        data = json.loads(answer)
        frames: tuple[ApartFrame | None, ...] = ()
        if "apart" in data:
            try:
                data, frames = await look_apart(page.main_frame, data["apart"], options)
            except Error as error:
                if not is_navigation(error):
                    raise
                continue
        if options["form"] == "webrl":
            data["text"] = write_page(data["text"], tuple(data["viewport"]))
        data["snapshot"] = sheets.fill_in(
            data["snapshot"], data["origin"], data["sheets"], url=page.url
        )
        seen = parse_look(data, frames)
        if seen.observation.url.startswith("chrome-error:"):
            raise PageBlocked
        return seen
