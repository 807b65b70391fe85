"""The control listener: opens, reads, forks and closes episodes; not for the agent."""

from __future__ import annotations

import json
from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rollouts.sites.kit.episodes import (
    EpisodeStore,
    StateUnreadable,
    UnknownEpisode,
    UnknownSite,
)


def build_control_app(store: EpisodeStore, *, site_port: int) -> Starlette:
    """The API over `store`; answers hold the origins on `site_port`."""

    def opened(token: str) -> Response:
        sites = store.state(token)
        origins = {
            site: f"http://{site}.{token}.localhost:{site_port}" for site in sites
        }
        return JSONResponse({"token": token, "origins": origins}, status_code=201)

    async def health(request: Request) -> Response:
        return JSONResponse({"ok": True, "episodes": len(store)})

    async def open_episode(request: Request) -> Response:
        sites = _sites(await request.body())
        if sites is None:
            return _error(400, 'the body must be {"sites": ["shop"]}')
        try:
            return opened(store.open(sites))
        except UnknownSite as error:
            return _error(400, str(error))

    async def read_state(request: Request) -> Response:
        return JSONResponse(store.read(request.path_params["token"]))

    async def read_place(request: Request) -> Response:
        return JSONResponse({"url": store.place(request.path_params["token"])})

    async def fork(request: Request) -> Response:
        return opened(store.fork(request.path_params["token"]))

    async def close(request: Request) -> Response:
        store.close(request.path_params["token"])
        return Response(status_code=204)

    return Starlette(
        routes=[
            Route("/health", health),
            Route("/episodes", open_episode, methods=["POST"]),
            Route("/episodes/{token}/state", read_state),
            Route("/episodes/{token}/place", read_place),
            Route("/episodes/{token}/fork", fork, methods=["POST"]),
            Route("/episodes/{token}", close, methods=["DELETE"]),
        ],
        exception_handlers={
            UnknownEpisode: _unknown_episode,
            StateUnreadable: _unreadable,
        },
    )


def _sites(body: bytes) -> Sequence[str] | None:
    try:
        sites = json.loads(body)["sites"]
    except (ValueError, KeyError, TypeError):
        return None
    if isinstance(sites, list) and all(isinstance(site, str) for site in sites):
        return sites
    return None


async def _unknown_episode(request: Request, error: Exception) -> Response:
    return _error(404, f"no open episode has the token {error.args[0]!r}")


async def _unreadable(request: Request, error: Exception) -> Response:
    return _error(503, str(error))


def _error(status: int, text: str) -> Response:
    return JSONResponse({"error": text}, status_code=status)
