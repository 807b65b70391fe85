"""Checks the environment's settings of sites and servers before the start."""

from __future__ import annotations

from typing import Any

import dj_database_url

from curriculum.errors import WorkbenchError
from webrl_site.env import EnvError


def check_resets(text: str) -> None:
    """Refuse a recipe of SITE_RESETS that cannot be carried out.

    Raises:
        EnvError: Names the site, the field and what is allowed, but no values.
    """
    # Imported here: only deployments with resets pay for the import.
    from rollouts.site_settings.site_reset_file import parse_resets

    try:
        parse_resets(text)
    except WorkbenchError as error:
        raise EnvError(error.message) from None


def check_hosts(text: str) -> None:
    """Refuse an entry of SITE_HOSTS that is no address of a host.

    Raises:
        EnvError: Names the site and what is allowed.
    """
    from rollouts.site_settings.site_hosts_file import parse_hosts

    try:
        parse_hosts(text)
    except WorkbenchError as error:
        raise EnvError(error.message) from None


def check_served_policies(text: str) -> None:
    """Refuse a mistake in SERVED_POLICIES.

    Raises:
        EnvError: Names the server, the field and what is allowed, but no values.
    """
    from rollouts.serving.endpoint_file import parse_endpoints

    try:
        parse_endpoints(text)
    except WorkbenchError as error:
        raise EnvError(error.message) from None


def parse_database(url: str, keep_s: int) -> dict[str, Any]:
    """Return what Django needs of DATABASE_URL.

    Raises:
        EnvError: It is no such address. It may hold a password and is not shown.
    """
    try:
        return dict(
            dj_database_url.parse(url, conn_max_age=keep_s, conn_health_checks=True)
        )
    except ValueError:
        raise EnvError(
            "DATABASE_URL must be an address like postgres://user:password@host:5432/"
            "name or sqlite:////folder/file."
        ) from None
