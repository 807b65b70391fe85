from __future__ import annotations

from rollouts.browser.new_tabs import arrives


def here_after(looks: int):
    """Return what says no so many times, then yes."""
    answers = iter([False] * looks)
    return lambda: next(answers, True)


async def coming() -> bool:
    return True


async def not_coming() -> bool:
    return False


async def test_a_tab_that_the_browser_has_made_is_waited_for():
    assert await arrives(here_after(5), coming, grace_s=0, patience_s=60)


async def test_a_tab_that_nobody_made_is_not_waited_for():
    assert not await arrives(here_after(5), not_coming, grace_s=0, patience_s=60)


async def test_the_patience_ends():
    assert not await arrives(lambda: False, coming, grace_s=0, patience_s=0)


async def test_a_tab_within_the_grace_needs_no_question():
    async def is_asked() -> bool:
        raise AssertionError("the browser was asked")

    assert await arrives(here_after(1), is_asked, grace_s=0.02)
