from __future__ import annotations

import pytest

from rollouts.browser.errors import BLOCKED, LATE, SLOW, explain, explain_notes


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
