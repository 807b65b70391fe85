"""The added book shop as rows."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from curriculum.models import Site, Task
from curriculum.services.evolution import read_seeds
from rollouts.sites.oscar.names import TEMPLATE
from rollouts.sites.oscar.tasks import load_tasks
from rollouts.sites.sandbox.generator import GrammarGenerator
from rollouts.sites.sandbox.published import FOLDERS

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(settings, tmp_path):
    settings.SUITES_DIR = tmp_path
    folder = tmp_path / FOLDERS["oscar"]
    folder.mkdir()
    return folder


def load() -> str:
    said = io.StringIO()
    call_command("load_oscar", stdout=said)
    return said.getvalue()


def test_its_tasks_come_with_their_site_and_twice_changes_nothing(folder):
    (folder / TEMPLATE).touch()
    count = len(load_tasks())
    assert load() == f"django-oscar: {count} tasks ({count} new).\n"
    assert load() == f"django-oscar: {count} tasks (0 new).\n"
    assert Site.objects.get(key="oscar").placeholder == "__OSCAR__"
    assert set(Task.objects.values_list("split", flat=True)) == set(Task.Split.values)


def test_without_the_shop_nothing_is_written(folder):
    with pytest.raises(CommandError, match=r"run \./webrl site add oscar"):
        load()
    assert not Site.objects.filter(key="oscar").exists()


def test_the_list_says_that_the_shop_could_be_added():
    said = io.StringIO()
    call_command("list_sites", stdout=said)
    assert "not here: ./webrl site add oscar" in said.getvalue()


def test_the_grammar_grows_nothing_from_its_tasks(folder):
    (folder / TEMPLATE).touch()
    load()
    seeds = read_seeds(list(Task.objects.values_list("pk", flat=True)[:5]))
    assert GrammarGenerator().propose(seeds, count=3, seed=0) == []
