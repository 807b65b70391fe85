"""The pages and forms of promotions: the cart rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.backoffice.cart_rules import RULE_GROUPS, CartRules, phase_of
from rollouts.sites.backoffice.records import Rule
from rollouts.sites.backoffice.rendering import PAGE_SIZE, render, sort_items
from rollouts.sites.backoffice.state import OfficeError
from rollouts.sites.kit.web import (
    Form,
    changes_of,
    find_or_404,
    form_route,
    paginate,
    read_form,
    see_other,
)

RULE_SORTS: dict[str, tuple[str, Callable[[Rule], Any]]] = {
    "name": ("Name", lambda rule: rule.name),
    "discount": ("Discount", lambda rule: (rule.discount, rule.name)),
}
EMPTY = {
    "name": "",
    "discount": "",
    "group": RULE_GROUPS[0],
    "starts": "",
    "ends": "",
}


def _rules(request: Request) -> CartRules:
    return CartRules(changes_of(request))


async def promotions(request: Request) -> Response:
    """All cart rules, sorted by a column, by pages."""
    found, heads = sort_items(request, _rules(request).all.values(), RULE_SORTS, "name")
    page = paginate(request, found, PAGE_SIZE)
    return render(request, "promotions.html", page=page, heads=heads, phase_of=phase_of)


def _rule(request: Request) -> Rule:
    return find_or_404(_rules(request).all, request.path_params["slug"], "rule")


async def promotion(request: Request) -> Response:
    """One cart rule."""
    rule = _rule(request)
    return render(request, "promotion.html", rule=rule, phase=phase_of(rule))


def _form_page(
    request: Request, rule: Rule | None, form: Form, error: str = ""
) -> Response:
    return render(
        request,
        "promotion_form.html",
        422 if error else 200,
        rule=rule,
        form=form,
        groups=RULE_GROUPS,
        error=error,
    )


async def new(request: Request) -> Response:
    """The form for a new rule."""
    return _form_page(request, None, EMPTY)


async def add(request: Request) -> Response:
    """Add a rule, then show it."""
    form = {**EMPTY, **await read_form(request)}
    try:
        slug = _rules(request).add(form["name"], form)
    except OfficeError as error:
        return _form_page(request, None, form, str(error))
    return see_other(f"/promotion/{slug}?done=added")


async def edit(request: Request) -> Response:
    """The form for a rule's discount, group and days."""
    rule = _rule(request)
    if phase_of(rule) == "Ended":
        return see_other(f"/promotion/{rule.slug}")
    form = {
        "discount": str(rule.discount),
        "group": rule.group,
        "starts": rule.starts,
        "ends": rule.ends,
    }
    return _form_page(request, rule, form)


async def save(request: Request) -> Response:
    """Save the rule, then show it."""
    rule, form = _rule(request), {**EMPTY, **await read_form(request)}
    try:
        _rules(request).edit(rule.slug, form)
    except OfficeError as error:
        return _form_page(request, rule, form, str(error))
    return see_other(f"/promotion/{rule.slug}?done=saved")


async def delete(request: Request) -> Response:
    """Delete the rule, then show the others."""
    _rules(request).delete(_rule(request).slug)
    return see_other("/promotions?done=deleted")


RULE_ROUTES = [
    Route("/promotions", promotions),
    Route("/promotion-new", new),
    form_route("/promotion-new", add),
    Route("/promotion/{slug}", promotion),
    Route("/promotion-edit/{slug}", edit),
    form_route("/promotion-edit/{slug}", save),
    form_route("/promotion/{slug}/delete", delete),
]
