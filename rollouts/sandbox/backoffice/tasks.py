"""All task templates of the back office."""

from __future__ import annotations

from rollouts.sandbox.backoffice.find_product_tasks import FIND_PRODUCT_TEMPLATES
from rollouts.sandbox.backoffice.find_tasks import FIND_TEMPLATES
from rollouts.sandbox.backoffice.impossible_tasks import IMPOSSIBLE_TEMPLATES
from rollouts.sandbox.backoffice.navigate_list_tasks import NAVIGATE_LIST_TEMPLATES
from rollouts.sandbox.backoffice.navigate_tasks import NAVIGATE_TEMPLATES
from rollouts.sandbox.backoffice.order_tasks import ORDER_TEMPLATES
from rollouts.sandbox.backoffice.product_tasks import PRODUCT_TEMPLATES
from rollouts.sandbox.backoffice.report_tasks import REPORT_TEMPLATES
from rollouts.sandbox.backoffice.review_tasks import REVIEW_TEMPLATES
from rollouts.sandbox.backoffice.rule_tasks import RULE_TEMPLATES

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
