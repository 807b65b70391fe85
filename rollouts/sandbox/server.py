"""The sandbox's process: `python -m rollouts.sandbox.server --port P --control-port C`.

Two listeners on the loopback interface: the sites, which the agent's browser sees,
and the control API, which only the environment calls.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from rollouts.sandbox.atlas.pages import ATLAS_PAGES
from rollouts.sandbox.backoffice.pages import BACKOFFICE_PAGES
from rollouts.sandbox.control import build_control_app
from rollouts.sandbox.episodes import DEFAULT_CAPACITY, EpisodeStore
from rollouts.sandbox.forum.pages import FORUM_PAGES
from rollouts.sandbox.projects.pages import PROJECTS_PAGES
from rollouts.sandbox.shop.pages import SHOP_PAGES
from rollouts.sandbox.site_app import SiteListener

LOOPBACK = "127.0.0.1"
SITES_PAGES = (SHOP_PAGES, BACKOFFICE_PAGES, FORUM_PAGES, PROJECTS_PAGES, ATLAS_PAGES)
PAGES = {pages.key: pages for pages in SITES_PAGES}


def build_store(capacity: int = DEFAULT_CAPACITY) -> EpisodeStore:
    """An empty store for all sites."""
    factories = {key: pages.new_changes for key, pages in PAGES.items()}
    return EpisodeStore(factories, capacity=capacity)


def build_site_app(store: EpisodeStore) -> SiteListener:
    """The listener that serves all sites of the episodes in `store`."""
    return SiteListener(PAGES, store)


class _Listener(uvicorn.Server):
    """A server whose signals are handled by the process, once for both listeners."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def build_listeners(
    port: int, control_port: int, capacity: int = DEFAULT_CAPACITY
) -> list[uvicorn.Server]:
    """The site listener and the control listener over one new store."""
    store = build_store(capacity)
    return [
        _listener(build_site_app(store), port),
        _listener(build_control_app(store, site_port=port), control_port),
    ]


async def serve(port: int, control_port: int, capacity: int) -> None:
    """Serve both listeners until SIGINT or SIGTERM."""
    listeners = build_listeners(port, control_port, capacity)

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
    arguments = parser.parse_args()
    asyncio.run(serve(arguments.port, arguments.control_port, arguments.capacity))


if __name__ == "__main__":
    main()
