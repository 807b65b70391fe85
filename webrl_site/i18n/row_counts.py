"""How many rows a list has, in words."""

from __future__ import annotations

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import ngettext


def count_rows(noun: str, n: int) -> str:
    """Return "1 run", "1,234 runs"; `noun` is the plural that lists pass.

    Raises:
        KeyError: No list has such rows.
    """
    said = {
        "decisions": ngettext("%(n)s decision", "%(n)s decisions", n),
        "disputes": ngettext("%(n)s dispute", "%(n)s disputes", n),
        "episodes": ngettext("%(n)s episode", "%(n)s episodes", n),
        "gold items": ngettext("%(n)s gold item", "%(n)s gold items", n),
        "notices": ngettext("%(n)s notice", "%(n)s notices", n),
        "runs": ngettext("%(n)s run", "%(n)s runs", n),
        "tasks": ngettext("%(n)s task", "%(n)s tasks", n),
        "trajectories": ngettext("%(n)s trajectory", "%(n)s trajectories", n),
    }
    return said[noun] % {"n": intcomma(n)}
