"""A person's keys for the review desk."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from curriculum import services
from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from curriculum.rules.desk_keys import ACTIONS, complete_keys, find_mistakes
from curriculum.selectors.reviewing.desk import read_keys


@require_http_methods(["GET", "POST"])
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def desk_keys(request: HttpRequest) -> HttpResponse:
    person = cast(User, request.user)
    keys, mistakes = read_keys(person.pk), {}
    if "reset" in request.POST:
        services.reset_keys(person=person)
        return redirect("review")
    if request.method == "POST":
        keys = {action: request.POST.get(action, "").lower() for action in ACTIONS}
        try:
            services.save_keys(person=person, keys=keys)
        except WorkbenchError:
            mistakes = find_mistakes(keys)
        else:
            messages.success(request, gettext("Your keys are saved."))
            return redirect("review")
    rows = [
        (action, label, keys[action], mistakes.get(action, ""))
        for action, label in ACTIONS.items()
    ]
    context = {"rows": rows, "mistakes": mistakes, "usual": complete_keys({})}
    return render(request, "review/desk_keys.html", context)
