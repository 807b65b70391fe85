from __future__ import annotations

import pytest
from django.core.cache import cache
from django.db.models import F

from curriculum.models import Phase, Run, Task
from rollouts.models import Trajectory
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries, SignIn
from training.models import Metric

# Session, user and groups come on top of what each page itself asks for. The example
# has few test tasks: Home and the charts ask a second time which run was measured. The
# charts count distinct tasks in two queries of their own.
MOST = {
    "/": 14,
    "/curriculum/": 8,
    "/trajectories/": 9,
    "/runs/": 10,
    "/charts/": 17,
    "/review/": 20,
}


def grow(example: Example) -> None:
    """Twice the tasks, trajectories, runs and metrics."""
    tasks = list(Task.objects.filter(status="shortlisted"))
    for task in tasks:
        task.pk, task.key = None, f"{task.key}.again"
    Task.objects.bulk_create(tasks)
    rows = list(Trajectory.objects.all())
    for row in rows:
        row.pk, row.repeat = None, 1
    Trajectory.objects.bulk_create(rows)
    for name in ("one more", "and another"):
        run = Run.objects.create(name=name, policy_uri="a", critic_uri="b", orm_uri="c")
        Phase.objects.create(run=run, number=1, status="collecting")
    numbers = list(Metric.objects.annotate(next=F("step") + 1000))
    for number in numbers:
        number.pk, number.step = None, number.step + 1000
    Metric.objects.bulk_create(numbers)


@pytest.mark.parametrize("url", MOST)
def test_a_list_page_asks_as_often_for_many_rows_as_for_few(
    url: str, sign_in: SignIn, example: Example, count_queries: CountQueries
):
    client = sign_in("researcher")
    client.get(url)  # the desk reserves a task on the first visit
    cache.clear()  # what is remembered for a second is asked for both times
    few = count_queries(client, url)
    grow(example)

    cache.clear()
    many = count_queries(client, url)

    assert many == few
    assert many <= MOST[url]


@pytest.mark.parametrize(
    ("url", "most"),
    [("/phases/{phase}/", 14), ("/runs/{run}/", 12), ("/trajectories/{t}/", 12)],
)
def test_a_page_of_one_thing_asks_as_often_for_much_as_for_little(
    url: str,
    most: int,
    sign_in: SignIn,
    example: Example,
    count_queries: CountQueries,
):
    url = url.format(
        phase=example.review_phase.pk, run=example.run.pk, t=example.trajectory.pk
    )
    client = sign_in("researcher")
    client.get(url)  # a session's first replay is written down
    few = count_queries(client, url)
    grow(example)

    assert count_queries(client, url) == few <= most
