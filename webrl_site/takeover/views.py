"""Taking over at a step of a replay, and continuing by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from curriculum.access.roles import (
    ROLE_ANNOTATOR,
    ROLE_RESEARCHER,
    has_role,
    role_required,
)
from curriculum.errors import TakeoverError
from rollouts import services
from rollouts.models import Takeover, Trajectory
from rollouts.selectors.takeovers import find_open, takeovers_in_full
from rollouts.services.takeovers import MAX_ACTION_LENGTH
from webrl_site.loop.wakeups import enqueue_after_commit
from webrl_site.takeover.page import describe_takeover, list_choices, write_wish

both = role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)


class WishForm(forms.Form):
    """One action: chosen field by field, or typed as a line."""

    number = forms.IntegerField(min_value=0)
    line = forms.CharField(required=False, max_length=MAX_ACTION_LENGTH)
    action = forms.ChoiceField(required=False)
    element = forms.IntegerField(required=False, min_value=0)
    argument = forms.CharField(
        required=False, max_length=MAX_ACTION_LENGTH, strip=False
    )

    def __init__(self, takeover: Takeover, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        names = [(one.name, one.name) for one in list_choices(takeover)]
        self.fields["action"].choices = names  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        filled: dict[str, Any] = super().clean() or {}
        if not filled.get("line") and not filled.get("action"):
            raise forms.ValidationError(_("Choose an action, or type one."))
        return filled


@require_POST
@both
def take_over(request: HttpRequest, trajectory_id: int, number: int) -> HttpResponse:
    """Request a browser that is brought to the page before this step."""
    get_object_or_404(Trajectory.objects.only("pk"), pk=trajectory_id)
    author_id = int(request.user.pk or 0)
    try:
        takeover = services.open_takeover(
            source_id=trajectory_id, number=number, author_id=author_id
        )
    except TakeoverError as error:
        messages.error(request, error.message)
        now = find_open(author_id)
        if now is not None:
            return redirect("takeover", now.pk)
        return redirect("replay_step", trajectory_id, number)
    enqueue_after_commit("rollouts.tasks.run_takeover", takeover.trajectory_id)
    return redirect("takeover", takeover.pk)


@require_safe
@both
def takeover(request: HttpRequest, takeover_id: int) -> HttpResponse:
    """Show the browser; only its part of the page if htmx asks."""
    row = _find(request, takeover_id)
    chosen = {"element": request.GET.get("element", "")}
    return _render(request, row, chosen)


@require_POST
@both
def act(request: HttpRequest, takeover_id: int) -> HttpResponse:
    """Request one action."""
    row = _find(request, takeover_id, mine=True)
    form, problem = WishForm(row, request.POST), ""
    if form.is_valid():
        problem = _ask(row, form.cleaned_data)
    else:
        problem = " ".join(
            str(text) for found in form.errors.values() for text in found
        )
    if request.headers.get("HX-Request") != "true":
        if problem:
            messages.error(request, problem)
        return redirect("takeover", takeover_id)
    names = ("action", "element", "argument", "line")
    kept = {name: request.POST.get(name, "") for name in names} if problem else {}
    row = _find(request, takeover_id, mine=True)
    return _render(request, row, kept | {"problem": problem})


@require_POST
@both
def leave(request: HttpRequest, takeover_id: int) -> HttpResponse:
    """End without a verdict."""
    row = _find(request, takeover_id, mine=True)
    services.leave_takeover(takeover_id=row.pk, author_id=row.author_id)
    return redirect("takeover", takeover_id)


@require_POST
@both
def keep(request: HttpRequest, takeover_id: int) -> HttpResponse:
    """Keep a success as a demonstration."""
    row = _find(request, takeover_id)
    try:
        services.keep_demonstration(takeover_id=row.pk)
    except TakeoverError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("Kept as a demonstration."))
    return redirect("takeover", takeover_id)


@require_POST
@both
def let_go(request: HttpRequest, takeover_id: int) -> HttpResponse:
    """Stop keeping a demonstration."""
    row = _find(request, takeover_id)
    if services.let_demonstration_go(takeover_id=row.pk):
        messages.success(request, _("No longer kept: nothing will learn from it."))
    return redirect("takeover", takeover_id)


def _find(request: HttpRequest, takeover_id: int, *, mine: bool = False) -> Takeover:
    """Return the person's own takeover; researchers see those of others, too."""
    rows = takeovers_in_full()
    if mine or not has_role(request.user, ROLE_RESEARCHER):
        rows = rows.filter(author_id=request.user.pk)
    return get_object_or_404(rows, pk=takeover_id)


def _ask(row: Takeover, filled: dict[str, Any]) -> str:
    """Return why the action was refused, "" when it was not."""
    try:
        services.ask_action(
            takeover_id=row.pk,
            author_id=row.author_id,
            number=filled["number"],
            output=write_wish(row, filled),
        )
    except TakeoverError as error:
        return error.message
    return ""


def _render(
    request: HttpRequest, row: Takeover, chosen: dict[str, Any]
) -> HttpResponse:
    is_part = request.headers.get("HX-Request") == "true"
    name = "_takeover.html" if is_part else "takeover.html"
    context = describe_takeover(row, request.user, chosen)
    return render(request, f"takeover/{name}", context)
