"""A policy served over an OpenAI-compatible endpoint: `http://host:port/v1#model`."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import email.utils
import http
import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urldefrag, urlsplit

import httpx

from curriculum.rules.public_addresses import AddressRefused
from rollouts.browser.actions.dialects import DialectName
from rollouts.browser.observation.page_script import Form
from rollouts.policies.guarded_transport import GuardedTransport
from rollouts.policies.prompts import OLD_PAGES, Message, build_messages, system_prompt
from rollouts.policies.protocol import PolicyAnswer, PolicyFailed, PolicyRequest

logger = logging.getLogger(__name__)

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
# Characters of a prompt that one of its tokens stands for, at least.
CHARACTERS_PER_TOKEN = 3


@dataclasses.dataclass(frozen=True, slots=True)
class HttpPolicyOptions:
    """How the endpoint is asked.

    Attributes:
        temperature: Sampling temperature; 0 is greedy.
        max_prompt_tokens: Longest prompt; the current page is cut to fit.
        max_action_tokens: Longest answer.
        api_key: Sent as a bearer token to this endpoint alone; "" for none.
        private_hosts: Hosts without a public address that the operator allows.
        timeout_s: Longest wait for one answer.
        attempts: Most tries for one answer.
        longest_pause_s: Longest wait between two tries.
        concurrency: Requests of one batch that run at once.
        with_manual: Explain pages and actions first; off for models trained on them.
        observation: What the pages are written as.
        action_dialect: What the actions are written as.
        with_log_probabilities: Ask for the log-probabilities of the answer.
    """

    temperature: float = 1.0
    max_prompt_tokens: int = 16_384
    max_action_tokens: int = 512
    api_key: str = dataclasses.field(default="", repr=False)
    private_hosts: tuple[str, ...] = ()
    timeout_s: float = 120.0
    attempts: int = 5
    longest_pause_s: float = 60.0
    concurrency: int = 16
    with_manual: bool = True
    observation: Form = "compact"
    action_dialect: DialectName = "webrl"
    with_log_probabilities: bool = False


class HttpPolicy:
    """Asks one model of one endpoint; satisfies `rollouts.policies.protocol.Policy`."""

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
        self._pause = pause
        key = self._options.api_key
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=self._options.timeout_s,
            follow_redirects=False,
            transport=transport or GuardedTransport(self._options.private_hosts),
        )
        self._threads = concurrent.futures.ThreadPoolExecutor(
            self._options.concurrency, "http-policy"
        )

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Answer every request, in order; they run at the same time."""
        return list(self._threads.map(self._answer, requests))

    def close(self) -> None:
        """Drop the connections."""
        self._threads.shutdown(cancel_futures=True)
        self._client.close()

    def _answer(self, request: PolicyRequest) -> PolicyAnswer:
        body = self._body(request)
        asked = reason = ""
        for attempt in range(self._options.attempts):
            if attempt:
                self._pause(self._pause_s(attempt, asked))
            try:
                response = self._client.post("chat/completions", json=body)
            except AddressRefused as error:
                raise PolicyFailed(str(error)) from None
            except httpx.TransportError as error:
                asked, reason = "", _describe_failure(error)
                continue
            if response.status_code in RETRIED:
                asked = response.headers.get("Retry-After", "")
                reason = f"status {response.status_code}"
                continue
            if response.is_error:
                # Whoever typed the address must not read what answers there.
                logger.warning("The policy's endpoint said %.300r", response.text)
                raise PolicyFailed(
                    f"The model at {self._address} refused with status "
                    f"{response.status_code}: {_name_status(response.status_code)}"
                )
            answer = _read_answer(response)
            if answer is not None:
                return answer
            asked, reason = "", "the answer is not a chat completion"
        raise PolicyFailed(
            f"The model at {self._address} gave no answer in "
            f"{self._options.attempts} tries: {reason}"
        )

    @property
    def _address(self) -> str:
        """The endpoint for messages, without a name and password that it may hold."""
        url = self._client.base_url
        return f"{url.scheme}://{url.netloc.decode()}{url.path.rstrip('/')}"

    def _body(self, request: PolicyRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": compose_messages(request, self._options),
            "temperature": self._options.temperature,
            "max_tokens": self._options.max_action_tokens,
            "seed": request.seed & 0x7FFFFFFF,
        }
        if self._options.with_log_probabilities:
            body["logprobs"] = True
        return body

    def _pause_s(self, attempt: int, asked: str) -> float:
        limit = self._options.longest_pause_s
        wanted = _retry_after_s(asked)
        if wanted is None:
            wanted = 0.5 * 2**attempt
        return min(wanted, limit) * random.uniform(1.0, 1.25)


def compose_messages(
    request: PolicyRequest, options: HttpPolicyOptions
) -> list[Message]:
    """Return the conversation as it is sent: manual, history, the page cut to fit."""
    head: list[Message] = []
    if options.with_manual:
        text = system_prompt(options.observation, options.action_dialect)
        head.append({"role": "system", "content": text})
    budget = options.max_prompt_tokens * CHARACTERS_PER_TOKEN
    rest = build_messages(
        request.instruction,
        request.history,
        request.errors,
        "",
        old_page=OLD_PAGES[options.observation],
    )
    used = sum(len(message["content"]) for message in head + rest)
    page = request.observation[: max(budget - used, 0)]
    rest[-1] = {"role": "user", "content": page}
    return head + rest


def _name_status(code: int) -> str:
    """Return the standard's words for a status, not the server's."""
    known = {status.value: status.phrase for status in http.HTTPStatus}
    return known.get(code, "unknown")


def _describe_failure(error: httpx.TransportError) -> str:
    """Say why nothing came; what broke the protocol would quote the server."""
    if isinstance(error, httpx.ProtocolError):
        return type(error).__name__
    return str(error) or type(error).__name__


def _retry_after_s(text: str) -> float | None:
    """Read a Retry-After header: seconds or a date."""
    if text.strip().isdigit():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(moment.timestamp() - time.time(), 0.0)


def _read_answer(response: httpx.Response) -> PolicyAnswer | None:
    try:
        choice = response.json()["choices"][0]
        text = choice["message"].get("content") or ""
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None
    if not isinstance(text, str):
        return None
    tokens = _token_log_probabilities(choice)
    if not tokens:
        return PolicyAnswer(text)
    return PolicyAnswer(text, log_probability=sum(tokens), token_count=len(tokens))


def _token_log_probabilities(choice: Mapping[str, Any]) -> list[float]:
    try:
        return [float(token["logprob"]) for token in choice["logprobs"]["content"]]
    except (KeyError, TypeError, ValueError):
        return []
