"""The operator's file of sign-ins: JSON, checked field by field, never stored."""

from __future__ import annotations

import re
from typing import Any

from curriculum.errors import WorkbenchError
from rollouts.browser.types import SignIn
from rollouts.site_settings.known_sign_ins import KNOWN_FORMS
from rollouts.site_settings.operator_file import mistake, read_sites

SETTING = "SITE_SIGN_INS"
FORM = ("path", "fields", "button")
KEPT = ("headers", "local_storage")
# Of a published site, whose form is known.
PERSON = ("user", "password")
HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# The browser's own; a session's cookies come from the form.
RESERVED = frozenset({"cookie", "host", "content-length", "connection", "origin"})
ENTRIES = {
    "fields": "selectors",
    "headers": "names",
    "local_storage": "names",
}


def parse_sign_ins(text: str) -> dict[str, SignIn]:
    """Read how to sign in to each site.

    A form is {"path", "fields": {selector: text}, "button"}; "headers" and
    "local_storage" are {name: text}. Each site needs one of them, and "signed_in". Of
    WebArena's sites {"site": {"user", "password"}} is enough.

    Raises:
        WorkbenchError: Names the site and the field, never what is typed.
    """
    sites = read_sites(text, SETTING)
    return {site: _parse_one(site, recipe) for site, recipe in sites.items()}


def _parse_one(site: str, recipe: object) -> SignIn:
    if isinstance(recipe, dict) and set(recipe) == set(PERSON):
        return _parse_person(site, recipe)
    if not isinstance(recipe, dict) or not _is_complete(set(recipe)):
        raise _error(
            site,
            f"needs {', '.join(FORM)}, or {' or '.join(KEPT)}, and signed_in, "
            "and nothing else",
        )
    for name in {"path", "button", "signed_in"} & set(recipe):
        if not isinstance(recipe[name], str) or not recipe[name]:
            raise _error(site, f"{name} must be a text")
    path = recipe.get("path", "/")
    if not path.startswith("/"):
        raise _error(site, "path must begin with /")
    found = {name: _read_entries(site, name, recipe) for name in ENTRIES}
    for name, value in found["headers"]:
        _check_header(site, name, value)
    return SignIn(
        path,
        found["fields"],
        recipe.get("button", ""),
        recipe["signed_in"],
        found["headers"],
        found["local_storage"],
    )


def _is_complete(names: set[str]) -> bool:
    """Whether the fields are a complete form, or none where other data suffice."""
    if not names <= {*FORM, *KEPT, "signed_in"} or "signed_in" not in names:
        return False
    return names >= set(FORM) or bool(
        names & set(KEPT) and not names & {"fields", "button"}
    )


def _read_entries(
    site: str, name: str, recipe: dict[str, Any]
) -> tuple[tuple[str, str], ...]:
    if name not in recipe:
        return ()
    entries = recipe[name]
    if not isinstance(entries, dict) or not entries:
        raise _error(site, f"{name} must be an object of {ENTRIES[name]} and texts")
    if not all(isinstance(value, str) for value in entries.values()):
        raise _error(site, f"{name} must hold texts only")
    return tuple(entries.items())


def _check_header(site: str, name: str, value: str) -> None:
    if not HEADER.fullmatch(name) or name.lower() in RESERVED:
        raise _error(site, "headers must have names that a browser lets others set")
    if not value.isascii() or not value.isprintable():
        raise _error(site, "headers must hold one line of plain text")


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
