"""A lab's dashboard on its first day: stand-ins for its sites, nothing set up.

`python -m tests.browser.lab_server`: says in one line of JSON where it listens and
where the stand-ins are. A worker checks and resets sites.
"""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

from tests.browser.lab_sites import FIRST, FORUM, PASSWORD, SHOP, USER, LabSite
from tests.browser.takeover_server import hold_origins, serve_with_worker


def main() -> None:
    """Serve until stopped."""
    sockets = hold_origins()
    first = LabSite(SHOP)
    # A fresh copy takes the first one's address for its own.
    second = LabSite(SHOP, base=first.url)
    forum = LabSite(FORUM)
    os.environ["WEBRL_DATA_DIR"] = tempfile.mkdtemp(prefix="webrl-lab-")
    os.environ["DJANGO_SETTINGS_MODULE"] = "webrl_site.settings"
    os.environ["WEBRL_DEBUG"] = ""
    for name in ("DATABASE_URL", "BROKER_URL", "CHANNEL_URL"):
        os.environ.pop(name, None)
    person = {"user": USER, "password": PASSWORD}
    os.environ["SITE_SIGN_INS"] = json.dumps({"shopping": person, "reddit": person})
    os.environ["SITE_RESETS"] = json.dumps(
        {
            "shopping": {
                "call": {"url": "{address}/control/reset"},
                "healthy": "{address}/",
                "first_state": {"url": "{address}/", "contains": FIRST},
            }
        }
    )
    write_rows()
    told = {"shop": first.url, "second": second.url, "forum": forum.url}
    serve_with_worker(sockets, told, "takeover,sites")


def write_rows() -> None:
    """Write down people and a task file's tasks; the sites have no address yet."""
    import django

    django.setup()

    from django.core.management import call_command

    from curriculum.access.roles import ensure_roles
    from curriculum.services.sites import make_known_sites, register_sites
    from tests.seed import write_people
    from webrl_site.task_pages.task_files import import_file

    call_command("migrate", verbosity=0)
    ensure_roles()
    write_people()
    register_sites(sites=make_known_sites(keys=["shopping", "reddit"]))
    import_file(json.dumps([make_task(n) for n in range(8)]).encode(), "lab.json")


def make_task(number: int) -> dict[str, Any]:
    """Return a task of the shop that may change it, or, the last two, of the forum."""
    site = "shopping" if number < 6 else "reddit"
    page = {"url": "last", "locator": "", "required_contents": {"must_include": ["x"]}}
    return {
        "key": f"lab.{number}",
        "split": "test" if number in (5, 7) else "train",
        "sites": [site],
        "intent": f"Put item {number} of the lab into order",
        "start_url": f"__{site.upper()}__",
        "eval": {"eval_types": ["program_html"], "program_html": [page]},
    }


if __name__ == "__main__":
    main()
