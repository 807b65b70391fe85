"""Sentences about servers that act with a run's weights."""

from __future__ import annotations

from curriculum.texts.sentences.marking import gettext_noop

SERVING = {
    "handed_over": gettext_noop(
        "%(served)s acts with %(uri)s, digest %(digest)s, from now on."
    ),
    "hand_over_by_hand": gettext_noop(
        "Serve the weights in %(folder)s (digest %(digest)s), then enter the address "
        "and the model's name under Served policy."
    ),
    "hand_over_failed": gettext_noop(
        "%(uri)s was not handed over to %(served)s. %(reason)s Fix that and "
        "resume, or serve the weights by hand and enter their address under "
        "Served policy."
    ),
    "budget_spent": gettext_noop(
        "The run has spent %(spent)s of its budget of %(budget)s on its served policy. "
        "To go on, raise budget under Edit and resume."
    ),
    "weights_replaced": gettext_noop(
        "%(served)s acts with other weights: those of %(phase)s were handed over to "
        "it. Serve %(uri)s there again and enter the address under Served policy."
    ),
    "call_refused": gettext_noop(
        "%(call)s was answered %(status)s; what the server said is in the worker's log."
    ),
    "server_silent": gettext_noop("%(address)s did not answer: %(reason)s."),
    "model_missing": gettext_noop(
        "%(address)s does not list a model %(model)s within %(seconds)s s."
    ),
    "no_adapter": gettext_noop(
        "Its training left no adapter for the weights that the run began with: set "
        "lora_rank before the run's first training, or hand whole weights over."
    ),
    "reload_ended": gettext_noop(
        "The reload command ended with exit code %(exit_code)s; its output is in the "
        "worker's log."
    ),
    "reload_late": gettext_noop("The reload command did not finish in %(seconds)s s."),
}
