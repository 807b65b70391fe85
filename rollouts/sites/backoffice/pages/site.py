"""The back office's start page and search, and the list of all its addresses."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.backoffice import reports
from rollouts.sites.backoffice.cart_rules import CartRules, phase_of
from rollouts.sites.backoffice.exports import EXPORT_ROUTES
from rollouts.sites.backoffice.pages.customer import CUSTOMER_ROUTES
from rollouts.sites.backoffice.pages.order import ORDER_ROUTES
from rollouts.sites.backoffice.pages.product import PRODUCT_ROUTES
from rollouts.sites.backoffice.pages.report import REPORT_ROUTES
from rollouts.sites.backoffice.pages.review import REVIEW_ROUTES
from rollouts.sites.backoffice.pages.rule import RULE_ROUTES
from rollouts.sites.backoffice.records import format_price
from rollouts.sites.backoffice.rendering import PAGE_SIZE, error_page, office_of, render
from rollouts.sites.backoffice.state import Office, new_changes
from rollouts.sites.kit.site_app import SitePages
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.web import changes_of, paginate

LATEST = 5


@dataclasses.dataclass(frozen=True, slots=True)
class Hit:
    """Something found: what it is called and is, where it is, the main fact."""

    name: str
    kind: str
    address: str
    fact: str


async def home(request: Request) -> Response:
    """Key figures, sales by month as bars, the latest orders."""
    office = office_of(request)
    orders, products = list(office.orders.values()), office.products.values()
    months = reports.sales_by_month(orders)
    highest = max(sales.revenue for sales in months.values())
    figures = {
        "Revenue this year": format_price(reports.add_up(orders).revenue),
        "Orders to invoice": sum(o.status == "Pending" for o in orders),
        "Orders to ship": sum(o.status == "Processing" for o in orders),
        "Reviews to check": sum(r.status == "Pending" for r in office.reviews.values()),
        "Products enabled": sum(product.enabled for product in products),
    }
    return render(
        request,
        "home.html",
        figures=figures,
        bars={m: round(100 * s.revenue / highest) for m, s in months.items()},
        orders=orders[: -LATEST - 1 : -1],
        customers=office.customers,
    )


def _hits(office: Office, rules: CartRules) -> Iterator[Hit]:
    """Everything that has a page of its own."""
    for order in office.orders.values():
        name = f"Order {order.number}"
        yield Hit(name, "Order", f"/order/{order.number}", order.status)
    for product in office.products.values():
        address, price = f"/product/{product.slug}", format_price(product.price)
        yield Hit(product.name, "Product", address, price)
    for customer in office.customers.values():
        address, since = f"/customer/{customer.slug}", f"Since {customer.since}"
        yield Hit(customer.name, "Customer", address, since)
    for review in office.reviews.values():
        name = f"Review {review.number}"
        yield Hit(name, "Review", f"/review/{review.number}", review.status)
    for rule in rules.all.values():
        yield Hit(rule.name, "Cart rule", f"/promotion/{rule.slug}", phase_of(rule))


async def search(request: Request) -> Response:
    """Everything that has each word of the query in its name."""
    query = request.query_params.get("q", "").strip()[:100]
    words = set(query.lower().split())
    hits = _hits(office_of(request), CartRules(changes_of(request)))
    found = [h for h in hits if words and words <= set(h.name.lower().split())]
    page = paginate(request, found, PAGE_SIZE)
    return render(request, "search.html", query=query, page=page)


BACKOFFICE_PAGES = SitePages(
    key=BACKOFFICE.key,
    new_changes=new_changes,
    error_page=error_page,
    routes=[
        Route("/", home),
        Route("/search", search),
        *ORDER_ROUTES,
        *PRODUCT_ROUTES,
        *CUSTOMER_ROUTES,
        *REVIEW_ROUTES,
        *RULE_ROUTES,
        *REPORT_ROUTES,
        *EXPORT_ROUTES,
    ],
)
