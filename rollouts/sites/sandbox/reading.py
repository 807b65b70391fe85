"""Reads what an instruction asks for, by the sandbox's grammar.

An instruction that a person has edited may name other things than before, so its
evaluators have to change, too.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from rollouts.sites.kit.task_templates import BLANK, Infeasible, Template
from rollouts.sites.sandbox.catalog import TEMPLATES

# Characters; longer ones are not searched for blanks.
MAX_INSTRUCTION_LENGTH = 500
MAX_VALUE_LENGTH = 200


def read_task(sites: Sequence[str], instruction: str) -> dict[str, Any] | None:
    """Return the task object of an instruction on these sites, evaluators included.

    None where no template matches, where it names what the site lacks or cannot be
    done, where it is ambiguous, and where its template is kept for the test split.
    """
    if len(instruction) > MAX_INSTRUCTION_LENGTH:
        return None
    readings = list(_read(list(sites), instruction))
    meanings = {json.dumps(one["eval"], sort_keys=True) for one in readings}
    return readings[0] if len(meanings) == 1 else None


def _read(sites: list[str], instruction: str) -> Iterator[dict[str, Any]]:
    for template in TEMPLATES.values():
        is_meant = template.is_possible and not template.is_held_out
        if is_meant and template.site_keys == sites:
            yield from _read_as(template, instruction)


def _read_as(template: Template, instruction: str) -> Iterator[dict[str, Any]]:
    for phrasing in template.phrasings:
        for pattern in _patterns(phrasing):
            found = pattern.fullmatch(instruction)
            if found is None:
                break
            with contextlib.suppress(Infeasible):
                yield template.build_task(phrasing, found.groupdict())
                break


@functools.cache
def _patterns(phrasing: str) -> tuple[re.Pattern[str], ...]:
    """What matches the phrasing with the shortest values first, and the longest."""
    return tuple(_pattern(phrasing, end) for end in ("?", ""))


def _pattern(phrasing: str, end: str) -> re.Pattern[str]:
    """A blank that occurs twice has one value, and no value has a quotation mark."""
    parts, seen = [], set[str]()
    for place, part in enumerate(BLANK.split(phrasing)):
        if place % 2 == 0:
            parts.append(re.escape(part))
        elif part in seen:
            parts.append(f"(?P={part})")
        else:
            seen.add(part)
            parts.append(f'(?P<{part}>[^"]{{1,{MAX_VALUE_LENGTH}}}{end})')
    return re.compile("".join(parts))
