"""The cart rules that the back office starts with: ended, running and planned ones."""

from __future__ import annotations

import datetime
import random
from collections.abc import Sequence

from rollouts.sites.backoffice.records import Rule
from rollouts.sites.kit.vocabulary import DATA_SEED, slugify, words

SEASONS = words("Spring Summer Autumn Winter")
OFFERS = words("Sale Deal Bonus")
ALL_GROUPS = "All groups"
RULE_COUNT = 45


def rule_names(categories: Sequence[str]) -> list[str]:
    """Every name that a cart rule can have, in a fixed order."""
    return [f"{s} {c} {o}" for s in SEASONS for c in categories for o in OFFERS]


def build_rules(
    today: datetime.date, categories: Sequence[str], groups: Sequence[str]
) -> dict[str, Rule]:
    """A third of the rules has ended, a third is running, a third is planned."""
    rng = random.Random(f"{DATA_SEED}/backoffice/rules")
    found = {}
    for index, name in enumerate(rng.sample(rule_names(categories), RULE_COUNT)):
        starts, ends = ((-90, -9), (-60, 60), (9, 90))[index % 3]
        first = today + datetime.timedelta(starts + rng.randint(-8, 8))
        last = today + datetime.timedelta(ends + rng.randint(-8, 8))
        slug = slugify(name)
        found[slug] = Rule(
            slug=slug,
            name=name,
            discount=rng.randrange(5, 55, 5),
            group=rng.choice([ALL_GROUPS, *groups]),
            starts=first.isoformat(),
            ends=last.isoformat(),
        )
    return found
