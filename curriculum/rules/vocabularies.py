"""Whether two checkpoints number their tokens alike.

A critic reads the token ids of the policy. One that was made for other ids would load
and train without an error, and its values would mean nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from django.utils.translation import gettext

from curriculum.errors import CheckpointError
from curriculum.rules.checkpoints import is_served, read_file

TOKENIZER = "tokenizer.json"
# Llama 3.1's file has 17 MB; a larger one is not read here.
MAX_BYTES = 64 * 2**20


def check_same_vocabulary(policy_uri: str, critic_uri: str) -> None:
    """Refuse a critic that numbers tokens in another way than the policy.

    Nothing is checked for a served policy, which is never trained, nor where a
    `tokenizer.json` is missing or cannot be read.

    Raises:
        CheckpointError: One is missing, the critic is served, or the vocabularies
            differ.
    """
    if is_served(policy_uri):
        return
    if is_served(critic_uri):
        raise CheckpointError(
            gettext(
                "%(uri)r is served: a critic must be in a folder under "
                "var/checkpoints/."
            )
            % {"uri": critic_uri}
        )
    policy, critic = (read_vocabulary(uri) for uri in (policy_uri, critic_uri))
    if policy and critic and policy != critic:
        raise CheckpointError(
            gettext(
                "%(critic)r and %(policy)r have different vocabularies: "
                "choose a critic made from the same base model."
            )
            % {"critic": critic_uri, "policy": policy_uri}
        )


def read_vocabulary(uri: str) -> Mapping[str, int]:
    """Return the ids of all tokens; {} where they cannot be read.

    Added tokens, such as a padding token of one of the two, are left out: they change
    no other id.
    """
    data = read_file(uri, TOKENIZER, MAX_BYTES)
    try:
        found = json.loads(data or b"")["model"]["vocab"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    # Unigram models list pairs of token and score.
    if isinstance(found, list):
        return {str(pair): place for place, pair in enumerate(found)}
    return found if isinstance(found, dict) else {}
