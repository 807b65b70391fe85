"""Recorded pages of a made-up shop: what example replays show."""

from __future__ import annotations

from html import escape

STYLE = """
body { margin: 0; font: 16px/1.5 Arial, sans-serif; color: #222; background: #fafafa; }
header { display: flex; gap: 24px; align-items: center; height: 64px; padding: 0 40px;
  background: #1d3557; color: #fff; }
header strong { width: 150px; }
header input { width: 420px; height: 36px; padding: 0 12px;
  border: 0; font-size: 15px; }
main { padding: 24px 40px; }
ul { display: grid; grid-template-columns: repeat(4, 1fr); gap: 20px; padding: 0;
  list-style: none; }
li, .box { padding: 16px; border: 1px solid #ddd; background: #fff; }
li div { height: 110px; margin-bottom: 12px; background: #e3e8ef; }
button { height: 40px; padding: 0 20px; border: 0; background: #e63946; color: #fff;
  font-size: 15px; }
a { color: #1d3557; }
"""
PRODUCTS = [
    ("Enamel camping mug", "12.50"),
    ("Cast iron skillet", "39.00"),
    ("Linen apron", "24.90"),
    ("Oak chopping board", "31.00"),
    ("Steel water bottle", "18.00"),
    ("Paper lamp", "22.40"),
    ("Wool blanket", "64.00"),
    ("Desk clock", "27.30"),
]


def shop_page(title: str, query: str, body: str) -> str:
    """Return a whole page as the recorder stores it."""
    return (
        '<!doctype html>\n<html lang="en" data-scroll="0,0" data-viewport="1280,720">'
        f"<head><title>{escape(title)}</title><style>{STYLE}</style></head><body>"
        "<header><strong>Corner Shop</strong>"
        f'<input value="{escape(query)}" placeholder="Search the shop">'
        f"<span>Cart</span></header><main>{body}</main></body></html>"
    )


def front_page(query: str = "") -> str:
    cards = "".join(
        f"<li><div></div><a href='#'>{escape(name)}</a><br>{price} EUR</li>"
        for name, price in PRODUCTS
    )
    return shop_page("Corner Shop", query, f"<h1>Popular today</h1><ul>{cards}</ul>")


def product_page(name: str, price: str) -> str:
    body = (
        f"<h1>{escape(name)}</h1><div class='box'><p>{price} EUR, in stock</p>"
        "<p>Made to be used every day. Two years of warranty.</p>"
        "<button>Add to cart</button></div>"
    )
    return shop_page(name, "", body)


def cart_page(name: str, price: str) -> str:
    body = (
        f"<h1>Your cart</h1><div class='box'><p>1 x {escape(name)}: {price} EUR</p>"
        "<button>Check out</button></div>"
    )
    return shop_page("Cart", "", body)


def observation(title: str, elements: list[str]) -> str:
    """Return simplified HTML with ids, as the policy reads it."""
    lines = [
        f'<{tag} id="{i}"> {text} </{tag.split()[0]}>'
        for i, (tag, text) in enumerate(element.split("|", 1) for element in elements)
    ]
    return (
        f"<html> <body> <h1> {title} </h1>\n" + "\n".join(lines) + "\n</body> </html>"
    )
