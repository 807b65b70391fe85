"""A person with a web browser without a browser: follows redirects, posts forms."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx

from rollouts.sites.kit.episodes import EpisodeStore
from rollouts.sites.sandbox.control import build_control_app
from rollouts.sites.sandbox.server import build_site_app, build_store

PORT = 8010
INTERACTIVE = re.compile(r"<(?:a|button|input|select|textarea)\b(?![^>]*hidden)")


def call(app: Any, method: str, url: str, **options: Any) -> httpx.Response:
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(
            transport=transport, follow_redirects=True
        ) as client:
            return await client.request(method, url, **options)

    return asyncio.run(send())


class Sandbox:
    """The control API and the sites over one store."""

    def __init__(
        self, store: EpisodeStore | None = None, *, suites: Path | None = None
    ) -> None:
        self.store = build_store(suites=suites) if store is None else store
        self._control = build_control_app(self.store, site_port=PORT)
        self._sites = build_site_app(self.store, suites=suites)

    def control(self, method: str, path: str, **options: Any) -> httpx.Response:
        return call(self._control, method, f"http://127.0.0.1:8011{path}", **options)

    def open(self, *sites: str) -> str:
        answer = self.control("POST", "/episodes", json={"sites": list(sites)})
        token: str = answer.json()["token"]
        return token

    def get(self, site: str, token: str, path: str) -> httpx.Response:
        url = f"http://{site}.{token}.localhost:{PORT}{path}"
        return call(self._sites, "GET", url)

    def post(self, site: str, token: str, path: str, **form: str) -> httpx.Response:
        url = f"http://{site}.{token}.localhost:{PORT}{path}"
        return call(self._sites, "POST", url, data=form)

    def state(self, token: str) -> Any:
        return self.control("GET", f"/episodes/{token}/state").json()


def without_frame(page: str) -> str:
    """A page's text without the style and script that stand in every page."""
    page = re.sub(r"(?s)^(.*?)<style>.*?</style>", r"\1", page, count=1)
    return re.sub(r"(?s)<script>.*?</script>(\s*</body>)", r"\1", page, count=1)
