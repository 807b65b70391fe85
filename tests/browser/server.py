"""The dashboard with example rows, in a process of its own: `python -m ...`.

Started by the browser tests' fixture, and by hand to look at the pages. Says where
its database is, for tests in which something happens behind the pages.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile


def main() -> None:
    """Serve the example on PORT, recorded pages on REPLAY_PORT, until stopped.

    The third argument says which rows there are: usual, every-state or none.
    """
    port, replay_port = int(sys.argv[1]), int(sys.argv[2])
    os.environ["WEBRL_DATA_DIR"] = tempfile.mkdtemp(prefix="webrl-pages-")
    os.environ["DASHBOARD_URL"] = f"http://localhost:{port}"
    os.environ["REPLAY_ORIGIN"] = f"http://127.0.0.1:{replay_port}"
    os.environ["DJANGO_SETTINGS_MODULE"] = "webrl_site.settings"
    os.environ["WEBRL_DEBUG"] = ""
    for name in ("DATABASE_URL", "BROKER_URL", "CHANNEL_URL"):
        os.environ.pop(name, None)

    import django

    django.setup()

    from django.conf import settings
    from django.core.management import call_command

    from tests.seed import write_example, write_people
    from webrl_site.examples.every_page import list_pages
    from webrl_site.examples.every_state import write_states

    call_command("migrate", verbosity=0)
    rows = sys.argv[3]
    if rows == "none":
        write_people()
    else:
        write_example(waiting=24)
    if rows == "every-state":
        write_states()
    pages = list_pages(has_rows=rows == "every-state") if rows != "usual" else {}

    import uvicorn

    from webrl_site.serve import listen

    sockets = [listen("127.0.0.1", number) for number in (port, replay_port)]
    sys.stdout.write(f"{settings.DATABASES['default']['NAME']}\n")
    sys.stdout.write(f"{json.dumps(pages)}\n")
    sys.stdout.flush()
    config = uvicorn.Config("webrl_site.asgi:application", log_level="warning")
    uvicorn.Server(config).run(sockets=sockets)


if __name__ == "__main__":
    main()
