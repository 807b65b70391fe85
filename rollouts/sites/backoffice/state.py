"""What an episode has changed in the back office, and the office as it then looks.

The change set is plain JSON and empty at the start; a field set back to what it was
leaves no trace. Every rule of the office (what may be shipped, cancelled, saved) is
here and in `cart_rules.py`; pages only show and call.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.records import Customer, Order, Product, Review
from rollouts.sites.kit.episodes import Changes

MAX_STOCK = 9999
NAME = re.compile(r"[A-Za-z0-9]+(?: [A-Za-z0-9]+)*")
PRICE = re.compile(r"\$?(\d{1,5})(?:\.(\d\d))?", re.ASCII)
TRACKING = re.compile(r"[A-Za-z0-9]{3,20}")

Key = TypeVar("Key")
Record = TypeVar("Record", Customer, Order, Product, Review)


class OfficeError(ValueError):
    """The office refuses, with a message for the page."""


def new_changes() -> Changes:
    """The change set of an episode that has not begun."""
    return {
        "orders": {},
        "products": {},
        "customers": {},
        "reviews": {},
        "rules": {},
        "exports": {},
    }


def parse_price(text: str) -> int:
    """Cents of "24.50"; refuses what is no price."""
    match = PRICE.fullmatch(text)
    cents = int(match[1]) * 100 + int(match[2] or 0) if match else 0
    if not cents:
        raise OfficeError("Write the price like 24.50, more than 0.")
    return cents


def parse_stock(text: str) -> int:
    """Pieces in stock; refuses what is no whole number."""
    if re.fullmatch(r"\d{1,4}", text, re.ASCII):
        return int(text)
    raise OfficeError(f"The stock must be a whole number from 0 to {MAX_STOCK}.")


class Office:
    """The back office of one episode: base data below, the change set on top."""

    def __init__(self, changes: Changes) -> None:
        """Bind the episode's change set, which the methods change in place."""
        self.changes = changes

    @property
    def products(self) -> dict[str, Product]:
        """All products by slug."""
        return _merge(data.PRODUCTS, self.changes["products"], str)

    @property
    def customers(self) -> dict[str, Customer]:
        """All customers by slug."""
        return _merge(data.CUSTOMERS, self.changes["customers"], str)

    @property
    def orders(self) -> dict[int, Order]:
        """All orders by number, oldest first."""
        return _merge(data.ORDERS, self.changes["orders"], int)

    @property
    def reviews(self) -> dict[int, Review]:
        """All reviews by number, oldest first."""
        return _merge(data.REVIEWS, self.changes["reviews"], int)

    def invoice(self, number: int) -> None:
        """Send the invoice of a pending order."""
        self._expect(number, "Pending", "Only a Pending order can be invoiced.")
        self._set("orders", number, data.ORDERS[number], status="Processing")

    def ship(self, number: int, carrier: str, tracking: str) -> None:
        """Hand an invoiced order to a carrier."""
        self._expect(number, "Processing", "Only a Processing order can be shipped.")
        if carrier not in data.CARRIERS:
            raise OfficeError("Choose a carrier.")
        if not TRACKING.fullmatch(tracking):
            raise OfficeError("Write the tracking number in 3 to 20 letters or digits.")
        shipment = {"status": "Complete", "carrier": carrier, "tracking": tracking}
        self._set("orders", number, data.ORDERS[number], **shipment)

    def cancel(self, number: int, reason: str) -> None:
        """Cancel an order that has not been invoiced."""
        self._expect(number, "Pending", "Only a Pending order can be cancelled.")
        if reason not in data.REASONS:
            raise OfficeError("Choose a reason.")
        end = {"status": "Cancelled", "reason": reason}
        self._set("orders", number, data.ORDERS[number], **end)

    def comment(self, number: int, text: str) -> None:
        """Add a comment to an order."""
        if not text:
            raise OfficeError("Write a comment first.")
        comments = [*self.orders[number].comments, text[:200]]
        self._set("orders", number, data.ORDERS[number], comments=comments)

    def edit_product(self, slug: str, name: str, price: str, stock: str) -> None:
        """Save name, price and stock as they were typed."""
        if not NAME.fullmatch(name):
            raise OfficeError("Write the name in letters, digits and single spaces.")
        taken = {p.name.lower() for p in self.products.values() if p.slug != slug}
        if name.lower() in taken:
            raise OfficeError("Another product has this name.")
        fields = {"price": parse_price(price), "stock": parse_stock(stock)}
        self._set("products", slug, data.PRODUCTS[slug], name=name, **fields)

    def enable(self, slugs: Collection[str], enabled: bool) -> None:
        """Show products in the shop, or hide them."""
        if not slugs:
            raise OfficeError("Tick at least one product.")
        for slug in slugs:
            self._set("products", slug, data.PRODUCTS[slug], enabled=enabled)

    def set_group(self, slug: str, group: str) -> None:
        """Move a customer into a group."""
        if group not in data.GROUPS:
            raise OfficeError("Choose a group.")
        self._set("customers", slug, data.CUSTOMERS[slug], group=group)

    def moderate(self, numbers: Collection[int], status: str) -> None:
        """Approve or reject reviews."""
        if not numbers:
            raise OfficeError("Tick at least one review.")
        if status not in ("Approved", "Rejected"):
            raise OfficeError("Choose an action.")
        for number in numbers:
            self._set("reviews", number, data.REVIEWS[number], status=status)

    def record_export(self, *name: str) -> None:
        """Remember which list was exported, with its filters."""
        self.changes["exports"]["/".join(filter(None, name))] = True

    def _expect(self, number: int, status: str, refusal: str) -> None:
        if self.orders[number].status != status:
            raise OfficeError(refusal)

    def _set(self, section: str, key: object, base: object, **fields: object) -> None:
        """Record the fields that differ from the base record, forget the others."""
        changed: dict[str, Any] = self.changes[section].pop(str(key), {})
        for name, value in fields.items():
            changed.pop(name, None)
            if value != getattr(base, name):
                changed[name] = value
        if changed:
            self.changes[section][str(key)] = changed


def _merge(
    base: Mapping[Key, Record],
    changes: Mapping[str, dict[str, Any]],
    key_of: Callable[[str], Any],
) -> dict[Key, Record]:
    found = dict(base)
    for text, fields in changes.items():
        key = key_of(text)
        found[key] = dataclasses.replace(base[key], **fields)
    return found
