"""Which models may be served: a policy that is trained, but no reward model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urldefrag

from django.utils.translation import gettext

from curriculum.errors import CheckpointError
from curriculum.rules.checkpoints import check_checkpoint, is_served


def check_served(served_uri: str, policy_uri: str, rollout: Mapping[str, Any]) -> None:
    """Refuse a served model that a run could not train.

    Args:
        served_uri: `http(s)://host/v1#model`.
        policy_uri: The checkpoint of this machine that the server serves.
        rollout: That section of the run's settings.

    Raises:
        CheckpointError: The message says what to change.
    """
    if not is_served(served_uri) or not urldefrag(served_uri).fragment:
        raise CheckpointError(
            gettext(
                "%(uri)r does not name a served model: write the server's "
                "address and the model's name, as in "
                "http://host:8000/v1#model."
            )
            % {"uri": served_uri}
        )
    check_checkpoint(served_uri)
    if is_served(policy_uri):
        raise CheckpointError(
            gettext(
                "A served policy is trained here: name the checkpoint that the server "
                "serves as the policy, a folder under models/ or var/checkpoints/."
            )
        )
    if rollout.get("action_dialect") == "tools":
        raise CheckpointError(
            gettext(
                "Tool calls cannot be trained: set action_dialect to another value for "
                "a served policy that is trained."
            )
        )


def check_reward_model(policy_uri: str, orm_uri: str) -> None:
    """Refuse a served reward model, before the rollouts rather than after them.

    It is allowed with a served policy: nothing is scored there.

    Raises:
        CheckpointError: The message says where it must be.
    """
    if is_served(orm_uri) and not is_served(policy_uri):
        raise CheckpointError(
            gettext(
                "%(uri)r is served: a reward model must be in a folder under "
                "models/ or var/checkpoints/."
            )
            % {"uri": orm_uri}
        )
