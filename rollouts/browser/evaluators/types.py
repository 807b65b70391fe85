"""The input and output of evaluators."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.locators import Program
from rollouts.browser.evaluators.rule_sets import PromptsName, RuleSet
from rollouts.browser.types import CheckResult, PageEnding
from rollouts.browser.verified.types import VerifiedScorer

Json = Mapping[str, Any]
MAX_SHOWN_LENGTH = 300


class PageUnreadable(Exception):
    """The page that a check asks for was not reached."""


class PageNotRecorded(PageUnreadable):
    """The page no longer exists: its content is unknown."""


class ShopUnreadable(PageUnreadable):
    """A shop's own interface was not reached: its data are unknown."""


class PageReader(Protocol):
    """What an evaluator may read from the episode's browser."""

    async def read(
        self,
        url: str,
        program: Program | None,
        clicks: Sequence[Program] = (),
        *,
        wait_ms: int = 0,
    ) -> str:
        """Return what a program finds at an address, "" when it finds nothing.

        Args:
            url: An address, or "last" for the current page.
            program: What to read; None for the whole page's HTML.
            clicks: Elements to click beforehand; the first that fails is the last.
            wait_ms: Shortest wait after an address was opened.

        Raises:
            PageUnreadable: The address was not reached.
        """
        ...


class Judge(Protocol):
    """A model that compares meanings, for tasks that need one."""

    async def has_same_meaning(
        self, *, instruction: str, reference: str, answer: str, prompts: PromptsName
    ) -> bool | None:
        """Say whether an answer means the reference; None: no clear answer.

        `prompts` names the prompts of the task's rule set.
        """
        ...

    async def has_same_reason(
        self, *, instruction: str, reason: str, answer: str, prompts: PromptsName
    ) -> bool | None:
        """Say whether an answer gives the reason why a task is impossible."""
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class ShopReview:
    """A review of a product; `rating` is a whole number of percent, as a text."""

    author: str
    rating: str


class Shop(Protocol):
    """What an evaluator may read from a shop's own interface."""

    async def find_latest_order(self) -> str:
        """Return the address of the newest order's page.

        Raises:
            PageUnreadable: There is none.
            ShopUnreadable: The interface does not answer, or gives an unusable answer.
        """
        ...

    async def find_latest_review(self, sku: str) -> ShopReview | None:
        """Return the newest review of a product, None when it has none.

        Raises:
            ShopUnreadable: The interface does not answer, or not usefully.
        """
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class Ending:
    """The end of an episode, as the evaluators see it.

    Attributes:
        answer: The exit message, "" when the agent did not exit.
        has_exited: The agent ended the episode, with or without a message.
        stop: What the published runners write as the answer of an episode that
            they stop, "" where this one was not stopped.
        url: Address of the last page.
        state: The sites' change sets now.
        state_at_start: The same before the first step.
        page: How the page ended the episode, None when it did not.
        origins: Where the sites were, by key.
        requests: HAR file of the episode, None where nothing was recorded.
    """

    answer: str
    url: str
    state: Json = dataclasses.field(default_factory=dict)
    state_at_start: Json = dataclasses.field(default_factory=dict)
    page: PageEnding | None = None
    has_exited: bool = False
    stop: str = ""
    origins: Mapping[str, str] = dataclasses.field(default_factory=dict)
    requests: Path | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """Everything that one evaluator looks at.

    Attributes:
        instruction: The task's, for a judge.
        rules: The task's `eval` object.
        ending: The end of the episode.
        reader: Reads pages.
        rule_set: How text and addresses are compared.
        judge: Compares meanings; None where there is none.
        shop: The shop's own interface; None where the operator names none.
        verified: Runs WebArena-Verified's package; None where there is none.
    """

    instruction: str
    rules: Json
    ending: Ending
    reader: PageReader
    rule_set: RuleSet
    judge: Judge | None
    shop: Shop | None = None
    verified: VerifiedScorer | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """`outcome` is None where it is undecided."""

    outcome: bool | None
    checks: tuple[CheckResult, ...]


class Malformed(ValueError):
    """The rules cannot be applied; the message says why."""


def list_of_texts(value: object, field: str) -> list[str]:
    """Return the value if it is a list of texts.

    Raises:
        Malformed: It is not. The published code stops there, too.
    """
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        shown = repr(value)[:160]
        raise Malformed(Sentence("no_list_of_texts", name=field, value=shown))
    return value


def shorten(text: str) -> str:
    """The beginning of a long text, for people."""
    return text if len(text) <= MAX_SHOWN_LENGTH else f"{text[:MAX_SHOWN_LENGTH]}..."


def undecided(name: str, expected: str, got: str, why: str) -> CheckResult:
    """An undecided check, and why."""
    return CheckResult(name, None, expected, shorten(got), why)
