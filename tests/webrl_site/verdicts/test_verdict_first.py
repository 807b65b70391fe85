"""An episode of the audit list is judged before the machines' verdicts are shown."""

from __future__ import annotations

import pytest
from django.test import Client

from rollouts.models import HumanVerdict, Trajectory
from tests.seed import Example
from tests.webrl_site.conftest import SignIn

TOLD = ("P(YES)", "badge-good", "badge-bad", "checks passed", "The cart is empty")
STRIPS = ("Advantage at step", "trained on", "left out", "Left out", "Trained on")


@pytest.fixture
def row(example: Example) -> Trajectory:
    """An episode that all machines have judged."""
    Trajectory.objects.filter(pk=example.trajectory.pk).update(
        outcome=False, reward=1.0, success_probability=0.917
    )
    return Trajectory.objects.get(pk=example.trajectory.pk)


def read(client: Client, row: Trajectory, rest: str = "") -> str:
    return client.get(f"/trajectories/{row.pk}/{rest}").content.decode()


def judge(client: Client, row: Trajectory, **headers: str) -> HumanVerdict:
    client.post(
        f"/trajectories/{row.pk}/verdict/", {"verdict": "failure"}, headers=headers
    )
    return HumanVerdict.objects.latest("pk")


def forget_other_scores(row: Trajectory) -> None:
    Trajectory.objects.exclude(pk=row.pk).update(success_probability=None)


def test_the_audit_list_leads_there_and_gives_nothing_away(
    sign_in: SignIn, example: Example, row: Trajectory
):
    seen = sign_in("annotator").get(f"/judges/?run={example.run.pk}").content.decode()

    assert f"/trajectories/{row.pk}/?judge=first" in seen
    assert "They differ" in seen
    assert "evaluators say" not in seen
    assert "0.92" not in seen


def test_the_page_holds_no_verdict_before_it_is_asked_for(
    sign_in: SignIn, row: Trajectory
):
    client = sign_in("annotator")

    plain, blind = read(client, row), read(client, row, "?judge=first")

    assert [text for text in (*TOLD, *STRIPS) if text in blind] == []
    assert all(text in plain for text in ("P(YES)", "Advantage at step", "badge-bad"))
    assert "Show what they said" in blind


@pytest.mark.parametrize("rest", ["steps/3/", "live/", ""])
def test_its_parts_hold_none_either(rest: str, sign_in: SignIn, row: Trajectory):
    client = sign_in("annotator")
    read(client, row, "?judge=first")

    answer = client.get(
        f"/trajectories/{row.pk}/{rest}", headers={"HX-Request": "true"}
    )

    assert answer.status_code == 200
    seen = answer.content.decode()
    assert [text for text in (*TOLD, *STRIPS) if text in seen] == []


def test_a_verdict_says_that_it_was_given_before_looking(
    sign_in: SignIn, example: Example, row: Trajectory
):
    client = sign_in("annotator")
    read(client, row, "?judge=first")

    assert judge(client, row).is_blind
    seen = read(client, row, "?judge=first")
    assert "P(YES)" in seen
    assert "before looking" in seen
    judges = client.get(f"/judges/?run={example.run.pk}").content.decode()
    assert "1 verdict was given before looking." in judges


def test_the_script_is_told_to_load_the_page_anew(sign_in: SignIn, row: Trajectory):
    client = sign_in("annotator")
    read(client, row, "?judge=first")

    answer = client.post(
        f"/trajectories/{row.pk}/verdict/",
        {"verdict": "failure"},
        headers={"HX-Request": "true"},
    )

    assert answer.headers["HX-Refresh"] == "true"


def test_a_refused_verdict_shows_nothing(sign_in: SignIn, row: Trajectory):
    client = sign_in("annotator")
    read(client, row, "?judge=first")

    seen = client.post(
        f"/trajectories/{row.pk}/verdict/",
        {"verdict": "maybe"},
        headers={"HX-Request": "true"},
    ).content.decode()

    assert 'role="alert"' in seen
    assert "P(YES)" not in seen


@pytest.mark.parametrize("rest", ["?judge=after", "bundle.zip", "compare/{other}/"])
def test_who_looked_does_not_judge_before_looking(
    rest: str, sign_in: SignIn, row: Trajectory
):
    client = sign_in("annotator")
    other = Trajectory.objects.create(
        phase=row.phase, task=row.task, purpose=row.purpose, repeat=9
    )
    read(client, row, "?judge=first")
    client.get(f"/trajectories/{row.pk}/{rest.format(other=other.pk)}")

    assert "P(YES)" in read(client, row, "?judge=first")
    assert not judge(client, row).is_blind


def test_who_judges_again_has_looked(sign_in: SignIn, row: Trajectory):
    client = sign_in("annotator")
    judge(client, row)

    assert "P(YES)" in read(client, row, "?judge=first")


def test_everybody_else_sees_the_verdicts(sign_in: SignIn, row: Trajectory):
    read(sign_in("annotator"), row, "?judge=first")
    other = sign_in("researcher")

    assert "P(YES)" in read(other, row)
    assert not judge(other, row).is_blind


def test_judging_begins_at_the_last_step(sign_in: SignIn, row: Trajectory):
    client = sign_in("annotator")
    last = row.steps.filter(attempt=row.attempt).count()

    response = client.get(f"/trajectories/{row.pk}/?judge=first")

    assert last > 1
    assert response.context["current"] == last
    assert client.get(f"/trajectories/{row.pk}/?judge=after").context["current"] == 1


def test_a_link_leads_to_the_next_episode_of_the_audit_list(
    sign_in: SignIn, row: Trajectory
):
    client = sign_in("annotator")
    forget_other_scores(row)
    other = Trajectory.objects.create(
        phase=row.phase,
        task=row.task,
        purpose=row.purpose,
        repeat=9,
        status=Trajectory.Status.FINISHED,
        ended_by=row.ended_by,
        success_probability=0.5,
    )
    link = f'href="/trajectories/{other.pk}/?judge=first"'

    plain, blind = read(client, row), read(client, row, "?judge=first")
    judge(client, row)

    assert link not in plain
    assert link in blind
    assert link in read(client, row)


def test_the_last_episode_of_the_audit_list_leads_nowhere(
    sign_in: SignIn, row: Trajectory
):
    forget_other_scores(row)

    assert "Next to judge" not in read(sign_in("annotator"), row, "?judge=first")
