from __future__ import annotations

import itertools

import pytest

from rollouts.sites.backoffice import data, reports
from rollouts.sites.backoffice.cart_rules import CartRules, phase_of
from rollouts.sites.backoffice.state import Office, OfficeError, new_changes

PENDING = next(o.number for o in data.ORDERS.values() if o.status == "Pending")
PROCESSING = next(o.number for o in data.ORDERS.values() if o.status == "Processing")
COMPLETE = next(o.number for o in data.ORDERS.values() if o.status == "Complete")
LAMP, OTHER = itertools.islice(data.PRODUCTS.values(), 2)
CUSTOMER = next(iter(data.CUSTOMERS.values()))
WAITING = next(r.number for r in data.REVIEWS.values() if r.status == "Pending")
RUNNING = next(r for r in data.RULES.values() if phase_of(r) == "Running")
ENDED = next(r for r in data.RULES.values() if phase_of(r) == "Ended")
NEW_RULE = {
    "discount": "15",
    "group": "All groups",
    "starts": "2024-07-01",
    "ends": "2024-07-31",
}


@pytest.fixture
def office() -> Office:
    return Office(new_changes())


@pytest.fixture
def rules() -> CartRules:
    return CartRules(new_changes())


def price_of(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def test_an_order_is_invoiced_then_shipped(office: Office) -> None:
    office.invoice(PENDING)
    assert office.orders[PENDING].status == "Processing"
    office.ship(PENDING, "Falcon Post", "A123")
    order = office.orders[PENDING]
    assert (order.status, order.carrier, order.tracking) == (
        "Complete",
        "Falcon Post",
        "A123",
    )


def test_what_is_not_invoiced_cannot_be_shipped(office: Office) -> None:
    with pytest.raises(OfficeError, match="Processing"):
        office.ship(PENDING, "Falcon Post", "A123")
    with pytest.raises(OfficeError, match="Pending"):
        office.invoice(PROCESSING)


@pytest.mark.parametrize(
    ("carrier", "tracking"), [("Rocket", "A123"), ("Falcon Post", ""), ("", "<b>")]
)
def test_a_shipment_needs_carrier_and_tracking_number(
    office: Office, carrier: str, tracking: str
) -> None:
    with pytest.raises(OfficeError):
        office.ship(PROCESSING, carrier, tracking)
    assert office.changes == new_changes()


def test_only_a_pending_order_can_be_cancelled(office: Office) -> None:
    office.cancel(PENDING, "Out of stock")
    assert office.changes["orders"] == {
        str(PENDING): {"status": "Cancelled", "reason": "Out of stock"}
    }
    for number in (PENDING, PROCESSING, COMPLETE):
        with pytest.raises(OfficeError, match="Pending"):
            office.cancel(number, "Out of stock")


def test_a_cancellation_needs_a_reason(office: Office) -> None:
    with pytest.raises(OfficeError, match="reason"):
        office.cancel(PENDING, "Bad mood")


def test_comments_stand_in_the_order_they_were_written(office: Office) -> None:
    office.comment(COMPLETE, "Pack it well")
    office.comment(COMPLETE, "Send it today")
    assert office.orders[COMPLETE].comments == ["Pack it well", "Send it today"]
    with pytest.raises(OfficeError):
        office.comment(COMPLETE, "")


def test_a_product_set_back_leaves_no_trace(office: Office) -> None:
    office.edit_product(LAMP.slug, "New Lamp", "$24.50", "7")
    changed = office.products[LAMP.slug]
    assert (changed.name, changed.price, changed.stock) == ("New Lamp", 2450, 7)
    price = price_of(LAMP.price)
    office.edit_product(LAMP.slug, LAMP.name, price, str(LAMP.stock))
    assert office.changes == new_changes()


def test_only_what_differs_is_recorded(office: Office) -> None:
    price = price_of(LAMP.price)
    office.edit_product(LAMP.slug, LAMP.name, price, "999")
    assert office.changes["products"] == {LAMP.slug: {"stock": 999}}


@pytest.mark.parametrize("price", ["", "0", "0.00", "-1", "1,5", "1.5", "9" * 99, "٣"])
def test_an_odd_price_is_refused(office: Office, price: str) -> None:
    with pytest.raises(OfficeError, match="price"):
        office.edit_product(LAMP.slug, LAMP.name, price, "5")


@pytest.mark.parametrize("stock", ["", "-1", "1.5", "many", "9" * 99])
def test_an_odd_stock_is_refused(office: Office, stock: str) -> None:
    with pytest.raises(OfficeError, match="stock"):
        office.edit_product(LAMP.slug, LAMP.name, "5", stock)


@pytest.mark.parametrize("name", ["", "<b>", "a/b", OTHER.name, OTHER.name.upper()])
def test_an_odd_or_taken_name_is_refused(office: Office, name: str) -> None:
    with pytest.raises(OfficeError, match="name"):
        office.edit_product(LAMP.slug, name, "5", "5")


def test_several_products_are_disabled_at_once(office: Office) -> None:
    chosen = [p.slug for p in data.PRODUCTS.values() if p.enabled][:3]
    office.enable(chosen, False)
    assert not any(office.products[slug].enabled for slug in chosen)
    office.enable(chosen, True)
    assert office.changes == new_changes()
    with pytest.raises(OfficeError, match="Tick"):
        office.enable([], True)


def test_a_customer_moves_to_a_known_group(office: Office) -> None:
    group = next(group for group in data.GROUPS if group != CUSTOMER.group)
    office.set_group(CUSTOMER.slug, group)
    assert office.customers[CUSTOMER.slug].group == group
    with pytest.raises(OfficeError):
        office.set_group(CUSTOMER.slug, "Pirates")
    office.set_group(CUSTOMER.slug, CUSTOMER.group)
    assert office.changes == new_changes()


def test_a_review_is_approved_or_rejected(office: Office) -> None:
    office.moderate([WAITING], "Approved")
    office.moderate([WAITING], "Rejected")
    assert office.changes["reviews"] == {str(WAITING): {"status": "Rejected"}}
    for numbers, status in (([], "Approved"), ([WAITING], "Pending")):
        with pytest.raises(OfficeError):
            office.moderate(numbers, status)


def test_an_export_is_recorded_with_its_filters(office: Office) -> None:
    office.record_export("orders", "Pending")
    office.record_export("products", "")
    assert office.changes["exports"] == {"orders/Pending": True, "products": True}


def test_a_new_rule_can_be_edited_and_deleted(rules: CartRules) -> None:
    slug = rules.add("Big Day Sale", NEW_RULE)
    rules.edit(slug, {**NEW_RULE, "discount": "20"})
    assert rules.all[slug].discount == 20
    rules.delete(slug)
    assert rules.all == dict(sorted(data.RULES.items()))


def test_two_rules_cannot_have_one_name(rules: CartRules) -> None:
    with pytest.raises(OfficeError, match="name"):
        rules.add(RUNNING.name.upper(), NEW_RULE)


def test_a_deleted_rule_made_again_leaves_no_trace() -> None:
    changes = new_changes()
    rules = CartRules(changes)
    rules.delete(RUNNING.slug)
    assert RUNNING.slug not in rules.all
    fields = {name: str(getattr(RUNNING, name)) for name in NEW_RULE}
    rules.add(RUNNING.name, fields)
    assert changes == new_changes()


def test_an_ended_rule_stays_as_it_is(rules: CartRules) -> None:
    with pytest.raises(OfficeError, match="ended"):
        rules.edit(ENDED.slug, NEW_RULE)


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("discount", "0", "1 to 90"),
        ("discount", "9" * 5000, "1 to 90"),
        ("group", "Pirates", "group"),
        ("starts", "1 July", "YYYY-MM-DD"),
        ("ends", "20240731", "YYYY-MM-DD"),
        ("ends", "2024-06-30", "before it starts"),
    ],
)
def test_an_odd_rule_is_refused_in_words(
    rules: CartRules, field: str, text: str, message: str
) -> None:
    with pytest.raises(OfficeError, match=message):
        rules.add("Big Day Sale", {**NEW_RULE, field: text})


def test_a_rule_cannot_end_in_the_past(rules: CartRules) -> None:
    past = {**NEW_RULE, "starts": "2024-01-01", "ends": "2024-02-01"}
    with pytest.raises(OfficeError, match="past"):
        rules.add("Big Day Sale", past)


def test_the_months_add_up_to_the_year() -> None:
    orders = list(data.ORDERS.values())
    months = reports.sales_by_month(orders).values()
    total = reports.add_up(orders)
    assert sum(month.orders for month in months) == total.orders
    assert sum(month.revenue for month in months) == total.revenue


def test_a_cancelled_order_is_not_counted(office: Office) -> None:
    before = reports.add_up(office.orders.values())
    office.cancel(PENDING, "Out of stock")
    after = reports.add_up(office.orders.values())
    assert before.orders - after.orders == 1
    assert before.revenue - after.revenue == office.orders[PENDING].total


def test_the_bestseller_comes_first() -> None:
    rows = reports.bestsellers(data.ORDERS.values(), data.PRODUCTS, "May", "Toys")
    pieces = [row.pieces for row in rows]
    assert pieces == sorted(pieces, reverse=True)
    assert {row.product.category for row in rows} == {"Toys"}


def test_sales_between_two_days_count_both() -> None:
    order = data.ORDERS[COMPLETE]
    day = order.date.isoformat()
    sales = reports.sales_between([order], day, day)
    assert (sales.orders, sales.pieces) == (1, order.pieces)


def test_records_can_be_told_apart() -> None:
    for records in (data.PRODUCTS, data.CUSTOMERS, data.RULES):
        assert len({record.name for record in records.values()}) == len(records)
    for category in {product.category for product in data.PRODUCTS.values()}:
        own = [p for p in data.PRODUCTS.values() if p.category == category]
        for name in ("sku", "price", "stock"):
            assert len({getattr(product, name) for product in own}) == len(own)
    pairs = {(review.product, review.stars) for review in data.REVIEWS.values()}
    assert len(pairs) == len(data.REVIEWS)


def test_no_address_is_the_beginning_of_another() -> None:
    """url_match compares by substring."""
    for slugs in (data.PRODUCTS, data.CUSTOMERS, data.RULES):
        pairs = itertools.pairwise(sorted(slugs))
        assert not any(after.startswith(before) for before, after in pairs)


def test_the_data_is_the_same_every_time() -> None:
    products, customers, orders, reviews = data._build()
    assert (products, customers) == (data.PRODUCTS, data.CUSTOMERS)
    assert (orders, reviews) == (data.ORDERS, data.REVIEWS)
