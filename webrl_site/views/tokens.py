"""A person's tokens for the API: make one, see it once, revoke it."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from curriculum.errors import WorkbenchError
from curriculum.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.scopes import list_scopes
from webrl_site.forms import TokenForm
from webrl_site.models import ApiToken
from webrl_site.tokens import (
    list_everybodys_tokens,
    list_tokens,
    make_token,
    revoke_token,
)

# Where the session keeps a new token's id and secret until the next page.
JUST_MADE = "just_made"


@require_http_methods(["GET", "POST"])
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def token_list(request: HttpRequest) -> HttpResponse:
    """Show the tokens, and once the secret of one that was just made."""
    user = cast(User, request.user)
    form = TokenForm(request.POST or None, scopes=list_scopes(user))
    if request.method == "POST" and _make(request, form):
        return redirect("token_list")
    token, secret = _take_new(request)
    context = {
        "form": form,
        "token": token,
        "secret": secret,
        "tokens": list_tokens(user),
        "everybodys": list_everybodys_tokens() if user.is_superuser else None,
    }
    return render(request, "webrl_site/tokens.html", context)


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    if revoke_token(token_id=token_id, user=cast(User, request.user)):
        messages.success(
            request, gettext("The token is revoked; programs that use it stop.")
        )
    else:
        messages.error(request, gettext("There is no such token any more."))
    return redirect("token_list")


def _make(request: HttpRequest, form: TokenForm) -> bool:
    """Keep the new token for the page that follows; a mistake is the form's."""
    if not form.is_valid():
        return False
    user = cast(User, request.user)
    try:
        token, secret = make_token(user=user, **form.cleaned_data)
    except WorkbenchError as error:
        form.add_error(None, error.message)
        return False
    request.session[JUST_MADE] = [token.pk, secret]
    return True


def _take_new(request: HttpRequest) -> tuple[ApiToken | None, str]:
    """Return the token that was just made and its secret, which is then forgotten."""
    token_id, secret = request.session.pop(JUST_MADE, (None, ""))
    token = list_tokens(cast(User, request.user)).filter(pk=token_id).first()
    return token, secret if token else ""
