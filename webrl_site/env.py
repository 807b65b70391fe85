"""Typed readers of the environment, and of secrets kept in files."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import secrets
import zoneinfo
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off", ""})
MIN_SECRET_LENGTH = 50
MIN_TOKEN_LENGTH = 24
MAILBOX = re.compile(r"[^@\s]+@[^@\s]+")


class EnvError(ValueError):
    """A variable that is missing or cannot be read as what it should be."""


class Env:
    """Reads variables by name; every error names the variable."""

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self._variables = os.environ if variables is None else variables

    def text(self, name: str, default: str = "") -> str:
        """Return the variable without surrounding blanks."""
        return self._variables.get(name, default).strip() or default

    def flag(self, name: str, default: bool = False) -> bool:
        """Read yes or no in the usual spellings."""
        raw = self._variables.get(name)
        if raw is None:
            return default
        word = raw.strip().lower()
        if word not in TRUE | FALSE:
            raise EnvError(f"{name} must be yes or no, not {raw!r}.")
        return word in TRUE

    def integer(self, name: str, default: int, *, low: int | None = None) -> int:
        """Read a whole number, at least `low`."""
        raw = self.text(name, str(default))
        try:
            value = int(raw)
        except ValueError:
            raise EnvError(f"{name} must be a whole number, not {raw!r}.") from None
        if low is not None and value < low:
            raise EnvError(f"{name} must be at least {low}, not {value}.")
        return value

    def decimal(self, name: str, default: float, *, low: float | None = None) -> float:
        """Read a number, at least `low`."""
        raw = self.text(name, str(default))
        try:
            value = float(raw)
        except ValueError:
            raise EnvError(f"{name} must be a number, not {raw!r}.") from None
        if value != value or (low is not None and value < low):
            raise EnvError(f"{name} must be at least {low}, not {raw}.")
        return value

    def items(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """Read a list separated by commas; empty entries are dropped."""
        raw = self._variables.get(name)
        if raw is None:
            return list(default)
        return [entry.strip() for entry in raw.split(",") if entry.strip()]

    def choice(self, name: str, default: str, known: tuple[str, ...]) -> str:
        """Read one of a few words, in capitals or not."""
        word = self.text(name, default)
        if word.upper() not in known:
            raise EnvError(f"{name} must be one of {', '.join(known)}, not {word!r}.")
        return word.upper()

    def address(self, name: str, default: str = "", *, is_shown: bool = True) -> str:
        """Read an http(s) address, or ""; one that may hold a secret is not shown."""
        raw = self.text(name, default)
        if not raw or is_address(raw):
            return raw
        # The part before an @ may be a password.
        value = f", not {raw!r}" if is_shown and "@" not in raw else ""
        example = default or "https://host.example/path"
        raise EnvError(f"{name} must be an http(s) address like {example}{value}.")

    def mailboxes(self, name: str) -> str:
        """Read addresses of people, separated by commas or blanks."""
        raw = self.text(name)
        for one in raw.replace(",", " ").split():
            if not MAILBOX.fullmatch(one):
                raise EnvError(
                    f"{name} must hold e-mail addresses like lab@example.org, "
                    f"separated by commas, not {one!r}."
                )
        return raw

    def hosts(self, name: str) -> list[str]:
        """Read names or addresses of hosts, with or without port, and networks."""
        found = self.items(name)
        for one in found:
            if "/" in one:
                try:
                    ipaddress.ip_network(one)
                except ValueError:
                    raise EnvError(
                        f"{name}: {one!r} is not a network like 10.0.0.0/8."
                    ) from None
        return found

    def sites(self, name: str, check: Callable[[str], None] | None = None) -> str:
        """Read a secret that is a JSON object of sites; errors do not show its content.

        `check` raises EnvError for a mistake inside; it is called where one is set.
        """
        text = self.secret(name)
        try:
            found = json.loads(text or "{}")
        except (ValueError, RecursionError):
            raise EnvError(
                f'{name} must be JSON, {{"site": {{...}}}}; what is set is none.'
            ) from None
        if not isinstance(found, dict):
            raise EnvError(f'{name} must be an object of sites, {{"site": {{...}}}}.')
        if found and check:
            check(text)
        return text

    def path(self, name: str, default: Path) -> Path:
        """Read a folder or file name; `~` is expanded, the result is absolute."""
        return Path(self.text(name, str(default))).expanduser().absolute()

    def secret(self, name: str) -> str:
        """Read NAME, or the file that NAME_FILE names; "" when neither is set."""
        file = self.text(f"{name}_FILE")
        if not file:
            return self.text(name)
        if self.text(name):
            raise EnvError(f"Set {name} or {name}_FILE, not both.")
        try:
            return Path(file).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise EnvError(f"{name}_FILE cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise EnvError(
                f"{name}_FILE must name a file of UTF-8 text: save it as UTF-8."
            ) from None

    def time_zone(self, name: str, default: str) -> str:
        """Read the name of a time zone."""
        raw = self.text(name, default)
        try:
            zoneinfo.ZoneInfo(raw)
        except (KeyError, ValueError, OSError):
            raise EnvError(
                f"{name} must be a time zone like Europe/Madrid, not {raw!r}."
            ) from None
        return raw


def is_address(text: str) -> bool:
    """Say whether this is an http(s) address with a host."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def is_weak_secret(text: str) -> bool:
    """Say whether a secret is short, made of few characters, or an example's."""
    is_example = text.startswith("django-insecure-")
    return len(text) < MIN_SECRET_LENGTH or len(set(text)) < 8 or is_example


def keep_secret(path: Path) -> str:
    """Return the secret in `path`; the first call makes it, readable only by its owner.

    Safe when several processes start at once: the first to create the file wins.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    if not path.exists():
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text(encoding="utf-8").strip()
