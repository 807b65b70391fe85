"""All task templates of the back office."""

from __future__ import annotations

from rollouts.sites.backoffice.tasks.find import FIND_TEMPLATES
from rollouts.sites.backoffice.tasks.find_product import FIND_PRODUCT_TEMPLATES
from rollouts.sites.backoffice.tasks.impossible import IMPOSSIBLE_TEMPLATES
from rollouts.sites.backoffice.tasks.navigate import NAVIGATE_TEMPLATES
from rollouts.sites.backoffice.tasks.navigate_list import NAVIGATE_LIST_TEMPLATES
from rollouts.sites.backoffice.tasks.order import ORDER_TEMPLATES
from rollouts.sites.backoffice.tasks.product import PRODUCT_TEMPLATES
from rollouts.sites.backoffice.tasks.report import REPORT_TEMPLATES
from rollouts.sites.backoffice.tasks.review import REVIEW_TEMPLATES
from rollouts.sites.backoffice.tasks.rule import RULE_TEMPLATES

BACKOFFICE_TEMPLATES = (
    *FIND_TEMPLATES,
    *FIND_PRODUCT_TEMPLATES,
    *REPORT_TEMPLATES,
    *NAVIGATE_TEMPLATES,
    *NAVIGATE_LIST_TEMPLATES,
    *ORDER_TEMPLATES,
    *PRODUCT_TEMPLATES,
    *REVIEW_TEMPLATES,
    *RULE_TEMPLATES,
    *IMPOSSIBLE_TEMPLATES,
)
