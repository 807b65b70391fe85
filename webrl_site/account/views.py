"""A person's own account: sign in, change the password."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView, PasswordChangeView, redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from webrl_site.account.forms import PasswordForm, SignInForm


class SignIn(LoginView):
    """The only sign-in page; the admin's pages redirect here, too."""

    redirect_authenticated_user = True
    authentication_form = SignInForm

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        if isinstance(form, SignInForm) and form.wait_s:
            response.status_code = 429
            response["Retry-After"] = str(form.wait_s)
        return response


@require_safe
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Replace the admin's own form, which does not limit guesses.

    The admin's pages also redirect signed-in people here who may not see them.
    """
    if request.user.is_staff:
        return redirect("admin:index")
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


class ChangePassword(PasswordChangeView):
    """For everybody who is signed in, with or without a role.

    This session stays; Django ends the person's other ones.
    """

    template_name = "registration/change_password.html"
    form_class = PasswordForm
    success_url = reverse_lazy("home")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        response = super().form_valid(form)
        messages.success(
            self.request,
            gettext("Your password is changed. Other browsers have to sign in again."),
        )
        return response
