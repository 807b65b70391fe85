"""All task templates of the map."""

from __future__ import annotations

from rollouts.sites.atlas.tasks.find import FIND_TEMPLATES
from rollouts.sites.atlas.tasks.navigate import NAVIGATE_TEMPLATES
from rollouts.sites.atlas.tasks.near import NEAR_TEMPLATES
from rollouts.sites.atlas.tasks.own import OWN_TEMPLATES
from rollouts.sites.atlas.tasks.place import PLACE_TEMPLATES
from rollouts.sites.atlas.tasks.report import REPORT_TEMPLATES
from rollouts.sites.atlas.tasks.route import ROUTE_TEMPLATES

ATLAS_TEMPLATES = (
    *FIND_TEMPLATES,
    *NEAR_TEMPLATES,
    *ROUTE_TEMPLATES,
    *NAVIGATE_TEMPLATES,
    *PLACE_TEMPLATES,
    *REPORT_TEMPLATES,
    *OWN_TEMPLATES,
)
