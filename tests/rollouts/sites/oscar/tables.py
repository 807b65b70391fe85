"""A small database with Oscar's names: the columns that the workbench reads."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

TABLES = {
    "auth_user": "id, username, first_name, last_name, email, password",
    "catalogue_product": "id, title",
    "basket_basket": "id, owner_id, status",
    "basket_line": "id, basket_id, product_id, quantity",
    "order_order": "id, user_id, shipping_address_id",
    "order_line": "id, order_id, title, quantity",
    "order_shippingaddress": "id, line1, line4, postcode",
    "wishlists_wishlist": "id, owner_id, name",
    "wishlists_line": "id, wishlist_id, product_id, quantity",
    "reviews_productreview": "id, product_id, score, title, body",
    "reviews_vote": "id, review_id, delta",
    "customer_productalert": "id, product_id, status",
    "address_useraddress": (
        "id, user_id, is_default_for_shipping, is_default_for_billing, first_name,"
        " last_name, line1, line2, line3, line4, postcode, phone_number"
    ),
}
START = """
    INSERT INTO auth_user VALUES (1, 'robin', 'Robin', 'Reader', 'r@example.com', 'x');
    INSERT INTO auth_user VALUES (2, 'vera', 'Vera', '', 'v@example.com', 'x');
    INSERT INTO catalogue_product VALUES (1, 'Quiet River'), (2, 'Open Night');
    INSERT INTO basket_basket VALUES (1, 1, 'Submitted');
    INSERT INTO basket_line VALUES (1, 1, 1, 2);
    INSERT INTO order_shippingaddress VALUES (1, '12 Park Street', 'London', 'N1');
    INSERT INTO order_order VALUES (1, 1, 1);
    INSERT INTO order_line VALUES (1, 1, 'Quiet River', 2);
    INSERT INTO wishlists_wishlist VALUES (1, 1, 'Gifts');
    INSERT INTO wishlists_line VALUES (1, 1, 2, 1);
    INSERT INTO reviews_productreview VALUES (1, 1, 4, 'Good', 'I liked it.');
    INSERT INTO address_useraddress VALUES
      (1, 1, 1, 0, 'Robin', 'Reader', '12 Park Street', '', '', 'London', 'N1', ''),
      (2, 1, 0, 0, 'Robin', 'Reader', '3 Mill Lane', '', '', 'Leeds', 'LS1', '');
"""


def write_shop(path: Path) -> Path:
    """Make the file hold a shop in which nothing has happened."""
    with closing(sqlite3.connect(path)) as connection:
        for name, columns in TABLES.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
        connection.executescript(START)
    return path


def act(path: Path, script: str) -> None:
    """What the shop's process would write."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
