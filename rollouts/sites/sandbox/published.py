"""Published sites: folders of pages that are served as they are, and applications.

They are not part of the workbench: `./webrl site add` installs them, and until then an
episode on such a site is refused with a message that says what to do.
"""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from rollouts.sites.kit.episodes import Changes, UnknownSite
from rollouts.sites.kit.site_app import SitePages
from rollouts.sites.kit.sites import MINIWOB, OSCAR
from rollouts.sites.oscar.pages import oscar_pages

# Folders below the data folder's `suites/`, by site.
FOLDERS = {MINIWOB.key: "miniwob-1.1.0", OSCAR.key: "oscar-4.2.1"}


def build_published_sites(suites: Path) -> dict[str, SitePages]:
    """Every published site by key; its folder may appear later."""
    return {
        MINIWOB.key: folder_pages(MINIWOB.key, suites / FOLDERS[MINIWOB.key]),
        OSCAR.key: oscar_pages(suites / FOLDERS[OSCAR.key]),
    }


def folder_pages(key: str, folder: Path) -> SitePages:
    """A site that serves the files of a folder, and nothing else."""

    def new_changes() -> Changes:
        if not folder.is_dir():
            raise UnknownSite(f"{key!r} is not here yet: run ./webrl site add {key}")
        return {}

    # Symbolic links are not followed, and no name leads outside the folder.
    files = StaticFiles(directory=folder, check_dir=False)
    return SitePages(
        key=key,
        routes=[Mount("/", files)],
        new_changes=new_changes,
        error_page=_error_page,
    )


def _error_page(request: Request, code: int, text: str) -> Response:
    return PlainTextResponse(text, status_code=code)
