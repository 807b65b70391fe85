"""Codes that pages show as words, in the reader's language.

States, stages, parts and kinds. A code that is not listed is shown as it is.
"""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

STATES = {
    "planned": _("planned"),
    "queued": _("queued"),
    "running": _("running"),
    "finished": _("finished"),
    "baseline": _("measuring the baseline"),
    "collecting": _("collecting"),
    "scoring": _("scoring"),
    "training": _("training"),
    "handing_over": _("handing weights over"),
    "evaluating": _("evaluating"),
    "evolving": _("evolving"),
    "review": _("review"),
    "closed": _("closed"),
    "stopped": _("stopped"),
    "failed": _("failed"),
    "done": _("done"),
    "current": _("current"),
    "waiting": _("waiting"),
    "passed": _("passed"),
    "proposed": _("proposed"),
    "shortlisted": _("shortlisted"),
    "disputed": _("disputed"),
    "filtered": _("filtered out"),
    "accepted": _("accepted"),
    "rejected": _("rejected"),
    "left": _("left undecided"),
}
PARTS = {
    "action": _("action"),
    "page": _("page"),
    "observe": _("observe"),
    "policy": _("policy"),
    "critic": _("critic"),
    "act": _("act"),
    "settle": _("settle"),
    "success": _("success"),
    "failure": _("failure"),
}
SECTIONS = {
    "curriculum": _("curriculum"),
    "rollout": _("rollout"),
    "algorithm": _("algorithm"),
    "orm": _("reward model"),
    "demo": _("demo"),
    "paper": _("paper"),
    "reference": _("reference"),
    "webarena": _("as WebArena"),
    "webarena-lite": _("as WebArena-Lite"),
    "browsergym": _("as BrowserGym"),
    "webrl": _("as WebRL's release"),
}
COLUMNS = {
    "series": _("series"),
    "at": _("at"),
    "percent": _("per cent"),
    "value": _("value"),
    "low": _("low"),
    "high": _("high"),
    "successes": _("successes"),
}
FINDINGS = {
    "unscorable": _("unscorable"),
    "needs judge": _("needs judge"),
    "needs shop": _("needs shop"),
    "needs package": _("needs package"),
    "suspicious": _("suspicious"),
    "unchecked": _("unchecked"),
}
# Names in progress reports that are not a phase's status.
WORK = {
    "valuing": _("valuing"),
    "training: starting": _("training: starting"),
    "training: critic": _("training: critic"),
    "training: values": _("training: values"),
    "training: policy": _("training: policy"),
    "training: reference": _("training: reference"),
    "training: ratios": _("training: ratios"),
    "training: orm": _("training: reward model"),
    "training: before": _("training: measuring the old weights"),
    "training: after": _("training: measuring the new weights"),
}
WORDS = STATES | WORK | PARTS | SECTIONS | COLUMNS | FINDINGS


def say(code: str) -> str | Promise:
    """Return the word for a code, or the code itself."""
    return WORDS.get(code, code)
