"""All task templates that need two sites."""

from __future__ import annotations

from rollouts.sandbox.across.fact_tasks import FACT_TEMPLATES
from rollouts.sandbox.across.people_tasks import PEOPLE_TEMPLATES

ACROSS_TEMPLATES = (*PEOPLE_TEMPLATES, *FACT_TEMPLATES)
