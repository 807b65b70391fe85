"""The operator's file of sign-ins: JSON, checked field by field, never stored."""

from __future__ import annotations

from curriculum.errors import WorkbenchError
from rollouts.browser.types import SignIn
from rollouts.site_settings.known_sign_ins import KNOWN_FORMS
from rollouts.site_settings.operator_file import mistake, read_sites

SETTING = "SITE_SIGN_INS"
FIELDS = ("path", "fields", "button", "signed_in")
# Of a published site, whose form is known.
PERSON = ("user", "password")


def parse_sign_ins(text: str) -> dict[str, SignIn]:
    """Read {"site": {"path", "fields": {selector: text}, "button", "signed_in"}}.

    Of WebArena's sites {"site": {"user", "password"}} is enough.

    Raises:
        WorkbenchError: Names the site and the field; what is typed is never told.
    """
    sites = read_sites(text, SETTING)
    return {site: _parse_one(site, recipe) for site, recipe in sites.items()}


def _parse_one(site: str, recipe: object) -> SignIn:
    if isinstance(recipe, dict) and set(recipe) == set(PERSON):
        return _parse_person(site, recipe)
    if not isinstance(recipe, dict) or set(recipe) != set(FIELDS):
        raise _error(site, f"needs {', '.join(FIELDS)} and nothing else")
    for name in ("path", "button", "signed_in"):
        if not isinstance(recipe[name], str) or not recipe[name]:
            raise _error(site, f"{name} must be a text")
    if not recipe["path"].startswith("/"):
        raise _error(site, "path must begin with /")
    fields = recipe["fields"]
    if not isinstance(fields, dict) or not fields:
        raise _error(site, "fields must be an object of selectors and texts")
    if not all(isinstance(value, str) for value in fields.values()):
        raise _error(site, "fields must hold texts only")
    return SignIn(
        recipe["path"], tuple(fields.items()), recipe["button"], recipe["signed_in"]
    )


def _parse_person(site: str, person: dict[str, object]) -> SignIn:
    if site not in KNOWN_FORMS:
        known = ", ".join(KNOWN_FORMS)
        raise _error(site, f"user and password are enough for {known} only")
    user, password = (person[name] for name in PERSON)
    if not isinstance(user, str) or not isinstance(password, str):
        raise _error(site, "user and password must be texts")
    return KNOWN_FORMS[site].fill(user, password)


def _error(site: str, what: str) -> WorkbenchError:
    return mistake(SETTING, site, what)
