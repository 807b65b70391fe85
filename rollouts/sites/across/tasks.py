"""All task templates that need two sites."""

from __future__ import annotations

from rollouts.sites.across.facts import FACT_TEMPLATES
from rollouts.sites.across.people import PEOPLE_TEMPLATES

ACROSS_TEMPLATES = (*PEOPLE_TEMPLATES, *FACT_TEMPLATES)
