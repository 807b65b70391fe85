"""Fill an empty database with `rollouts.sites.oscar.data`, through Oscar's models."""

from __future__ import annotations

import datetime
from decimal import Decimal

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY
from django.contrib.auth import SESSION_KEY as USER_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.contrib.sites.models import Site
from oscar.core.loading import get_class, get_model
from oscar.test import factories

from rollouts.sites.kit.vocabulary import PEOPLE, slugify
from rollouts.sites.oscar import data

Category = get_model("catalogue", "Category")
Product = get_model("catalogue", "Product")
ProductAttribute = get_model("catalogue", "ProductAttribute")
Country = get_model("address", "Country")
UserAddress = get_model("address", "UserAddress")
ShippingAddress = get_model("order", "ShippingAddress")
Order = get_model("order", "Order")
Basket = get_model("basket", "Basket")
ProductReview = get_model("reviews", "ProductReview")
WishList = get_model("wishlists", "WishList")
Default = get_class("partner.strategy", "Default")
create_from_breadcrumbs = get_class("catalogue.categories", "create_from_breadcrumbs")

# Long after any episode.
SESSION_ENDS = datetime.datetime(2100, 1, 1, tzinfo=datetime.UTC)
LONG_AGO = datetime.datetime(2024, 3, 1, 12, tzinfo=datetime.UTC)
ATTRIBUTES = {
    "author": "text",
    "publisher": "text",
    "language": "text",
    "pages": "integer",
    "year": "integer",
}
PARTNER = "Page & Spine"


def seed() -> None:
    """Write all rows; the database must be empty."""
    Site.objects.update_or_create(
        pk=1, defaults={"domain": "localhost", "name": PARTNER}
    )
    country = Country.objects.create(
        iso_3166_1_a2="GB",
        iso_3166_1_a3="GBR",
        iso_3166_1_numeric="826",
        printable_name="United Kingdom",
        name="United Kingdom",
        is_shipping_country=True,
    )
    people = _people()
    robin = people[data.FIRST_NAME]
    _books(people)
    for address in data.ADDRESSES:
        UserAddress.objects.create(user=robin, **_fields(address, country))
    UserAddress.objects.filter(line1=data.ADDRESSES[0].line1).update(
        is_default_for_shipping=True
    )
    for order in data.ORDERS.values():
        _order(order, robin, country)
    for name, titles in data.WISHES.items():
        wishes = WishList.objects.create(
            owner=robin, name=name, key=slugify(name)[:6].upper()
        )
        for title in titles:
            wishes.add(Product.objects.get(title=title))
    _sign_in(robin)


def _people() -> dict[str, User]:
    """All authors of reviews, and Robin; none has a password."""
    users = {}
    for name in (data.FIRST_NAME, *PEOPLE):
        users[name] = User(
            username=name.lower(),
            email=f"{name.lower()}@example.com",
            first_name=name,
            last_name=data.LAST_NAME if name == data.FIRST_NAME else "",
            date_joined=LONG_AGO,
        )
        users[name].set_unusable_password()
        users[name].save()
    return users


def _books(people: dict[str, User]) -> None:
    kind = factories.ProductClassFactory(name="Book", slug="book")
    for code, type_ in ATTRIBUTES.items():
        ProductAttribute.objects.create(
            product_class=kind, code=code, name=code.capitalize(), type=type_
        )
    partner = factories.PartnerFactory(name=PARTNER, users=[])
    shelves = {name: create_from_breadcrumbs(name) for name in data.CATEGORIES}
    for book in data.BOOKS.values():
        product = factories.ProductFactory(
            id=book.number,
            title=book.title,
            slug=slugify(book.title),
            upc=book.upc,
            product_class=kind,
            description=f"A book by {book.author}.",
            stockrecords=None,
            categories=None,
        )
        product.categories.add(shelves[book.category])
        for code in ATTRIBUTES:
            setattr(product.attr, code, getattr(book, code))
        product.attr.save()
        product.images.create(original=f"covers/{book.category.lower()}.png")
        product.stockrecords.create(
            partner=partner,
            partner_sku=book.upc,
            price=Decimal(book.price) / 100,
            num_in_stock=book.stock,
        )
        for review in book.reviews:
            product.reviews.create(
                user=people[review.author],
                score=review.score,
                title=review.title,
                body=review.body,
                status=ProductReview.APPROVED,
            )
    ProductReview.objects.update(date_created=LONG_AGO)


def _fields(address: data.Address, country: object) -> dict[str, object]:
    return {
        "first_name": data.FIRST_NAME,
        "last_name": data.LAST_NAME,
        "country": country,
        "line1": address.line1,
        "line4": address.line4,
        "postcode": address.postcode,
    }


def _order(order: data.Order, robin: User, country: object) -> None:
    basket = Basket.objects.create(owner=robin)
    basket.strategy = Default()
    for title, count in order.lines.items():
        basket.add_product(Product.objects.get(title=title), count)
    placed = factories.create_order(
        number=str(order.number),
        basket=basket,
        user=robin,
        shipping_address=ShippingAddress.objects.create(
            **_fields(order.address, country)
        ),
        status=order.status,
    )
    noon = datetime.time(12, tzinfo=datetime.UTC)
    Order.objects.filter(pk=placed.pk).update(
        date_placed=datetime.datetime.combine(order.date, noon)
    )


def _sign_in(robin: User) -> None:
    """A session without a sign-in: its key is known beforehand."""
    held = {
        USER_KEY: str(robin.pk),
        BACKEND_SESSION_KEY: "oscar.apps.customer.auth_backends.EmailBackend",
        HASH_SESSION_KEY: robin.get_session_auth_hash(),
    }
    Session.objects.create(
        session_key=data.SESSION_KEY,
        session_data=SessionStore().encode(held),
        expire_date=SESSION_ENDS,
    )
