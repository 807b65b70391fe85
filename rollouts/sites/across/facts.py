"""Tasks that carry a fact from one site to another."""

from __future__ import annotations

from random import Random

from rollouts.sites.atlas import data as atlas
from rollouts.sites.atlas import lookups as map_lookups
from rollouts.sites.backoffice import lookups as office
from rollouts.sites.forum import lookups as forum
from rollouts.sites.kit.plans import Click, Search, Step, Switch, Type
from rollouts.sites.kit.sites import ATLAS, BACKOFFICE, FORUM, PROJECTS, SHOP
from rollouts.sites.kit.task_templates import (
    Goal,
    Template,
    Values,
    cannot,
    change,
    require,
)
from rollouts.sites.projects import lookups as projects
from rollouts.sites.shop import data as shop_data
from rollouts.sites.shop import lookups as shop

_WITH_PHONE = [place for place in atlas.PLACES.values() if place.phone]
# What both sell, at different prices.
_SHARED = [
    product
    for product in shop.OTHERS
    if product.name in office.PRODUCT_BY_NAME
    and office.PRODUCT_BY_NAME[product.name].price != product.price
]
_SHOP_ONLY = [p for p in shop.OTHERS if p.name not in office.PRODUCT_BY_NAME]
_COMMENT: list[Step] = [Click("Send comment")]


def _draw_phone(rng: Random) -> Values:
    return {"place": rng.choice(_WITH_PHONE).name}


def _look_up_phone(values: Values) -> tuple[str, list[Step]]:
    place = map_lookups.place_of(values)
    require(bool(place.phone), f"{place.name} has no phone.")
    return place.phone, [Switch(1), *map_lookups.go_to(place), Switch(0)]


def _draw_post_phone(rng: Random) -> Values:
    return {**forum.draw_post(rng), **_draw_phone(rng)}


def _post_phone(values: Values) -> Goal:
    post = forum.post_of(values)
    phone, look_up = _look_up_phone(values)
    state = {"comments": [{"post": post.slug, "text": phone}]}
    write = [*forum.go_to(post), Type("Comment", phone), *_COMMENT]
    return change(FORUM, state, look_up, write)


def _draw_issue_phone(rng: Random) -> Values:
    return {**projects.draw_issue(rng), **_draw_phone(rng)}


def _issue_phone(values: Values) -> Goal:
    issue = projects.issue_of(values)
    phone, look_up = _look_up_phone(values)
    state = {"comments": {str(issue.number): [phone]}}
    write = [*projects.go_to(issue), Type("Comment", phone), *_COMMENT]
    return change(PROJECTS, state, look_up, write)


def _draw_missing_place(rng: Random) -> Values:
    while True:
        first, second = rng.sample(list(atlas.PLACES.values()), 2)
        words = [*first.name.split()[:-1], second.name.split()[-1]]
        if " ".join(words) not in atlas.PLACE_BY_NAME:
            return {**forum.draw_post(rng), "place": " ".join(words)}


def _missing_place(values: Values) -> Goal:
    forum.post_of(values)
    require(values["place"] not in atlas.PLACE_BY_NAME, "The map has this place.")
    return cannot(Switch(1), Search(map_lookups.SEARCH_BOX, values["place"]))


def _draw_shared(rng: Random) -> Values:
    return {"product": rng.choice(_SHARED).name}


def _match_price(values: Values) -> Goal:
    ours, theirs = office.product_of(values), shop.product_of(values)
    require(ours.price != theirs.price, "It has the shop's price already.")
    price = f"{theirs.price // 100}.{theirs.price % 100:02d}"
    look_up = [Switch(1), *shop.go_to(theirs), Switch(0)]
    edit = [*office.go_to(ours), Click("Edit product"), Type("Price", price)]
    state = {"products": {ours.slug: {"price": theirs.price}}}
    return change(BACKOFFICE, state, look_up, edit, Click("Save product"))


def _draw_shop_only(rng: Random) -> Values:
    return {"product": rng.choice(_SHOP_ONLY).name}


def _unknown_product(values: Values) -> Goal:
    shop.product_of(values)
    is_known = values["product"] in office.PRODUCT_BY_NAME
    require(not is_known, "The back office has this product.")
    return cannot(Search(office.SEARCH_BOX, values["product"]))


def _draw_wish(rng: Random) -> Values:
    free = [
        product.name
        for product in _SHARED
        if product.slug not in shop_data.WISHLIST
        and office.PRODUCT_BY_NAME[product.name].enabled
    ]
    return {"product": rng.choice(free)}


def _wish_and_disable(values: Values) -> Goal:
    """Two changes, one on each site."""
    ours, theirs = office.product_of(values), shop.product_of(values)
    require(ours.enabled, "The product is disabled already.")
    require(theirs.slug not in shop_data.WISHLIST, "It is on the wishlist already.")
    disable = [Click("Disable product"), Click("Yes, disable")]
    first = change(
        BACKOFFICE,
        {"products": {ours.slug: {"enabled": False}}},
        [*office.go_to(ours), *disable, Switch(1)],
        [*shop.go_to(theirs), Click("Add to wishlist")],
    )
    second = change(SHOP, {"wishlist": {theirs.slug: True}}, Switch(0))
    rules = [first.evaluation, second.evaluation]
    wanted = [item for rule in rules for item in rule["reference_state"]]
    return Goal({**first.evaluation, "reference_state": wanted}, first.plan)


FACT_TEMPLATES = (
    Template(
        "across.post_phone",
        FORUM,
        "change",
        (
            'Comment on the Harbor Talk post "{{post}}" with the phone number of the '
            '"{{place}}" from Compass Atlas, and nothing else.',
            'Look up the phone of the "{{place}}" on the map and write just the '
            'number as a comment on "{{post}}" in Harbor Talk.',
            'What is the phone number of the "{{place}}" according to the map? '
            'Comment only the number on the post "{{post}}".',
        ),
        _draw_post_phone,
        _post_phone,
        others=(ATLAS,),
    ),
    Template(
        "across.issue_phone",
        PROJECTS,
        "change",
        (
            'Comment on the Birch Works issue "{{issue}}" with the phone number of '
            'the "{{place}}" from Compass Atlas, and nothing else.',
            'Look up the phone of the "{{place}}" on the map and write just the '
            'number as a comment on the issue "{{issue}}".',
            'People at the issue "{{issue}}" want to call the "{{place}}". Comment '
            "there with only the number that the map gives.",
        ),
        _draw_issue_phone,
        _issue_phone,
        others=(ATLAS,),
    ),
    Template(
        "across.missing_place",
        FORUM,
        "impossible",
        (
            'Comment on the Harbor Talk post "{{post}}" with the phone number of the '
            'place "{{place}}" from Compass Atlas.',
            'Look up the phone of "{{place}}" on the map and write it as a comment '
            'on "{{post}}" in Harbor Talk.',
            'The author of "{{post}}" on Harbor Talk wants to call "{{place}}". Find '
            "the number on the map and comment it.",
        ),
        _draw_missing_place,
        _missing_place,
        others=(ATLAS,),
    ),
    Template(
        "across.match_price",
        BACKOFFICE,
        "change",
        (
            'Set the price of "{{product}}" in the back office to what Maple Shop '
            "asks for it.",
            'The back office has another price for "{{product}}" than Maple Shop; '
            "give it the shop's.",
            'Look up what "{{product}}" costs in Maple Shop and make that its price '
            "in the back office.",
        ),
        _draw_shared,
        _match_price,
        others=(SHOP,),
    ),
    Template(
        "across.unknown_product",
        BACKOFFICE,
        "impossible",
        (
            'Set the price of "{{product}}" in the back office to the one that Maple '
            "Shop shows.",
            'Give "{{product}}" the same price in the back office as in Maple Shop.',
            'Copy the price of "{{product}}" from Maple Shop to the back office.',
        ),
        _draw_shop_only,
        _unknown_product,
        is_held_out=True,
        others=(SHOP,),
    ),
    Template(
        "across.wish_and_disable",
        BACKOFFICE,
        "change",
        (
            'Disable "{{product}}" in the back office, and add it to the wishlist in '
            "Maple Shop.",
            'Put "{{product}}" on my Maple Shop wishlist and disable it in the back '
            "office.",
            '"{{product}}" should be disabled in the back office and be on the '
            "wishlist of Maple Shop.",
        ),
        _draw_wish,
        _wish_and_disable,
        is_held_out=True,
        others=(SHOP,),
    ),
)
