"""A person's own account: change the password."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpResponse
from django.urls import reverse_lazy
from django.utils.translation import gettext

from webrl_site.account_forms import PasswordForm


class ChangePassword(PasswordChangeView):
    """For everybody who is signed in, with a role or without.

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
