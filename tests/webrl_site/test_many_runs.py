"""What is asked for is shown however many runs and phases came after it."""

from __future__ import annotations

import pytest
from django.test import Client

from curriculum.models import Phase, Run, Task
from rollouts.models import Trajectory
from tests.factories import RunFactory
from tests.seed import Example
from tests.webrl_site.conftest import SignIn

RUNS, PHASES = 101, 201


@pytest.fixture
def client(sign_in: SignIn, example: Example) -> Client:
    """A researcher, in a workbench that went on for long after the example."""
    model = RunFactory()
    Run.objects.bulk_create(
        Run(name=f"sweep {n}", config=model.config, seed=n) for n in range(RUNS)
    )
    Phase.objects.bulk_create(
        Phase(run=model, number=n, status=Phase.Status.CLOSED)
        for n in range(1, PHASES + 1)
    )
    return sign_in("researcher")


def test_lists_follow_an_old_phase(client: Client, example: Example):
    phase = example.closed_phase

    episodes = client.get(f"/trajectories/?phase={phase.pk}")
    tasks = client.get(f"/curriculum/?born_in={phase.pk}&phase={phase.pk}")

    expected = Trajectory.objects.filter(phase=phase, takeover=None).count()
    assert episodes.context["page"].count == expected > 0
    assert tasks.context["page"].count == Task.objects.filter(born_in=phase).count()
    assert f"phase={phase.pk}" in episodes.text.split("All of these as a file")[1]
    chosen = f'<option value="{phase.pk}" selected>'
    assert chosen in episodes.text and chosen in tasks.text


@pytest.mark.parametrize(
    "path", ["/curriculum/value-band/", "/review/agreement/", "/review/bulk/"]
)
def test_every_filter_offers_an_old_phase(path: str, client: Client, example: Example):
    phase = example.closed_phase

    seen = client.get(f"{path}?phase={phase.pk}").text

    assert f'<option value="{phase.pk}" selected>' in seen
    assert "is ignored" not in seen


@pytest.mark.parametrize(
    "path",
    [
        "/trajectories/",
        "/curriculum/",
        "/curriculum/value-band/",
        "/review/agreement/",
        "/review/bulk/",
        "/review/progress/decisions/",
    ],
)
@pytest.mark.parametrize("asked", ["99999", "abc", "9" * 30, "²"])
def test_a_phase_that_is_none_is_named(path: str, asked: str, client: Client):
    seen = client.get(path, {"phase": asked}).text

    assert "The filter “Phase” is ignored" in seen and asked in seen


def test_charts_and_judges_show_an_old_run(client: Client, example: Example):
    drawn = client.get(f"/charts/?run={example.run.pk}").context
    judged = client.get(f"/judges/?run={example.run.pk}").context

    assert drawn["chosen"] == [example.run.pk]
    assert drawn["drawn_of"] == example.run.name
    assert judged["run"] == example.run
    file = client.get(f"/charts/success.csv?run={example.run.pk}")
    assert example.run.name in file.text


def test_charts_and_judges_offer_what_they_show_unasked(
    client: Client, example: Example
):
    drawn, judged = client.get("/charts/"), client.get("/judges/")

    assert drawn.context["drawn_of"] == example.run.name
    assert f"success.csv?run={example.run.pk}" in drawn.text
    shown = judged.context["run"]
    assert f'<option value="{shown.pk}" selected>' in judged.text


@pytest.mark.parametrize("asked", ["99999", "abc", "9" * 30, "²"])
def test_a_run_that_is_none_is_named_and_gives_no_file(asked: str, client: Client):
    for path in ("/charts/", "/judges/"):
        answer = client.get(path, {"run": asked})
        assert answer.status_code == 200
        assert f"There is no run {asked}." in answer.text

    for path in ("/charts/success.csv", "/judges/verdicts.jsonl"):
        assert client.get(path, {"run": asked}).status_code == 404
