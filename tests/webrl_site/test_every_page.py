from __future__ import annotations

import pytest
from django.test import override_settings
from django.urls import path

from curriculum.models import GoldItem, Phase, Task
from tests.seed import Example, write_people
from tests.webrl_site.conftest import example as example
from webrl_site.account.token_views import token_list
from webrl_site.examples import every_page
from webrl_site.examples.every_page import NoExample, list_pages
from webrl_site.examples.every_state import write_states
from webrl_site.urls import urlpatterns as usual

urlpatterns = [*usual, path("new/", token_list, name="new")]


@pytest.fixture
def states(example: Example) -> Example:
    write_states()
    return example


def test_pages_are_listed_and_parts_files_and_deeds_are_not(states: Example):
    pages = list_pages()

    assert pages["phase"] == f"/phases/{states.review_phase.pk}/"
    assert {"home", "dispute", "guideline", "charts", "compare_step"} <= set(pages)
    assert not {"health", "run_config", "stop_phase", "logout", "bundle"} & set(pages)


@override_settings(ROOT_URLCONF=__name__)
def test_a_new_page_is_listed_by_itself(states: Example):
    assert list_pages()["new"] == "/new/"


def test_a_parameter_without_an_example_is_named(
    states: Example, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delitem(every_page.EXAMPLES, "run_id")

    with pytest.raises(NoExample, match="run_id"):
        list_pages()


@pytest.mark.django_db
def test_an_empty_workbench_has_pages_too():
    write_people()

    pages = list_pages(has_rows=False)

    assert "home" in pages and "task" not in pages


def test_the_states_are_written(states: Example):
    statuses = set(Phase.objects.values_list("status", flat=True))

    assert {"collecting", "failed", "review", "closed"} <= statuses
    assert Task.objects.filter(status="disputed").count() == 2
    assert GoldItem.objects.count() == 3
