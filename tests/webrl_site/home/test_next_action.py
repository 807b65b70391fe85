"""Home sends nobody to an empty desk."""

from __future__ import annotations

from django.contrib.auth.models import User

from curriculum import services
from curriculum.services.imported.runs import NO_WEIGHTS
from tests.factories import (
    EvolvedTaskFactory,
    PhaseFactory,
    RunFactory,
    UserFactory,
    review_phase,
)
from webrl_site.home.page import NextAction, describe_home


def take(reviewer: User) -> str:
    """Return the token of the task that the desk gives, which they now hold."""
    task = services.claim_review(reviewer=reviewer)
    assert task is not None
    return task.lease_token


def count_for(reader: User) -> int:
    """Return what home says to wait, after looking that the desk agrees."""
    home = describe_home(reader_id=reader.pk, is_researcher=False)
    action, waiting = home["action"], home["waiting"]
    assert (action is not None and action.url_name == "review") is (waiting > 0)
    task = services.claim_review(reviewer=reader)
    assert (task is not None) is (waiting > 0)
    return int(waiting)


def test_what_one_has_decided_waits_for_the_others_alone(db: None):
    ann, bob = UserFactory.create_batch(2, roles=["annotator"])
    task = EvolvedTaskFactory(born_in=review_phase(reviews_per_task=2))
    assert (count_for(ann), count_for(ann)) == (1, 1)

    services.decide_review(
        task_id=task.pk,
        token=take(ann),
        reviewer=ann,
        decision=services.Decision("accept"),
    )

    assert (count_for(ann), count_for(bob)) == (0, 1)


def test_what_one_has_left_to_others_waits_no_more(db: None):
    ann, bob = UserFactory.create_batch(2, roles=["annotator"])
    task = EvolvedTaskFactory(born_in=review_phase())

    services.decide_review(
        task_id=task.pk,
        token=take(ann),
        reviewer=ann,
        decision=services.Decision("skip", skip_to="drop", note="beyond me"),
    )

    assert (count_for(ann), count_for(bob)) == (0, 1)


def test_what_somebody_else_holds_waits_for_nobody(db: None):
    ann, bob = UserFactory.create_batch(2, roles=["annotator"])
    EvolvedTaskFactory(born_in=review_phase())
    take(ann)

    assert (count_for(ann), count_for(bob)) == (1, 0)


def test_a_researcher_whose_part_is_done_is_offered_no_new_phase(db: None):
    ann, res = UserFactory(roles=["annotator"]), UserFactory(roles=["researcher"])
    EvolvedTaskFactory(born_in=review_phase())
    take(ann)

    assert describe_home(reader_id=res.pk, is_researcher=True)["action"] is None


def action_of_a_researcher() -> NextAction:
    reader = UserFactory(roles=["researcher"])
    found = describe_home(reader_id=reader.pk, is_researcher=True)["action"]
    assert isinstance(found, NextAction)
    return found


def test_the_next_phase_of_an_imported_run_is_not_offered(db: None):
    own = RunFactory()
    PhaseFactory(run=own, status="closed")
    RunFactory(policy_uri=NO_WEIGHTS)

    assert action_of_a_researcher().url_id == own.pk


def test_a_run_without_a_phase_is_ready_for_its_first(db: None):
    RunFactory()

    assert "first phase" in action_of_a_researcher().title
