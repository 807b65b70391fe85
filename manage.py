#!/usr/bin/env python
"""Django's entry point; `./webrl manage` runs it inside the virtual environment."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webrl_site.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
