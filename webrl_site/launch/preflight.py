"""Checks what a launch needs before it starts."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from curriculum.errors import CheckpointError
from curriculum.models import Run, Task
from curriculum.rules.checkpoints import (
    HASHED_AT_ONCE,
    is_served,
    measure_size,
    read_digest,
)
from curriculum.selectors.pools import list_usable_sites, usable_tasks
from rollouts.browser.errors import HarnessBroken
from rollouts.browser.process.chromium_path import find_chromium
from rollouts.serving.endpoints import find_endpoint
from webrl_site.launch.helper_checks import check_helpers, check_marks, check_positions
from webrl_site.launch.site_checks import check_sites
from webrl_site.server.health import (
    Check,
    check_disk,
    check_sweep,
    check_workers,
)

WEIGHTS = {
    "policy_uri": gettext_lazy("Policy"),
    "critic_uri": gettext_lazy("Critic"),
    "orm_uri": gettext_lazy("Reward model"),
}


def check_launch(values: Mapping[str, Any], needed: float | None) -> list[Check]:
    """Look at everything that a phase with these settings needs.

    Args:
        values: The launch form's cleaned values, `config` among them.
        needed: Bytes that the phase would write, if that is known.
    """
    sites = list_usable_sites(values["config"]["curriculum"]["sites"])
    return [
        *(check_weights(str(title), values[key]) for key, title in WEIGHTS.items()),
        *check_server(values.get("served_uri", "")),
        *check_sites(sites),
        check_tasks(values["config"]),
        *check_helpers(values["config"]),
        *check_marks(values["config"], values["policy_uri"]),
        *check_positions(values["config"], values["policy_uri"]),
        check_browser(),
        check_room(needed),
        check_workers(),
        check_sweep(),
    ]


def count_tasks(config: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many train and test tasks a run of this configuration may use."""
    run = Run(config=dict(config))
    return (
        usable_tasks(run, Task.Split.TRAIN).count(),
        usable_tasks(run, Task.Split.TEST).count(),
    )


def check_weights(title: str, uri: str) -> Check:
    if is_served(uri):
        return Check(
            title,
            "idle",
            gettext(
                "%(uri)s is served: it is measured, not trained. To train it, name its "
                "checkpoint here and this address as the served policy."
            )
            % {"uri": uri},
        )
    try:
        if measure_size(uri) > HASHED_AT_ONCE:
            return Check(
                title,
                "ok",
                gettext("%(uri)s exists; it is too large to hash here.") % {"uri": uri},
            )
        return Check(title, "ok", f"{uri}, digest {read_digest(uri)[:12]}.")
    except CheckpointError as error:
        return Check(title, "bad", error.message)


def check_server(uri: str) -> list[Check]:
    """Check how the server gets new weights; nothing if no server acts."""
    if not uri:
        return []
    title, endpoint = gettext("Served policy"), find_endpoint(uri)
    if endpoint.hand_over == "by_hand":
        text = gettext(
            "After each training the phase waits until a person serves the new weights "
            "and enters their address; SERVED_POLICIES can name another way."
        )
        return [Check(title, "warn", text)]
    text = gettext("New weights are handed over after each training: %(way)s.")
    return [Check(title, "ok", text % {"way": endpoint.hand_over})]


def check_tasks(config: Mapping[str, Any]) -> Check:
    train, test = count_tasks(config)
    wanted = config["curriculum"]["tasks_per_phase"]
    text = gettext(
        "%(train)s to train on, %(test)s to test; %(wanted)s requested per phase."
    ) % {"train": train, "test": test, "wanted": wanted}
    if not train:
        return Check(
            gettext("Tasks"),
            "bad",
            gettext("%(text)s Load some, or choose other sites.") % {"text": text},
        )
    return Check(gettext("Tasks"), "warn" if train < wanted or not test else "ok", text)


def check_browser() -> Check:
    try:
        found = find_chromium(settings.BROWSER_EXECUTABLE or None)
    except HarnessBroken as error:
        return Check(gettext("Browser"), "bad", str(error))
    if found is None:
        return Check(
            gettext("Browser"),
            "warn",
            gettext("None on this machine except Playwright's own."),
        )
    return Check(gettext("Browser"), "ok", found)


def check_room(needed: float | None) -> Check:
    """Compare the free disk with what the phase would write."""
    check = check_disk()
    if needed is None:
        return check
    folder = settings.DATA_DIR
    free = shutil.disk_usage(folder if folder.exists() else folder.anchor).free
    text = gettext("%(text)s, about %(needed)s GiB needed.") % {
        "text": check.text,
        "needed": f"{needed / 2**30:.2f}",
    }
    return Check(check.name, "bad" if needed > free else check.state, text)
