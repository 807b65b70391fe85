from __future__ import annotations

import io

import pytest
from django.core.management import call_command

from curriculum.errors import TaskImportError, WorkbenchError
from curriculum.models import Site, Task
from curriculum.services.evolution import read_seeds
from rollouts.sites.miniwob.tasks import SEEDS
from rollouts.sites.sandbox.miniwob_goals import GoalReport
from rollouts.sites.sandbox.published import FOLDERS
from webrl_site.sites.miniwob import load_miniwob

pytestmark = pytest.mark.django_db


class Reader:
    """Makes goals up; one page never starts."""

    def __init__(self, word="Do"):
        self.word = word
        self.asked = []

    def __call__(self, suites, pages, seeds):
        self.asked.append(list(pages))
        goals = {p: [f"{self.word} {p} {s}" for s in seeds] for p in pages}
        failed = {"broken": "no answer"} if goals.pop("broken", None) else {}
        return GoalReport(goals, failed)


@pytest.fixture
def folder(settings, tmp_path):
    settings.SUITES_DIR = tmp_path
    folder = tmp_path / FOLDERS["miniwob"] / "miniwob"
    folder.mkdir(parents=True)
    for name in ("click-test", "enter-text"):
        (folder / f"{name}.html").touch()
    return folder


def test_each_page_gives_a_task_for_each_seed(folder):
    report = load_miniwob(Reader())
    assert (report.pages, report.tasks.created) == (2, 2 * len(SEEDS))
    assert Site.objects.get(key="miniwob").placeholder == "__MINIWOB__"
    task = Task.objects.get(key="miniwob.enter-text.4")
    assert (task.instruction, task.split) == ("Do enter-text 4", "train")
    assert (task.template_key, task.origin) == ("miniwob.enter-text", "imported")


def test_a_second_time_changes_nothing_and_opens_no_browser(folder):
    load_miniwob(Reader())
    again = Reader()
    assert load_miniwob(again).tasks.created == 0
    assert again.asked == []


def test_a_page_that_does_not_start_is_named_and_left_out(folder):
    (folder / "broken.html").touch()
    report = load_miniwob(Reader())
    assert report.failed == {"broken": "no answer"}
    assert not Task.objects.filter(template_key="miniwob.broken").exists()


def test_pages_of_another_version_are_refused(folder):
    load_miniwob(Reader())
    (folder / "new.html").touch()
    with pytest.raises(TaskImportError, match="already names another task"):
        load_miniwob(Reader("Undo"))


def test_without_pages_nothing_is_loaded(settings, tmp_path):
    settings.SUITES_DIR = tmp_path
    with pytest.raises(WorkbenchError, match="no pages"):
        load_miniwob(Reader())


def test_nothing_is_evolved_from_pages_that_set_their_own_goals(folder):
    load_miniwob(Reader())
    ids = list(Task.objects.values_list("pk", flat=True))
    assert read_seeds(ids) == []


def test_the_list_says_which_sites_are_there_and_which_could_be(folder):
    before, after = io.StringIO(), io.StringIO()
    call_command("list_sites", stdout=before)
    load_miniwob(Reader())
    call_command("list_sites", stdout=after)
    assert "not here: ./webrl site add miniwob" in before.getvalue()
    assert f"MiniWoB++, {2 * len(SEEDS)} tasks in use" in after.getvalue()
