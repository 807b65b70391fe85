"""Where an episode's sites are: opened fresh per episode, read, and closed."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import CannotFork, SiteBroken
from rollouts.browser.hosting.sandbox_client import (
    OpenEpisode,
    SandboxAway,
    SandboxClient,
    SandboxError,
)
from rollouts.browser.process.egress import AllowedHost, sandbox_host
from rollouts.browser.types import TaskSpec
from rollouts.browser.verified.types import published_task

# Seconds for which a sandbox that is away is waited for, and between two tries. Without
# the wait a worker would use up all attempts of a queue while its sandbox starts again.
AWAY_S = 60.0
ASK_AGAIN_S = 1.0


@dataclasses.dataclass(frozen=True, slots=True)
class OpenSites:
    """The sites of one episode: their origins (no trailing slash) by key."""

    token: str
    origins: Mapping[str, str]

    def moved(self, addresses: Mapping[str, str]) -> OpenSites:
        """Return the same with some of the sites at other addresses, by key."""
        there = {
            site: url.rstrip("/")
            for site, url in addresses.items()
            if site in self.origins
        }
        return OpenSites(self.token, {**self.origins, **there}) if there else self


class SiteHost(Protocol):
    """The interface of what runs the sites."""

    def allowed(self, opened: OpenSites) -> list[AllowedHost]:
        """Return the hosts and ports that the episode's pages may reach.

        Those that belong to a site are reached only where the episode uses it.
        """
        ...

    async def open(self, sites: Sequence[str]) -> OpenSites:
        """Start the sites in their first state, for one episode alone."""
        ...

    async def state(self, opened: OpenSites) -> dict[str, Any]:
        """Return what the episode has changed, by site; {} when it cannot be read."""
        ...

    async def fork(self, opened: OpenSites) -> OpenSites:
        """Open a second episode in exactly the same state.

        Raises:
            CannotFork: A site's state cannot be copied.
        """
        ...

    async def close(self, opened: OpenSites) -> None:
        """Forget the episode."""
        ...

    async def aclose(self) -> None:
        """Close the host's own connections."""
        ...


class SandboxHost:
    """The project's own sites: a small state per episode."""

    def __init__(
        self,
        control_url: str,
        *,
        client: SandboxClient | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`control_url` is the listener that pages cannot reach.

        The others are replaced in tests.
        """
        self._client = client or SandboxClient(control_url)
        self._pause = pause
        self._clock = clock

    async def open(self, sites: Sequence[str]) -> OpenSites:
        """Open an episode of the sandbox; one that is away is waited for."""
        try:
            episode = await self._open(sites)
        except SandboxError as error:
            told = Sentence("sandbox_not_opened", sites=str(sites), sentence=str(error))
            raise SiteBroken(told, site=next(iter(sites), "")) from error
        return OpenSites(episode.token, episode.origins)

    async def _open(self, sites: Sequence[str]) -> OpenEpisode:
        until = self._clock() + AWAY_S
        while True:
            try:
                return await self._client.open(sites)
            except SandboxAway:
                if self._clock() >= until:
                    raise
            await self._pause(ASK_AGAIN_S)

    def allowed(self, opened: OpenSites) -> list[AllowedHost]:
        """Return the port of the pages; the control port is not among them."""
        ports = {AllowedHost.of_url(url).port for url in opened.origins.values()}
        return [sandbox_host(port) for port in sorted(ports)]

    async def state(self, opened: OpenSites) -> dict[str, Any]:
        """Return the sandbox's change sets by site."""
        try:
            return await self._client.state(opened.token)
        except SandboxError as error:
            told = Sentence("sandbox_without_state", sentence=str(error))
            raise SiteBroken(told) from error

    async def fork(self, opened: OpenSites) -> OpenSites:
        """Copy the episode; takes milliseconds, since only changes are copied."""
        try:
            episode = await self._client.fork(opened.token)
        except SandboxError as error:
            told = Sentence("sandbox_not_forked", sentence=str(error))
            raise SiteBroken(told) from error
        return OpenSites(episode.token, episode.origins)

    async def close(self, opened: OpenSites) -> None:
        """Forget the episode; a missing one is not an error."""
        try:
            await self._client.close(opened.token)
        except SandboxError:
            return

    async def aclose(self) -> None:
        """Close the connections to the sandbox."""
        await self._client.aclose()


class ExternalHost:
    """External sites, which all episodes share."""

    def __init__(
        self,
        base_urls: Mapping[str, str],
        more: Sequence[str] = (),
        further: Sequence[AllowedHost] = (),
    ) -> None:
        """`base_urls` gives each site's address by key, `more` their other instances'.

        `further` are hosts that the pages of some sites need, each with its site. All
        of them are allowed from the beginning, since each new host restarts the
        browser; a page reaches only the further hosts of its episode's sites.
        """
        self._origins = {key: url.rstrip("/") for key, url in base_urls.items()}
        self._more = tuple(more)
        self._further = tuple(further)

    def allowed(self, opened: OpenSites) -> list[AllowedHost]:
        """Return the host and port of each instance, and the sites' further hosts."""
        urls = (*self._origins.values(), *self._more, *opened.origins.values())
        return list(dict.fromkeys((*map(AllowedHost.of_url, urls), *self._further)))

    async def open(self, sites: Sequence[str]) -> OpenSites:
        """Return the addresses of the sites; nothing is started."""
        unknown = [site for site in sites if site not in self._origins]
        if unknown:
            raise SiteBroken(Sentence("no_address", sites=", ".join(unknown)))
        return OpenSites("", {site: self._origins[site] for site in sites})

    async def state(self, opened: OpenSites) -> dict[str, Any]:
        """Return nothing: the state of an external site cannot be read."""
        return {}

    async def fork(self, opened: OpenSites) -> OpenSites:
        """Refuse: the state of an external site cannot be copied."""
        raise CannotFork(f"{', '.join(opened.origins)} runs elsewhere.")

    async def close(self, opened: OpenSites) -> None:
        """Do nothing: a shared site stays."""

    async def aclose(self) -> None:
        """Do nothing: there are no connections."""


class MixedHost:
    """The sandbox's sites and external sites, side by side in one episode."""

    def __init__(
        self,
        sandbox: SiteHost,
        external: Mapping[str, str],
        more: Sequence[str] = (),
        further: Sequence[AllowedHost] = (),
    ) -> None:
        """`external`, `more` and `further` are as for `ExternalHost`."""
        self._sandbox = sandbox
        self._external = ExternalHost(external, more, further)
        self._external_keys = frozenset(external)

    async def open(self, sites: Sequence[str]) -> OpenSites:
        """Open the sandbox's sites, and add the addresses of the others."""
        own = [site for site in sites if site not in self._external_keys]
        others = [site for site in sites if site in self._external_keys]
        there = await self._external.open(others)
        if not own:
            return there
        here = await self._sandbox.open(own)
        return OpenSites(here.token, {**here.origins, **there.origins})

    def allowed(self, opened: OpenSites) -> list[AllowedHost]:
        """Return the hosts and ports that this episode's pages may reach.

        All external sites are included at once, since each new one restarts the
        browser.
        """
        own = self._own(opened)
        hosts = self._sandbox.allowed(own) if own.origins else []
        there = opened.origins.items() - own.origins.items()
        if there:
            hosts = hosts + self._external.allowed(OpenSites("", dict(there)))
        return hosts

    async def state(self, opened: OpenSites) -> dict[str, Any]:
        """Return the sandbox's change sets; external sites cannot be read."""
        return await self._sandbox.state(opened) if opened.token else {}

    async def fork(self, opened: OpenSites) -> OpenSites:
        """Copy an episode that uses only the sandbox."""
        if any(site in self._external_keys for site in opened.origins):
            return await self._external.fork(opened)
        return await self._sandbox.fork(opened)

    async def close(self, opened: OpenSites) -> None:
        """Forget the sandbox's episode."""
        if opened.token:
            await self._sandbox.close(opened)

    async def aclose(self) -> None:
        """Close the connections to the sandbox."""
        await self._sandbox.aclose()

    def _own(self, opened: OpenSites) -> OpenSites:
        origins = opened.origins.items()
        own = {site: url for site, url in origins if site not in self._external_keys}
        return OpenSites(opened.token, own)


def placeholder(site: str) -> str:
    """Return the placeholder of a site's origin in task files."""
    return f"__{site.upper()}__"


def locate_task(task: TaskSpec, opened: OpenSites) -> TaskSpec:
    """Return the task with the episode's addresses in place of the placeholders."""
    text = json.dumps([task.start_url, task.spec])
    for site, origin in opened.origins.items():
        text = text.replace(placeholder(site), json.dumps(origin)[1:-1])
    start_url, spec = json.loads(text)
    if published := published_task(task.spec):
        # Its evaluators replace the placeholders themselves.
        spec["eval"]["published"] = published
    return dataclasses.replace(task, start_url=start_url, spec=spec)


def hide_origins(url: str, opened: OpenSites) -> str:
    """Return the address with the site's placeholder in place of its origin."""
    site = find_site(url, opened)
    if not site:
        return url
    return placeholder(site) + url.removeprefix(opened.origins[site])


def find_site(url: str, opened: OpenSites) -> str:
    """Return the key of the site that an address is on, "" when it is on none."""
    for site, origin in opened.origins.items():
        rest = url.removeprefix(origin)
        if rest != url and rest[:1] in ("", "/", "?", "#"):
            return site
    return ""


def start_urls(task: TaskSpec) -> list[str]:
    """Return the addresses that a task starts on, one for each tab."""
    return task.start_url.split(" |AND| ")


def home_of(url: str, opened: OpenSites) -> str:
    """Return the start page of the site that an address belongs to.

    Where a site's own address has a path, as WebArena's shop admin, the start page has
    it, too.
    """
    origin = opened.origins.get(find_site(url, opened), "")
    if urlsplit(origin).path:
        return origin
    parts = urlsplit(origin or url)
    return f"{parts.scheme}://{parts.netloc}/"
