"""What the environment calls: the sandbox's control API over HTTP."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from curriculum.texts.sentences import Sentence


class SandboxError(RuntimeError):
    """The sandbox refused a call or could not be reached."""


class SandboxAway(SandboxError):
    """It could not be reached; it may be starting again."""


@dataclasses.dataclass(frozen=True, slots=True)
class OpenEpisode:
    """An episode on the sandbox: its token and the origin of each of its sites."""

    token: str
    origins: dict[str, str]


class SandboxClient:
    """Opens, reads, forks and closes episodes."""

    def __init__(
        self,
        control_url: str,
        *,
        timeout_s: float = 10.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Bind the control listener's address, e.g. http://127.0.0.1:8011."""
        self._http = httpx.AsyncClient(
            base_url=control_url,
            timeout=timeout_s,
            trust_env=False,
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        """Use as `async with`."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Drop the connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Drop the connections; open episodes stay open."""
        await self._http.aclose()

    async def open(self, sites: Sequence[str]) -> OpenEpisode:
        """Open an episode on `sites`, each as at its start."""
        return _opened(await self._call("POST", "/episodes", {"sites": list(sites)}))

    async def fork(self, token: str) -> OpenEpisode:
        """Open a second episode in the same state."""
        return _opened(await self._call("POST", f"/episodes/{token}/fork"))

    async def state(self, token: str) -> dict[str, Any]:
        """What the episode has changed, per site."""
        state: dict[str, Any] = await self._call("GET", f"/episodes/{token}/state")
        return state

    async def place(self, token: str) -> str:
        """Address of the page that was opened last, "" for none."""
        answer = await self._call("GET", f"/episodes/{token}/place")
        return str(answer["url"])

    async def close(self, token: str) -> None:
        """Forget the episode."""
        await self._call("DELETE", f"/episodes/{token}")

    async def _call(self, method: str, path: str, body: object = None) -> Any:
        try:
            response = await self._send(method, path, body)
        except httpx.HTTPError as error:
            told = Sentence("sandbox_silent", reason=repr(error))
            raise SandboxAway(told) from error
        if response.is_error:
            raise SandboxError(f"{method} {path}: {response.text}")
        return response.json() if response.content else None

    async def _send(self, method: str, path: str, body: object) -> httpx.Response:
        """Retry on a new connection if the server had just dropped the idle one."""
        try:
            return await self._http.request(method, path, json=body)
        except (httpx.ReadError, httpx.RemoteProtocolError):
            return await self._http.request(method, path, json=body)


def _opened(answer: Mapping[str, Any]) -> OpenEpisode:
    return OpenEpisode(token=answer["token"], origins=dict(answer["origins"]))
