"""S4: every address and socket, every role, own rows and those of others."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from drills.access import rights
from drills.access.addresses import list_addresses
from drills.access.ownership import TRIALS, try_all
from drills.access.people import ROLES, ensure_people
from drills.access.sockets import fill, is_let_in, list_sockets
from drills.access.walk import Visit, fill_all, walk
from drills.outcome import Outcome

SHOWN = 5


def measure() -> Outcome:
    """Request every address as every role, and compare with the table of rights."""
    missing = find_missing()
    fill_all()
    # Before the walk: it finishes reviews and ends takeovers.
    foreign = try_all()
    visits = walk()
    surprises = [found for visit in visits if (found := judge(visit))]
    sockets = list(_judge_sockets())
    wrong = [*missing, *surprises, *(found for found in sockets if found), *foreign]
    addresses = len({visit.address for visit in visits})
    text = (
        f"{addresses} addresses and {len(list_sockets())} sockets, {len(ROLES)} roles: "
        f"{len(visits) + len(sockets)} requests; {len(TRIALS)} kinds of owned rows; "
        f"{len(wrong)} surprises"
    )
    return Outcome(text, not wrong, "; ".join(wrong[:SHOWN]))


def find_missing() -> list[str]:
    """Name addresses and sockets without an entry, and entries without an address."""
    addresses = list_addresses()
    keys, sockets = {one.key for one in addresses}, set(list_sockets())
    owned = {
        one.key for one in addresses if rights.OWNED_PARAMETERS & set(one.parameters)
    }
    return [
        *(f"{key} has no rights" for key in sorted(keys - set(rights.RIGHTS))),
        *(f"{key} is no address" for key in sorted(set(rights.RIGHTS) - keys)),
        *(f"{key} has no rights" for key in sorted(sockets - set(rights.SOCKETS))),
        *(f"{key} is no socket" for key in sorted(set(rights.SOCKETS) - sockets)),
        *(f"{key}: no trial of foreign rows" for key in sorted(owned - set(TRIALS))),
    ]


def judge(visit: Visit) -> str:
    """Return what is unexpected about a visit, or ""."""
    who = rights.RIGHTS.get(visit.address.key)
    text = f"{visit.role} {visit.method} {visit.address.pattern}: {visit.status}"
    if visit.status >= 500:
        return text
    if who is None or visit.status == 405:
        return ""
    if who == rights.ELSEWHERE:
        return "" if visit.status == 404 else text
    if ROLES.index(visit.role) < ROLES.index(rights.LEAST[who]):
        return "" if visit.was_refused else text
    if who == rights.ADMIN_READS and _writes(visit):
        return "" if visit.was_refused or visit.status in (302, 404) else text
    is_open = not visit.was_refused or visit.address.key in rights.PARTICULAR
    is_there = (
        visit.status != 404 or visit.address.key in rights.ABSENT | rights.FOREIGN
    )
    return "" if is_open and is_there else text


def _writes(visit: Visit) -> bool:
    """Return whether a page of the admin is for adding, changing or deleting a row."""
    is_change = visit.address.pattern.endswith("change/")
    return visit.address.pattern.endswith(("add/", "delete/")) or (
        is_change and visit.method == "POST"
    )


def _judge_sockets() -> Iterator[str]:
    """Yield what is unexpected, or "", for each socket and role."""
    for pattern, who in rights.SOCKETS.items():
        path = fill(pattern)
        for role in ROLES:
            person = ensure_people().by_role[role]
            may = ROLES.index(role) >= ROLES.index(rights.LEAST[who])
            was = is_let_in(path, person, settings.DASHBOARD_URL)
            yield "" if may == was else f"{role} {pattern}: let in {was}"
