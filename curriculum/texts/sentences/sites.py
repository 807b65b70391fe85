"""Findings of the check of a site's instance, and what to do about them."""

from __future__ import annotations

from curriculum.texts.sentences.marking import gettext_noop

SITES = {
    "instance_silent": gettext_noop(
        "It does not answer: %(reason)s Start it, or correct its address."
    ),
    "instance_answered": gettext_noop(
        "It answered %(status)s. Check its log and restart it."
    ),
    "instance_leads_away": gettext_noop(
        "It leads to %(address)s. In this instance, set its own address as "
        "its base address."
    ),
    "instance_refused": gettext_noop(
        "Its start page asks for %(hosts)s, which the agent's browser may not reach. "
        "If its pages need that, set SITE_HOSTS."
    ),
    "instance_not_signed_in": gettext_noop(
        "%(reason)s Correct its entry in SITE_SIGN_INS."
    ),
    "instance_not_at_first": gettext_noop("%(reason)s Reset it."),
    "text_missing": gettext_noop("The text that first_state names is not there."),
    "first_state_silent": gettext_noop(
        "The address that first_state names does not answer."
    ),
    "first_state_command": gettext_noop("The first_state command failed."),
    "check_broken": gettext_noop("The check itself failed: %(reason)s"),
}
