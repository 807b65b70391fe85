"""Actions on tabs and addresses."""

from __future__ import annotations

from rollouts.browser.actions.acting import Tabs
from rollouts.browser.actions.addresses import resolve
from rollouts.browser.actions.outcomes import ActOutcome
from rollouts.browser.hosting.hosts import placeholder
from rollouts.browser.types import Action

MAX_DIGITS = 9


async def switch_tab(tabs: Tabs, action: Action) -> ActOutcome:
    """Make another tab the active one."""
    pages = tabs.pages
    number = action.argument.strip()
    # Python refuses to read numbers of more than 4,300 digits.
    is_number = number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS
    if not is_number or int(number) >= len(pages):
        return ActOutcome(
            f"There is no tab {number[:20]!r}; tabs run from 0 to {len(pages) - 1}."
        )
    # The agent has chosen: a tab that came late is not followed instead.
    tabs.note_tabs()
    tabs.page = pages[int(number)]
    await tabs.page.bring_to_front()
    return ActOutcome()


async def new_tab(tabs: Tabs, action: Action) -> ActOutcome:
    """Open an empty tab and go there."""
    tabs.note_tabs()
    tabs.page = await tabs.open_tab()
    return ActOutcome()


async def close_tab(tabs: Tabs, action: Action) -> ActOutcome:
    """Close the active tab; the newest of the others becomes the active one."""
    if len(tabs.pages) < 2:
        return ActOutcome("This is the only tab; it cannot be closed.")
    await tabs.page.close()
    tabs.use_last_tab()
    await tabs.page.bring_to_front()
    return ActOutcome()


async def go_to(tabs: Tabs, action: Action) -> ActOutcome:
    """Go to an address of the task's sites; others are refused."""
    url = resolve(action.argument, tabs.page.url, tabs.origins)
    if url is None:
        sites = ", ".join(placeholder(site) for site in tabs.origins)
        return ActOutcome(
            f"{action.argument[:100]!r} leads out of the task's sites; write a path "
            f"such as /cart, or begin with one of: {sites}."
        )
    await tabs.visit(url)
    return ActOutcome()
