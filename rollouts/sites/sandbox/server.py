"""The sandbox's process.

Run `python -m rollouts.sites.sandbox.server --port P --control-port C`.

Two listeners on the loopback interface: the sites, which the agent's browser sees,
and the control API, which only the environment calls.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from rollouts.sites.atlas.pages.site import ATLAS_PAGES
from rollouts.sites.backoffice.pages.site import BACKOFFICE_PAGES
from rollouts.sites.forum.pages.site import FORUM_PAGES
from rollouts.sites.kit.episodes import DEFAULT_CAPACITY, EpisodeStore
from rollouts.sites.kit.site_app import SiteListener, SitePages
from rollouts.sites.projects.pages.site import PROJECTS_PAGES
from rollouts.sites.sandbox.control import build_control_app
from rollouts.sites.sandbox.published import build_published_sites
from rollouts.sites.shop.pages.site import SHOP_PAGES

LOOPBACK = "127.0.0.1"
SITES_PAGES = (SHOP_PAGES, BACKOFFICE_PAGES, FORUM_PAGES, PROJECTS_PAGES, ATLAS_PAGES)
PAGES = {pages.key: pages for pages in SITES_PAGES}


def find_suites() -> Path:
    """The folder of published sites below the workbench's data folder."""
    data = os.environ.get("WEBRL_DATA_DIR") or Path(__file__).parents[3] / "var"
    return Path(data) / "suites"


def build_pages(suites: Path | None = None) -> dict[str, SitePages]:
    """All sites: our own, and the published ones in the folder `suites`."""
    return {**PAGES, **build_published_sites(suites or find_suites())}


def build_store(
    capacity: int = DEFAULT_CAPACITY, *, suites: Path | None = None
) -> EpisodeStore:
    """An empty store for all sites."""
    pages = build_pages(suites)
    factories = {key: site.new_changes for key, site in pages.items()}
    return EpisodeStore(factories, capacity=capacity)


def build_site_app(store: EpisodeStore, *, suites: Path | None = None) -> SiteListener:
    """The listener that serves all sites of the episodes in `store`."""
    return SiteListener(build_pages(suites), store)


class _Listener(uvicorn.Server):
    """A server whose signals are handled by the process, once for both listeners."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def build_listeners(
    port: int,
    control_port: int,
    capacity: int = DEFAULT_CAPACITY,
    *,
    suites: Path | None = None,
) -> list[uvicorn.Server]:
    """The site listener and the control listener over one new store."""
    store = build_store(capacity, suites=suites)
    return [
        _listener(build_site_app(store, suites=suites), port),
        _listener(build_control_app(store, site_port=port), control_port),
    ]


async def serve(listeners: Sequence[uvicorn.Server]) -> None:
    """Serve until SIGINT or SIGTERM."""

    def stop() -> None:
        for listener in listeners:
            listener.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    await asyncio.gather(*(listener.serve() for listener in listeners))


def _listener(app: ASGIApp, port: int) -> _Listener:
    config = uvicorn.Config(
        app,
        host=LOOPBACK,
        port=port,
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=2,
    )
    return _Listener(config)


def main() -> None:
    """Parse the command line and serve."""
    parser = argparse.ArgumentParser(description="Serve the sandbox sites.")
    parser.add_argument("--port", type=int, default=8010, help="Port of the sites.")
    parser.add_argument(
        "--control-port", type=int, default=8011, help="Port of the control API."
    )
    parser.add_argument(
        "--capacity",
        type=int,
        default=DEFAULT_CAPACITY,
        help="Open episodes to keep; the longest unused are dropped.",
    )
    parser.add_argument(
        "--suites",
        type=Path,
        default=find_suites(),
        help="Folder of published sites (default: WEBRL_DATA_DIR/suites).",
    )
    given = parser.parse_args()
    # Only the owner may read the data of an episode's shop.
    os.umask(0o077)
    ports = given.port, given.control_port
    listeners = build_listeners(*ports, given.capacity, suites=given.suites)
    asyncio.run(serve(listeners))


if __name__ == "__main__":
    main()
