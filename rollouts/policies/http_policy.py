"""A policy served over an OpenAI-compatible endpoint: `http://host:port/v1#model`."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import http
import itertools
import logging
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal
from urllib.parse import urldefrag, urlsplit

import httpx

from curriculum.evolution.bounded_answers import bound_answers
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
from rollouts.policies.served_prompts import Prompt, PromptOptions, compose
from rollouts.policies.sglang_calls import generate_body, read_generated

logger = logging.getLogger(__name__)

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
# Statuses with which servers refuse an unknown field.
REFUSED = frozenset({400, 422})
# Fields that request the answer's tokens; the last are only vLLM's and are dropped
# first. The older of the two writes the ids in place of the tokens' texts.
_TOKEN_FIELDS: tuple[tuple[str, ...], ...] = (
    ("logprobs",),
    ("return_token_ids", "return_tokens_as_token_ids"),
)
# Draw from the whole distribution. A server takes what is not given from the model's
# generation_config.json: then no episode would be drawn from the policy that is
# trained, and the log-probabilities, of the whole one, would not show it.
WHOLE: dict[str, float] = {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}


@dataclasses.dataclass(frozen=True, slots=True)
class HttpPolicyOptions(PromptOptions):
    """How the endpoint is called, apart from the prompt.

    Attributes:
        temperature: Sampling temperature; 0 is greedy.
        max_action_tokens: Longest answer.
        api_key: Sent as a bearer token to this endpoint alone; "" for none.
        private_hosts: Hosts without a public address that the operator allows.
        timeout_s: Longest wait for an answer to begin, and then for its end.
        connect_timeout_s: Longest wait for a connection: a host that is down does not
            refuse, it stays silent.
        attempts: Most tries for one answer.
        longest_pause_s: Longest wait between two tries. An endpoint that asks for a
            longer one is given up at once.
        concurrency: Requests that run at once.
        api: Which call sends token ids: OpenAI's, or SGLang's.
        asks_tokens: Request the answer's token ids and log-probabilities; after a
            server refuses, they are no longer requested.
        is_trained_here: The server acts with weights that are trained here, and so
            must draw from their whole distribution.
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
    api: Literal["openai", "sglang"] = "openai"
    asks_tokens: bool = True
    is_trained_here: bool = False


class HttpPolicy:
    """Asks one model of one endpoint; satisfies `protocol.ConcurrentPolicy`."""

    def __init__(
        self,
        uri: str,
        options: HttpPolicyOptions | None = None,
        *,
        pause: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`uri` is the API's base address, with the model's name after `#`."""
        base_url, model = urldefrag(uri)
        if urlsplit(base_url).scheme not in ("http", "https") or not model:
            raise ValueError(f"expected http(s)://host/v1#model, not {uri!r}")
        self._model = model
        self._options = options or HttpPolicyOptions()
        self._extras = _TOKEN_FIELDS if self._options.asks_tokens else ()
        if self._options.is_trained_here:
            # Not OpenAI's either, like the ids.
            self._extras = (*self._extras, (*WHOLE, "stop_token_ids"))
        self._pause = pause
        self._clock = clock
        key = self._options.api_key
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(
                self._options.timeout_s, connect=self._options.connect_timeout_s
            ),
            limits=httpx.Limits(max_connections=self._options.concurrency),
            follow_redirects=False,
            event_hooks=bound_answers(self._options.timeout_s, clock=clock),
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
        return self.ask(compose(request, self._options), request.seed)

    def ask(self, prompt: Prompt, seed: int) -> PolicyAnswer:
        """Answer one prompt; may be called from several threads at once.

        Raises:
            PolicyFailed: The endpoint refused, or gave no answer after all tries.
        """
        asked = reason = ""
        kind: type[PolicyFailed] = PolicyUnavailable
        began, waited_s = self._clock(), 0.0
        for attempt in range(self._options.attempts):
            if attempt:
                self._pause(self._pause_s(attempt, asked))
                waited_s = self._clock() - began
            try:
                response = self._send(prompt, seed)
            except AddressRefused as error:
                raise PolicyFailed(str(error)) from None
            except httpx.RequestError as error:
                asked, reason = "", _describe_failure(error)
                kind = PolicyUnavailable
                continue
            if response.status_code in RETRIED:
                asked = response.headers.get("Retry-After", "")
                reason = f"status {response.status_code}"
                kind = PolicyUnavailable
                self._check_wait(asked, response.status_code)
                continue
            if response.is_error:
                # The user who typed the address must not read the answer of an
                # arbitrary host.
                logger.warning("The policy's endpoint said %.300r", response.text)
                told = Sentence(
                    "model_refused",
                    address=self._address,
                    status=response.status_code,
                    reason=_name_status(response.status_code),
                )
                raise PolicyFailed(told)
            read = read_generated if self._is_native(prompt) else read_answer
            answer = read(response)
            if answer is not None:
                return dataclasses.replace(answer, waited_s=waited_s)
            asked, reason = "", "the answer is no completion"
            kind = PolicyFailed
        if read_retry_after(asked) is not None:
            # The next caller, perhaps another worker, has to wait as well.
            self._pause(self._pause_s(self._options.attempts, asked))
        told = Sentence(
            "model_silent",
            address=self._address,
            count=self._options.attempts,
            reason=reason,
        )
        raise kind(told)

    def _check_wait(self, asked: str, status: int) -> None:
        """Give up if the endpoint asks for a wait that is too long for an episode."""
        wait_s = read_retry_after(asked) or 0.0
        if wait_s > self._options.longest_pause_s:
            told = Sentence("model_busy", address=self._address, status=status)
            raise PolicyUnavailable(told, wait_s=wait_s)

    @property
    def _address(self) -> str:
        """The endpoint for messages, without a name and password in its address."""
        url = self._client.base_url
        return f"{url.scheme}://{url.netloc.decode()}{url.path.rstrip('/')}"

    def _is_native(self, prompt: Prompt) -> bool:
        return bool(prompt.ids) and self._options.api == "sglang"

    def _send(self, prompt: Prompt, seed: int) -> httpx.Response:
        if not self._is_native(prompt):
            return self._post(prompt, prompt.body() | self._sampling(seed))
        body = generate_body(
            prompt.ids,
            self._model,
            temperature=self._options.temperature,
            max_tokens=self._options.max_action_tokens,
            more=self._more(prompt),
        )
        root = str(self._client.base_url).rstrip("/").removesuffix("/v1")
        return self._client.post(f"{root}/generate", json=body)

    def _more(self, prompt: Prompt) -> dict[str, Any]:
        """What makes a server draw as a checkpoint does that acts on this machine."""
        if not self._options.is_trained_here:
            return {}
        ends = {"stop_token_ids": list(prompt.ends)} if prompt.ends else {}
        return {"top_p": 1.0, **WHOLE, **ends}

    def _post(self, prompt: Prompt, body: dict[str, Any]) -> httpx.Response:
        """Add the fields that are not every server's, except those that it refuses."""
        # A number for completions, a flag for chat completions; 0 means only the
        # sampled token.
        values: dict[str, Any] = {
            "logprobs": 0 if prompt.path == "completions" else True,
            "return_token_ids": True,
            "return_tokens_as_token_ids": True,
            **self._more(prompt),
        }
        extras = self._extras
        while True:
            names = itertools.chain(*extras)
            asked = body | {name: values[name] for name in names if name in values}
            response = self._client.post(prompt.path, json=asked)
            if response.status_code not in REFUSED or not extras:
                break
            extras = extras[:-1]
        if response.is_success:
            self._extras = extras
        return response

    def _sampling(self, seed: int) -> dict[str, Any]:
        return {
            "model": self._model,
            "temperature": self._options.temperature,
            "max_tokens": self._options.max_action_tokens,
            "seed": seed & 0x7FFFFFFF,
            **({"top_p": 1.0} if self._options.is_trained_here else {}),
        }

    def _pause_s(self, attempt: int, asked: str) -> float:
        limit = self._options.longest_pause_s
        wanted = read_retry_after(asked)
        if wanted is None:
            wanted = 0.5 * 2**attempt
        return min(wanted, limit) * random.uniform(1.0, 1.25)


def _name_status(code: int) -> str:
    """Return the standard's phrase for a status, not the server's."""
    known = {status.value: status.phrase for status in http.HTTPStatus}
    return known.get(code, "unknown")


def _describe_failure(error: httpx.RequestError) -> str:
    """Say why there was no answer; a protocol error would quote the server."""
    if isinstance(error, httpx.ProtocolError | httpx.DecodingError):
        return type(error).__name__
    return str(error) or type(error).__name__
