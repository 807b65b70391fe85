"""Open one phase on the shop; `python -m tests.services.seed_lab` prints its id."""

from __future__ import annotations

import sys

import django


def main() -> int:
    from curriculum import services
    from tests.factories import SMALL
    from webrl_site.loop.tasks import advance_phase
    from webrl_site.runs.config import RunConfig
    from webrl_site.sites.sandbox import load_sandbox

    load_sandbox()
    curriculum = {"sites": ["shop"], "tasks_per_phase": 6, "evaluation_tasks": 3}
    rollout = {"contexts": 2, "step_limit": 4, "time_limit_s": 60.0}
    config = RunConfig.parse(
        {
            **SMALL.to_json(),
            "curriculum": curriculum | {"proposals_per_phase": 4},
            "rollout": rollout,
        }
    )
    run = services.create_run(
        name="lab", config=config.to_json(), seed=3, auto_accept=True
    )
    phase = services.open_phase(run_id=run.pk)
    advance_phase.delay(phase.pk)
    return phase.pk


if __name__ == "__main__":
    django.setup()
    sys.stdout.write(f"{main()}\n")
