"""The dashboard with example rows, in a process of its own: `python -m ...`.

Started by the browser tests' fixture, and by hand to look at the pages. Says in one
line of JSON at which ports it listens, where its database is, for tests in which
something happens behind the pages, the paths of the pages, and each person's session.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

TOLD = "told.json"


def main() -> None:
    """Serve the example on PORT, recorded pages on REPLAY_PORT, until stopped.

    Port 0 is any that is free. Ports are held from the start: while rows are written,
    others look for free ones. The third argument says which rows there are: usual,
    every-state or none. The fourth, if there is one, is a folder where rows are kept
    for the next server.
    """
    sockets = [socket.create_server(("127.0.0.1", int(n))) for n in sys.argv[1:3]]
    port, replay_port = (one.getsockname()[1] for one in sockets)
    rows = sys.argv[3]
    kept = Path(sys.argv[4], rows) if len(sys.argv) > 4 else None
    folder = Path(tempfile.mkdtemp(prefix="webrl-pages-"))
    os.environ["WEBRL_DATA_DIR"] = str(folder)
    os.environ["DASHBOARD_URL"] = f"http://localhost:{port}"
    os.environ["REPLAY_ORIGIN"] = f"http://127.0.0.1:{replay_port}"
    os.environ["DJANGO_SETTINGS_MODULE"] = "webrl_site.settings"
    os.environ["WEBRL_DEBUG"] = ""
    for name in ("DATABASE_URL", "BROKER_URL", "CHANNEL_URL"):
        os.environ.pop(name, None)
    if kept and kept.is_dir():
        shutil.copytree(kept, folder, dirs_exist_ok=True)

    import django

    django.setup()

    if not (folder / TOLD).is_file():
        (folder / TOLD).write_text(json.dumps(write_rows(rows)))
        if kept:
            keep(folder, kept)
    serve(sockets, json.loads((folder / TOLD).read_text()))


def write_rows(rows: str) -> dict[str, Any]:
    """Fill an empty database; return what the tests have to know of it."""
    from django.core.management import call_command

    from tests.browser.sessions import write_sessions
    from tests.seed import write_example, write_people
    from webrl_site.examples.every_page import list_pages
    from webrl_site.examples.every_state import write_states

    call_command("migrate", verbosity=0)
    if rows == "none":
        write_people()
    else:
        write_example(waiting=24)
    if rows == "every-state":
        write_states()
    pages = list_pages(has_rows=rows == "every-state") if rows != "usual" else {}
    return {"pages": pages, "sessions": write_sessions()}


def keep(folder: Path, kept: Path) -> None:
    """Copy a server's data for the next one; of two that do, the first one wins."""
    from django.db import connections

    connections.close_all()
    copy = Path(tempfile.mkdtemp(dir=kept.parent))
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    with contextlib.suppress(OSError):
        copy.rename(kept)


def serve(sockets: list[socket.socket], told: dict[str, Any]) -> None:
    """Say what the rows are and where they are served; then serve them."""
    import uvicorn
    from django.conf import settings

    told = {"database": str(settings.DATABASES["default"]["NAME"]), **told}
    told["ports"] = [one.getsockname()[1] for one in sockets]
    sys.stdout.write(f"{json.dumps(told)}\n")
    sys.stdout.flush()
    config = uvicorn.Config("webrl_site.asgi:application", log_level="warning")
    uvicorn.Server(config).run(sockets=sockets)


if __name__ == "__main__":
    main()
