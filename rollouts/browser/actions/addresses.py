"""Which addresses an agent may open: those of its task's sites, or placeholders."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import SplitResult, urljoin, urlsplit

from rollouts.browser.hosting.hosts import placeholder


def resolve(url: str, here: str, origins: Mapping[str, str]) -> str | None:
    """Return the address that `url` means, None when it leads out of the sites.

    Args:
        url: An address, a placeholder with a path, or a path on the site of `here`.
        here: Address of the current page; outside the sites, paths belong to the first
            site.
        origins: The task's sites by key.
    """
    text = url.strip()
    for site, origin in origins.items():
        mark = placeholder(site)
        if text == mark or text.startswith((f"{mark}/", f"{mark}?", f"{mark}#")):
            text = origin + text.removeprefix(mark)
    base = here if _leads_in(here, origins) else next(iter(origins.values()), "")
    target = urljoin(base, text) if text.startswith(("/", "?", "#")) else text
    return target if _leads_in(target, origins) else None


def _leads_in(url: str, origins: Mapping[str, str]) -> bool:
    try:
        wanted = urlsplit(url)
        known = {_origin(urlsplit(origin)) for origin in origins.values()}
        return "@" not in wanted.netloc and _origin(wanted) in known
    except ValueError:
        return False


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, parts.port or default
