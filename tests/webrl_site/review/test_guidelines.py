from __future__ import annotations

import pytest
from django.test import Client

from curriculum import services
from curriculum.errors import LeaseLost, NotAllowed, ReviewError
from curriculum.models import Guideline, Review
from curriculum.selectors.reviewing.guidelines import find_newest_guideline
from tests.factories import EvolvedTaskFactory, ReviewFactory, UserFactory
from tests.webrl_site.conftest import CountQueries

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> Client:
    client = Client()
    client.force_login(UserFactory(username="ann", roles=["annotator"]))
    return client


def save(boss: Client, text: str, based_on: int = 1) -> int:
    data = {"text": text, "based_on": based_on}
    return boss.post("/review/guidelines/edit/", data).status_code


def test_there_is_a_first_version(ann: Client):
    seen = ann.get("/review/guidelines/").content.decode()

    assert "<strong>Infeasible</strong>: the site has no such page" in seen
    assert Guideline.objects.get().version == 1


def test_saving_makes_a_version_and_shows_what_changed(boss: Client, ann: Client):
    text = Guideline.objects.get().text

    assert save(boss, text.replace("one clear result", "one result")) == 302

    seen = ann.get("/review/guidelines/2/").content.decode()
    assert "<del>clear </del>" in seen
    assert "By boss" in seen
    assert ann.get("/review/guidelines/3/").status_code == 404


def test_two_people_do_not_overwrite_each_other(boss: Client):
    save(boss, "Be kind.")

    data = {"text": "Be quick.", "based_on": 1}
    response = boss.post("/review/guidelines/edit/", data)

    seen = response.content.decode()
    assert response.status_code == 409
    assert "Someone else has since saved version 2" in seen and "Be quick." in seen
    assert Guideline.objects.count() == 2


@pytest.mark.parametrize("text", ["", " \n", "x" * 20_001])
def test_a_text_that_is_none_is_refused_and_kept(boss: Client, text: str):
    assert save(boss, text) == 200
    assert Guideline.objects.count() == 1


def test_saving_what_is_there_says_so(boss: Client):
    text = Guideline.objects.get().text.replace("\n", "\r\n")
    seen = boss.post("/review/guidelines/edit/", {"text": text, "based_on": 1})

    assert "Nothing has changed." in seen.content.decode()


def test_the_preview_shows_no_html_of_the_text(boss: Client):
    response = boss.post("/review/guidelines/preview/", {"text": "**b** <i>x</i>"})

    assert "<strong>b</strong> &lt;i&gt;x&lt;/i&gt;" in response.content.decode()


def test_only_researchers_write(ann: Client):
    assert ann.get("/review/guidelines/edit/").status_code == 403
    assert ann.post("/review/guidelines/preview/").status_code == 403
    with pytest.raises(NotAllowed):
        services.write_guideline(text="x", based_on=1, by=UserFactory())


def test_a_decision_keeps_the_version_that_it_saw(boss: Client, ann: Client):
    task = EvolvedTaskFactory()
    shown = ann.get("/review/").context["guideline"]
    save(boss, "Be kind.")
    task.refresh_from_db()
    ann.post(
        "/review/decide/",
        {
            "task_id": task.pk,
            "token": task.lease_token,
            "decision": "accept",
            "instruction": task.instruction,
            "guideline": shown.version,
        },
    )

    assert Review.objects.get().guideline == shown
    versions = ann.get("/review/guidelines/").context["versions"]
    assert [(one.version, one.decisions) for one in versions] == [(2, 0), (1, 1)]


def test_the_desk_says_that_the_guidelines_are_new(boss: Client, ann: Client):
    EvolvedTaskFactory()
    ann_id = int(ann.session["_auth_user_id"])
    ReviewFactory(reviewer_id=ann_id, guideline=Guideline.objects.get())
    assert "new since your last" not in ann.get("/review/").content.decode()

    save(boss, "Be *kind*.")

    seen = ann.get("/review/").content.decode()
    assert "new since your last decision" in seen
    assert "<em>kind</em>" in seen


def test_who_looks_on_asks_for_the_newest_once_a_second(django_assert_num_queries):
    with django_assert_num_queries(1):
        assert find_newest_guideline() == find_newest_guideline()


def test_an_instance_without_guidelines_works(ann: Client, boss: Client):
    Guideline.objects.all().delete()
    EvolvedTaskFactory()

    assert "None are written yet" in ann.get("/review/").content.decode()
    assert "None are written yet" in ann.get("/review/guidelines/").content.decode()
    assert save(boss, "Be kind.", based_on=0) == 302


def test_writing_after_somebody_else_is_refused():
    boss = UserFactory(roles=["researcher"])
    services.write_guideline(text="Be kind.", based_on=1, by=boss)

    with pytest.raises(LeaseLost):
        services.write_guideline(text="Be quick.", based_on=1, by=boss)
    with pytest.raises(ReviewError):
        services.write_guideline(text=" Be kind. ", based_on=2, by=boss)


def test_many_versions_ask_as_often_as_few(boss: Client, count_queries: CountQueries):
    few = count_queries(boss, "/review/guidelines/")
    for version in range(2, 8):
        Guideline.objects.create(version=version, text="Be kind.")

    assert count_queries(boss, "/review/guidelines/") == few <= 6
