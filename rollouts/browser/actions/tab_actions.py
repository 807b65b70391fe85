"""Actions on tabs and addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollouts.browser.actions.addresses import resolve
from rollouts.browser.actions.outcomes import ActOutcome
from rollouts.browser.hosting.hosts import placeholder
from rollouts.browser.types import Action

if TYPE_CHECKING:
    from rollouts.browser.actions.executor import Executor


async def switch_tab(executor: Executor, action: Action) -> ActOutcome:
    """Make another tab the active one."""
    pages = executor.pages
    number = action.argument.strip()
    if not (number.isascii() and number.isdigit()) or int(number) >= len(pages):
        return ActOutcome(
            f"There is no tab {number[:20]!r}; tabs run from 0 to {len(pages) - 1}."
        )
    executor.page = pages[int(number)]
    await executor.page.bring_to_front()
    return ActOutcome()


async def new_tab(executor: Executor, action: Action) -> ActOutcome:
    """Open an empty tab and go there."""
    executor.page = await executor.open_tab()
    return ActOutcome()


async def close_tab(executor: Executor, action: Action) -> ActOutcome:
    """Close the active tab; the newest of the others becomes the active one."""
    if len(executor.pages) < 2:
        return ActOutcome("This is the only tab; it cannot be closed.")
    await executor.page.close()
    executor.use_last_tab()
    await executor.page.bring_to_front()
    return ActOutcome()


async def go_to(executor: Executor, action: Action) -> ActOutcome:
    """Go to an address of the task's sites; others are refused."""
    url = resolve(action.argument, executor.page.url, executor.origins)
    if url is None:
        sites = ", ".join(placeholder(site) for site in executor.origins)
        return ActOutcome(
            f"{action.argument[:100]!r} leads out of the task's sites; write a path "
            f"such as /cart, or begin with one of: {sites}."
        )
    await executor.visit(url)
    return ActOutcome()
