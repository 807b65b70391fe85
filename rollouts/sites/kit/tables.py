"""Task templates as tables: one row each, with its phrasings, blanks and goal."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from random import Random

from rollouts.sites.kit.sites import Site
from rollouts.sites.kit.task_templates import Goal, Kind, Template, Values


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One template of a table; `kind` is the table's where it is None."""

    key: str
    draw: Callable[[Random], Values]
    solve: Callable[[Values], Goal]
    phrasings: tuple[str, ...]
    kind: Kind | None
    is_held_out: bool


def row(
    key: str,
    draw: Callable[[Random], Values],
    solve: Callable[[Values], Goal],
    *phrasings: str,
    kind: Kind | None = None,
    is_held_out: bool = False,
) -> Row:
    """Describe one template; the attributes of `Template` say what each part is."""
    return Row(key, draw, solve, phrasings, kind, is_held_out)


def table(site: Site, kind: Kind, *rows: Row) -> tuple[Template, ...]:
    """Return the templates of one site, in the order of the rows.

    Args:
        site: Where all of them take place.
        kind: What the agent must do, where a row does not say.
        rows: What they differ in.
    """
    return tuple(
        Template(
            one.key,
            site,
            one.kind or kind,
            one.phrasings,
            one.draw,
            one.solve,
            one.is_held_out,
        )
        for one in rows
    )
