"""The review desk: one evolved task at a time, held under a lease."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from curriculum import services
from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.errors import FirstLookMissing, LeaseLost, WorkbenchError
from curriculum.forms import LeaseForm, ReviewForm
from curriculum.models import Flag, Review
from curriculum.rules.ids import read_id
from curriculum.selectors.reviewing.desk import is_flagged_by, tasks_on_desk
from webrl_site.loop.tasks import advance_when_over
from webrl_site.review.crowd import AT_DESK
from webrl_site.review.decision_texts import name_sent, name_undone, restore_entries
from webrl_site.review.page import describe_desk, warm_next

SKIPS = {"skip": "last", "others": "others", "drop": "drop"}
# Actions that change a flag and are not decisions.
FLAGS = ("flag", "unflag")
# Other pages than the desk that have a button to undo.
LISTS = {"disputes": "disputes", "decisions": "my_decisions"}


@require_safe
@AT_DESK.counted
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def desk(request: HttpRequest) -> HttpResponse:
    reviewer, phase_id = cast(User, request.user), _phase_id(request)
    held = services.take_next(reviewer=reviewer, phase_id=phase_id)
    return _show(request, describe_desk(reviewer, held, phase_id))


@require_POST
@AT_DESK.counted
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def decide(request: HttpRequest) -> HttpResponse:
    form, reviewer = ReviewForm(request.POST), cast(User, request.user)
    if not form.is_valid():
        return _keep(request, "; ".join(_messages(form)))
    try:
        if form.cleaned_data["decision"] in FLAGS:
            return _flag(request, form.cleaned_data)
        review = _write(reviewer, form.cleaned_data)
    except WorkbenchError as error:
        return _keep(request, error.message, is_lost=isinstance(error, LeaseLost))
    if review is None:
        return _keep(request)
    advance_when_over(review)
    done = name_sent(review, form.cleaned_data["reason"])
    return _next(request, done, last=review)


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def renew(request: HttpRequest) -> HttpResponse:
    """Answer the desk's heartbeat with whether the lease is valid.

    A lost lease is a normal answer, since a browser would log an error.
    """
    form = LeaseForm(request.POST)
    if not form.is_valid():
        return JsonResponse({"message": gettext("Which task?")}, status=422)
    try:
        reviewer = cast(User, request.user)
        services.renew_review_lease(reviewer=reviewer, **form.cleaned_data)
    except WorkbenchError as error:
        return JsonResponse({"is_lost": True, "message": error.message})
    return JsonResponse({"is_lost": False, "message": ""})


@require_safe
@AT_DESK.counted
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def warm(request: HttpRequest) -> HttpResponse:
    """Prepare what is shown with the next task; it is reserved only when shown.

    Not while the desk is busy: with many people another one takes that task first, and
    half of the work is done twice.
    """
    if not AT_DESK.is_busy:
        warm_next(cast(User, request.user), _phase_id(request))
    return HttpResponse(status=204)


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def undo(request: HttpRequest, review_id: int) -> HttpResponse:
    """Take a decision back and go to its task, with everything that was entered."""
    review = get_object_or_404(Review, pk=review_id)
    reviewer, phase_id = cast(User, request.user), _phase_id(request)
    try:
        task = services.undo_review(review_id=review_id, reviewer=reviewer)
    except WorkbenchError as error:
        messages.error(request, error.message)
        came_from = LISTS.get(request.POST.get("from", ""))
        return redirect(came_from) if came_from else _next(request, "")
    if request.POST.get("from") == "disputes":
        messages.success(request, gettext("Undone"))
        return redirect("disputes")
    done = name_undone(review, task)
    held = services.reclaim(review=review, reviewer=reviewer, phase_id=phase_id)
    if held is None:
        return _next(request, done)
    context = describe_desk(reviewer, held, phase_id) | restore_entries(review, held)
    return _show(request, context | {"done": done})


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def take_back(request: HttpRequest) -> HttpResponse:
    count = services.take_back_passed(reviewer=cast(User, request.user))
    return _next(request, gettext("%(count)s back in your queue") % {"count": count})


@require_POST
@role_required(ROLE_RESEARCHER)
def settle_flag(request: HttpRequest, flag_id: int) -> HttpResponse:
    flag = get_object_or_404(Flag, pk=flag_id)
    try:
        services.settle_flag(flag_id=flag_id, by=cast(User, request.user))
    except WorkbenchError as error:
        messages.error(request, error.message)
    return redirect("task", flag.task_id)


def _read_decision(data: dict[str, Any]) -> services.Decision:
    """Translate the form for the service."""
    chosen = data["decision"]
    choice = "skip" if chosen in SKIPS else chosen
    return services.Decision(
        choice,
        edited_instruction=data["instruction"],
        reason=data["reason"] if choice == "reject" else "",
        note=data["note"],
        seconds_spent=data["seconds_spent"],
        skip_to=SKIPS.get(chosen, "last"),
        guideline=data["guideline"],
    )


def _flag(request: HttpRequest, data: dict[str, Any]) -> HttpResponse:
    """Flag the task or withdraw the flag, without a decision, and stay on it."""
    by, task_id = cast(User, request.user), data["task_id"]
    # It may have been deleted with its run.
    get_object_or_404(tasks_on_desk(), pk=task_id)
    if data["decision"] == "unflag":
        note = services.withdraw_flag(task_id=task_id, by=by).note
        done = gettext("The flag is withdrawn")
        return _keep(request, done=done, note=data["note"] or note)
    is_new = not is_flagged_by(task_id, by.pk)
    services.flag_task(task_id=task_id, by=by, note=data["note"])
    done = (
        gettext("Flagged; a researcher will look at it")
        if is_new
        else gettext("Flagged; this note replaces your earlier one")
    )
    return _keep(request, done=done, is_just_flagged=True)


def _write(reviewer: User, data: dict[str, Any]) -> Review | None:
    """Write a decision; in a blind review keep it as the first look, return None."""
    decision = _read_decision(data)
    held = {"task_id": data["task_id"], "token": data["token"], "reviewer": reviewer}
    try:
        return services.decide_review(**held, decision=decision)
    except FirstLookMissing:
        services.take_first_look(**held, decision=decision)
    return None


def _keep(
    request: HttpRequest,
    message: str = "",
    *,
    is_lost: bool = False,
    done: str = "",
    note: str = "",
    is_just_flagged: bool = False,
) -> HttpResponse:
    """Show the desk again with everything that was typed, and what went wrong."""
    wanted = read_id(request.POST.get("task_id"))
    task = get_object_or_404(tasks_on_desk(), pk=wanted or 0)
    reviewer, token = cast(User, request.user), request.POST.get("token", "")
    held = services.find_reservation(task=task, token=token, reviewer=reviewer)
    context = describe_desk(reviewer, held, _phase_id(request))
    context |= {
        "problem": message,
        "done": done,
        "is_lost": is_lost,
        "instruction": request.POST.get("instruction", ""),
        # The note already states what was done: no second message.
        "note": note if done else request.POST.get("note", ""),
        "is_just_flagged": is_just_flagged,
        "reason": request.POST.get("reason", ""),
    }
    return _show(request, context, status=409 if is_lost else 200)


def _next(request: HttpRequest, done: str, last: Review | None = None) -> HttpResponse:
    """Go to the next task: by redirect, or directly if htmx asked."""
    if request.headers.get("HX-Request") != "true":
        if done:
            messages.success(request, done)
        phase_id = _phase_id(request)
        suffix = f"?phase={phase_id}" if phase_id else ""
        return redirect(reverse("review") + suffix)
    reviewer, phase_id = cast(User, request.user), _phase_id(request)
    held = services.take_next(reviewer=reviewer, phase_id=phase_id)
    context = describe_desk(reviewer, held, phase_id, last=last)
    return _show(request, context | {"done": done})


def _show(
    request: HttpRequest, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    is_partial = request.headers.get("HX-Request") == "true"
    template = "_desk.html" if is_partial else "review.html"
    return render(request, f"review/{template}", context, status=status)


def _phase_id(request: HttpRequest) -> int | None:
    return read_id(request.POST.get("phase") or request.GET.get("phase"))


def _messages(form: ReviewForm) -> list[str]:
    return [str(text) for errors in form.errors.values() for text in errors]
