"""What an episode has changed in the shop, and the shop as it then looks.

The change set is plain JSON and empty at the start. Every rule of the shop (what may
be bought, cancelled, reviewed) is here; pages only show and call.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from rollouts.sites.kit.episodes import Changes, set_flag
from rollouts.sites.kit.vocabulary import ME
from rollouts.sites.shop import data
from rollouts.sites.shop.data import Order, Product, Review

MAX_QUANTITY = 99
TODAY = "28 June"


class ShopError(ValueError):
    """The shop refuses, with a message for the page."""


def new_changes() -> Changes:
    """The change set of an episode that has not begun."""
    return {
        "cart": {},
        "orders": [],
        "cancelled": [],
        "wishlist": {},
        "reviews": [],
        "address": {},
        "newsletter": {},
    }


@dataclasses.dataclass(frozen=True)
class CartLine:
    """A product in the cart or in an order."""

    product: Product
    quantity: int

    @property
    def total(self) -> int:
        """Cents."""
        return self.product.price * self.quantity


def lines(items: dict[str, int]) -> list[CartLine]:
    """The products behind slugs and quantities, in the order they were added."""
    return [CartLine(data.PRODUCTS[slug], count) for slug, count in items.items()]


class Shop:
    """The shop of one episode: base data below, the change set on top."""

    def __init__(self, changes: Changes) -> None:
        """Bind the episode's change set, which the methods change in place."""
        self._changes = changes

    @property
    def cart(self) -> list[CartLine]:
        """What is in the cart."""
        return lines(self._changes["cart"])

    def add_to_cart(self, product: Product, quantity: int) -> None:
        """Add; refuses what is sold out and more than MAX_QUANTITY."""
        if not product.stock:
            raise ShopError("This product is sold out.")
        total = self._changes["cart"].get(product.slug, 0) + quantity
        if quantity < 1 or total > MAX_QUANTITY:
            raise ShopError(f"Choose a quantity from 1 to {MAX_QUANTITY}.")
        self._changes["cart"][product.slug] = total

    def remove_from_cart(self, product: Product) -> None:
        """Take every piece of the product out."""
        self._changes["cart"].pop(product.slug, None)

    @property
    def address(self) -> dict[str, str]:
        """Robin's address."""
        return {**data.ADDRESS, **self._changes["address"]}

    def change_address(self, fields: dict[str, str]) -> None:
        """Save the fields that differ from the original address."""
        merged = {**self.address, **fields}
        if not all(merged.values()):
            raise ShopError("Please fill in every field.")
        self._changes["address"] = {
            name: text for name, text in merged.items() if text != data.ADDRESS[name]
        }

    @property
    def wants_newsletter(self) -> bool:
        """Whether Robin gets the newsletter; on at the start."""
        return bool(self._changes["newsletter"].get("on", True))

    def set_newsletter(self, on: bool) -> None:
        """Switch the newsletter."""
        set_flag(self._changes["newsletter"], "on", on, base=True)

    @property
    def wishlist(self) -> list[Product]:
        """The wished products, oldest first."""
        flags: dict[str, bool] = self._changes["wishlist"]
        kept = [slug for slug in data.WISHLIST if flags.get(slug, True)]
        added = [slug for slug, wished in flags.items() if wished]
        return [data.PRODUCTS[slug] for slug in kept + added]

    def set_wish(self, product: Product, wished: bool) -> None:
        """Put the product on the wishlist or take it off."""
        base = product.slug in data.WISHLIST
        set_flag(self._changes["wishlist"], product.slug, wished, base=base)

    def reviews(self, product: Product) -> list[Review]:
        """The product's reviews, newest first."""
        own = [
            Review(ME, review["stars"], review["text"])
            for review in reversed(self._changes["reviews"])
            if review["product"] == product.slug
        ]
        return [*own, *product.reviews]

    def add_review(self, product: Product, stars: int, text: str) -> None:
        """Write a review; text is needed, stars are 1 to 5."""
        if not text or not 1 <= stars <= 5:
            raise ShopError("Please give stars and write a text.")
        self._changes["reviews"].append(
            {"product": product.slug, "stars": stars, "text": text[:500]}
        )

    @property
    def orders(self) -> dict[int, Order]:
        """All orders by number, newest first."""
        placed: list[dict[str, Any]] = self._changes["orders"]
        first = data.FIRST_ORDER + data.ORDER_COUNT
        new = [
            Order(
                first + i, TODAY, "Processing", o["items"], o["delivery"], o["address"]
            )
            for i, o in enumerate(placed)
        ]
        found = {}
        for order in [*reversed(new), *reversed(data.ORDERS.values())]:
            if order.number in self._changes["cancelled"]:
                order = dataclasses.replace(order, status="Cancelled")
            found[order.number] = order
        return found

    def place_order(self, delivery: str, address: dict[str, str]) -> int:
        """Order what is in the cart; returns the order's number."""
        if not self._changes["cart"]:
            raise ShopError("The cart is empty.")
        if delivery not in data.DELIVERIES:
            raise ShopError("Choose a delivery.")
        if not all(address.values()):
            raise ShopError("Please fill in every field.")
        self._changes["orders"].append(
            {"items": self._changes["cart"], "delivery": delivery, "address": address}
        )
        self._changes["cart"] = {}
        return data.FIRST_ORDER + data.ORDER_COUNT + len(self._changes["orders"]) - 1

    def cancel_order(self, number: int) -> None:
        """Cancel an order that has not left yet."""
        if self.orders[number].status != "Processing":
            raise ShopError("This order can no longer be cancelled.")
        self._changes["cancelled"].append(number)

    def order_again(self, number: int) -> None:
        """Put what the order held into the cart."""
        for line in lines(self.orders[number].items):
            self.add_to_cart(line.product, line.quantity)


def order_total(order: Order) -> int:
    """Cents, delivery included."""
    goods = sum(line.total for line in lines(order.items))
    return goods + data.DELIVERIES[order.delivery]
