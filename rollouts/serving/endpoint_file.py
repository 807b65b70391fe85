"""The operator's file of servers: JSON, checked field by field, never stored."""

from __future__ import annotations

from typing import Any, get_args
from urllib.parse import urlsplit

from rollouts.serving.types import Api, Endpoint, Way
from rollouts.site_settings.operator_file import mistake, read_sites

SETTING = "SERVED_POLICIES"
WORDS: dict[str, tuple[str, ...]] = {
    "api": get_args(Api),
    "hand_over": get_args(Way),
}
TEXTS = ("folder", "api_key")
# Lowest and highest value by field.
NUMBERS: dict[str, tuple[int, int]] = {
    "concurrency": (1, 1024),
    "deadline_s": (1, 86_400),
}
FLAG = "takes_token_ids"
FIELDS = (*WORDS, *TEXTS, *NUMBERS, FLAG, "command")


def parse_endpoints(text: str) -> dict[str, Endpoint]:
    """Read {"http://host:8000/v1": {"hand_over": ..., ...}}.

    Raises:
        WorkbenchError: Names the server and the field, never a value.
    """
    servers = read_sites(text, SETTING, "servers")
    return {url: _parse_one(url, recipe) for url, recipe in servers.items()}


def _parse_one(url: str, recipe: object) -> Endpoint:
    _check_url(url)
    known = ", ".join(sorted(FIELDS))
    if not isinstance(recipe, dict):
        raise mistake(SETTING, url, f"must be an object; it knows {known}")
    if unknown := sorted(set(recipe) - set(FIELDS)):
        raise mistake(SETTING, url, f"knows {known} only, not {unknown[0]!r}")
    for name in set(recipe) & set(WORDS):
        if recipe[name] not in WORDS[name]:
            words = ", ".join(WORDS[name])
            raise mistake(SETTING, url, f"{name} must be one of {words}")
    for name in set(recipe) & set(TEXTS):
        if not isinstance(recipe[name], str) or not recipe[name].isprintable():
            raise mistake(SETTING, url, f"{name} must be a text")
    if not isinstance(recipe.get(FLAG, True), bool):
        raise mistake(SETTING, url, f"{FLAG} must be true or false")
    for name in set(recipe) & set(NUMBERS):
        _check_number(url, name, recipe[name])
    command = _read_command(url, recipe.get("command", []))
    if (recipe.get("hand_over") == "command") != bool(command):
        raise mistake(SETTING, url, 'hand_over "command" and command go together')
    return Endpoint(**{**recipe, "command": command})


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.scheme in ("http", "https") and parts.hostname)
    except ValueError:
        is_whole = False
    if not is_whole or "#" in url or url.endswith("/"):
        what = "must be an address like http://host:8000/v1, without a model"
        raise mistake(SETTING, url, what)


def _check_number(url: str, name: str, value: Any) -> None:
    low, high = NUMBERS[name]
    kinds = (int,) if name == "concurrency" else (int, float)
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:
        raise mistake(SETTING, url, f"{name} must lie between {low} and {high}")


def _read_command(url: str, value: object) -> tuple[str, ...]:
    """Check a list of arguments: no shell ever reads it."""
    parts = value if isinstance(value, list) else [None]
    if not all(isinstance(part, str) for part in parts):
        raise mistake(SETTING, url, "command must be a list of texts, program first")
    return tuple(parts)
