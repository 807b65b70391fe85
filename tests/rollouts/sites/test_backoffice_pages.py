from __future__ import annotations

import re

import pytest

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.cart_rules import phase_of
from rollouts.sites.backoffice.state import new_changes
from rollouts.sites.shop.data import CATEGORIES
from tests.rollouts.sites.visitor import INTERACTIVE, Sandbox, without_frame

BY_STATUS = {order.status: order.number for order in data.ORDERS.values()}
PENDING, PROCESSING = BY_STATUS["Pending"], BY_STATUS["Processing"]
PRODUCT = next(p for p in data.PRODUCTS.values() if p.enabled)
DISABLED = next(p for p in data.PRODUCTS.values() if not p.enabled)
CUSTOMER = next(iter(data.CUSTOMERS))
RULE_OF = {phase_of(rule): rule.slug for rule in data.RULES.values()}
WAITING = [r.number for r in data.REVIEWS.values() if r.status == "Pending"]
PAGES = [
    "/",
    "/search?q=oak",
    "/search?q=zzz",
    "/search",
    "/search?q=%3Cscript%3E",
    "/orders",
    *[f"/orders?status={status}&sort=-total" for status in data.STATUSES],
    "/orders?page=9999999999&sort=no&status=no",
    "/orders?exported=1",
    *[f"/order/{number}?done=invoiced" for number in BY_STATUS.values()],
    "/products",
    *[f"/products?category={category}&page=2" for category in CATEGORIES],
    "/product-bulk?category=Toys&page=3",
    f"/product/{PRODUCT.slug}?tab=reviews",
    f"/product/{DISABLED.slug}",
    f"/product-edit/{PRODUCT.slug}",
    "/customers?group=Retailer&sort=-since",
    f"/customer/{CUSTOMER}?tab=history",
    "/reviews?page=2",
    "/reviews?status=All&page=x",
    f"/review/{WAITING[0]}",
    "/promotions?sort=-discount&page=3",
    *[f"/promotion/{slug}" for slug in RULE_OF.values()],
    "/promotion-new",
    f"/promotion-edit/{RULE_OF['Planned']}",
    "/reports",
    "/report/bestsellers?month=May&category=Toys",
    "/report/bestsellers?month=no",
    "/report/months",
    "/report/dates",
    "/report/dates?from=2024-03-01&to=2024-03-09",
    "/report/stock?page=2",
]


class Visitor:
    """A person in an episode of the back office."""

    def __init__(self) -> None:
        self._sandbox = Sandbox()
        self._token = self._sandbox.open("backoffice")

    def get(self, path: str, code: int = 200) -> str:
        page = self._sandbox.get("backoffice", self._token, path)
        assert page.status_code == code
        return page.text

    def post(self, path: str, code: int = 200, /, **form: str) -> str:
        page = self._sandbox.post("backoffice", self._token, path, **form)
        assert page.status_code == code
        return page.text

    @property
    def changes(self) -> dict[str, object]:
        changed = self._sandbox.state(self._token)["backoffice"]
        return {key: value for key, value in changed.items() if value}


@pytest.fixture(scope="module")
def reader() -> Visitor:
    return Visitor()


@pytest.fixture
def visitor() -> Visitor:
    return Visitor()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_renders_lean_and_alone(reader: Visitor, path: str) -> None:
    page = without_frame(reader.get(path))
    assert "http" not in page
    assert "<script" not in page
    shown = re.sub(r"(?s)<(dialog|noscript).*?</\1>", "", page)
    assert len(INTERACTIVE.findall(shown)) <= 25


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/order/7",
        "/order/x",
        f"/order/{'9' * 5000}",
        "/product/x",
        "/product-edit/x",
        "/customer/x",
        "/review/1",
        "/promotion/x",
        "/promotion-edit/x",
        "/report/x",
        "/download/x.csv",
    ],
)
def test_what_does_not_exist_gets_the_sites_own_404(reader: Visitor, path: str) -> None:
    page = reader.get(path, 404)
    assert "does not exist" in page
    assert 'class="brand"' in page


@pytest.mark.parametrize(
    ("path", "form", "message"),
    [
        (f"/order/{PENDING}/cancel", {}, "Choose a reason"),
        (f"/order/{PENDING}/ship", {"carrier": "x"}, "Only a Processing order"),
        (f"/order/{PROCESSING}/ship", {"carrier": "x"}, "Choose a carrier"),
        (f"/order/{PENDING}/comment", {"text": " "}, "Write a comment"),
        (f"/product-edit/{PRODUCT.slug}", {"name": "<b>"}, "letters, digits"),
        ("/product-bulk", {"action": "Disable"}, "Tick at least one product"),
        ("/product-bulk", {f"product-{PRODUCT.slug}": "on"}, "Choose an action"),
        (f"/customer/{CUSTOMER}/group", {"group": "x"}, "Choose a group"),
        ("/reviews", {"action": "Approve"}, "Tick at least one review"),
        ("/reviews", {f"review-{WAITING[0]}": "on"}, "Choose an action"),
        ("/promotion-new", {"name": "A/B"}, "letters, digits"),
        (f"/promotion-edit/{RULE_OF['Planned']}", {}, "discount must be"),
        (f"/promotion-edit/{RULE_OF['Ended']}", {}, "can no longer be changed"),
    ],
)
def test_what_is_wrong_is_said_in_words(
    reader: Visitor, path: str, form: dict[str, str], message: str
) -> None:
    assert message in reader.post(path, 422, **form)
    assert reader.changes == {}


def test_an_odd_date_is_explained(reader: Visitor) -> None:
    page = reader.get("/report/dates?from=x&to=2024-03-01", 422)
    assert "Write &#34;From&#34; as YYYY-MM-DD" in page


def test_a_form_sends_back_what_was_typed(reader: Visitor) -> None:
    page = reader.post("/promotion-new", 422, name='"><b>', discount="12")
    assert "&#34;&gt;&lt;b&gt;" in page
    assert 'value="12"' in page


def test_a_comment_is_never_markup(visitor: Visitor) -> None:
    page = visitor.post(f"/order/{PENDING}/comment", text="<b>bold</b>")
    assert "&lt;b&gt;bold&lt;/b&gt;" in page


def test_an_order_goes_its_way_by_forms(visitor: Visitor) -> None:
    assert "invoice is on its way" in visitor.post(f"/order/{PENDING}/invoice")
    page = visitor.post(f"/order/{PENDING}/ship", carrier="Delta Cargo", tracking="A12")
    assert "tracking number A12" in page


def test_ticked_products_are_disabled(visitor: Visitor) -> None:
    form = {f"product-{PRODUCT.slug}": "on", "action": "Disable"}
    assert "action was applied" in visitor.post("/product-bulk?category=Toys", **form)
    assert visitor.changes == {"products": {PRODUCT.slug: {"enabled": False}}}


def test_ticked_reviews_leave_the_list_of_pending_ones(visitor: Visitor) -> None:
    first, second = WAITING[-2:]
    form = {f"review-{first}": "on", f"review-{second}": "on", "action": "Reject"}
    page = visitor.post("/reviews", **form)
    assert f"Review {first}" not in page
    assert f"{len(WAITING) - 2} reviews" in page


def test_a_deleted_rule_is_gone(visitor: Visitor) -> None:
    slug = RULE_OF["Ended"]
    assert "rule is deleted" in visitor.post(f"/promotion/{slug}/delete")
    visitor.get(f"/promotion/{slug}", 404)


def test_an_ended_rule_has_no_form(reader: Visitor) -> None:
    page = reader.get(f"/promotion-edit/{RULE_OF['Ended']}")
    assert "can no longer be changed" in page
    assert "Edit rule" not in page


def test_an_export_is_recorded_and_the_page_stays(visitor: Visitor) -> None:
    page = visitor.post("/export/orders", status="Pending")
    assert "The export is ready" in page
    assert "/download/orders.csv?status=Pending" in page
    assert visitor.changes == {"exports": {"orders/Pending": True}}


@pytest.mark.parametrize(
    ("address", "head"),
    [
        ("orders.csv?status=Pending", "Order,Date,Customer,Total,Status"),
        ("products.csv?category=x", "Name,SKU,Category,Price,Stock"),
        ("customers.csv", "Name,Group,City,Phone"),
        ("bestsellers.csv?month=May&category=Toys", "Product,Pieces,Revenue"),
        ("months.csv", "Month,Orders,Pieces,Revenue"),
    ],
)
def test_a_file_has_a_head_and_rows(reader: Visitor, address: str, head: str) -> None:
    lines = reader.get(f"/download/{address}").splitlines()
    assert lines[0] == head
    assert len(lines) > 5


def test_an_unknown_list_cannot_be_exported(reader: Visitor) -> None:
    reader.post("/export/secrets", 404)


def test_a_click_on_a_sorted_head_turns_the_order(reader: Visitor) -> None:
    page = reader.get("/products?category=Toys&sort=price&page=2")
    assert "/products?category=Toys&amp;sort=-price" in page
    assert 'aria-sort="ascending"' in page


def test_reading_changes_nothing(reader: Visitor) -> None:
    for path in PAGES:
        reader.get(path)
    assert reader.changes == {}
    assert not any(new_changes().values())
