"""Pictures of pages in a real browser, with each page's size."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from benchmarks.gallery.workbench import PASSWORD

WIDTHS = {1280: 900, 390: 844}
THEMES = ("light", "dark")
# A picture of a list with hundreds of rows shows no more than its first screens.
TALLEST = 4000
# Charts draw themselves; recorded pages are in frames of their own.
SETTLED = """() => !document.querySelector('.htmx-request') &&
    [...document.querySelectorAll('[data-chart]')].every(
        plot => plot.querySelector('.main-svg'))"""
MEASURE = """() => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    const all = [...performance.getEntriesByType('navigation'),
                 ...performance.getEntriesByType('resource')];
    const own = all.filter(entry => !entry.name.includes('plotly'));
    return {paint_ms: paint ? paint.startTime : 0,
            bytes: own.reduce((sum, entry) => sum + entry.encodedBodySize, 0)};
}"""

FAULTS = """language => {
    const root = document.documentElement, found = [];
    if (!root.lang.startsWith(language.slice(0, 2)))
        found.push(`is in ${root.lang || 'no language'}`);
    if (root.scrollWidth > window.innerWidth)
        found.push(`scrolls sideways to ${root.scrollWidth} pixels`);
    return found;
}"""


@dataclasses.dataclass(frozen=True, slots=True)
class Picture:
    """One page at one width in one theme.

    Attributes:
        page: The page's name.
        path: Its path.
        width: Of the window, in CSS pixels.
        theme: "light" or "dark".
        file: The picture's name in the folder.
        bytes: What the page loads, without Plotly.
        paint_ms: From the request to the first text, in milliseconds.
        faults: What is wrong with the page as the browser sees it.
    """

    page: str
    path: str
    width: int
    theme: str
    file: str
    bytes: int
    paint_ms: float
    faults: tuple[str, ...] = ()


def take_pictures(
    url: str, pages: Mapping[str, str], folder: Path, language: str = "en"
) -> list[Picture]:
    """Return a picture of every page at each width and in each theme.

    The browser requests the language; pages that answer in another one have a fault.
    """
    with sync_playwright() as playwright:
        program = os.environ.get("BROWSER_EXECUTABLE") or None
        browser = playwright.chromium.launch(executable_path=program)
        try:
            return [
                picture
                for width in WIDTHS
                for theme in THEMES
                for picture in _walk(
                    browser, url, pages, width, theme, folder, language
                )
            ]
        finally:
            browser.close()


def _walk(
    browser: Browser,
    url: str,
    pages: Mapping[str, str],
    width: int,
    theme: str,
    folder: Path,
    language: str,
) -> list[Picture]:
    context = browser.new_context(
        locale=language,
        viewport={"width": width, "height": WIDTHS[width]},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    said: list[str] = []  # of the page that is open
    page.on("pageerror", lambda error: said.append(f"script: {error}"))
    page.on("console", lambda line: _note(line, said))
    pictures = []
    for name, path in sorted(pages.items(), key=lambda item: item[0] != "login"):
        file = f"{name.replace(':', '-')}-{width}-{theme}.jpg"
        said.clear()
        answer = page.goto(url + path)
        page.wait_for_function(SETTLED)
        measured = page.evaluate(MEASURE)
        found = page.evaluate(FAULTS, language)
        if answer is None or not answer.ok:
            found.append(f"answered {answer and answer.status}")
        _shoot(page, folder / file, width)
        pictures.append(
            Picture(
                name,
                path,
                width,
                theme,
                file,
                int(measured["bytes"]),
                float(measured["paint_ms"]),
                (*found, *said),
            )
        )
        if name == "login":
            _sign_in(page, url)
    context.close()
    return pictures


def _note(line: ConsoleMessage, said: list[str]) -> None:
    """Record the console's errors and warnings."""
    if line.type in ("error", "warning"):
        said.append(f"console: {line.text}")


def _shoot(page: Page, file: Path, width: int) -> None:
    """Take a picture with the window as tall as the page, so sticky parts stay low."""
    height = int(page.evaluate("document.documentElement.scrollHeight"))
    page.set_viewport_size({"width": width, "height": min(height, TALLEST)})
    page.screenshot(path=file, type="jpeg", quality=80)
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})


def _sign_in(page: Page, url: str) -> None:
    page.fill("#id_username", "admin")
    page.fill("#id_password", PASSWORD)
    page.press("#id_password", "Enter")
    page.wait_for_url(f"{url}/")
