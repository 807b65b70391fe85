"""A policy served over an OpenAI-compatible endpoint: `http://host:port/v1#model`."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import http
import logging
import random
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urldefrag, urlsplit

import httpx

from curriculum.rules.public_addresses import AddressRefused
from curriculum.rules.retry_after import read_retry_after
from curriculum.texts.sentences import Sentence
from rollouts.policies.guarded_transport import GuardedTransport
from rollouts.policies.http_answers import read_answer
from rollouts.policies.protocol import (
    PolicyAnswer,
    PolicyFailed,
    PolicyRequest,
    PolicyUnavailable,
)
from rollouts.policies.served_prompts import PromptOptions, compose

logger = logging.getLogger(__name__)

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
# How servers refuse a field that they do not know.
REFUSED = frozenset({400, 422})
# What tells the answer's tokens; the last is vLLM's alone and is given up first.
_TOKEN_FIELDS: tuple[str, ...] = ("logprobs", "return_token_ids")


@dataclasses.dataclass(frozen=True, slots=True)
class HttpPolicyOptions(PromptOptions):
    """How the endpoint is asked, beside what the model is told.

    Attributes:
        temperature: Sampling temperature; 0 is greedy.
        max_action_tokens: Longest answer.
        api_key: Sent as a bearer token to this endpoint alone; "" for none.
        private_hosts: Hosts without a public address that the operator allows.
        timeout_s: Longest wait for one answer.
        connect_timeout_s: Longest wait for a connection: a host that is gone does not
            refuse, it stays silent.
        attempts: Most tries for one answer.
        longest_pause_s: Longest wait between two tries.
        concurrency: Requests that run at once.
        asks_tokens: Ask for the answer's token ids and log-probabilities; a server
            that refuses is asked without from then on.
    """

    temperature: float = 1.0
    max_action_tokens: int = 512
    api_key: str = dataclasses.field(default="", repr=False)
    private_hosts: tuple[str, ...] = ()
    timeout_s: float = 120.0
    connect_timeout_s: float = 10.0
    attempts: int = 5
    longest_pause_s: float = 60.0
    concurrency: int = 64
    asks_tokens: bool = True


class HttpPolicy:
    """Asks one model of one endpoint; satisfies `protocol.ConcurrentPolicy`."""

    def __init__(
        self,
        uri: str,
        options: HttpPolicyOptions | None = None,
        *,
        pause: Callable[[float], None] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`uri` is the API's base address, with the model's name after `#`."""
        base_url, model = urldefrag(uri)
        if urlsplit(base_url).scheme not in ("http", "https") or not model:
            raise ValueError(f"expected http(s)://host/v1#model, not {uri!r}")
        self._model = model
        self._options = options or HttpPolicyOptions()
        self._extras = _TOKEN_FIELDS if self._options.asks_tokens else ()
        self._pause = pause
        key = self._options.api_key
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(
                self._options.timeout_s, connect=self._options.connect_timeout_s
            ),
            limits=httpx.Limits(max_connections=self._options.concurrency),
            follow_redirects=False,
            transport=transport or GuardedTransport(self._options.private_hosts),
        )
        self._threads = concurrent.futures.ThreadPoolExecutor(
            self._options.concurrency, "http-policy"
        )

    @property
    def concurrency(self) -> int:
        """Requests that may run at once."""
        return self._options.concurrency

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Answer every request, in order; they run at the same time."""
        return list(self._threads.map(self.answer, requests))

    def close(self) -> None:
        """Drop the connections."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._client.close()

    def answer(self, request: PolicyRequest) -> PolicyAnswer:
        """Answer one request; may be called from several threads at once.

        Raises:
            PolicyFailed: The endpoint refused, or gave no answer after all tries.
        """
        prompt = compose(request, self._options)
        body = prompt.body() | self._sampling(request)
        asked = reason = ""
        kind: type[PolicyFailed] = PolicyUnavailable
        for attempt in range(self._options.attempts):
            if attempt:
                self._pause(self._pause_s(attempt, asked))
            try:
                response = self._post(prompt.path, body)
            except AddressRefused as error:
                raise PolicyFailed(str(error)) from None
            except httpx.TransportError as error:
                asked, reason = "", _describe_failure(error)
                kind = PolicyUnavailable
                continue
            if response.status_code in RETRIED:
                asked = response.headers.get("Retry-After", "")
                reason = f"status {response.status_code}"
                kind = PolicyUnavailable
                continue
            if response.is_error:
                # Whoever typed the address must not read what answers there.
                logger.warning("The policy's endpoint said %.300r", response.text)
                told = Sentence(
                    "model_refused",
                    address=self._address,
                    status=response.status_code,
                    reason=_name_status(response.status_code),
                )
                raise PolicyFailed(told)
            answer = read_answer(response)
            if answer is not None:
                return answer
            asked, reason = "", "the answer is no completion"
            kind = PolicyFailed
        told = Sentence(
            "model_silent",
            address=self._address,
            count=self._options.attempts,
            reason=reason,
        )
        raise kind(told)

    @property
    def _address(self) -> str:
        """The endpoint for messages, without a name and password that it may hold."""
        url = self._client.base_url
        return f"{url.scheme}://{url.netloc.decode()}{url.path.rstrip('/')}"

    def _post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        """Ask for the tokens as well, as far as the server has not refused that."""
        # A number for completions, a flag for chat completions; 0 is the sampled
        # token alone.
        values = {"logprobs": 0 if path == "completions" else True}
        values["return_token_ids"] = True
        extras = self._extras
        while True:
            asked = body | {name: values[name] for name in extras}
            response = self._client.post(path, json=asked)
            if response.status_code not in REFUSED or not extras:
                break
            extras = extras[:-1]
        if response.is_success:
            self._extras = extras
        return response

    def _sampling(self, request: PolicyRequest) -> dict[str, Any]:
        return {
            "model": self._model,
            "temperature": self._options.temperature,
            "max_tokens": self._options.max_action_tokens,
            "seed": request.seed & 0x7FFFFFFF,
        }

    def _pause_s(self, attempt: int, asked: str) -> float:
        limit = self._options.longest_pause_s
        wanted = read_retry_after(asked)
        if wanted is None:
            wanted = 0.5 * 2**attempt
        return min(wanted, limit) * random.uniform(1.0, 1.25)


def _name_status(code: int) -> str:
    """Return the standard's words for a status, not the server's."""
    known = {status.value: status.phrase for status in http.HTTPStatus}
    return known.get(code, "unknown")


def _describe_failure(error: httpx.TransportError) -> str:
    """Say why nothing came; what broke the protocol would quote the server."""
    if isinstance(error, httpx.ProtocolError):
        return type(error).__name__
    return str(error) or type(error).__name__
