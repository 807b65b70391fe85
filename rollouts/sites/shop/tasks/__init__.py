"""All task templates of the shop."""

from __future__ import annotations

from rollouts.sites.shop.tasks.account import ACCOUNT_TEMPLATES
from rollouts.sites.shop.tasks.cart import CART_TEMPLATES
from rollouts.sites.shop.tasks.find import FIND_TEMPLATES
from rollouts.sites.shop.tasks.navigate import NAVIGATE_TEMPLATES

SHOP_TEMPLATES = (
    *FIND_TEMPLATES,
    *NAVIGATE_TEMPLATES,
    *CART_TEMPLATES,
    *ACCOUNT_TEMPLATES,
)
