"""Shipped recipes on stand-ins that have the published pages' forms."""

from __future__ import annotations

import pytest

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.hosting.signing_in import SignIns
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.types import TaskSpec
from rollouts.site_settings.known_sign_ins import KNOWN_FORMS
from tests.rollouts.browser.tiny_site import Page, TinySite, respond

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

# A second form stands on the page, as their searches and newsletters do.
OTHER = "<form action=/search><input name=q><button>Search</button></form>"
CSRF = "<input type=hidden name=token value=t0ken>"
FORMS = {
    "shopping": "<label>Email<input id=email name=user></label>"
    "<input id=pass name=password type=password><button id=send2>Sign In</button>",
    "shopping_admin": "<input id=username name=user placeholder='user name'>"
    "<input id=login name=password type=password>"
    "<button class='action-login action-primary'><span>Sign in</span></button>",
    "reddit": "<label>Username<input name=_username></label>"
    "<input name=_password type=password><button>Log in</button>",
    "gitlab": "<input data-testid=username-field name=user>"
    "<input data-testid=password-field name=password type=password>"
    "<button data-testid=sign-in-button>Sign in</button>",
}
SIGNED_IN = {
    "shopping": "<li class=customer-welcome>Welcome, Emma</li>",
    "shopping_admin": "<a href=/admin/admin/auth/logout/>Sign Out</a>",
    "reddit": "<form action=/logout method=post><button>Log out</button></form>",
    "gitlab": "<a href=/users/sign_out>Sign out</a>",
}


class StandIn:
    """One site: lets Emma in who sends the form's token along."""

    def __init__(self, site: str) -> None:
        self.site = site

    def home(self, head: str, body: str) -> bytes:
        is_known = "session=emma" in head
        return respond(SIGNED_IN[self.site] if is_known else "<p>Who are you?</p>")

    def form(self, head: str, body: str) -> bytes:
        fields = f"{CSRF}{FORMS[self.site]}"
        return respond(f"{OTHER}<form method=post action=/enter>{fields}</form>")

    def enter(self, head: str, body: str) -> bytes:
        sent = ("emma" in body, "s3cret" in body, "t0ken" in body)
        if not all(sent):
            return respond("<p>Wrong</p>")
        return respond(SIGNED_IN[self.site], "Set-Cookie: session=emma; Path=/")


@pytest.mark.parametrize("key", KNOWN_FORMS)
async def test_a_shipped_recipe_signs_in(
    key: str, pool: BrowserPool, site: TinySite
) -> None:
    stand_in = StandIn(key)
    path = KNOWN_FORMS[key].path
    # A form at the root is the start page of who is not signed in.
    pages: dict[str, Page] = {path: stand_in.form, "/start": stand_in.home}
    site.pages = pages | {"/enter": stand_in.enter}
    recipe = KNOWN_FORMS[key].fill("emma", "s3cret")
    environment = BrowserEnvironment(
        pool,
        ExternalHost({key: site.url}),
        sign_ins=SignIns(pool, {key: recipe}, patience_ms=5000),
    )
    start = f"__{key.upper()}__/start"

    seen, _ = await environment.reset(TaskSpec(1, "Look", start, (key,), {}))

    assert "Who are you?" not in seen.text
    await environment.close()
