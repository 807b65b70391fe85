"""The Celery app: its queues, and a beat that starts the sweep.

Messages carry ids and may be lost or doubled: every unit of work is a row that
is claimed under a lease, and `webrl_site.loop.tasks.sweep` wakes workers again.
"""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import worker_shutting_down

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webrl_site.settings")

from django.conf import settings

from curriculum.rules.stopping import STOPPING
from webrl_site.loop.staleness import FreshTask, good_for
from webrl_site.server import file_transport

SWEEP_EVERY_S = 2.0
FORGET_EVERY_S = 600.0
# Some episodes at a time, often enough to clear a month's backlog in hours.
REMOVE_EVERY_S = 60.0
MEASURE_EVERY_S = 1800.0


file_transport.register()
IS_EMBEDDED = settings.BROKER_URL.startswith(f"{file_transport.SCHEME}:")


def broker_options() -> dict[str, Any]:
    """Return the transport's options."""
    if IS_EMBEDDED:
        return {"folder": str(settings.BROKER_DIR), "polling_interval": 0.05}
    # Redelivery matters little: the sweep wakes workers again long before.
    return {"visibility_timeout": 3600}


app = Celery("webrl_site", task_cls=FreshTask)
app.conf.update(
    broker_url=settings.BROKER_URL,
    broker_transport_options=broker_options(),
    broker_connection_retry_on_startup=True,
    result_backend=None,
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_default_queue="loop",
    task_create_missing_queues=True,
    task_routes={
        # A reset takes minutes: it must not delay episodes or the loop.
        "rollouts.tasks.reset_site": {"queue": "sites"},
        # A person keeps a browser for minutes: no phase may wait for them.
        "rollouts.tasks.run_takeover": {"queue": "takeover"},
        # It opens a browser; that worker has one and threads to spare.
        "rollouts.tasks.check_site": {"queue": "takeover"},
        # They look at many files; that worker has threads to spare.
        "rollouts.tasks.*_evidence": {"queue": "takeover"},
        "rollouts.tasks.*": {"queue": "rollouts"},
        "training.tasks.*": {"queue": "training"},
        "curriculum.tasks.*": {"queue": "training"},
        "webrl_site.loop.tasks.*": {"queue": "loop"},
    },
    # One process a worker. A pool whose idle child is killed may wait forever, and
    # a process that has imported torch must not fork.
    worker_pool="solo",
    worker_prefetch_multiplier=1,
    # A solo worker that works does not answer heartbeats.
    broker_heartbeat=0,
    # Remote control needs broadcasts, which the embedded broker lacks.
    worker_enable_remote_control=not IS_EMBEDDED,
    worker_hijack_root_logger=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    timezone="UTC",
    enable_utc=True,
    beat_schedule={
        "sweep": {
            "task": "webrl_site.loop.tasks.sweep",
            "schedule": SWEEP_EVERY_S,
            # A tick that no worker took has no value later.
            "options": {"headers": good_for(2 * SWEEP_EVERY_S)},
        },
        "forget_answers": {
            "task": "webrl_site.loop.tasks.forget_answers",
            "schedule": FORGET_EVERY_S,
            "options": {"headers": good_for(FORGET_EVERY_S)},
        },
        "remove_evidence": {
            "task": "rollouts.tasks.remove_evidence",
            "schedule": REMOVE_EVERY_S,
            "options": {"headers": good_for(REMOVE_EVERY_S)},
        },
        "measure_evidence": {
            "task": "rollouts.tasks.measure_evidence",
            "schedule": MEASURE_EVERY_S,
            "options": {"headers": good_for(MEASURE_EVERY_S)},
        },
    },
    beat_schedule_filename=str(settings.DATA_DIR / "beat-schedule"),
)
app.autodiscover_tasks()
app.autodiscover_tasks(["webrl_site.loop"])


@worker_shutting_down.connect
def stop_soon(**_: object) -> None:
    """Tell the running job to give its work back."""
    STOPPING.set()
