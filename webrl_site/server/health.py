"""The state of the machine: workers, browsers, sandbox, disk and GPU."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from pathlib import Path
from typing import Literal

import httpx
from django.conf import settings
from django.utils.translation import gettext, ngettext

from curriculum.object_store.store import StoreDown, open_store
from curriculum.rules.disk_room import is_disk_full
from rollouts.browser.process.chromium_path import has_sandbox
from rollouts.selectors.pages import list_lease_owners
from webrl_site.server.workers import (
    PHASE_QUEUES,
    count_alive,
    read_sweep,
    works_elsewhere,
)
from webrl_site.templatetags.workbench import duration

LOW_DISK_SHARE = 0.05
TIMEOUT_S = 0.5


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """One line of the health card; its text also has `state` in words."""

    name: str
    state: Literal["ok", "warn", "bad", "idle"]
    text: str


def check_health() -> list[Check]:
    """Check everything once, in at most about a second."""
    return [
        check_workers(),
        check_sweep(),
        check_browsers(),
        check_sandbox(),
        check_disk(),
        *check_object_store(),
        check_gpu(),
    ]


def check_workers() -> Check:
    """Report queues without a worker, whose phases make no progress."""
    alive = count_alive()
    missing = [queue for queue, count in alive.items() if not count]
    if missing:
        return Check(
            gettext("Workers"),
            "bad" if set(missing) & set(PHASE_QUEUES) else "warn",
            gettext("No worker is serving %(missing)s.")
            % {"missing": ", ".join(missing)},
        )
    counts = ", ".join(
        gettext("%(count)s on %(queue)s") % {"count": count, "queue": queue}
        for queue, count in alive.items()
    )
    return Check(
        gettext("Workers"), "ok", gettext("Alive: %(counts)s.") % {"counts": counts}
    )


def check_sweep() -> Check:
    """Report when the sweep last ran: without it no worker is woken again."""
    sweep = read_sweep()
    if sweep.seconds is None:
        text = gettext("None has run yet.")
    else:
        text = gettext("%(time)s ago.") % {"time": duration(sweep.seconds)}
    if sweep.is_late:
        text = f"{text} {gettext('Is beat running? Without it nothing progresses.')}"
    return Check(gettext("Sweep"), "bad" if sweep.is_late else "ok", text)


def check_browsers() -> Check:
    """Report open browsers; one without its sandbox is always reported."""
    if not has_sandbox():
        text = gettext(
            "As root, Chromium runs without its sandbox: run the workbench as another "
            "user."
        )
        return Check(gettext("Browsers"), "warn", text)
    return _check_open()


def _check_open() -> Check:
    owners = list_lease_owners()
    if not owners:
        return Check(gettext("Browsers"), "idle", gettext("No episode is running."))
    episodes = sum(count for _, count in owners)
    workers = ngettext("%(count)s worker", "%(count)s workers", len(owners)) % {
        "count": len(owners)
    }
    return Check(
        gettext("Browsers"),
        "ok",
        ngettext(
            "%(episodes)s episode running on %(workers)s.",
            "%(episodes)s episodes running on %(workers)s.",
            episodes,
        )
        % {"episodes": episodes, "workers": workers},
    )


def check_sandbox() -> Check:
    """Ask the practice sites of this machine."""
    return describe_sandbox(is_up=answers_sandbox())


def answers_sandbox() -> bool:
    """Report whether the practice sites answer, without a query."""
    address = f"{settings.SANDBOX_CONTROL_URL}/health"
    try:
        return httpx.get(address, timeout=TIMEOUT_S, trust_env=False).is_success
    except httpx.HTTPError:
        return False


def describe_sandbox(*, is_up: bool) -> Check:
    """Return the meaning of an answer: in containers each worker has its own sites."""
    title = gettext("Sandbox sites")
    if is_up:
        return Check(title, "ok", gettext("They answer."))
    if works_elsewhere("rollouts"):
        told = gettext("Not on this machine; episodes use those of their workers.")
        return Check(title, "ok", told)
    return Check(title, "warn", gettext("They do not answer."))


def check_disk() -> Check:
    folder = Path(settings.DATA_DIR)
    usage = shutil.disk_usage(folder if folder.exists() else folder.anchor)
    free = gettext("%(free)s GiB free") % {"free": f"{usage.free / 2**30:.1f}"}
    if is_disk_full():
        text = gettext("Full: %(free)s. Phases wait until there is room.")
        return Check(gettext("Disk"), "bad", text % {"free": free})
    is_low = usage.free < LOW_DISK_SHARE * usage.total
    return Check(gettext("Disk"), "warn" if is_low else "ok", free)


def check_object_store() -> list[Check]:
    """Report whether pages and weights can be stored; nothing if no store is set."""
    store = open_store()
    if store is None:
        return []
    try:
        store.check()
    except StoreDown as error:
        text = gettext("%(error)s Phases wait until it does.")
        told = text % {"error": f"{error.message.rstrip('.')}."}
        return [Check(gettext("Object store"), "bad", told)]
    return [Check(gettext("Object store"), "ok", gettext("It answers."))]


def check_gpu() -> Check:
    program = shutil.which("nvidia-smi")
    if program is None:
        return Check("GPU", "idle", gettext("None on this machine; the CPU is used."))
    query = ["--query-gpu=name,utilization.gpu", "--format=csv,noheader"]
    try:
        answer = subprocess.run(  # noqa: S603  (a fixed argument list)
            [program, *query], capture_output=True, text=True, timeout=2, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return Check("GPU", "warn", gettext("The driver does not answer."))
    return Check("GPU", "ok", "; ".join(answer.stdout.strip().splitlines()))
