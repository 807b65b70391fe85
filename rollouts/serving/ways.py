"""The ways to give a server new weights, one function each. No Django here.

Each may run twice: steps that an earlier try has completed are not repeated.

The calls are those of vLLM 0.6 and later (`/v1/load_lora_adapter`, with
VLLM_ALLOW_RUNTIME_LORA_UPDATING set there) and of SGLang 0.4 and later
(`/load_lora_adapter`, `/update_weights_from_disk`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urldefrag

import httpx

from curriculum.texts.sentences import Sentence
from rollouts.serving.types import Endpoint, HandOverFailed, HandOverStopped, Weights
from rollouts.site_settings.site_reset import (
    ResetFailed,
    ResetStopped,
    run_command,
)

logger = logging.getLogger(__name__)

# Seconds between two polls of a server that restarts.
ASK_EVERY_S = 2.0
ANSWER_S = 10.0
MustStop = Callable[[], bool]


class Server:
    """One server, polled until a deadline."""

    def __init__(
        self, served_uri: str, endpoint: Endpoint, must_stop: MustStop
    ) -> None:
        """`served_uri` is the model that it serves now."""
        self.url, self.model = urldefrag(served_uri)
        self.endpoint, self.must_stop = endpoint, must_stop
        self.deadline = time.monotonic() + endpoint.deadline_s

    @property
    def root(self) -> str:
        """The address without the common part of OpenAI's calls."""
        return self.url.removesuffix("/v1")

    def post(self, url: str, body: Mapping[str, Any]) -> None:
        """Send one call that must succeed.

        Raises:
            HandOverFailed: The server refused, or did not answer.
        """
        try:
            answer = self._request("POST", url, max(self._left(), 0.1), body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise HandOverFailed(_silent(self.url, error)) from error
        if answer.is_error or _says_no(answer):
            logger.warning("%s said %.500r", url, answer.text)
            call = f"POST {url.removeprefix(self.root)}"
            told = Sentence("call_refused", call=call, status=answer.status_code)
            raise HandOverFailed(told)

    def lists(self, model: str) -> bool:
        """Say whether the server lists the model; False if it does not answer."""
        try:
            answer = self._request("GET", f"{self.url}/models", ANSWER_S)
            models = answer.json()["data"]
            return any(model == one["id"] for one in models)
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            return False

    def await_model(self, model: str) -> None:
        """Wait until the server lists the model.

        Raises:
            HandOverFailed: It does not by the deadline.
            HandOverStopped: The stage is over.
        """
        while not self.lists(model):
            if self.must_stop():
                raise HandOverStopped
            if self._left() <= 0:
                seconds = f"{self.endpoint.deadline_s:g}"
                figures = {"address": self.url, "model": model, "seconds": seconds}
                raise HandOverFailed(Sentence("model_missing", **figures))
            time.sleep(min(ASK_EVERY_S, max(self._left(), 0.0)))

    def run(self, command: tuple[str, ...]) -> None:
        """Run the operator's command to its end.

        Raises:
            HandOverFailed: It cannot be started, failed, or did not end in time.
            HandOverStopped: The stage is over; the command is killed.
        """
        try:
            code = run_command(command, self.deadline, self.must_stop)
        except ResetStopped:
            raise HandOverStopped from None
        except ResetFailed as error:
            raise HandOverFailed(str(error)) from error
        if code is None:
            seconds = f"{self.endpoint.deadline_s:g}"
            raise HandOverFailed(Sentence("reload_late", seconds=seconds))
        if code != 0:
            raise HandOverFailed(Sentence("reload_ended", exit_code=code))

    def _request(
        self, method: str, url: str, seconds: float, body: Any = None
    ) -> httpx.Response:
        key = self.endpoint.api_key
        return httpx.request(
            method,
            url,
            json=body,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=seconds,
            trust_env=False,
        )

    def _left(self) -> float:
        return self.deadline - time.monotonic()


def hand_over(
    served_uri: str, endpoint: Endpoint, weights: Weights, must_stop: MustStop
) -> str:
    """Make the server act with the weights; return the served model's address.

    Raises:
        HandOverFailed: It does not; the message says why.
        HandOverStopped: `must_stop` said so.
    """
    server = Server(served_uri, endpoint, must_stop)
    model = WAYS[endpoint.hand_over](server, weights)
    return f"{server.url}#{model}"


def _load_vllm_adapter(server: Server, weights: Weights) -> str:
    _require_adapter(weights)
    if not server.lists(weights.name):
        body = {"lora_name": weights.name, "lora_path": weights.adapter}
        server.post(f"{server.url}/load_lora_adapter", body)
        server.await_model(weights.name)
    return weights.name


def _load_sglang_adapter(server: Server, weights: Weights) -> str:
    """SGLang's requests name an adapter as `base:adapter`."""
    _require_adapter(weights)
    if not server.lists(weights.name):
        body = {"lora_name": weights.name, "lora_path": weights.adapter}
        server.post(f"{server.root}/load_lora_adapter", body)
    return f"{server.model.partition(':')[0]}:{weights.name}"


def _update_sglang_weights(server: Server, weights: Weights) -> str:
    """Update the weights; loading the same ones again changes nothing."""
    body = {"model_path": weights.folder, "weight_version": weights.digest}
    server.post(f"{server.root}/update_weights_from_disk", body)
    return server.model


def _run_command(server: Server, weights: Weights) -> str:
    """Run the operator's command, which may restart the server and take minutes."""
    values = {
        "{weights}": weights.folder,
        "{adapter}": weights.adapter,
        "{digest}": weights.digest,
        "{name}": weights.name,
        "{model}": server.model,
    }
    server.run(tuple(_fill(part, values) for part in server.endpoint.command))
    server.await_model(server.model)
    return server.model


WAYS: Mapping[str, Callable[[Server, Weights], str]] = {
    "vllm_adapter": _load_vllm_adapter,
    "sglang_adapter": _load_sglang_adapter,
    "sglang_weights": _update_sglang_weights,
    "command": _run_command,
}


def _fill(part: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        part = part.replace(name, value)
    return part


def _require_adapter(weights: Weights) -> None:
    if not weights.adapter:
        raise HandOverFailed(Sentence("no_adapter"))


def _says_no(answer: httpx.Response) -> bool:
    """Return whether the body reports a failure, as SGLang's does; vLLM's is text."""
    try:
        told = answer.json()
    except ValueError:
        return False
    return isinstance(told, dict) and told.get("success") is False


def _silent(address: str, error: Exception) -> Sentence:
    reason = str(error) or type(error).__name__
    return Sentence("server_silent", address=address, reason=reason)
