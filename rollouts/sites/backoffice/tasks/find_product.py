"""Office tasks that ask about one product or its reviews."""

from __future__ import annotations

from random import Random

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.lookups import (
    LISTS,
    PENDING,
    PRODUCTS,
    SEARCH_BOX,
    draw_product,
    go_to,
    product_of,
    review_with,
)
from rollouts.sites.backoffice.pages.product import PRODUCT_SORTS
from rollouts.sites.backoffice.pages.review import LIST_SIZE
from rollouts.sites.backoffice.records import format_price
from rollouts.sites.backoffice.rendering import PAGE_SIZE
from rollouts.sites.kit.goals import tell_field
from rollouts.sites.kit.plans import Click, Search
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Infeasible, Values, find

# Products that one click in the lists shows have a shorter plan than by their pages.
_FIRST = [
    *(
        sorted(data.PRODUCTS.values(), key=order, reverse=is_down)[:PAGE_SIZE]
        for _, order in PRODUCT_SORTS.values()
        for is_down in (False, True)
    ),
    *(products[:PAGE_SIZE] for products in LISTS.values()),
]
_SHOWN = {product.slug for products in _FIRST for product in products}
_BEHIND = [product for product in PRODUCTS if product.slug not in _SHOWN]
_LATEST = PENDING[:LIST_SIZE]


def _price(values: Values) -> Goal:
    product = product_of(values)
    return find(format_price(product.price), Search(SEARCH_BOX, product.name))


def _draw_stock(rng: Random) -> Values:
    return {"product": rng.choice(_BEHIND).name}


def _draw_stars(rng: Random) -> Values:
    """A product and the stars of one of its reviews."""
    product = rng.choice(PRODUCTS)
    given = (review_with(product, stars) for stars in "12345")
    found = [review for review in given if review and review not in _LATEST]
    return {"product": product.name, "stars": str(rng.choice(found).stars)}


def _author(values: Values) -> Goal:
    product = product_of(values)
    review = review_with(product, values["stars"])
    if review is None:
        raise Infeasible("Nobody gave it that many stars.")
    author = data.CUSTOMERS[review.author].name
    return find(author, go_to(product), Click("Opinions"))


FIND_PRODUCT_TEMPLATES = table(
    BACKOFFICE,
    "find",
    row(
        "backoffice.find_price",
        draw_product,
        _price,
        'What is the price of the "{{product}}"?',
        'How much do we ask for the "{{product}}"?',
        'Look up what the "{{product}}" costs.',
    ),
    row(
        "backoffice.find_country",
        draw_product,
        tell_field("{0.country}", product_of, go_to),
        'In which country is the "{{product}}" made?',
        'Where does the "{{product}}" come from?',
        'Tell me the country where the "{{product}}" is made.',
        is_held_out=True,
    ),
    row(
        "backoffice.find_stock",
        _draw_stock,
        tell_field("{0.stock}", product_of, go_to, Click("Stock")),
        'How many pieces of the "{{product}}" are in stock?',
        'What is the stock of the "{{product}}"? Only the number.',
        'Tell me how many of the "{{product}}" we have in stock.',
    ),
    row(
        "backoffice.find_review_author",
        _draw_stars,
        _author,
        'Who gave the "{{product}}" {{stars}} of 5 stars?',
        'Which customer wrote the {{stars}} star review of the "{{product}}"?',
        'Find the name of the person whose review gives "{{product}}" '
        "{{stars}} of 5 stars.",
    ),
)
