"""How to sign in to WebArena's published sites; a lab adds only name and password.

Paths and fields are those that WebArena's own script fills in (`auto_login.py`, commit
f62e0b9), written as CSS. The map and the encyclopedia need no sign-in. The element that
only a signed-in person sees is the link or form to sign out, which the script does not
look for: set `signed_in` yourself where an image differs.
"""

from __future__ import annotations

import dataclasses

from rollouts.browser.types import SignIn

SIGN_OUT = (
    '[href*="logout"], [href*="sign_out"], [action*="logout"], [action*="log_out"]'
)


@dataclasses.dataclass(frozen=True, slots=True)
class KnownForm:
    """The form of one site.

    Attributes:
        path: Below the site's address.
        fields: CSS selectors of the name's field and of the password's.
        button: CSS selector of what sends the form.
        signed_in: CSS selector of what only a person who is signed in sees.
    """

    path: str
    fields: tuple[str, str]
    button: str
    signed_in: str = SIGN_OUT

    def fill(self, user: str, password: str) -> SignIn:
        """Return the recipe of this person."""
        fields = tuple(zip(self.fields, (user, password), strict=True))
        return SignIn(self.path, fields, self.button, self.signed_in)


KNOWN_FORMS = {
    "shopping": KnownForm(
        path="/customer/account/login/",
        fields=("#email", "#pass"),
        button="#send2",
        signed_in=".customer-welcome",
    ),
    # The address of this site ends in /admin.
    "shopping_admin": KnownForm(
        path="/",
        fields=("#username", "#login"),
        button=".action-login",
    ),
    "reddit": KnownForm(
        path="/login",
        fields=('input[name="_username"]', 'input[name="_password"]'),
        button='form:has(input[name="_password"]) [type="submit"], '
        'form:has(input[name="_password"]) button:not([type="button"])',
    ),
    "gitlab": KnownForm(
        path="/users/sign_in",
        fields=('[data-testid="username-field"]', '[data-testid="password-field"]'),
        button='[data-testid="sign-in-button"]',
    ),
}
