"""Sentences of a phase's history."""

from __future__ import annotations

from curriculum.texts.sentences.marking import gettext_noop

PHASES = {
    "review_finished": gettext_noop(
        "%(by)s finished the review; %(count)s tasks left undecided."
    ),
    "band_moved": gettext_noop(
        "%(by)s moved the value band to %(low)s to %(high)s; "
        "entered the review: %(entered)s, left: %(left)s."
    ),
    "proposed": gettext_noop(
        "%(count)s instructions proposed, %(left)s passed the first filters."
    ),
    "shortlisted": gettext_noop(
        "%(kept)s of %(count)s instructions are in the value band."
    ),
    "accepted": gettext_noop("%(count)s instructions accepted without review."),
    "only_measured": gettext_noop(
        "%(uri)s is served elsewhere: it was measured and not trained. To train it, "
        "name its checkpoint as the policy and this address as the served policy."
    ),
    "not_opened": gettext_noop("The next phase was not opened: %(reason)s"),
    "not_advanced": gettext_noop(
        "The phase could not be advanced (%(reason)s). It will be retried. "
        "After an upgrade, restart every process of the workbench."
    ),
    "training_was_killed": gettext_noop(
        "%(reason)s Training resumes; it has been killed %(count)s times "
        "(limit %(most)s)."
    ),
    "unread_by_reward_model": gettext_noop(
        "Episodes whose instruction leaves the reward model no room for a page: "
        "%(count)s. They score 0."
    ),
    "reward_model_stays": gettext_noop("The reward model is unchanged. %(reason)s"),
    "reward_model_learnt": gettext_noop(
        "The reward model has learnt from people's verdicts; "
        "no judged task was held out to measure it."
    ),
    "reward_model_measured": gettext_noop(
        "The reward model has learnt from people's verdicts: right on %(after)s %% "
        "of %(count)s held-out episodes, %(before)s %% before."
    ),
    "site_closed": gettext_noop(
        "%(site)s is closed until %(until)s: it broke %(count)s episodes in "
        "a row. Last failure: %(reason)s"
    ),
    "site_works": gettext_noop("%(site)s works again."),
    "site_opened": gettext_noop("%(site)s was opened by hand."),
    "site_reset": gettext_noop("%(site)s has been reset."),
    "reset_failed": gettext_noop(
        "%(site)s could not be reset: %(reason)s Next attempt at %(at)s."
    ),
    "stopped": gettext_noop("Stopped by %(by)s."),
    "stopped_itself": gettext_noop("Stopped by the workbench."),
    "resumed": gettext_noop("Resumed by %(by)s."),
    "resumed_itself": gettext_noop("Resumed by the workbench."),
    "no_tasks": gettext_noop("There are no tasks to attempt."),
    "no_episode": gettext_noop("No episode could be run. %(reasons)s"),
    "disk_refused": gettext_noop(
        "The disk refused a write (%(reason)s). The phase tries again every minute."
    ),
    "worker_died": gettext_noop("Its worker died %(count)s times."),
}
