"""Why an episode was broken, in the reader's language.

The harness knows no language: what it tells is stored in English. What the browser
itself says stays as it is.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop

from curriculum.texts.known_sentences import KnownSentences

FAILURES = KnownSentences(
    gettext_noop("The site answered %(status)s."),
    gettext_noop("Signing in to %(site)s failed: it answered %(status)s."),
    gettext_noop("Signing in to %(site)s failed: %(reason)s"),
    gettext_noop("Signing in to %(site)s does not last."),
    gettext_noop("There is no address for %(sites)s."),
    gettext_noop("The page closed its last tab."),
    gettext_noop("The page did not answer for %(seconds)s s."),
    gettext_noop(
        "The page held %(held)s MiB of memory; an episode may hold %(limit)s MiB."
    ),
    gettext_noop("The browser did not open a page in time."),
    gettext_noop("No page could be opened: %(reason)s"),
    gettext_noop("The browser did not start: %(reason)s"),
    gettext_noop("There is no browser at %(name)s."),
    gettext_noop("The sandbox did not open %(sites)s: %(sentence)s"),
    gettext_noop("The sandbox gave no state: %(sentence)s"),
    gettext_noop("The sandbox made no fork: %(sentence)s"),
    gettext_noop("the sandbox does not answer: %(reason)s"),
    gettext_noop(
        "The model at %(address)s gave no answer in %(count)s tries: %(reason)s"
    ),
    gettext_noop("The model at %(address)s refused with status %(status)s: %(reason)s"),
    gettext_noop("The policy failed: %(reason)s"),
    gettext_noop("Unknown suite %(name)s; known are %(known)s."),
    gettext_noop("The seed must be a whole number up to 2**53, not %(seed)s."),
    gettext_noop(
        "%(url)s asks for %(goal)s, but the task says %(instruction)s: "
        "the pages are another version than the tasks."
    ),
    gettext_noop("No step was finished in %(seconds)s seconds."),
    gettext_noop("The record of its steps has a gap."),
    gettext_noop("Its worker died %(count)s times."),
    gettext_noop("The workbench was stopped. What was recorded is kept."),
    gettext_noop("The worker that held the browser ended. What was recorded is kept."),
    gettext_noop(
        "No worker opened a browser in time. Is the worker of `takeover` running?"
    ),
    gettext_noop("The episode ended at step %(step)s already."),
    gettext_noop(
        "Step %(step)s could not be rebuilt: carried out again, the actions before it "
        "lead to a page that is not the recorded one. It reads differently."
    ),
    gettext_noop(
        "Step %(step)s could not be rebuilt: carried out again, the actions before it "
        "lead to a page that is not the recorded one. It is %(place)s."
    ),
    gettext_noop("%(url)s answered %(status)s."),
    gettext_noop("%(url)s leads to pages that never come."),
    gettext_noop("%(url)s was not reached."),
    gettext_noop("%(url)s failed: %(reason)s"),
)
