from __future__ import annotations

from typing import Any

import pytest

from curriculum import services
from curriculum.errors import WorkbenchError
from curriculum.models import Run, Site, Task
from curriculum.selectors.pools import (
    list_addresses,
    list_usable_sites,
    usable_tasks,
)
from tests.factories import RunFactory, SiteFactory, TaskFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sites() -> None:
    SiteFactory(key="shop")
    SiteFactory(key="forum")
    SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL)


def make_run(*sites: str) -> Run:
    return RunFactory(config={"curriculum": {"sites": list(sites)}})


def make_task(*sites: str, **changes: Any) -> Task:
    site = Site.objects.get(key=sites[0])
    return TaskFactory(site=site, spec={"sites": list(sites)}, **changes)


def usable(run: Run, split: str = "train") -> set[Task]:
    return set(usable_tasks(run, split))


def test_a_run_uses_the_sites_that_it_names() -> None:
    shop, forum = make_task("shop"), make_task("forum")
    assert usable(make_run("forum")) == {forum}
    assert usable(make_run()) == {shop, forum}


def test_a_site_without_an_address_is_left_out_until_it_has_one() -> None:
    task = make_task("reddit")
    assert usable(make_run()) == set()
    Site.objects.filter(key="reddit").update(base_url="http://forum.lab/")
    assert usable(make_run()) == {task}


def test_a_task_on_two_sites_needs_both() -> None:
    both = make_task("shop", "forum")
    assert usable(make_run()) == {both}
    assert usable(make_run("shop")) == set()
    make_task("shop", "reddit")
    assert usable(make_run()) == {both}


def test_a_task_whose_object_names_no_sites_belongs_to_its_own() -> None:
    task = TaskFactory(site=Site.objects.get(key="shop"), spec={})
    assert usable(make_run("shop")) == {task}


def test_only_accepted_tasks_of_the_split_count() -> None:
    make_task("shop", status=Task.Status.REJECTED)
    test = make_task("shop", split=Task.Split.TEST)
    assert usable(make_run()) == set()
    assert usable(make_run(), "test") == {test}


def test_addresses_are_those_of_external_sites() -> None:
    assert list_addresses() == {}
    Site.objects.filter(key="reddit").update(base_url="http://forum.lab/")
    assert list_addresses() == {"reddit": "http://forum.lab/"}
    assert list_usable_sites(()) == ["forum", "reddit", "shop"]


def test_a_run_cannot_name_an_unknown_site() -> None:
    with pytest.raises(WorkbenchError, match=r"Unknown site 'moon' \(known: forum"):
        services.check_sites(["shop", "moon"])
