"""BrowserGym's steps on five pages of MiniWoB++; run in its own virtual environment.

    MINIWOB_URL=file:///.../miniwob/ python browsergym_steps.py CHROMIUM EPISODES MODE

MODE is "defaults", "fast" (delays switched off) or "bare" (also without screenshots).
Prints one JSON list: the milliseconds of every step. Nothing of ours is imported.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import browsergym.core.env
import browsergym.miniwob
import gymnasium
import numpy
from playwright.sync_api import BrowserType

PAGES = ("click-test", "click-button", "click-link", "click-checkboxes", "enter-text")
# The next action, from the goal and from what is left to do: [action, element].
NEXT = """goal => {
  const textOf = el => (el.textContent || el.value).trim();
  const bid = el => el?.getAttribute("bid");
  const quoted = (goal.match(/"([^"]*)"/) || [])[1];
  const field = document.querySelector("input#tt");
  if (field && field.value !== quoted) return ["fill", bid(field), quoted];
  const listed = (goal.match(/Select (.*) and click Submit/) || ["", ""])[1];
  const wanted = new Set(listed.split(", "));
  const boxes = [...document.querySelectorAll("input[type=checkbox]")];
  const box = boxes.find(el => !el.checked && wanted.has(textOf(el.parentElement)));
  if (box) return ["click", bid(box)];
  const links = [...document.querySelectorAll("span.alink")];
  const link = links.find(el => textOf(el) === quoted);
  if (link) return ["click", bid(link)];
  const buttons = [...document.querySelectorAll("#area button")];
  const name = (quoted || "").toLowerCase();
  const named = buttons.find(el => textOf(el).toLowerCase() === name);
  return ["click", bid(named || buttons.at(-1))];
}"""


def main(chromium: str, episodes: int, mode: str) -> None:
    """Play and print."""
    use_browser(chromium)
    options: dict[str, Any] = {}
    if mode != "defaults":
        options = {"slow_mo": 0, "pre_observation_delay": 0.0}
    if mode == "bare":
        browsergym.core.env.extract_screenshot = lambda _: numpy.zeros((1, 1, 3))
    times: list[float] = []
    for page in PAGES:
        env = gymnasium.make(
            f"browsergym/miniwob.{page}",
            headless=True,
            disable_env_checker=True,
            **options,
        )
        for seed in range(episodes):
            times += play(env, seed)
        env.close()
    sys.stdout.write(json.dumps(times) + "\n")


def use_browser(chromium: str) -> None:
    """Start this browser wherever BrowserGym starts one, also for its chat window."""
    launch = BrowserType.launch

    def start(self: BrowserType, **options: Any) -> Any:
        return launch(self, **{**options, "executable_path": chromium})

    BrowserType.launch = start  # type: ignore[method-assign]


def play(env: Any, seed: int) -> list[float]:
    """One episode; the milliseconds of its steps."""
    seen, _ = env.reset(seed=seed)
    times = []
    for _ in range(12):
        name, bid, *text = env.unwrapped.page.evaluate(NEXT, seen["goal"])
        action = f"{name}({bid!r}{''.join(f', {one!r}' for one in text)})"
        start = time.perf_counter()
        seen, reward, terminated, truncated, _ = env.step(action)
        times.append((time.perf_counter() - start) * 1000)
        if terminated or truncated:
            if reward <= 0:
                raise RuntimeError(f"{seen['goal']!r} was not solved by {action}")
            return times
    raise RuntimeError(f"{seen['goal']!r} was not solved")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
