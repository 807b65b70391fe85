"""Office tasks that change products."""

from __future__ import annotations

from random import Random
from typing import Any

from rollouts.sites.backoffice.lookups import (
    LISTS,
    PRODUCT_BY_NAME,
    PRODUCTS,
    draw_missing_product,
    draw_product,
    go_to,
    one_of,
    product_of,
    whole_number,
)
from rollouts.sites.backoffice.pages.product import BULK_SIZE
from rollouts.sites.backoffice.records import Product
from rollouts.sites.backoffice.state import NAME, OfficeError, parse_price
from rollouts.sites.kit.plans import Click, Select, Step, Type
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Infeasible,
    Values,
    change,
    require,
)
from rollouts.sites.shop.data import CATEGORIES

DISABLE: list[Step] = [Click("Disable product"), Click("Yes, disable")]


def _edit(product: Product, fields: dict[str, Any], *steps: Step) -> Goal:
    state = {"products": {product.slug: fields}}
    way = [*go_to(product), Click("Edit product"), *steps, Click("Save product")]
    return change(BACKOFFICE, state, way)


def _draw_price(rng: Random) -> str:
    cents = rng.randrange(525, 9_900, 50)  # no product has such a price yet
    return f"{cents // 100}.{cents % 100:02d}"


def _price(values: Values, product: Product) -> int:
    try:
        cents = parse_price(values["price"])
    except OfficeError as error:
        raise Infeasible(str(error)) from None
    require(cents != product.price, "It has this price already.")
    return cents


def _draw_set_price(rng: Random) -> Values:
    return {**draw_product(rng), "price": _draw_price(rng)}


def _set_price(values: Values) -> Goal:
    product = product_of(values)
    fields = {"price": _price(values, product)}
    return _edit(product, fields, Type("Price", values["price"]))


def _stock(values: Values, product: Product) -> int:
    stock = whole_number(values, "stock", 0, 999)
    require(stock != product.stock, "It has this stock already.")
    return stock


def _draw_set_both(rng: Random) -> Values:
    return {**_draw_set_price(rng), "stock": str(rng.randint(260, 900))}


def _set_both(values: Values) -> Goal:
    product = product_of(values)
    fields = {"price": _price(values, product), "stock": _stock(values, product)}
    steps = [Type("Price", values["price"]), Type("Stock", str(fields["stock"]))]
    return _edit(product, fields, *steps)


def _draw_rename(rng: Random) -> Values:
    return {**draw_product(rng), "name": draw_missing_product(rng)["product"]}


def _rename(values: Values) -> Goal:
    product, name = product_of(values), values["name"]
    require(NAME.fullmatch(name) is not None, "The site takes no such name.")
    require(name not in PRODUCT_BY_NAME, "Another product has this name.")
    return _edit(product, {"name": name}, Type("Name", name))


def _draw_enabled(rng: Random) -> Values:
    return {"product": rng.choice([p for p in PRODUCTS if p.enabled]).name}


def _disable(values: Values) -> Goal:
    product = product_of(values)
    require(product.enabled, "The product is disabled already.")
    state = {"products": {product.slug: {"enabled": False}}}
    return change(BACKOFFICE, state, go_to(product), DISABLE)


def _draw_bulk(rng: Random, names: tuple[str, ...], pages: int) -> Values:
    """Enabled products of one page of the bulk update."""
    chunks = [
        [p for p in products[page * BULK_SIZE : (page + 1) * BULK_SIZE] if p.enabled]
        for products in LISTS.values()
        for page in range(pages)
    ]
    chunk = rng.choice([found for found in chunks if len(found) >= len(names)])
    chosen = rng.sample(chunk, len(names))
    named = {name: p.name for name, p in zip(names, chosen, strict=True)}
    return {"category": chosen[0].category, **named}


def _bulk(values: Values, names: tuple[str, ...], pages: int) -> Goal:
    category = one_of(list(CATEGORIES), values, "category")
    chosen = [product_of(values, name) for name in names]
    for product in chosen:
        is_here = product.category == category
        require(is_here, f'"{product.name}" is not in {category}.')
        require(product.enabled, f'"{product.name}" is disabled already.')
    require(len(set(chosen)) == len(chosen), "A product is named twice.")
    found = {LISTS[category].index(product) // BULK_SIZE for product in chosen}
    turns = min(found)
    require(len(found) == 1 and turns < pages, "They are on several pages.")
    way: list[Step] = [Click("Products"), Click("Bulk update")]
    way += [Select("Category", category), *[Click("Next page")] * turns]
    way += [Click(product.name) for product in chosen]
    state = {"products": {product.slug: {"enabled": False} for product in chosen}}
    return change(BACKOFFICE, state, way, Select("Action", "Disable"), Click("Apply"))


TWO, THREE = ("first", "second"), ("first", "second", "third")


def _draw_two(rng: Random) -> Values:
    return _draw_bulk(rng, TWO, 2)


def _draw_three(rng: Random) -> Values:
    return _draw_bulk(rng, THREE, 4)


def _disable_two(values: Values) -> Goal:
    return _bulk(values, TWO, 2)


def _disable_three(values: Values) -> Goal:
    return _bulk(values, THREE, 4)


PRODUCT_TEMPLATES = table(
    BACKOFFICE,
    "change",
    row(
        "backoffice.set_price",
        _draw_set_price,
        _set_price,
        'Change the price of the "{{product}}" to ${{price}}.',
        'Set the price of the "{{product}}" to ${{price}}.',
        'The "{{product}}" shall cost ${{price}} from today, save that.',
    ),
    row(
        "backoffice.set_price_and_stock",
        _draw_set_both,
        _set_both,
        'Set the price of the "{{product}}" to ${{price}} and its stock to {{stock}}.',
        'Edit the "{{product}}": price ${{price}}, stock {{stock}}.',
        'The "{{product}}" now costs ${{price}} and we have {{stock}} pieces, '
        "save both.",
    ),
    row(
        "backoffice.rename_product",
        _draw_rename,
        _rename,
        'Change the name of the "{{product}}" to "{{name}}".',
        'Rename the product "{{product}}" to "{{name}}".',
        'The "{{product}}" shall be called "{{name}}", save the new name.',
        is_held_out=True,
    ),
    row(
        "backoffice.disable_product",
        _draw_enabled,
        _disable,
        'Disable the "{{product}}".',
        'Hide the product "{{product}}" from the shop.',
        'The "{{product}}" must no longer be for sale, disable it.',
    ),
    row(
        "backoffice.disable_two",
        _draw_two,
        _disable_two,
        'Disable the {{category}} products "{{first}}" and "{{second}}".',
        'Use the bulk update of {{category}} to disable "{{first}}" and "{{second}}".',
        'In {{category}}, disable both the "{{first}}" and the "{{second}}".',
    ),
    row(
        "backoffice.disable_three",
        _draw_three,
        _disable_three,
        'Disable the {{category}} products "{{first}}", "{{second}}" and "{{third}}".',
        'Use the bulk update of {{category}} to disable "{{first}}", "{{second}}" '
        'and "{{third}}".',
        'In {{category}}, disable three products: "{{first}}", "{{second}}" and '
        '"{{third}}".',
        is_held_out=True,
    ),
)
