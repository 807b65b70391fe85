"""What can go wrong with an episode, and the text that the agent gets about it.

EpisodeBroken
    SiteBroken      the site does not answer, answers 5xx or hangs
    HarnessBroken   the browser, or our own code, failed
    EndpointDown    the model's endpoint does not answer now
CannotFork          the episode's state cannot be copied; the episode goes on
"""

from __future__ import annotations

from collections.abc import Sequence

from rollouts.browser.tidy_text import tidy
from rollouts.browser.types import FailureClass, RefusedAttempt

BLOCKED = "The page was not reached: it is outside the task's site, or does not answer."

LATE = "The page did not answer in time; it may still come."
SLOW = "The page has not come whole; this is what there is of it so far."
# Characters of a dialog's text that the agent is shown.
MAX_DIALOG_LENGTH = 200
FILE = "The page asked for a file, which cannot be given."
# How the sentences begin that quote a page.
DIALOG = 'A dialog said "'
DOWNLOAD = 'A file came, "'
# What the observing script notes of an action (script/notes.js), in words.
NOTES = {
    "file": FILE,
    "late": LATE,
    "slow": SLOW,
}


class EpisodeBroken(Exception):
    """The episode cannot go on and says nothing about the policy."""

    failure_class: FailureClass = "harness"
    # Key of the site that failed, "" where that is not known.
    site: str = ""
    # The file of its Playwright trace, "" without one.
    trace: str = ""
    # What the episode's pages tried to reach in vain.
    refused: tuple[RefusedAttempt, ...] = ()
    # Seconds for which the model's endpoint asks not to be called.
    wait_s: float = 0.0


class SiteBroken(EpisodeBroken):
    """The site failed; a new attempt may succeed."""

    failure_class: FailureClass = "site"

    def __init__(self, message: str, *, site: str = "", url: str = "") -> None:
        """`site` is the one that failed, or `url` an address on it."""
        super().__init__(message)
        self.site = site
        self.url = url


class EndpointDown(EpisodeBroken):
    """The model's endpoint does not answer now; the attempt does not count."""

    failure_class: FailureClass = "endpoint"

    def __init__(self, message: str, *, wait_s: float = 0.0) -> None:
        """`wait_s` is for how long the endpoint asks not to be called, in seconds."""
        super().__init__(message)
        self.wait_s = wait_s


class HarnessBroken(EpisodeBroken):
    """The browser or the harness failed; a new attempt may succeed."""


def first_line(message: str) -> str:
    """Return what a browser error says before its call log."""
    return message.splitlines()[0] if message else "unknown browser error"


class CannotFork(Exception):
    """The episode's state cannot be copied; the episode itself goes on."""


def explain(message: str) -> str:
    """Turn a browser error during an action into text for the agent."""
    text = first_line(message)
    if "closed" in text:
        return ""  # The action closed its own tab, which is no failure.
    if "Download is starting" in text:
        return ""  # The agent gets a message about the file.
    if "net::ERR" in text:
        return BLOCKED
    if "Timeout" in text:
        return LATE
    if "context was destroyed" in text:
        return "The page changed during the action."
    return f"The action was not carried out: {text}"


def explain_notes(
    notes: frozenset[str], dialogs: Sequence[str] = (), files: Sequence[str] = ()
) -> str:
    """Return the agent's message about notes, dialogs and files, "" for none."""
    told = [text for name, text in NOTES.items() if name in notes]
    told += [f'{DIALOG}{_shorten(text)}"; it was agreed to.' for text in dialogs]
    told += [f'{DOWNLOAD}{_shorten(name)}", and is not kept.' for name in files]
    return " ".join(told)


def is_failure(error: str) -> bool:
    """Say whether a step's `error` means that its action was not carried out.

    Otherwise the text is about the result of the action. A page that did not load in
    time counts as a failure, regardless of the rest of the text.
    """
    rest = error.removeprefix(FILE).lstrip()
    return bool(rest) and not rest.startswith((SLOW, DIALOG, DOWNLOAD))


def _shorten(text: str) -> str:
    words = " ".join(tidy(text).split())
    return (
        words if len(words) <= MAX_DIALOG_LENGTH else f"{words[:MAX_DIALOG_LENGTH]}..."
    )
