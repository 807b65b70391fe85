"""The operator's file of resets: JSON, checked field by field, never stored."""

from __future__ import annotations

from urllib.parse import urlsplit

from rollouts.site_settings.operator_file import mistake, read_sites
from rollouts.site_settings.site_reset import (
    ADDRESS,
    DEADLINE_S,
    Command,
    HttpCall,
    PageText,
    SiteReset,
    is_filled_in,
)

SETTING = "SITE_RESETS"
FIELDS = frozenset({"command", "call", "healthy", "deadline_s", "first_state"})
CALL_FIELDS = frozenset({"url", "method", "headers"})
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
MAX_S = 86_400


def parse_resets(text: str) -> dict[str, SiteReset]:
    """Read {"site": {"command": [...] or "call": {...}, "healthy", "deadline_s"}}.

    A site "reddit#2" is the second instance of reddit. Commands and addresses may
    contain {number} and {address}, and then apply to all instances.

    Raises:
        WorkbenchError: Names the site and the field, never a value.
    """
    sites = read_sites(text, SETTING)
    return {site: _parse_one(site, recipe) for site, recipe in sites.items()}


def _parse_one(site: str, recipe: object) -> SiteReset:
    known = ", ".join(sorted(FIELDS))
    if not isinstance(recipe, dict):
        raise mistake(SETTING, site, f"must be an object; it knows {known}")
    if unknown := sorted(set(recipe) - FIELDS):
        raise mistake(SETTING, site, f"knows {known} only, not {unknown[0]!r}")
    if ("command" in recipe) == ("call" in recipe):
        raise mistake(SETTING, site, "needs a command or a call, not both")
    if "command" in recipe:
        action: Command | HttpCall = _read_command(site, "command", recipe["command"])
    else:
        action = _read_call(site, recipe["call"])
    if "healthy" not in recipe:
        raise mistake(SETTING, site, "needs healthy, an address or a command")
    reset = SiteReset(
        action,
        _read_healthy(site, recipe["healthy"]),
        _read_deadline(site, recipe.get("deadline_s", DEADLINE_S)),
        _read_first_state(site, recipe.get("first_state")),
    )
    _check_instance(site, reset)
    return reset


def _read_healthy(site: str, value: object) -> Command | str:
    if isinstance(value, str):
        return _read_url(site, "healthy", value)
    return _read_command(site, "healthy", value)


def _read_first_state(site: str, value: object) -> Command | PageText | None:
    if value is None:
        return None
    if isinstance(value, list):
        return _read_command(site, "first_state", value)
    if not isinstance(value, dict) or set(value) != {"url", "contains"}:
        raise mistake(SETTING, site, "first_state must be a command, or url, contains")
    text = value["contains"]
    if not isinstance(text, str) or not text:
        raise mistake(SETTING, site, "contains must be a text")
    return PageText(_read_url(site, "first_state", value["url"]), text)


def _check_instance(site: str, reset: SiteReset) -> None:
    """Refuse a reset of one instance with the health check of another."""
    healthy = reset.healthy
    parts = (healthy,) if isinstance(healthy, str) else healthy
    if reset.names_instance and not is_filled_in(*parts):
        raise mistake(SETTING, site, "healthy must name {number} or {address}, too")


def _read_command(site: str, name: str, value: object) -> Command:
    """Check a list of arguments: no shell ever reads it."""
    parts = value if isinstance(value, list) else []
    if not all(isinstance(part, str) for part in parts) or not any(parts[:1]):
        raise mistake(SETTING, site, f"{name} must be a list of texts, program first")
    return tuple(parts)


def _read_call(site: str, value: object) -> HttpCall:
    if not isinstance(value, dict) or not set(value) <= CALL_FIELDS:
        raise mistake(SETTING, site, "call must be an object of url, method, headers")
    method, headers = value.get("method", "POST"), value.get("headers", {})
    if method not in METHODS:
        raise mistake(SETTING, site, f"method must be one of {', '.join(METHODS)}")
    if not isinstance(headers, dict) or not all(
        isinstance(text, str) and text.isascii() for text in headers.values()
    ):
        raise mistake(SETTING, site, "headers must be an object of plain texts")
    return HttpCall(_read_url(site, "url", value.get("url")), method, headers)


def _read_url(site: str, name: str, value: object) -> str:
    try:
        filled = value.replace(ADDRESS, "http://x") if isinstance(value, str) else ""
        parts = urlsplit(filled) if filled else None
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise mistake(SETTING, site, f"{name} must be an http(s) address")
    return str(value)


def _read_deadline(site: str, value: object) -> float:
    seconds = value if isinstance(value, int | float) else 0
    if isinstance(value, bool):  # True is an int in Python
        seconds = 0
    if not 0 < seconds <= MAX_S:
        raise mistake(SETTING, site, f"deadline_s must be above 0, at most {MAX_S}")
    return float(seconds)
