"""Several instances of a site: who gets which, and when each is reset."""

from __future__ import annotations

import json
from typing import Any

import pytest

from curriculum.models import Phase, Site
from curriculum.services import add_site_instance, remove_site_instance
from rollouts import services
from rollouts.browser.types import EpisodeEnd, EpisodeFailure, Observation
from rollouts.models import SiteCondition, Trajectory
from rollouts.selectors.instances.conditions import list_due_resets
from rollouts.selectors.sites import describe_waits
from rollouts.site_settings.site_reset import SiteReset
from tests import fakes
from tests.factories import (
    PhaseFactory,
    QueuedTrajectoryFactory,
    SiteFactory,
    TaskFactory,
)

pytestmark = pytest.mark.django_db

READS: dict[str, Any] = {"eval_types": ["string_match"]}
CHANGES: dict[str, Any] = {"eval_types": ["program_html"]}
RECIPE = {"command": ["reset", "{number}"], "healthy": "{address}/up"}


@pytest.fixture(autouse=True)
def pool(settings: Any) -> None:
    """Two instances of a forum and one of a code host."""
    settings.SITE_RESETS = ""
    settings.SITE_CLOSES_AFTER = 1
    for key in ("reddit", "gitlab"):
        url = f"http://{key}.lab/"
        SiteFactory(key=key, kind=Site.Kind.EXTERNAL, base_url=url)
    add_site_instance(key="reddit", url="http://reddit2.lab/")


def run(**rollout: Any) -> Phase:
    phase = PhaseFactory(status="collecting")
    phase.run.config["rollout"] = phase.run.config.get("rollout", {}) | rollout
    phase.run.save()
    return phase


def queue(
    phase: Phase, rules: dict[str, Any], *sites: str, purpose: str = "collect"
) -> int:
    site = Site.objects.get(key=sites[0])
    task = TaskFactory(site=site, spec={"sites": list(sites), "eval": rules})
    return QueuedTrajectoryFactory(phase=phase, task=task, purpose=purpose).pk


def claim(phase: Phase, purpose: str = "collect", limit: int = 9) -> dict[int, Any]:
    """Return the instance of the forum that each claimed episode got."""
    requests = services.claim_episodes(
        phase_id=phase.pk, purpose=purpose, owner="me", limit=limit, lease_s=60
    )
    ids = [request.trajectory_id for request in requests]
    rows = Trajectory.objects.filter(pk__in=ids).order_by("pk")
    return {row.pk: row.site_instances.get("reddit") for row in rows}


def end(*trajectory_ids: int) -> None:
    page = Observation("<p>", (), "", "")
    for pk in trajectory_ids:
        attempt = Trajectory.objects.get(pk=pk).attempt
        record = EpisodeEnd(pk, attempt, "exit", "", page, None)
        services.finish_trajectory(record=record, lease_s=60, max_retries=0)


def due() -> set[tuple[str, int]]:
    return {(key, number) for _, key, number in list_due_resets()}


def reset(number: int) -> list[SiteReset]:
    """Reset an instance of the forum and return the recipe that was carried out."""
    done: list[SiteReset] = []
    site = Site.objects.get(key="reddit")
    services.reset_site(
        site_id=site.pk, number=number, lease_s=10, act=lambda one, _: done.append(one)
    )
    return done


def set_resets(settings: Any, **resets: Any) -> None:
    settings.SITE_RESETS = json.dumps({"reddit": RECIPE, **resets})


def test_two_tasks_that_may_change_a_site_get_an_instance_each():
    phase = run()
    first, second, third = (queue(phase, CHANGES, "reddit") for _ in range(3))

    assert claim(phase) == {first: 1, second: 2}
    end(first)
    assert claim(phase) == {third: 1}


def test_two_workers_never_get_the_same_instance_to_change():
    phase = run()
    first, second = (queue(phase, CHANGES, "reddit") for _ in range(2))

    assert claim(phase, limit=1) == {first: 1}
    assert claim(phase, limit=1) == {second: 2}


def test_the_browser_is_told_the_address_of_the_instance():
    phase = run()
    for _ in range(2):
        queue(phase, CHANGES, "reddit", "gitlab")
    queue(phase, CHANGES, "reddit")

    requests = services.claim_episodes(
        phase_id=phase.pk, purpose="collect", owner="me", limit=9, lease_s=60
    )

    assert [request.task.addresses for request in requests] == [
        {"reddit": "http://reddit.lab/", "gitlab": "http://gitlab.lab/"}
    ]
    assert claim(phase) == {}


def test_readers_spread_over_the_instances():
    phase = run()
    ids = [queue(phase, READS, "reddit") for _ in range(4)]

    assert claim(phase) == dict(zip(ids, (1, 2, 1, 2), strict=True))


def test_readers_leave_an_instance_to_a_task_that_waits_to_change_it():
    phase = run()
    one, two = (queue(phase, READS, "reddit") for _ in range(2))
    change, late = queue(phase, CHANGES, "reddit"), queue(phase, READS, "reddit")

    assert claim(phase, limit=2) == {one: 1, two: 2}
    assert claim(phase) == {late: 2}
    end(one)
    assert claim(phase) == {change: 1}


def test_a_lost_lease_gives_the_instance_back():
    phase = run()
    first = queue(phase, CHANGES, "reddit")
    claim(phase)

    fakes.sweep_silent_episodes()

    second = queue(phase, CHANGES, "reddit")
    assert claim(phase) == {first: 1, second: 2}


def test_a_run_that_shares_sites_changes_one_instance_with_several_episodes():
    phase = run(share_sites=True, reset_sites="per_phase")
    ids = [queue(phase, CHANGES, "reddit") for _ in range(4)]

    assert claim(phase) == dict(zip(ids, (1, 2, 1, 2), strict=True))


def test_an_episode_that_wants_an_instance_alone_waits_for_those_that_share_it():
    sharing, alone = run(share_sites=True, reset_sites="per_phase"), run()
    queue(sharing, CHANGES, "gitlab")
    queue(alone, CHANGES, "gitlab")

    assert len(claim(sharing)) == 1
    assert claim(alone) == {}


def test_an_instance_that_failed_is_closed_and_the_others_go_on():
    phase = run()
    first, second = (queue(phase, READS, "reddit") for _ in range(2))
    claim(phase, limit=1)
    failure = EpisodeFailure(first, 1, "site", "502", "reddit")

    services.fail_trajectory(record=failure, lease_s=60, max_retries=9)

    assert SiteCondition.objects.get(closed_at__isnull=False).number == 1
    assert describe_waits(phase) == []
    assert claim(phase) == {first: 2, second: 2}


def test_a_phase_waits_once_all_instances_are_in_trouble():
    phase = run()
    queue(phase, READS, "reddit")
    site = Site.objects.get(key="reddit")
    for number in (1, 2):
        SiteCondition.objects.create(
            site=site, number=number, reset_wanted_at="2030-01-01T00:00:00Z"
        )

    first, second = describe_waits(phase)

    assert first.startswith("Reddit has been due for a reset since")
    assert second.startswith("Reddit #2 has been due for a reset since")


def test_an_instance_that_was_taken_away_gets_nobody():
    phase = run()
    assert remove_site_instance(key="reddit", number=2)
    first = queue(phase, CHANGES, "reddit")
    queue(phase, CHANGES, "reddit")

    assert claim(phase) == {first: 1}
    assert add_site_instance(key="reddit", url="http://reddit3.lab/").number == 3


def test_each_instance_is_reset_after_a_task_that_may_have_changed_it(settings: Any):
    set_resets(settings)
    phase = run()
    ids = [queue(phase, CHANGES, "reddit") for _ in range(3)]
    claim(phase)
    end(ids[1])

    assert due() == {("reddit", 2)}
    (recipe,) = reset(2)
    assert recipe.action == ("reset", "2")
    assert recipe.healthy == "http://reddit2.lab/up"
    assert claim(phase) == {ids[2]: 2}


def test_a_reset_measures_how_long_it_took_and_forgets_the_changes(settings: Any):
    set_resets(settings)
    phase = run()
    pk = queue(phase, CHANGES, "reddit")
    claim(phase)
    end(pk)
    assert SiteCondition.objects.get().changes == 1

    reset(1)

    row = SiteCondition.objects.get()
    assert (row.changes, row.changed_in) == (0, "")
    assert row.last_reset_s is not None
    assert row.last_reset_s >= 0


def test_an_entry_that_names_no_instance_is_for_the_first_alone(settings: Any):
    set_resets(settings, reddit={"command": ["reset"], "healthy": ["true"]})
    phase = run()
    ids = [queue(phase, CHANGES, "reddit") for _ in range(2)]
    claim(phase)
    end(*ids)

    assert due() == {("reddit", 1)}


def test_an_entry_of_an_instance_goes_before_the_sites(settings: Any):
    own = {"command": ["other"], "healthy": ["true"]}
    set_resets(settings, **{"reddit#2": own})
    services.request_reset(key="reddit", number=2)

    (recipe,) = reset(2)

    assert recipe.action == ("other",)


def test_resets_after_every_so_many_episodes(settings: Any):
    set_resets(settings)
    remove_site_instance(key="reddit", number=2)
    phase = run(reset_sites="per_episodes", episodes_per_reset=2)
    ids = [queue(phase, CHANGES, "reddit") for _ in range(3)]
    for pk in ids[:2]:
        assert due() == set()
        assert claim(phase) == {pk: 1}
        end(pk)

    assert due() == {("reddit", 1)}
    assert claim(phase) == {}
    reset(1)
    assert claim(phase) == {ids[2]: 1}


def test_resets_once_before_each_stage_of_a_phase(settings: Any):
    set_resets(settings)
    remove_site_instance(key="reddit", number=2)
    phase = run(reset_sites="per_phase")
    for _ in range(3):
        pk = queue(phase, CHANGES, "reddit")
        assert claim(phase) == {pk: 1}
        end(pk)
    test = queue(phase, READS, "reddit", purpose="evaluate")

    assert claim(phase, "evaluate") == {}
    assert due() == {("reddit", 1)}
    reset(1)
    assert claim(phase, "evaluate") == {test: 1}


def test_a_stage_begins_on_an_instance_that_is_as_at_first(settings: Any):
    set_resets(settings)
    phase = run(reset_sites="per_phase")
    change = queue(phase, CHANGES, "reddit")
    claim(phase)
    end(change)
    test = queue(phase, READS, "reddit", purpose="evaluate")

    assert claim(phase, "evaluate") == {test: 2}
    assert due() == set()


def test_a_run_with_resets_after_each_task_does_not_begin_where_others_changed(
    settings: Any,
):
    set_resets(settings)
    remove_site_instance(key="reddit", number=2)
    loose, strict = run(reset_sites="per_phase"), run()
    change = queue(loose, CHANGES, "reddit")
    claim(loose)
    end(change)
    queue(strict, READS, "reddit")

    assert claim(strict) == {}
    assert due() == {("reddit", 1)}
