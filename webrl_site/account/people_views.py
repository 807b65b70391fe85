"""Inviting people and setting their roles; choosing a password by a link."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from curriculum.access.signed_out import answer_signed_out
from curriculum.errors import WorkbenchError
from curriculum.rules.ids import read_id
from webrl_site.account.forms import (
    ALL_ROLES,
    ChoosePasswordForm,
    InviteForm,
    PersonForm,
)
from webrl_site.account.people import (
    PeopleError,
    invite,
    list_people,
    make_link,
    renew_link,
    set_active,
    set_role,
)


def administrator_required(
    view: Callable[..., HttpResponse],
) -> Callable[..., HttpResponse]:
    """Guard a view: sign in first, then 403 for everybody but administrators."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return answer_signed_out(request)
        if not request.user.is_superuser:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


@require_http_methods(["GET", "POST"])
@administrator_required
def people(request: HttpRequest) -> HttpResponse:
    """Show everybody; the answer to a POST shows a link, which is not stored.

    A POST with a `person` makes that person's link, any other invites a person.
    """
    form = InviteForm(request.POST if "name" in request.POST else None)
    by = cast(User, request.user)
    person, link = None, ""
    if "person" in request.POST:
        person = _find_active(request.POST["person"])
        link = renew_link(person, by=by)
    elif request.method == "POST" and (person := _invite(by, form)):
        link = make_link(person)
    context = {
        "form": InviteForm(None) if person else form,
        "invited": person,
        "link": link,
        "link_days": settings.PASSWORD_RESET_TIMEOUT // 86400,
        "people": list_people(),
        "roles": ALL_ROLES,
    }
    return render(request, "account/people.html", context)


def _find_active(chosen: str) -> User:
    # The page offers no link of an administrator, who may be someone else by now.
    people = User.objects.filter(is_active=True, is_superuser=False)
    return get_object_or_404(people, pk=read_id(chosen) or 0)


def _invite(by: User, form: InviteForm) -> User | None:
    """Return the new account; a mistake is the form's."""
    if not form.is_valid():
        return None
    try:
        return invite(**form.cleaned_data, by=by)
    except PeopleError as error:
        form.add_error("name", error.message)
        return None


@require_POST
@administrator_required
def change_person(request: HttpRequest, user_id: int) -> HttpResponse:
    """Set the role, or whether the person may sign in."""
    person, by = get_object_or_404(User, pk=user_id), cast(User, request.user)
    form = PersonForm(request.POST)
    # An empty form must not take a role.
    if not form.is_valid() or request.POST.keys().isdisjoint(form.fields):
        messages.error(request, gettext("There is no such role."))
        return redirect("people")
    names = {"name": person.get_username()}
    try:
        if form.cleaned_data["active"]:
            is_active = form.cleaned_data["active"] == "yes"
            set_active(person, is_active=is_active, by=by)
            said = (
                gettext("%(name)s may sign in again.")
                if is_active
                else gettext("%(name)s is signed out and may not sign in any more.")
            )
        else:
            set_role(person, form.cleaned_data["role"], by=by)
            said = gettext("The role of %(name)s is changed.")
    except WorkbenchError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, said % names)
    return redirect("people")


class ChoosePassword(PasswordResetConfirmView):
    """The page of a link: the person chooses a password and is signed in."""

    template_name = "registration/choose_password.html"
    form_class = ChoosePasswordForm
    post_reset_login = True
    success_url = reverse_lazy("home")

    def get_user(self, uidb64: str) -> User | None:
        """Return the person of the link, unless the account was deactivated."""
        user = super().get_user(uidb64)
        return user if user is not None and user.is_active else None
