from __future__ import annotations

from django.apps import AppConfig


class WebrlSiteConfig(AppConfig):
    name = "webrl_site"

    def ready(self) -> None:
        """Make the Celery app before anything asks for one."""
        from webrl_site import celery  # noqa: F401
