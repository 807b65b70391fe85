from __future__ import annotations

from django.apps import AppConfig


class WebrlSiteConfig(AppConfig):
    name = "webrl_site"

    def ready(self) -> None:
        """Load the Celery app and its jobs before anything needs them."""
        from webrl_site.celery import app
        from webrl_site.server import workers  # noqa: F401  (listens to Celery's signals)

        app.autodiscover_tasks(force=True)
        app.autodiscover_tasks(["webrl_site.loop"], force=True)
