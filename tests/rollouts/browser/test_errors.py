from __future__ import annotations

import pytest

from rollouts.browser.errors import (
    BLOCKED,
    LATE,
    SLOW,
    explain,
    explain_notes,
    is_failure,
)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Page.goto: net::ERR_NAME_NOT_RESOLVED at http://x/\nCall log:", BLOCKED),
        (
            "Execution context was destroyed, most likely because of a navigation",
            "The page changed during the action.",
        ),
        ("Page.goto: Timeout 10000ms exceeded.\nCall log:", LATE),
        ("Page.goto: Download is starting\nCall log:", ""),
        ("Target page, context or browser has been closed", ""),
        ("Odd thing\nCall log: x", "The action was not carried out: Odd thing"),
        ("", "The action was not carried out: unknown browser error"),
    ],
)
def test_an_error_of_the_browser_is_explained_to_the_agent(message, text):
    assert explain(message) == text


def test_notes_dialogs_and_files_are_told_in_sentences():
    told = explain_notes(frozenset({"slow", "download"}), ["Sure?"], ["a\nb.csv"])
    dialog = 'A dialog said "Sure?"; it was agreed to.'
    assert told == f'{SLOW} {dialog} A file came, "a b.csv", and is not kept.'
    assert explain_notes(frozenset()) == ""


@pytest.mark.parametrize(
    ("notes", "dialogs", "files", "has_failed"),
    [
        ({"slow"}, [], [], False),
        ({"file"}, [], [], False),
        (set(), [LATE], [], False),
        (set(), ["Sure?", "Really?"], ["a.csv"], False),
        (set(), [], ["a.csv"], False),
        ({"file", "slow"}, ["Sure?"], [], False),
        ({"late"}, [], [], True),
        ({"file", "late", "slow"}, ["Sure?"], [], True),
    ],
)
def test_what_came_of_an_action_is_no_failure(notes, dialogs, files, has_failed):
    assert is_failure(explain_notes(frozenset(notes), dialogs, files)) == has_failed


@pytest.mark.parametrize(
    "error", [BLOCKED, explain("Odd thing"), 'Element 3 (<b> "A dialog") is disabled.']
)
def test_what_was_not_carried_out_is_a_failure(error):
    assert is_failure(error)
    assert not is_failure("")
