"""What acts in a stage: a checkpoint of this machine, or a server with its weights."""

from __future__ import annotations

import dataclasses
import functools

from curriculum.errors import PhasePaused
from curriculum.models import Phase
from curriculum.rules.checkpoints import find_here, is_served, read_digest
from curriculum.texts.sentences import Sentence
from rollouts.models import HandOver


@dataclasses.dataclass(frozen=True, slots=True)
class Acting:
    """What acts.

    Attributes:
        uri: The served model, or the checkpoint.
        weights_uri: The checkpoint; "" where only a server has the weights.
        digest: Of the checkpoint's files; "" where only a server has them.
    """

    uri: str
    weights_uri: str
    digest: str


def find_acting(phase: Phase, stage: str) -> Acting:
    """Return what acts in the phase's stage.

    Raises:
        CheckpointError: The checkpoint cannot be read.
        PhasePaused: The server acts with the weights of another hand-over.
    """
    is_trained = stage == Phase.Status.EVALUATING
    weights = phase.next_policy_uri if is_trained else phase.policy_uri
    served = phase.next_served_uri if is_trained else phase.served_uri
    if is_served(weights):
        return Acting(weights, "", "")
    acting = Acting(served or weights, weights, digest_checkpoint(weights))
    check_server(acting)
    return acting


def digest_checkpoint(uri: str) -> str:
    """Return the digest of a checkpoint's files; changed files are read again.

    Raises:
        CheckpointError: There is no readable checkpoint.
    """
    folder = find_here(uri)
    if folder is None:
        return read_digest(uri)
    files = sorted(folder.iterdir())
    stats = [(path.name, path.stat()) for path in files]
    stamp = tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)
    return _digest_once(uri, stamp)


@functools.lru_cache(maxsize=16)
def _digest_once(uri: str, stamp: tuple[tuple[str, int, int], ...]) -> str:
    return read_digest(uri)


def check_server(acting: Acting) -> None:
    """Refuse a server that has since been given other weights.

    Raises:
        PhasePaused: It has been.
    """
    if acting.uri == acting.weights_uri or not acting.weights_uri:
        return
    done = HandOver.objects.filter(
        served_uri=acting.uri, state=HandOver.State.DONE, ended_at__isnull=False
    )
    newest = done.select_related("phase__run").order_by("-ended_at", "-pk").first()
    if newest is not None and newest.digest != acting.digest:
        figures = {"phase": str(newest.phase), "uri": acting.weights_uri}
        raise PhasePaused(Sentence("weights_replaced", served=acting.uri, **figures))
