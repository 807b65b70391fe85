"""Queue two episodes that change a site; `python -m tests.services.seed_site`.

The reset of the site is wanted at once. Runs in a process of its own, like all that
the services tests start.
"""

from __future__ import annotations

import django


def main() -> None:
    from django.conf import settings
    from django.db import transaction

    from curriculum.models import Phase, Site
    from rollouts.services import request_reset
    from tests import fakes
    from tests.factories import (
        PhaseFactory,
        QueuedTrajectoryFactory,
        SiteFactory,
        TaskFactory,
    )

    for kind in ("policy", "critic", "orm"):
        fakes.write_checkpoint(settings.DATA_DIR / "models/starter" / kind, 0.2)
    # Whole: a phase that is seen without its episodes has nothing left to collect.
    with transaction.atomic():
        site = SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL, base_url="http://x/")
        request_reset(key="reddit")
        phase = PhaseFactory(status=Phase.Status.COLLECTING)
        for task in TaskFactory.create_batch(2, site=site, spec={"sites": ["reddit"]}):
            QueuedTrajectoryFactory(phase=phase, task=task)


if __name__ == "__main__":
    django.setup()
    main()
