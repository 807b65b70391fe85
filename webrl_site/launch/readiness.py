"""Refuses to launch a run on sites that a check has found unfit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, ngettext

from curriculum.errors import WorkbenchError
from curriculum.models import Run
from curriculum.phase_config import RolloutConfig
from curriculum.selectors.pools import list_usable_sites
from curriculum.texts.saying import say
from rollouts.selectors.instances.checks import Unfit, list_unfit


def require_fit_sites(run_id: int) -> None:
    """Refuse the first phase of a run whose sites are not ready.

    Raises:
        WorkbenchError: The message names the instances, the problem and what to do.
    """
    run = Run.objects.filter(pk=run_id, phases=None).first()
    if run is None:
        return
    found = describe_unfit(run.config)
    if found:
        told = gettext("The sites are not ready. %(why)s Then check them again.")
        raise WorkbenchError(told % {"why": " ".join(found)})


def describe_unfit(config: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the sites of a run with these settings."""
    keys = list_usable_sites(config.get("curriculum", {}).get("sites", ()))
    use = RolloutConfig(**config.get("rollout", {})).site_use
    return [f"{one.name}: {_say(one)}" for one in list_unfit(keys, use)]


def _say(one: Unfit) -> str:
    if one.why:
        return say(one.why)
    return ngettext(
        "%(n)s episode may have changed it since its last reset. Reset it.",
        "%(n)s episodes may have changed it since its last reset. Reset it.",
        one.changes,
    ) % {"n": one.changes}
