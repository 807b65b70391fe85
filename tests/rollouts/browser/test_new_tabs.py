from __future__ import annotations

from dataclasses import dataclass, field

from rollouts.browser.new_tabs import arrives, wait_for_tab


@dataclass(eq=False)
class FakeContext:
    pages: list[FakeTab] = field(default_factory=list)


@dataclass(eq=False)
class FakeTab:
    context: FakeContext
    url: str = "http://site.test/"

    def __post_init__(self):
        self.context.pages.append(self)


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


async def test_a_tab_that_came_with_the_click_itself_is_the_newest():
    context = FakeContext()
    opener = FakeTab(context)
    opened = FakeTab(context)
    assert await wait_for_tab(opener, {opener}) is opened
