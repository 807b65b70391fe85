from __future__ import annotations

import pytest

from rollouts.sites.shop import data
from rollouts.sites.shop.state import Shop, ShopError, new_changes, order_total

IN_STOCK = [p for p in data.PRODUCTS.values() if p.stock]
SOLD_OUT = next(p for p in data.PRODUCTS.values() if not p.stock)
ADDRESS = dict(data.ADDRESS)


@pytest.fixture
def shop() -> Shop:
    return Shop(new_changes())


def test_what_is_sold_out_cannot_be_bought(shop: Shop) -> None:
    with pytest.raises(ShopError, match="sold out"):
        shop.add_to_cart(SOLD_OUT, 1)
    assert shop.cart == []


@pytest.mark.parametrize("quantity", [0, -1, 100])
def test_a_quantity_out_of_range_is_refused(shop: Shop, quantity: int) -> None:
    with pytest.raises(ShopError, match="quantity"):
        shop.add_to_cart(IN_STOCK[0], quantity)


def test_adding_twice_adds_up_and_removing_takes_all(shop: Shop) -> None:
    shop.add_to_cart(IN_STOCK[0], 2)
    shop.add_to_cart(IN_STOCK[0], 3)
    assert [line.quantity for line in shop.cart] == [5]
    shop.remove_from_cart(IN_STOCK[0])
    assert shop.cart == []


def test_an_order_empties_the_cart_and_comes_first(shop: Shop) -> None:
    shop.add_to_cart(IN_STOCK[0], 2)
    number = shop.place_order("Express", ADDRESS)
    order = next(iter(shop.orders.values()))
    assert (order.number, order.status) == (number, "Processing")
    assert order_total(order) == 2 * IN_STOCK[0].price + data.DELIVERIES["Express"]
    assert shop.cart == []


@pytest.mark.parametrize(
    ("delivery", "address"), [("Rocket", ADDRESS), ("Express", {**ADDRESS, "city": ""})]
)
def test_an_incomplete_order_is_refused(
    shop: Shop, delivery: str, address: dict[str, str]
) -> None:
    shop.add_to_cart(IN_STOCK[0], 1)
    with pytest.raises(ShopError):
        shop.place_order(delivery, address)
    assert len(shop.orders) == data.ORDER_COUNT


def test_an_empty_cart_cannot_be_ordered(shop: Shop) -> None:
    with pytest.raises(ShopError, match="empty"):
        shop.place_order("Standard", ADDRESS)


def test_only_an_order_that_waits_can_be_cancelled(shop: Shop) -> None:
    waiting = next(o for o in data.ORDERS.values() if o.status == "Processing")
    sent = next(o for o in data.ORDERS.values() if o.status == "Shipped")
    shop.cancel_order(waiting.number)
    assert shop.orders[waiting.number].status == "Cancelled"
    for number in (waiting.number, sent.number):
        with pytest.raises(ShopError, match="no longer"):
            shop.cancel_order(number)


def test_every_old_order_can_be_ordered_again() -> None:
    for order in data.ORDERS.values():
        shop = Shop(new_changes())
        shop.order_again(order.number)
        assert {ln.product.slug: ln.quantity for ln in shop.cart} == order.items


def test_a_wish_taken_back_leaves_no_trace() -> None:
    changes = new_changes()
    shop = Shop(changes)
    product = next(p for p in IN_STOCK if p.slug not in data.WISHLIST)
    shop.set_wish(product, True)
    assert product in shop.wishlist
    shop.set_wish(product, False)
    assert changes == new_changes()


def test_an_address_changed_back_leaves_no_trace() -> None:
    changes = new_changes()
    shop = Shop(changes)
    shop.change_address({"city": "Oslo"})
    assert shop.address["city"] == "Oslo"
    shop.change_address({"city": data.ADDRESS["city"]})
    assert changes == new_changes()
    with pytest.raises(ShopError):
        shop.change_address({"city": ""})


def test_a_review_needs_stars_and_a_text(shop: Shop) -> None:
    product = IN_STOCK[0]
    shop.add_review(product, 4, "Good")
    assert shop.reviews(product)[0].author == "Robin"
    for stars, text in ((0, "Good"), (6, "Good"), (3, "")):
        with pytest.raises(ShopError):
            shop.add_review(product, stars, text)


def test_the_newsletter_can_be_switched_off_and_on() -> None:
    changes = new_changes()
    shop = Shop(changes)
    shop.set_newsletter(False)
    assert not shop.wants_newsletter
    shop.set_newsletter(True)
    assert changes == new_changes()


def test_products_can_be_told_apart() -> None:
    assert len(data.PRODUCTS) == len(data.PRODUCT_BY_NAME) == 384
    for products in data.BY_CATEGORY.values():
        assert len({product.price for product in products}) == len(products)
        assert len({product.age for product in products}) == len(products)
    for product in data.PRODUCTS.values():
        stars = [review.stars for review in product.reviews]
        assert len(set(stars)) == len(stars)
