from __future__ import annotations

import re
from html import unescape

import pytest
from django.db.models import F

from curriculum.models import Task
from tests.factories import EvolvedTaskFactory
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries, SignIn


def test_the_page_shows_the_runs_own_band_first(sign_in: SignIn, example: Example):
    url = f"/curriculum/value-band/?phase={example.review_phase.pk}"
    context = sign_in("researcher").get(url).context
    assert context["band"] == context["usual"]
    assert context["count"] == len(example.evolved)


def test_each_bar_opens_its_tasks(sign_in: SignIn, example: Example):
    client = sign_in("annotator")
    bars = client.get("/curriculum/value-band/").context["bars"]
    bar = max(bars, key=lambda bar: bar.count)
    url = f"/curriculum/?value_from={bar.low:.2f}&value_to={bar.high:.2f}"
    assert client.get(url).context["page"].count >= bar.count > 0


def test_the_bars_of_a_phase_open_what_evolved_in_it(sign_in: SignIn, example: Example):
    client, phase = sign_in("researcher"), example.review_phase
    value = example.evolved[0].value_estimate
    older = EvolvedTaskFactory(born_in=example.closed_phase, value_estimate=value)
    phase.tasks.add(older)
    # The list takes both ends of a bar.
    Task.objects.update(value_estimate=F("value_estimate") + 0.0005)
    page = client.get(f"/curriculum/value-band/?phase={phase.pk}")
    links = re.findall(r'href="(/curriculum/[?][^"]*value_from[^"]*)"', page.text)
    bars = [bar for bar in page.context["bars"] if bar.count]

    opened = [client.get(unescape(link)).context["page"].count for link in links]

    assert opened == [bar.count for bar in bars] != []


def test_moving_a_handle_fetches_the_result_alone(sign_in: SignIn, example: Example):
    answer = sign_in("researcher").get(
        "/curriculum/value-band/?low=0.3&high=0.5", headers={"HX-Request": "true"}
    )
    assert "<html" not in answer.content.decode()
    assert answer.context["band"].low == 0.3


def test_the_band_moves_at_a_click(sign_in: SignIn, example: Example):
    waiting = Task.objects.filter(status="shortlisted")
    outside = waiting.filter(value_estimate__gt=0.3).count()
    url = f"/curriculum/value-band/{example.review_phase.pk}/move/"
    answer = sign_in("researcher").post(url, {"low": "0", "high": "0.3"}, follow=True)
    assert not waiting.filter(value_estimate__gt=0.3).exists()
    assert f"Left the review: {outside}." in answer.content.decode()


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ({"low": "0,30", "high": "0,60"}, "From: Enter a number. To: Enter a number."),
        ({"low": "-1", "high": "0.6"}, "From: Ensure this value is greater than"),
        ({}, "From: This field is required."),
    ],
)
def test_a_band_without_numbers_moves_nothing(
    ends: dict[str, str], said: str, sign_in: SignIn, example: Example
):
    before = list(Task.objects.values_list("pk", "status"))
    url = f"/curriculum/value-band/{example.review_phase.pk}/move/"

    answer = sign_in("researcher").post(url, ends, follow=True)

    assert said in answer.text
    assert list(Task.objects.values_list("pk", "status")) == before


def test_a_phase_that_is_not_in_review_says_why(sign_in: SignIn, example: Example):
    url = f"/curriculum/value-band/{example.closed_phase.pk}/move/"
    answer = sign_in("researcher").post(url, {"low": "0", "high": "1"}, follow=True)
    assert "while the phase is in review" in answer.content.decode()


@pytest.mark.parametrize(("who", "status"), [("annotator", 403), ("", 302)])
def test_only_researchers_move_the_band(
    who: str, status: int, sign_in: SignIn, example: Example
):
    url = f"/curriculum/value-band/{example.review_phase.pk}/move/"
    assert sign_in(who).post(url, {"low": "0", "high": "1"}).status_code == status


def test_the_page_asks_as_often_for_many_tasks_as_for_few(
    sign_in: SignIn, example: Example, count_queries: CountQueries
):
    client = sign_in("researcher")
    few = count_queries(client, "/curriculum/value-band/")
    rows = list(Task.objects.filter(origin="evolved"))
    for row in rows:
        row.pk, row.key = None, f"{row.key}.again"
    Task.objects.bulk_create(rows)
    assert count_queries(client, "/curriculum/value-band/") == few <= 7


def test_a_page_without_values_says_what_to_wait_for(sign_in: SignIn, example: Example):
    url = f"/curriculum/value-band/?phase={example.failed_phase.pk}"
    assert "No task has a value yet" in sign_in("researcher").get(url).content.decode()
