"""All task templates of the map."""

from __future__ import annotations

from rollouts.sandbox.atlas.find_tasks import FIND_TEMPLATES
from rollouts.sandbox.atlas.navigate_tasks import NAVIGATE_TEMPLATES
from rollouts.sandbox.atlas.near_tasks import NEAR_TEMPLATES
from rollouts.sandbox.atlas.own_tasks import OWN_TEMPLATES
from rollouts.sandbox.atlas.place_tasks import PLACE_TEMPLATES
from rollouts.sandbox.atlas.report_tasks import REPORT_TEMPLATES
from rollouts.sandbox.atlas.route_tasks import ROUTE_TEMPLATES

ATLAS_TEMPLATES = (
    *FIND_TEMPLATES,
    *NEAR_TEMPLATES,
    *ROUTE_TEMPLATES,
    *NAVIGATE_TEMPLATES,
    *PLACE_TEMPLATES,
    *REPORT_TEMPLATES,
    *OWN_TEMPLATES,
)
