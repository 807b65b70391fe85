from __future__ import annotations

import datetime as dt
import hashlib
import io
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from tests.seed import Example
from tests.webrl_site.api.conftest import Post
from tests.webrl_site.conftest import CountQueries, SignIn
from webrl_site.account.tokens import TokenError, make_token
from webrl_site.api.authentication import WRONG_A_MINUTE
from webrl_site.models import ApiToken

EVERYTHING = ("read", "review", "run", "import")


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def secret_of(user: User, *scopes: str, name: str = "script") -> str:
    return make_token(user=user, name=name, scopes=scopes or ("read",), days=30)[1]


def get(url: str, secret: str) -> int:
    return Client().get(url, headers=bearer(secret)).status_code


def test_a_token_signs_in(example: Example):
    assert get("/api/runs/", secret_of(example.researcher)) == 200


def test_only_the_digest_of_the_secret_is_kept(example: Example):
    secret = secret_of(example.researcher)

    stored = ApiToken.objects.get()

    assert stored.digest == hashlib.sha256(secret.encode()).hexdigest()
    kept = [str(getattr(stored, field.name)) for field in stored._meta.fields]
    assert not [text for text in kept if secret[12:] in text]
    assert secret.startswith(stored.prefix)


@pytest.mark.parametrize(
    ("scope", "url", "data"),
    [
        ("review", "/api/reviews/claim/", {}),
        ("run", "/api/runs/", {"name": "mine"}),
        ("import", "/api/tasks/import/", {"tasks": [{}]}),
    ],
)
def test_a_token_does_what_its_scopes_say_and_no_more(
    scope: str, url: str, data: Any, example: Example, post: Post
):
    others = [name for name in EVERYTHING if name != scope]
    without = secret_of(example.researcher, *others, name="without")
    with_it = secret_of(example.researcher, scope, name="with")

    refused = post(Client(), url, data, **bearer(without))
    done = post(Client(), url, data, **bearer(with_it))

    assert refused.status_code == 403
    assert scope in refused.json()["detail"]
    assert done.status_code != 403
    assert get("/api/runs/", with_it) == 403


def test_a_token_ends_with_its_persons_role(example: Example):
    secret = secret_of(example.researcher)
    example.researcher.groups.clear()

    assert get("/api/runs/", secret) == 403


def test_a_token_ends_with_its_persons_account(example: Example):
    secret = secret_of(example.researcher)
    User.objects.filter(pk=example.researcher.pk).update(is_active=False)

    assert get("/api/runs/", secret) == 401


def test_a_token_expires(example: Example):
    secret = secret_of(example.researcher)

    with time_machine.travel(timezone.now() + dt.timedelta(days=31)):
        assert get("/api/runs/", secret) == 401


def test_nobody_gives_a_token_more_than_their_role(example: Example):
    with pytest.raises(TokenError, match="read, review"):
        make_token(user=example.annotator, name="x", scopes=["run"], days=1)


@pytest.mark.parametrize(
    "change", [{"name": " "}, {"days": 0}, {"days": 999}, {"scopes": []}]
)
def test_a_token_needs_a_name_scopes_and_an_end(
    change: dict[str, Any], example: Example
):
    values: dict[str, Any] = {"name": "x", "scopes": ["read"], "days": 1} | change

    with pytest.raises(TokenError):
        make_token(user=example.annotator, **values)


def test_two_tokens_of_a_person_differ_in_name(example: Example):
    secret_of(example.researcher)

    with pytest.raises(TokenError, match="already"):
        secret_of(example.researcher)


def test_use_is_written_down_at_most_once_a_minute(example: Example):
    secret = secret_of(example.researcher)
    began = timezone.now()

    with time_machine.travel(began, tick=False) as clock:
        get("/api/me/", secret)
        first = ApiToken.objects.get().last_used_at
        clock.shift(59)
        get("/api/me/", secret)
        second = ApiToken.objects.get().last_used_at
        clock.shift(2)
        get("/api/me/", secret)

    assert first == second == began
    assert ApiToken.objects.get().last_used_at == began + dt.timedelta(seconds=61)


@pytest.mark.parametrize("header", ["Bearer", "Bearer a b", "Bearer wrong", "bearer ÿ"])
def test_a_wrong_token_is_told_how_to_sign_in(header: str, example: Example):
    response = Client().get(
        "/api/tasks/", headers={"Authorization": header.encode().decode("latin-1")}
    )

    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert response.json()["type"] == "/api/problems/authentication-failed/"


def test_who_keeps_sending_wrong_tokens_is_asked_to_wait(example: Example):
    right = secret_of(example.researcher)
    with time_machine.travel(timezone.now(), tick=False):
        answers = [get("/api/me/", "wrong") for _ in range(WRONG_A_MINUTE)]
        late = Client().get("/api/me/", headers=bearer("wrong"))

    assert set(answers) == {401}
    assert late.status_code == 429
    assert 0 < int(late["Retry-After"]) <= 60
    assert get("/api/me/", right) == 200


def test_a_session_still_needs_the_pages_csrf_token(example: Example):
    client = Client(enforce_csrf_checks=True)
    client.force_login(example.researcher)

    response = client.post("/api/reviews/claim/", content_type="application/json")

    assert response.status_code == 403
    assert "CSRF" in response.json()["detail"]


FORM = {"name": "nightly export", "scopes": ["read"], "days": 30}


def test_the_page_shows_the_secret_once(sign_in: SignIn):
    client = sign_in("researcher")

    made = client.post("/account/tokens/", FORM)
    later = client.get("/account/tokens/")

    secret = made.context["secret"]
    assert made["Cache-Control"] == "no-store"
    assert secret in made.text and 'data-copy="secret"' in made.text
    assert secret not in later.text
    assert "nightly export" in later.text
    assert get("/api/me/", secret) == 200


def test_a_secret_is_in_no_session(sign_in: SignIn):
    client = sign_in("researcher")
    made = client.post("/account/tokens/", FORM)
    assert made.context["secret"] not in str(dict(client.session))


def test_revoking_asks_first(sign_in: SignIn, example: Example):
    secret_of(example.researcher, name="cron")

    seen = sign_in("researcher").get("/account/tokens/").text

    assert 'data-confirm="Revoke cron?' in seen


def test_the_page_offers_what_the_role_allows(sign_in: SignIn):
    page = sign_in("annotator").get("/account/tokens/").content.decode()

    assert 'value="review"' in page
    assert 'value="import"' not in page


def test_the_page_says_what_is_missing(sign_in: SignIn):
    response = sign_in("annotator").post("/account/tokens/", {"name": "x", "days": 30})

    assert "This field is required." in response.content.decode()
    assert not ApiToken.objects.exists()


def test_a_revoked_token_works_no_more(sign_in: SignIn, example: Example):
    secret = secret_of(example.researcher)

    url = f"/account/tokens/{ApiToken.objects.get().pk}/revoke/"
    answer = sign_in("researcher").post(url, follow=True)

    assert "revoked" in answer.content.decode()
    assert get("/api/me/", secret) == 401


def test_nobody_revokes_somebody_elses_token(sign_in: SignIn, example: Example):
    secret = secret_of(example.researcher)

    sign_in("annotator").post(f"/account/tokens/{ApiToken.objects.get().pk}/revoke/")

    assert get("/api/me/", secret) == 200


def test_an_administrator_sees_and_revokes_everybodys_tokens(
    sign_in: SignIn, example: Example
):
    secret = secret_of(example.researcher, name="abandoned tokens")
    admin = sign_in("admin")

    seen = admin.get("/account/tokens/").content.decode()
    admin.post(f"/account/tokens/{ApiToken.objects.get().pk}/revoke/")

    assert "abandoned tokens" in seen and "researcher" in seen and secret[:12] in seen
    assert get("/api/me/", secret) == 401


def test_nobody_else_sees_other_peoples_tokens(sign_in: SignIn, example: Example):
    secret_of(example.annotator, name="private")

    assert "private" not in sign_in("researcher").get("/account/tokens/").text


@pytest.mark.parametrize("who", ["researcher", "admin"])
def test_the_page_asks_as_often_for_many_tokens_as_for_few(
    who: str, sign_in: SignIn, example: Example, count_queries: CountQueries
):
    client = sign_in(who)
    secret_of(example.researcher)
    few = count_queries(client, "/account/tokens/")
    for number in range(5):
        secret_of(example.researcher, name=str(number))

    assert count_queries(client, "/account/tokens/") == few <= 5


def test_the_commands_make_and_revoke(example: Example):
    out = io.StringIO()

    call_command(
        *("make_token", "researcher", "--name", "cron", "--scopes", "read,run"),
        stdout=out,
        stderr=io.StringIO(),
    )
    secret = out.getvalue().strip()
    before = get("/api/me/", secret)
    call_command("revoke_token", secret, stdout=io.StringIO())

    assert before == 200
    assert get("/api/me/", secret) == 401
    assert ApiToken.objects.get().scopes == ["read", "run"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("make_token", "nobody", "--name", "x"),
        ("make_token", "annotator", "--name", "x", "--scopes", "run"),
        ("revoke_token", "wrl_unknown1"),
    ],
)
def test_the_commands_say_what_is_wrong(arguments: tuple[str, ...], example: Example):
    with pytest.raises(CommandError):
        call_command(*arguments)
