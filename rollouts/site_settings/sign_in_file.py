"""The operator's file of sign-ins: JSON, checked field by field, never stored."""

from __future__ import annotations

from curriculum.errors import WorkbenchError
from rollouts.browser.types import SignIn
from rollouts.site_settings.operator_file import mistake, read_sites

SETTING = "SITE_SIGN_INS"
FIELDS = ("path", "fields", "button", "signed_in")


def parse_sign_ins(text: str) -> dict[str, SignIn]:
    """Read {"site": {"path", "fields": {selector: text}, "button", "signed_in"}}.

    Raises:
        WorkbenchError: Names the site and the field; what is typed is never told.
    """
    sites = read_sites(text, SETTING)
    return {site: _parse_one(site, recipe) for site, recipe in sites.items()}


def _parse_one(site: str, recipe: object) -> SignIn:
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


def _error(site: str, what: str) -> WorkbenchError:
    return mistake(SETTING, site, what)
