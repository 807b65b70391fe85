"""A server that acts with weights trained here; its prompts are those of training.

A server that applies its own template, limits and cleaning to messages may get a prompt
that differs from training's by a token. So it is sent token ids, and its answer's ids
are decoded here.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence

from rollouts.policies.http_policy import HttpPolicy
from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from rollouts.policies.served_prompts import Prompt
from training.rl.encoding import Encoder, PromptTooLong


class TokenPolicy:
    """Satisfies `rollouts.policies.protocol.ConcurrentPolicy` with a server."""

    def __init__(self, server: HttpPolicy, encoder: Encoder) -> None:
        """`encoder` has the tokenizer of the weights that the server acts with."""
        self._server = server
        self._encoder = encoder
        # A fast tokenizer serves one thread at a time.
        self._lock = threading.Lock()

    @property
    def concurrency(self) -> int:
        """Requests that may run at once."""
        return self._server.concurrency

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Answer every request, in order."""
        return [self.answer(request) for request in requests]

    def answer(self, request: PolicyRequest) -> PolicyAnswer:
        """Answer one request; may be called from several threads at once.

        If instruction and history alone exceed the prompt, the answer is empty, as with
        a local checkpoint.

        Raises:
            PolicyFailed: The endpoint refused, or gave no answer after all tries.
        """
        try:
            with self._lock:
                ids = self._encoder.encode_prompt(
                    request.instruction,
                    request.history,
                    request.errors,
                    request.observation,
                )
        except PromptTooLong:
            return PolicyAnswer("", 0.0, 0)
        prompt = Prompt(ids=tuple(ids), ends=(self._encoder.end_id,))
        answer = self._server.ask(prompt, request.seed)
        return self._decode(answer)

    def close(self) -> None:
        """Drop the connections."""
        self._server.close()

    def _decode(self, answer: PolicyAnswer) -> PolicyAnswer:
        """Decode the answer; ids of another tokenizer are dropped, the text is kept."""
        with self._lock:
            if not self._encoder.knows(answer.token_ids):
                return dataclasses.replace(
                    answer, token_ids=(), token_log_probabilities=()
                )
            text = self._encoder.decode_action(answer.token_ids)
        return dataclasses.replace(answer, output=text)
