"""The dashboard, a sandbox and a worker of the queue `takeover`, with one real episode.

`python -m tests.browser.takeover_server`: says in one line of JSON where it listens
and where the episode is. Its agent begins as the task's plan does and then gives up.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

GIVES_UP_AT = 2
ORIGINS = {
    "DASHBOARD_URL": "localhost",
    "REPLAY_ORIGIN": "127.0.0.1",
    "TRACE_ORIGIN": "127.0.0.1",
}


def choose_task() -> dict[str, Any]:
    """Return a task of the shop that takes several clicks."""
    from rollouts.sites.sandbox.catalog import load_tasks
    from rollouts.sites.sandbox.oracle import plan_of

    tasks = [task for task in load_tasks("train") if task["sites"] == ["shop"]]
    return next(task for task in tasks if len(plan_of(task)) > GIVES_UP_AT + 1)


def main() -> None:
    """Serve until stopped."""
    os.environ["WEBRL_DATA_DIR"] = tempfile.mkdtemp(prefix="webrl-takeover-")
    sockets = hold_origins()
    os.environ["DJANGO_SETTINGS_MODULE"] = "webrl_site.settings"
    os.environ["WEBRL_DEBUG"] = ""
    for name in ("DATABASE_URL", "BROKER_URL", "CHANNEL_URL"):
        os.environ.pop(name, None)

    from rollouts.sites.sandbox.background import running_sandbox

    with running_sandbox() as sandbox:
        os.environ["SANDBOX_CONTROL_URL"] = sandbox.control_url
        serve(sockets)


def hold_origins() -> list[socket.socket]:
    """Listen where the dashboard, recorded pages and traces will be, and set that."""
    sockets = []
    for name, host in ORIGINS.items():
        # From the start: until all rows are written, others look for free ports.
        sockets.append(socket.create_server(("127.0.0.1", 0)))
        os.environ[name] = f"http://{host}:{sockets[-1].getsockname()[1]}"
    return sockets


def serve(sockets: Sequence[socket.socket]) -> None:
    """Write the example, start the worker, and serve the pages."""
    import django

    django.setup()

    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    serve_with_worker(sockets, write_episode(), "takeover")


def serve_with_worker(
    sockets: Sequence[socket.socket], told: Mapping[str, Any], queues: str
) -> None:
    """Start a worker of the queues, say what was told, and serve until stopped."""
    import uvicorn

    worker = subprocess.Popen(
        [
            *(sys.executable, "-m", "celery", "--app=webrl_site.celery", "worker"),
            *(f"--queues={queues}", "--pool=threads", "--concurrency=2"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # The server passes the signal on when it has ended; the worker has to end, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        told = {"url": os.environ["DASHBOARD_URL"], **told}
        sys.stdout.write(f"{json.dumps(told)}\n")
        sys.stdout.flush()
        config = uvicorn.Config("webrl_site.asgi:application", log_level="warning")
        uvicorn.Server(config).run(sockets=list(sockets))
    finally:
        worker.terminate()
        worker.wait(timeout=30)


def write_episode() -> dict[str, Any]:
    """Play the plan's beginning in a real browser, give up, and store the episode."""
    from curriculum.phase_config import RolloutConfig
    from rollouts.models import Trajectory
    from rollouts.policies.protocol import PolicyRequest
    from rollouts.services import append_step, claim_episodes, finish_trajectory
    from rollouts.services.loading import open_episode
    from rollouts.sites.sandbox.oracle import OraclePolicy
    from tests.factories import PhaseFactory, QueuedTrajectoryFactory, TaskFactory
    from tests.seed import write_example

    write_example(tasks=10, waiting=2, metric_steps=5)
    spec = choose_task()
    task = TaskFactory(
        key=spec["key"],
        instruction=spec["intent"],
        start_url=spec["start_url"],
        spec=spec,
        optimal_steps=None,
    )
    row = QueuedTrajectoryFactory(task=task, phase=PhaseFactory(status="collecting"))
    purpose = Trajectory.Purpose.COLLECT
    (request,) = claim_episodes(
        phase_id=row.phase_id, purpose=purpose, owner="seed", limit=1, lease_s=600
    )
    oracle, outputs = OraclePolicy([spec]), list[str]()
    with open_episode(RolloutConfig()) as hand:
        seen, end = hand.begin(dataclasses.replace(request, traces="all")), None
        while end is None:
            done = len(outputs)
            asked = PolicyRequest(
                spec["intent"], tuple(outputs), ("",) * done, seen.text, 0
            )
            gives_up = done == GIVES_UP_AT
            output = (
                'exit(message="N/A")' if gives_up else oracle.act([asked])[0].output
            )
            made = hand.step(output)
            append_step(record=made.record, lease_s=600)
            if made.end is not None:
                finish_trajectory(record=made.end, lease_s=600, max_retries=0)
            outputs.append(output)
            seen, end = made.following, made.end
    return {"trajectory": row.pk, "steps": len(outputs)}


if __name__ == "__main__":
    main()
