"""Requests every address as every role, once for this group of drills."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

import httpx

from drills.access.addresses import Address, list_addresses
from drills.access.people import ROLES, ensure_people
from drills.web import client, ensure_web

READING, CHANGING = ("GET",), ("POST", "DELETE")
SIGN_IN = ("/sign-in/", "/admin/login/")
# These end the session that requests them.
LAST = ("logout", "admin:logout")


@dataclasses.dataclass(frozen=True, slots=True)
class Visit:
    """One request and its answer.

    Attributes:
        address: The requested address.
        role: The role that requested it.
        method: The HTTP method.
        status: The status of the answer.
        leads_to: Where the answer redirects; "" if it does not.
        headers: The answer's headers.
    """

    address: Address
    role: str
    method: str
    status: int
    leads_to: str
    headers: httpx.Headers

    @property
    def was_refused(self) -> bool:
        """Whether the answer was to sign in, or that access is denied."""
        return self.status in (401, 403) or (
            self.status == 302 and self.leads_to.startswith(SIGN_IN)
        )


@functools.cache
def walk() -> tuple[Visit, ...]:
    """Request as the weakest roles first: later changes then hide nothing from them."""
    fill_all()
    ensure_web()
    return tuple(visit for role in ROLES for visit in _walk_as(role))


@functools.cache
def fill_all() -> dict[Address, str]:
    """Return a path for each address, while every row is as in the example."""
    ensure_people()
    return {address: address.fill() for address in list_addresses()}


def _walk_as(role: str) -> Iterator[Visit]:
    person = ensure_people().by_role[role]
    with client(person) as asking:
        for address in sorted(fill_all(), key=lambda one: one.key in LAST):
            for method in (*READING, *CHANGING):
                yield _ask(asking, address, role, method)


def _ask(asking: httpx.Client, address: Address, role: str, method: str) -> Visit:
    is_json = address.pattern.startswith("api/") and method != "GET"
    with asking.stream(
        method,
        fill_all()[address],
        content=b"{}" if is_json else None,
        headers={"Content-Type": "application/json"} if is_json else None,
    ) as answer:
        leads_to = answer.headers.get("Location", "")
        return Visit(
            address, role, method, answer.status_code, leads_to, answer.headers
        )
