"""How long the resets of external sites would take in a phase."""

from __future__ import annotations

import dataclasses
import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from curriculum.models import Run, Site, Task
from curriculum.phase_config import RolloutConfig
from curriculum.rules.site_use import SiteUse
from curriculum.selectors.pools import list_instances, list_usable_sites, usable_tasks
from rollouts.models import SiteCondition
from rollouts.selectors.sites import sites_of
from rollouts.services.site_turns import may_change
from rollouts.site_settings.resets import can_reset

# Seconds of a reset if none was measured. It is an assumption: 3 to 5 minutes until
# one of WebArena's containers is created again and answers.
USUAL_S = (180.0, 300.0)


@dataclasses.dataclass(frozen=True, slots=True)
class SiteForecast:
    """The resets of one external site in a phase.

    Attributes:
        instances: How many have a reset in the settings; they are reset in parallel.
        changing: Episodes of the phase that may change the site.
        resets: How many resets these need.
        reset_s: Least and most seconds of one reset.
        is_measured: Whether these seconds were measured at the site.
    """

    site: Site
    instances: int
    changing: int
    resets: int
    reset_s: tuple[float, float]
    is_measured: bool

    @property
    def hours(self) -> tuple[float, float]:
        """Least and most hours in which an instance is not used."""
        low, high = self.reset_s
        share = self.resets / max(self.instances, 1) / 3600
        return low * share, high * share


def forecast_resets(
    config: Mapping[str, Any], *, collected: int, measured: int, stages: int
) -> list[SiteForecast]:
    """Return a forecast for each external site that a phase would reset.

    Args:
        config: The run's settings.
        collected: Training episodes of the phase.
        measured: Test episodes of the phase, of all its stages together.
        stages: How many of its stages have episodes.

    Raises:
        WorkbenchError: SITE_RESETS has a mistake.
    """
    pools = list_instances()
    wanted = {
        key: [number for number in pools[key] if can_reset((key, number))]
        for key in list_usable_sites(config["curriculum"]["sites"])
        if key in pools
    }
    wanted = {key: numbers for key, numbers in wanted.items() if numbers}
    if not wanted:
        return []
    run = Run(config=dict(config))
    changing = Counter[str]()
    for split, episodes in ((Task.Split.TRAIN, collected), (Task.Split.TEST, measured)):
        for key, share in _share_of_changes(run, split, wanted).items():
            changing[key] += round(share * episodes)
    use = RolloutConfig(**config["rollout"]).site_use
    return [
        _forecast(site, len(wanted[site.key]), changing[site.key], use, stages)
        for site in Site.objects.filter(key__in=wanted).order_by("name")
    ]


def _share_of_changes(run: Run, split: str, keys: Collection[str]) -> dict[str, float]:
    """Return which share of a split's tasks may change each site."""
    tasks = usable_tasks(run, split)
    changing, total = Counter[str](), 0
    for site, spec in tasks.values_list("site__key", "spec").iterator(chunk_size=500):
        total += 1
        if touched := sites_of(site, spec).intersection(keys):
            changing.update(touched if may_change(spec) else ())
    return {key: count / total for key, count in changing.items()}


def _forecast(
    site: Site, instances: int, changing: int, use: SiteUse, stages: int
) -> SiteForecast:
    times = measure_resets(site)
    return SiteForecast(
        site=site,
        instances=instances,
        changing=changing,
        resets=use.count_resets(changing, stages, instances),
        reset_s=(statistics.median(times),) * 2 if times else USUAL_S,
        is_measured=bool(times),
    )


def measure_resets(site: Site) -> Sequence[float]:
    """Return how many seconds the last reset of each instance of a site took."""
    rows = SiteCondition.objects.filter(site=site, last_reset_s__isnull=False)
    return [row.last_reset_s for row in rows if row.last_reset_s is not None]
