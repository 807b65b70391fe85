"""Checkpoints by address, with a digest that detects changed weights."""

from __future__ import annotations

from django.db import transaction

from curriculum.errors import CheckpointError
from curriculum.rules.checkpoints import count_parameters, read_digest
from curriculum.services.run_notes import rename_weights
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
    """Register the weights at an address; a second call changes nothing.

    If the number of parameters is not given, it is counted, if the weights are local.

    Raises:
        CheckpointError: There are no readable weights, or others than before.
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
    if row.parameter_count is None:
        row.parameter_count = count_parameters(uri)
        row.save(update_fields=["parameter_count"])
    return row


@transaction.atomic
def set_apart(*, uri: str, digest: str) -> str:
    """Free an address for the weights with `digest`, which a new version brings.

    Rows that use the earlier weights keep naming them, by another address:
    `starter/policy-1a2b3c4d5e6f`. Returns that address, "" if none changed.
    """
    earlier = Checkpoint.objects.filter(uri=uri).exclude(digest=digest).first()
    if earlier is None:
        return ""
    apart = f"{uri}-{earlier.digest[:12]}"
    if known := Checkpoint.objects.filter(uri=apart).first():
        # The version was changed, and changed back.
        earlier.children.update(parent=known)
        earlier.delete()
    else:
        Checkpoint.objects.filter(pk=earlier.pk).update(uri=apart)
    rename_weights(old=uri, new=apart)
    return apart


def verify_checkpoint(*, uri: str) -> None:
    """Compare an address with its registered digest, if it has one.

    Raises:
        CheckpointError: There are no readable weights, or others than before.
    """
    digest = read_digest(uri)
    known = Checkpoint.objects.filter(uri=uri).values_list("digest", flat=True).first()
    if known is not None and known != digest:
        raise CheckpointError(f"{uri} has changed since it was registered.")
