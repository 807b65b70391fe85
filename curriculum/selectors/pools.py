"""The tasks that a run may use, and the proposals that a phase has yet to judge."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q, QuerySet, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from curriculum.models import Run, Site, SiteInstance, Task
from curriculum.phase_config import CurriculumConfig


def usable_tasks(run: Run, split: str) -> QuerySet[Task]:
    """Return the split's accepted tasks whose sites are all reachable and in the run.

    Evolved tasks belong to their own run and are left out. The sandbox's sites are
    always reachable, external ones once they have an address. A run that names no sites
    uses all of them.
    """
    config = CurriculumConfig(**run.config.get("curriculum", {}))
    usable = list_usable_sites(config.sites)
    tasks = Task.objects.filter(
        split=split, status=Task.Status.ACCEPTED, site__key__in=usable
    ).exclude(origin=Task.Origin.EVOLVED)
    others = Site.objects.exclude(key__in=usable).values_list("key", flat=True)
    # A task on several sites belongs to its first; its object names the others.
    text = Cast(KeyTextTransform("sites", "spec"), TextField())
    named = tasks.annotate(named=Coalesce(text, Value("", TextField())))
    needs_others = Q()
    for key in others:
        needs_others |= Q(named__contains=f'"{key}"')
    return named.exclude(needs_others) if needs_others else tasks


def newly_accepted(run_id: int, number: int) -> QuerySet[Task]:
    """Return the accepted tasks that evolved in the run's phase before this one."""
    return Task.objects.filter(
        born_in__run_id=run_id,
        born_in__number=number - 1,
        status=Task.Status.ACCEPTED,
    )


def list_unjudged(phase_id: int) -> QuerySet[Task]:
    """Return the phase's proposals of which it is not known if they can be done."""
    return Task.objects.filter(
        born_in_id=phase_id, status=Task.Status.PROPOSED, is_feasible=None
    )


def list_usable_sites(wanted: Collection[str]) -> list[str]:
    """Return the keys of the sites that can be reached, among those named or all."""
    reachable = Site.objects.exclude(kind=Site.Kind.EXTERNAL, base_url="")
    if wanted:
        reachable = reachable.filter(key__in=list(wanted))
    return list(reachable.order_by("key").values_list("key", flat=True))


def list_addresses() -> dict[str, str]:
    """Return the external sites' own addresses by key."""
    sites = Site.objects.filter(kind=Site.Kind.EXTERNAL).exclude(base_url="")
    return dict(sites.order_by("key").values_list("key", "base_url"))


def list_instances() -> dict[str, dict[int, str]]:
    """Return the address of each instance of the external sites: {key: {number: url}}.

    Instance 1 is at the site's own address; a site without that has none.
    """
    found = {key: {1: url} for key, url in list_addresses().items()}
    if not found:
        return {}
    more = SiteInstance.objects.exclude(base_url="").order_by("site_id", "number")
    for key, number, url in more.values_list("site__key", "number", "base_url"):
        if key in found:
            found[key][number] = url
    return found
