"""The Celery app: three queues, a beat that rings the sweep, doorbells only.

Messages carry ids and may be lost or doubled: every unit of work is a row that
is claimed under a lease, and `webrl_site.tasks.sweep` rings again.
"""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import worker_shutting_down

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webrl_site.settings")

from django.conf import settings

# Made before the worker forks, so that its children share the flag.
from curriculum.stopping import STOPPING

SWEEP_EVERY_S = 2.0


def broker_options() -> dict[str, Any]:
    """Return the transport's options, and make the embedded broker's folders."""
    if not settings.BROKER_URL.startswith("filesystem"):
        return {"visibility_timeout": 3600}
    queue, control = settings.BROKER_DIR / "queue", settings.BROKER_DIR / "control"
    for folder in (queue, control):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return {
        "data_folder_in": str(queue),
        "data_folder_out": str(queue),
        "control_folder": str(control),
        "polling_interval": 0.05,
        "store_processed": False,
    }


app = Celery("webrl_site")
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
        "rollouts.tasks.*": {"queue": "rollouts"},
        "training.tasks.*": {"queue": "training"},
        "curriculum.tasks.*": {"queue": "training"},
        "webrl_site.tasks.*": {"queue": "loop"},
    },
    worker_prefetch_multiplier=1,
    worker_soft_shutdown_timeout=25.0,
    worker_enable_soft_shutdown_on_idle=True,
    worker_hijack_root_logger=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    timezone="UTC",
    enable_utc=True,
    beat_schedule={
        "sweep": {
            "task": "webrl_site.tasks.sweep",
            "schedule": SWEEP_EVERY_S,
            # A tick that nobody answered is worth nothing.
            "options": {"expires": 2 * SWEEP_EVERY_S},
        }
    },
    beat_schedule_filename=str(settings.DATA_DIR / "beat-schedule"),
)
app.autodiscover_tasks()


@worker_shutting_down.connect
def stop_soon(**_: object) -> None:
    """Tell the running job to give its work back."""
    STOPPING.set()
