"""What the tests of all pages ask of a page: axe, width, weight, focus."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, TimeoutError

from tests.browser.conftest import Server

AXE = Axe()
# Recorded pages, in frames, are whatever the agent saw.
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "resultTypes": ["violations"],
    "iframes": False,
}
SERIOUS = ("serious", "critical")
# Charts draw themselves, and parts of pages load themselves.
SETTLED = """() => !document.querySelector('.htmx-request') &&
    [...document.querySelectorAll('[data-chart]')].every(
        plot => plot.querySelector('.main-svg'))"""
IS_WIDE = "document.documentElement.scrollWidth > innerWidth"
WEIGHT = """() => [...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource')]
    .filter(entry => !entry.name.includes('plotly'))
    .reduce((sum, entry) => sum + entry.encodedBodySize, 0)"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
# What Tab should come to, and what it came to without an outline that can be seen,
# or with something else in front of it.
# Of radio buttons with one name Tab comes to one.
WATCH_FOCUS = """() => {
    const seen = window.tabStops = new Set(), faint = window.faintStops = [];
    const skip = '[tabindex="-1"], [disabled], fieldset[disabled] *';
    const query = 'a[href], area[href], button, input:not([type=hidden]), select, ' +
        'textarea, summary, [tabindex]';
    const groups = new Set();
    window.wantedStops = [...document.querySelectorAll(query)].filter(element => {
        if (element.matches(skip) || element.closest('[inert]')) return false;
        if (!element.checkVisibility({visibilityProperty: true})) return false;
        if (element.type !== 'radio') return true;
        const checked = document.querySelector(
            `input[type=radio][name="${element.name}"]:checked`);
        if (checked && checked !== element || groups.has(element.name)) return false;
        return groups.add(element.name);
    });
    document.activeElement?.blur();
    // Before the next Tab: what sticks to the window must not lie over the focus.
    document.addEventListener('keydown', () => {
        const target = document.activeElement;
        if (target === document.body || isInSight(target)) return;
        faint.push(`hidden: ${target.outerHTML.slice(0, 120)}`);
    }, true);
    function isInSight(target) {
        if (getComputedStyle(target).pointerEvents === 'none') return true;
        const {left, top, right, bottom} = target.getClientRects()[0];
        const spots = [0.1, 0.5, 0.9].map(part => [
            left + (right - left) * part, top + (bottom - top) * part]);
        return spots.some(([x, y]) => {
            const hit = document.elementFromPoint(x, y);
            return hit && (target.contains(hit) || hit.contains(target)
                && !hit.matches('.top, .sticky-actions, .bulk-actions'));
        });
    }
    document.addEventListener('focusin', ({target}) => {
        seen.add(target);
        const style = getComputedStyle(target);
        if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 1)
            faint.push(`no outline: ${target.outerHTML.slice(0, 120)}`);
    });
    return window.wantedStops.length;
}"""
MISSED = """() => window.wantedStops
    .filter(element => element.isConnected && !window.tabStops.has(element))
    .map(element => `not reached: ${element.outerHTML.slice(0, 120)}`)
    .concat(window.faintStops)"""


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """What one page was like.

    Attributes:
        broken: Serious rules of axe that it breaks, each with the first elements.
        lost: What Tab passed over, or came to unseen; None if not tried.
        is_wide: It scrolls sideways, at its width or at 320 pixels if that is near.
        bytes: What it loads, without Plotly.
        paint_ms: From the request to the first text.
    """

    broken: list[tuple[str, list[Any]]]
    lost: list[str] | None
    is_wide: bool
    bytes: int
    paint_ms: float


def tour(page: Page, server: Server, *, with_tab: bool) -> dict[str, Seen]:
    """Open every page that the person may see; return what each was like by name."""
    return {
        name: Seen(
            broken=find_violations(page),
            lost=find_lost_stops(page) if with_tab else None,
            is_wide=is_wide(page),
            bytes=page.evaluate(WEIGHT),
            paint_ms=page.evaluate(PAINT),
        )
        for name in visit(page, server)
    }


def visit(page: Page, server: Server) -> Iterator[str]:
    """Open every page that the person may see; yield its name when it has settled."""
    for name, path in server.pages.items():
        url = server.url + path
        if page.request.get(url).status == 403:
            continue
        page.goto(url)
        page.wait_for_function(SETTLED)
        yield name


def find_violations(page: Page) -> list[tuple[str, list[Any]]]:
    """Return the serious rules that the page breaks, each with the first elements."""
    found = AXE.run(page, options=RULES).response
    assert found["passes"], "axe looked at nothing"
    return [
        (one["id"], [node["html"][:200] for node in one["nodes"][:3]])
        for one in found["violations"]
        if one["impact"] in SERIOUS
    ]


def is_wide(page: Page) -> bool:
    """Say whether the page scrolls sideways; a phone's also at the narrowest."""
    size = page.viewport_size
    assert size is not None
    found = bool(page.evaluate(IS_WIDE))
    if size["width"] < 400:
        page.set_viewport_size({**size, "width": 320})
        found = found or not _becomes_narrow(page)
        page.set_viewport_size(size)
    return found


def _becomes_narrow(page: Page) -> bool:
    """Wait for charts to draw themselves anew."""
    try:
        page.wait_for_function(f"() => !({IS_WIDE})", timeout=5000)
    except TimeoutError:
        return False
    return True


def find_lost_stops(page: Page) -> list[str]:
    """Press Tab through the page; return what it passed over or did not outline."""
    for _ in range(page.evaluate(WATCH_FOCUS) + 3):
        page.keyboard.press("Tab")
    return list(page.evaluate(MISSED))
