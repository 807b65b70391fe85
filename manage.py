#!/usr/bin/env python
"""Django's entry point; `./webrl manage` runs it inside the virtual environment."""

from __future__ import annotations

import os
import sys


def check_settings() -> None:
    """End with one line where a variable of the deployment has a mistake."""
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    from webrl_site.env import EnvError

    try:
        _ = settings.INSTALLED_APPS
    except (EnvError, ImproperlyConfigured) as error:
        sys.exit(f"{error} See docs/configuration.md.")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webrl_site.settings")
    from django.core.management import execute_from_command_line

    check_settings()
    execute_from_command_line(sys.argv)
