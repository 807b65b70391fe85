"""All task templates of the shop."""

from __future__ import annotations

from rollouts.sandbox.shop.account_tasks import ACCOUNT_TEMPLATES
from rollouts.sandbox.shop.cart_tasks import CART_TEMPLATES
from rollouts.sandbox.shop.find_tasks import FIND_TEMPLATES
from rollouts.sandbox.shop.navigate_tasks import NAVIGATE_TEMPLATES

SHOP_TEMPLATES = (
    *FIND_TEMPLATES,
    *NAVIGATE_TEMPLATES,
    *CART_TEMPLATES,
    *ACCOUNT_TEMPLATES,
)
