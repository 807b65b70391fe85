"""Filters over training runs, metrics and checkpoints."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from curriculum.forms import FilterForm, with_any
from training.models import Checkpoint, TrainingRun


class TrainingRunFilterForm(FilterForm):
    """Which training runs a list shows."""

    run = forms.IntegerField(required=False, label="Id of the run")
    phase = forms.IntegerField(required=False, label="Id of the phase")
    status = forms.ChoiceField(
        required=False, choices=with_any([*TrainingRun.Status.choices])
    )


class MetricFilterForm(FilterForm):
    """Which numbers a list shows."""

    run = forms.IntegerField(required=False, label="Id of the run")
    phase = forms.IntegerField(required=False, label="Id of the phase")
    training_run = forms.IntegerField(required=False, label="Id of the training run")
    name = forms.CharField(
        required=False, max_length=60, label="Name, such as train/policy_loss"
    )


class CheckpointFilterForm(FilterForm):
    """Which checkpoints a list shows."""

    run = forms.IntegerField(required=False, label="Id of the run that made it")
    phase = forms.IntegerField(required=False, label="Id of the phase that made it")
    kind = forms.ChoiceField(
        required=False, choices=with_any([*Checkpoint.Kind.choices])
    )


class OrmExampleFilterForm(FilterForm):
    """Which of the episodes that taught a reward model a list shows."""

    which = forms.ChoiceField(
        required=False,
        choices=with_any(
            [
                ("people", gettext_lazy("Judged by people")),
                ("checks", gettext_lazy("The evaluators' outcomes")),
                ("held_out", gettext_lazy("Held-out episodes")),
                ("became_right", gettext_lazy("Held out, wrong before, right after")),
                ("became_wrong", gettext_lazy("Held out, right before, wrong after")),
                ("own", gettext_lazy("Its own sure verdicts")),
            ]
        ),
        label=gettext_lazy("Which episodes"),
    )
