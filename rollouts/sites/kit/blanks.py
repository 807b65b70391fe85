"""Ways to fill the blanks of an instruction that templates of all sites share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from rollouts.sites.kit.task_templates import Values

Draw = Callable[[Random], Values]


def draw_one(name: str, options: Iterable[str], *, after: Draw | None = None) -> Draw:
    """Fill the blank `name` with one of the options, after the blanks of `after`."""
    choices = list(options)

    def draw(rng: Random) -> Values:
        before = after(rng) if after else {}
        return {**before, name: rng.choice(choices)}

    return draw


def draw_page(after: Draw, last: int = 4) -> Draw:
    """Fill the blank "page" with the number of a page after the first."""

    def draw(rng: Random) -> Values:
        return {**after(rng), "page": str(rng.randint(2, last))}

    return draw


def draw_query(words: Callable[[Random], tuple[Sequence[str], Sequence[str]]]) -> Draw:
    """Fill the blank "query" with one word of each of two lists."""

    def draw(rng: Random) -> Values:
        first, second = words(rng)
        return {"query": f"{rng.choice(first)} {rng.choice(second)}"}

    return draw
