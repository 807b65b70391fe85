"""Why an episode was broken."""

from __future__ import annotations

from curriculum.texts.sentences.marking import gettext_noop

EPISODES = {
    "site_answered": gettext_noop("The site answered %(status)s."),
    "sign_in_answered": gettext_noop(
        "Signing in to %(site)s failed: it answered %(status)s."
    ),
    "sign_in_failed": gettext_noop("Signing in to %(site)s failed: %(reason)s"),
    "sign_in_lost": gettext_noop("The session on %(site)s did not last."),
    "no_address": gettext_noop("There is no address for %(sites)s."),
    "last_tab_closed": gettext_noop("The page closed its last tab."),
    "page_silent": gettext_noop("The page did not answer for %(seconds)s s."),
    "page_too_large": gettext_noop(
        "The page used %(held)s MiB of memory; an episode may use %(limit)s MiB."
    ),
    "page_not_opened_in_time": gettext_noop("The browser did not open a page in time."),
    "page_not_opened": gettext_noop("No page could be opened: %(reason)s"),
    "browser_not_started": gettext_noop("The browser did not start: %(reason)s"),
    "browser_missing": gettext_noop("There is no browser at %(name)s."),
    "sandbox_not_opened": gettext_noop(
        "The sandbox did not open %(sites)s: %(sentence)s"
    ),
    "sandbox_without_state": gettext_noop(
        "The sandbox returned no state: %(sentence)s"
    ),
    "sandbox_not_forked": gettext_noop("The sandbox made no fork: %(sentence)s"),
    "sandbox_silent": gettext_noop("the sandbox does not answer: %(reason)s"),
    "model_silent": gettext_noop(
        "The model at %(address)s gave no answer in %(count)s tries: %(reason)s"
    ),
    "model_busy": gettext_noop(
        "The model at %(address)s asks its clients to wait (status %(status)s)."
    ),
    "model_refused": gettext_noop(
        "The model at %(address)s refused with status %(status)s: %(reason)s"
    ),
    "policy_failed": gettext_noop("The policy failed: %(reason)s"),
    "unknown_suite": gettext_noop("Unknown suite %(name)s; known are %(known)s."),
    "bad_seed": gettext_noop(
        "The seed must be a whole number up to 2**53, not %(seed)s."
    ),
    "other_goal": gettext_noop(
        "%(url)s asks for %(goal)s, but the task says %(instruction)s: the "
        "pages and the tasks are of different versions."
    ),
    "no_step_finished": gettext_noop("No step was finished in %(seconds)s seconds."),
    "steps_missing": gettext_noop("The record of its steps has a gap."),
    "workbench_stopped": gettext_noop(
        "The workbench was stopped. What was recorded is kept."
    ),
    "takeover_worker_lost": gettext_noop(
        "The worker that held the browser ended. What was recorded is kept."
    ),
    "takeover_not_claimed": gettext_noop(
        "No worker opened a browser in time. Is the `takeover` worker running?"
    ),
    "ended_before": gettext_noop("The episode already ended at step %(step)s."),
    "rebuilt_otherwise": gettext_noop(
        "Step %(step)s could not be rebuilt: repeating the actions before it "
        "leads to a page other than the recorded one. Its text differs."
    ),
    "rebuilt_elsewhere": gettext_noop(
        "Step %(step)s could not be rebuilt: repeating the actions before it "
        "leads to a page other than the recorded one. It is %(place)s."
    ),
    "page_answered": gettext_noop("%(url)s answered %(status)s."),
    "redirects_forever": gettext_noop(
        "%(url)s keeps leading to pages that never load."
    ),
    "start_not_reached": gettext_noop("%(url)s was not reached."),
    "page_failed": gettext_noop("%(url)s failed: %(reason)s"),
}
