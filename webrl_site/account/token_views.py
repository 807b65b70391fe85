"""A person's tokens for the API: make one, see it once, revoke it."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.access.scopes import list_scopes
from curriculum.errors import WorkbenchError
from webrl_site.account.tokens import (
    list_everybodys_tokens,
    list_tokens,
    make_token,
    revoke_token,
)
from webrl_site.launch.forms import TokenForm
from webrl_site.models import ApiToken


@require_http_methods(["GET", "POST"])
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def token_list(request: HttpRequest) -> HttpResponse:
    """Show the tokens; the answer to a POST shows the new one's secret, once.

    There is no redirect: for the next page the secret would have to be stored. A script
    makes a reload request the page instead of sending the form again.
    """
    user = cast(User, request.user)
    form = TokenForm(request.POST or None, scopes=list_scopes(user))
    made = _make(user, form) if request.method == "POST" else None
    context = {
        "form": TokenForm(None, scopes=list_scopes(user)) if made else form,
        "token": made[0] if made else None,
        "secret": made[1] if made else "",
        "tokens": list_tokens(user),
        "everybodys": list_everybodys_tokens() if user.is_superuser else None,
    }
    return render(request, "account/tokens.html", context)


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    if revoke_token(token_id=token_id, user=cast(User, request.user)):
        messages.success(
            request, gettext("The token is revoked; programs that use it lose access.")
        )
    else:
        messages.error(request, gettext("This token no longer exists."))
    return redirect("token_list")


def _make(user: User, form: TokenForm) -> tuple[ApiToken, str] | None:
    """Return the token and its secret; a mistake is the form's."""
    if not form.is_valid():
        return None
    try:
        return make_token(user=user, **form.cleaned_data)
    except WorkbenchError as error:
        form.add_error(None, error.message)
        return None
