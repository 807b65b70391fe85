"""The pages and forms of product reviews."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.records import Review
from rollouts.sites.backoffice.rendering import number_in_path, office_of, render
from rollouts.sites.backoffice.state import Office, OfficeError
from rollouts.sites.kit.web import (
    find_or_404,
    form_route,
    paginate,
    read_form,
    see_other,
)

LIST_SIZE = 5
ALL = "All"
ACTIONS = {"Approve": "Approved", "Reject": "Rejected"}


def chosen_reviews(office: Office, status: str) -> list[Review]:
    """The reviews with a status, or all, newest first."""
    found = [r for r in office.reviews.values() if status in (ALL, r.status)]
    return found[::-1]


def _list_page(request: Request, error: str = "") -> Response:
    office = office_of(request)
    status = request.query_params.get("status", "")
    status = status if status in (ALL, *data.REVIEW_STATUSES) else "Pending"
    return render(
        request,
        "reviews.html",
        422 if error else 200,
        page=paginate(request, chosen_reviews(office, status), LIST_SIZE),
        query=request.url.query,
        status=status,
        statuses=[*data.REVIEW_STATUSES, ALL],
        actions=ACTIONS,
        products=office.products,
        error=error,
    )


async def reviews(request: Request) -> Response:
    """Reviews to tick; first those that wait."""
    return _list_page(request)


async def apply_bulk(request: Request) -> Response:
    """Approve or reject what was ticked, then show the list again."""
    form, office = await read_form(request), office_of(request)
    ticked = [number for number in data.REVIEWS if f"review-{number}" in form]
    status = ACTIONS.get(form.get("action", ""), "")
    try:
        office.moderate(ticked, status)
    except OfficeError as error:
        return _list_page(request, str(error))
    url = request.url.include_query_params(done="applied")
    return see_other(f"/reviews?{url.query}")


def _review(request: Request) -> Review:
    found = office_of(request).reviews
    return find_or_404(found, number_in_path(request), "review")


async def review(request: Request) -> Response:
    """One review."""
    found, office = _review(request), office_of(request)
    return render(
        request,
        "review.html",
        review=found,
        product=office.products[found.product],
        author=office.customers[found.author],
    )


async def moderate(request: Request) -> Response:
    """Approve or reject, then show the review."""
    found, form = _review(request), await read_form(request)
    is_good = form.get("approve") == "yes"
    status = "Approved" if is_good else "Rejected"
    office_of(request).moderate([found.number], status)
    return see_other(f"/review/{found.number}?done={status.lower()}")


REVIEW_ROUTES = [
    Route("/reviews", reviews),
    form_route("/reviews", apply_bulk),
    Route("/review/{number}", review),
    form_route("/review/{number}/moderate", moderate),
]
