"""Checkpoints by address, with the digest that keeps the address honest."""

from __future__ import annotations

from django.db import transaction

from curriculum.errors import CheckpointError
from curriculum.rules.checkpoints import read_digest
from training.models import Checkpoint, TrainingRun


@transaction.atomic
def register_checkpoint(
    *,
    uri: str,
    kind: str,
    training_run: TrainingRun | None = None,
    parent_uri: str = "",
    parameter_count: int | None = None,
) -> Checkpoint:
    """Write down what lies at an address; the second time changes nothing.

    Raises:
        CheckpointError: Nothing readable lies there, or something else than before.
    """
    digest = read_digest(uri)
    parent = Checkpoint.objects.filter(uri=parent_uri).first() if parent_uri else None
    row, created = Checkpoint.objects.get_or_create(
        uri=uri,
        defaults={
            "kind": kind,
            "digest": digest,
            "training_run": training_run,
            "parent": parent,
            "parameter_count": parameter_count,
        },
    )
    if not created and row.digest != digest:
        raise CheckpointError(f"{uri} has changed since it was registered.")
    return row


def verify_checkpoint(*, uri: str) -> None:
    """Compare an address with its registered digest, if it has one.

    Raises:
        CheckpointError: Nothing readable lies there, or something else than before.
    """
    digest = read_digest(uri)
    known = Checkpoint.objects.filter(uri=uri).values_list("digest", flat=True).first()
    if known is not None and known != digest:
        raise CheckpointError(f"{uri} has changed since it was registered.")
