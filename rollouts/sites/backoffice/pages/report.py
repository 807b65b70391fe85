"""The pages of reports: what sold, when, and what is running out."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.backoffice import data, reports
from rollouts.sites.backoffice.cart_rules import parse_day
from rollouts.sites.backoffice.rendering import PAGE_SIZE, choice, office_of, render
from rollouts.sites.backoffice.state import OfficeError
from rollouts.sites.kit.vocabulary import MONTHS
from rollouts.sites.kit.web import paginate
from rollouts.sites.shop.data import CATEGORIES

REPORTS = {
    "Bestsellers": "/report/bestsellers",
    "Sales by month": "/report/months",
    "Sales by date": "/report/dates",
    "Low stock": "/report/stock",
}


async def overview(request: Request) -> Response:
    """Which reports there are."""
    return render(request, "reports.html", reports=REPORTS)


async def bestsellers(request: Request) -> Response:
    """What sold best in a month, of a category."""
    office, month = office_of(request), choice(request, "month", MONTHS)
    category = choice(request, "category", CATEGORIES)
    rows = reports.bestsellers(office.orders.values(), office.products, month, category)
    return render(
        request,
        "report_bestsellers.html",
        reports=REPORTS,
        rows=rows[: reports.MAX_REPORT_LENGTH],
        pieces=sum(row.pieces for row in rows),
        revenue=sum(row.revenue for row in rows),
        month=month,
        months=MONTHS,
        category=category,
        categories=CATEGORIES,
        is_exported="exported" in request.query_params,
    )


async def months(request: Request) -> Response:
    """Orders, pieces and revenue of each month."""
    orders = list(office_of(request).orders.values())
    return render(
        request,
        "report_months.html",
        reports=REPORTS,
        rows=reports.sales_by_month(orders),
        total=reports.add_up(orders),
        is_exported="exported" in request.query_params,
    )


async def dates(request: Request) -> Response:
    """Orders, pieces and revenue from one day to another."""
    first, last = (
        " ".join(request.query_params.get(name, "").split())[:20]
        for name in ("from", "to")
    )
    sales, error = None, ""
    if "from" in request.query_params:
        try:
            sales = reports.sales_between(
                office_of(request).orders.values(),
                parse_day(first, "From"),
                parse_day(last, "To"),
            )
        except OfficeError as refusal:
            error = str(refusal)
    return render(
        request,
        "report_dates.html",
        422 if error else 200,
        reports=REPORTS,
        first=first or data.FIRST_DAY.isoformat(),
        last=last or data.TODAY.isoformat(),
        sales=sales,
        error=error,
    )


async def stock(request: Request) -> Response:
    """Products that are running out."""
    rows = reports.low_stock(office_of(request).products.values())
    return render(
        request,
        "report_stock.html",
        reports=REPORTS,
        page=paginate(request, rows, PAGE_SIZE),
        limit=reports.LOW_STOCK,
    )


REPORT_ROUTES = [
    Route("/reports", overview),
    Route("/report/bestsellers", bestsellers),
    Route("/report/months", months),
    Route("/report/dates", dates),
    Route("/report/stock", stock),
]
