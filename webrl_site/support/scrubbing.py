"""Takes secrets out of texts that leave the lab.

Secrets of the settings and the environment are replaced wherever they occur; so is
what merely looks like one (a password in an address, a header, a query).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

MASK = "***"
# Settings whose whole value is secret.
SECRETS = (
    "SECRET_KEY",
    "OLD_SECRET_KEY",
    "METRICS_TOKEN",
    "GENERATOR_API_KEY",
    "JUDGE_API_KEY",
    "POLICY_API_KEY",
    "NOTICE_WEBHOOK_URL",
    "NOTICE_WEBHOOK_SECRET",
    "EMAIL_HOST_PASSWORD",
    "S3_ACCESS_KEY",
    "S3_SECRET_KEY",
)
# Addresses with a password in them, and JSON in which every text counts as secret.
ADDRESSES = ("DATABASE_URL", "BROKER_URL", "CHANNEL_URL")
DOCUMENTS = ("SITE_SIGN_INS", "SITE_INTERFACES", "SITE_RESETS", "SERVED_POLICIES")
# Shorter ones would be found inside ordinary words.
MIN_LENGTH = 6
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
# Repeats are limited: logs hold texts of strangers, and time must be linear in length.
_LIKE_SECRETS = (
    (re.compile(r"(://)[^/\s@]{1,300}@"), rf"\1{MASK}@"),
    (re.compile(r"wrl_[\w-]+"), MASK),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]+"), rf"\1 {MASK}"),
    (re.compile(r"\?[^\s\"'<>]+"), f"?{MASK}"),
    (re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}"), f"{MASK}@{MASK}"),
    (
        re.compile(
            r"(?i)((?:password|passwd|secret|token|api_?key|session|cookie)\w{0,40}"
            r"[\"']?\s{0,9}[=:]\s{0,9}[\"']?)[^\s\"',;&]+"
        ),
        rf"\1{MASK}",
    ),
)


class Scrubber:
    """Replaces the secrets of a deployment in texts."""

    def __init__(self, settings: Any, environment: Mapping[str, str]) -> None:
        found = {
            *_in_settings(settings),
            *(text for name, text in environment.items() if _SECRET_NAME.search(name)),
        }
        spelled = {form for text in found for form in _spellings(text)}
        kept = sorted(spelled, key=len, reverse=True)
        self._secrets = [text for text in kept if len(text) >= MIN_LENGTH]

    def scrub(self, text: str) -> str:
        """Return the text without secrets and without what looks like one."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        for pattern, mask in _LIKE_SECRETS:
            text = pattern.sub(mask, text)
        return text


def open_scrubber() -> Scrubber:
    """Return a scrubber for this deployment."""
    from django.conf import settings

    return Scrubber(settings, os.environ)


def _in_settings(settings: Any) -> Iterator[str]:
    for name in SECRETS:
        yield str(getattr(settings, name, ""))
    for name in ADDRESSES:
        yield urlsplit(str(getattr(settings, name, ""))).password or ""
    for name in DOCUMENTS:
        yield from _texts(json.loads(getattr(settings, name, "") or "{}"))


def _texts(value: Any) -> Iterator[str]:
    """Yield every text inside a JSON document, names of fields left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _spellings(text: str) -> set[str]:
    """Return a secret as addresses, JSON and Python write it."""
    plain = text.strip()
    written = {json.dumps(plain)[1:-1], repr(plain)[1:-1]}
    return {plain, quote(plain, safe=""), unquote(plain), *written}
