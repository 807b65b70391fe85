"""The shortest possible step in Playwright, which ours is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

if TYPE_CHECKING:
    from playwright.async_api import Page

_OBSERVE = """() => {
  const found = [];
  for (const el of document.querySelectorAll("a,button,input,select,textarea")) {
    const box = el.getBoundingClientRect();
    if (box.width && box.height && box.top < innerHeight && box.bottom > 0) {
      const text = el.innerText || el.value || "";
      found.push([text, box.x + box.width / 2, box.y + box.height / 2]);
    }
  }
  return [document.body.innerText, found];
}"""
_WAIT = """() => new Promise((resolve) => {
  const quiet = () => setTimeout(resolve, 0);
  if (document.readyState === "complete") quiet();
  else addEventListener("load", quiet);
})"""


class BareStepper:
    """Observe, click and wait with three calls and nothing else."""

    def __init__(self, page: Page) -> None:
        """`page` shows the element to click."""
        self._page = page

    async def step(self, label: str) -> None:
        """Click the element that has this text."""
        found = await self._evaluate(_OBSERVE)
        x, y = next((x, y) for text, x, y in found[1] if text == label)
        await self._page.mouse.click(x, y)
        await self._evaluate(_WAIT)

    async def _evaluate(self, script: str) -> Any:
        while True:
            try:
                return await self._page.evaluate(script)
            except Error as error:
                if "context was destroyed" not in error.message:
                    raise
