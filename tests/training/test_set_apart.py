"""A new version brings other weights at an address that rows name already."""

from __future__ import annotations

import pytest

from curriculum.models import Phase, Run
from tests.factories import PhaseFactory, RunFactory
from training.models import Checkpoint
from training.services import set_apart

pytestmark = pytest.mark.django_db
OLD, NEW = "1" * 64, "2" * 64
URI, APART = "starter/policy", f"starter/policy-{'1' * 12}"


@pytest.fixture
def earlier() -> Checkpoint:
    return Checkpoint.objects.create(uri=URI, kind="policy", digest=OLD)


def test_a_begun_run_keeps_naming_the_earlier_weights(earlier: Checkpoint):
    run = RunFactory(policy_uri=URI)
    phase = PhaseFactory(run=run, policy_uri=URI, next_policy_uri=URI)

    assert set_apart(uri=URI, digest=NEW) == APART

    assert Run.objects.get().policy_uri == APART
    found = Phase.objects.get(pk=phase.pk)
    assert (found.policy_uri, found.next_policy_uri) == (APART, APART)
    assert Checkpoint.objects.get().uri == APART


def test_a_run_without_a_phase_begins_with_the_new_weights(earlier: Checkpoint):
    RunFactory(policy_uri=URI)

    set_apart(uri=URI, digest=NEW)

    assert Run.objects.get().policy_uri == URI


def test_the_same_weights_change_nothing(earlier: Checkpoint):
    assert set_apart(uri=URI, digest=OLD) == ""
    assert Checkpoint.objects.get().uri == URI


def test_versions_may_change_to_and_fro(earlier: Checkpoint):
    set_apart(uri=URI, digest=NEW)
    for digest in (NEW, OLD, NEW):
        set_apart(uri=URI, digest=digest)
        Checkpoint.objects.get_or_create(
            uri=URI, defaults={"kind": "policy", "digest": digest}
        )

    found = Checkpoint.objects.values_list("uri", "digest")
    assert dict(found) == {
        URI: NEW,
        APART: OLD,
        f"starter/policy-{'2' * 12}": NEW,
    }
