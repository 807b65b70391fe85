from __future__ import annotations

import json

import pytest

from rollouts.models import HumanVerdict, Trajectory
from tests.factories import PhaseFactory
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries, SignIn


def overrule(example: Example) -> Trajectory:
    row = example.trajectory
    verdict = "failure" if row.reward else "success"
    HumanVerdict.objects.create(
        trajectory=row, author=example.researcher, verdict=verdict
    )
    return row


def test_the_judges_stand_side_by_side(sign_in: SignIn, example: Example):
    context = sign_in("annotator").get(f"/judges/?run={example.run.pk}").context
    model_and_evaluators = context["total"][0]
    judged = Trajectory.objects.filter(phase__run=example.run, outcome__isnull=False)
    assert model_and_evaluators.n == judged.exclude(reward=None).count() > 0


def test_each_kind_of_mistake_opens_exactly_its_episodes(
    sign_in: SignIn, example: Example
):
    episodes = Trajectory.objects.filter(phase__run=example.run, outcome=False)
    episodes.filter(pk=episodes[0].pk).update(success_probability=0.9, reward=1.0)
    client = sign_in("researcher")

    page = client.get(f"/judges/?run={example.run.pk}")

    (_, query), share = page.context["mistakes"][0]
    link = f"/trajectories/?run={example.run.pk}&{query}"
    assert link.replace("&", "&amp;") in page.text
    assert client.get(link).context["page"].count == share.successes > 0


def test_an_annotator_is_not_led_to_episodes_with_their_verdicts(
    sign_in: SignIn, example: Example
):
    page = sign_in("annotator").get(f"/judges/?run={example.run.pk}").text

    assert "Where the reward model is wrong" in page
    assert "reward=yes" not in page


def test_a_person_judges_and_the_model_is_overruled(sign_in: SignIn, example: Example):
    row = example.trajectory
    client = sign_in("researcher")
    verdict = "failure" if row.reward else "success"
    client.post(f"/trajectories/{row.pk}/verdict/", {"verdict": verdict})
    context = client.get(f"/judges/?run={example.run.pk}").context
    assert [one.trajectory_id for one in context["overruled"]] == [row.pk]
    assert row not in context["audit"]


def test_an_overrule_becomes_a_training_row(sign_in: SignIn, example: Example):
    row = overrule(example)
    url = f"/judges/verdicts.jsonl?run={example.run.pk}&only=overruled"
    answer = sign_in("researcher").get(url)
    [line] = b"".join(answer).decode().splitlines()
    written = json.loads(line)
    assert written["trajectory_id"] == row.pk
    assert written["verdict"] == ("NO" if row.reward else "YES")
    assert len(written["actions"]) == row.step_count
    assert written["final_observation"] == row.final_observation


def test_a_run_without_scores_praises_nobody(sign_in: SignIn, example: Example):
    Trajectory.objects.update(success_probability=None)
    seen = sign_in("annotator").get(f"/judges/?run={example.run.pk}").content.decode()
    assert "has scored no episode of this run yet" in seen
    assert "You have judged every episode" not in seen


def test_without_a_choice_it_is_the_run_that_was_scored_last(
    sign_in: SignIn, example: Example
):
    newer = PhaseFactory().run
    context = sign_in("annotator").get("/judges/").context
    assert context["run"] != newer
    assert context["is_scored"]


@pytest.mark.parametrize(("who", "status"), [("annotator", 403), ("", 302)])
def test_only_researchers_take_training_rows(
    who: str, status: int, sign_in: SignIn, example: Example
):
    assert sign_in(who).get("/judges/verdicts.jsonl").status_code == status


def test_a_run_without_verdicts_says_so(sign_in: SignIn, example: Example):
    Trajectory.objects.update(reward=None, success_probability=None, outcome=None)
    text = sign_in("annotator").get("/judges/").content.decode()
    assert "0 episodes judged by people" in text


def test_judges_ask_as_often_for_many_episodes_as_for_few(
    sign_in: SignIn, example: Example, count_queries: CountQueries
):
    client, url = sign_in("researcher"), f"/judges/?run={example.run.pk}"
    overrule(example)
    few = count_queries(client, url)
    for row in Trajectory.objects.filter(phase__run=example.run)[:20]:
        HumanVerdict.objects.create(
            trajectory=row, author=example.annotator, verdict="success"
        )
    assert count_queries(client, url) == few <= 10
