"""Fill a fresh database and open one phase; `python -m tests.services.seed`.

Prints the phase's id. Runs in a process of its own, like everything that the
services tests start.
"""

from __future__ import annotations

import sys

import django


def main() -> int:
    from django.conf import settings

    from curriculum import services
    from curriculum.models import Task
    from tests import fakes
    from tests.factories import SMALL, TaskFactory
    from webrl_site.loop.tasks import advance_phase

    for kind in ("policy", "critic", "orm"):
        fakes.write_checkpoint(settings.DATA_DIR / "models/starter" / kind, 0.2)
    TaskFactory.create_batch(30)
    for number in range(10):
        TaskFactory(
            split=Task.Split.TEST,
            key=f"shop.test.{number}",
            instruction=f"Ask for return number {number}",
        )
    run = services.create_run(
        name="services", config=SMALL.to_json(), seed=3, auto_accept=True
    )
    phase = services.open_phase(run_id=run.pk)
    advance_phase.delay(phase.pk)
    return phase.pk


if __name__ == "__main__":
    django.setup()
    sys.stdout.write(f"{main()}\n")
