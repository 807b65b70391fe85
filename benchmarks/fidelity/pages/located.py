"""Pages on which a locator finds something, nothing, or something odd."""

from __future__ import annotations

import random
import re

# The quoted selectors of a locator, and the parts of a selector.
_SELECTOR = re.compile(
    r"(?:querySelector|querySelectorAll)\((?P<quote>['\"])(?P<text>.*?)(?P=quote)\)"
)
_PART = re.compile(
    r"(?P<tag>^[a-z][a-z0-9]*)|#(?P<id>[\w-]+)|\.(?P<class>[\w-]+)"
    r"|\[(?P<name>[\w-]+)(?:=(?P<mark>[\"'])(?P<value>.*?)(?P=mark))?\]?"
)
_TEXTS = (
    "",
    "Completed",
    " spaces  inside ",
    "two\nlines",
    "a &amp; b &lt;c&gt; &quot;d&quot; &nbsp;e",
    "Ünïcode “quotes” 日本",
    "<br>",
    "<b>bold</b> and <i>more</i>",
    "<p>first</p><p>second</p>",
    "<span style='display:none'>hidden</span>shown",
    "<pre>kept\n  as it is</pre>",
    "<a href='/f/books'>link</a><img src='/x.png'>",
    "<ul><li>one<li>two</ul>",
    "<script>let x = 1</script>after",
    "0",
)
_ROLE = (
    "<tr><td data-label='Account'><span class='gl-avatar-labeled-sublabel'>@{name}"
    "</span></td><td class='col-max-role'><span>{role}</span></td></tr>"
)


def make_page(locator: str, draw: random.Random) -> str:
    """Return the HTML of a page for a locator; some pages lack its element."""
    if "memeber_role" in locator:
        return _make_members(locator, draw)
    selectors = [found["text"] for found in _SELECTOR.finditer(locator)]
    inner, outside = _fill(draw), ""
    for selector in reversed(selectors):
        if draw.random() < 0.08:
            continue  # the element is missing on purpose
        copies = draw.choice((1, 1, 1, 2, 3))
        found = "".join(_nest(selector, inner, draw) for _ in range(copies))
        if draw.random() < 0.15:
            outside, inner = outside + found, _fill(draw)
        else:
            inner = found + draw.choice(("", "", _fill(draw)))
    return f"<!doctype html><body>{_fill(draw)}{inner}{outside}</body>"


def _make_members(locator: str, draw: random.Random) -> str:
    wanted = re.findall(r"'([^']*)'", locator)[0]
    names = [draw.choice((wanted, "ann", "bob", f"{wanted}x")) for _ in range(4)]
    rows = [_ROLE.format(name=name, role=_fill(draw)) for name in names]
    if draw.random() < 0.2:
        rows = rows[:1]
    return f"<!doctype html><body><table>{''.join(rows)}</table></body>"


def _fill(draw: random.Random) -> str:
    text = draw.choice(_TEXTS)
    if draw.random() < 0.3:
        return f"<div>{text}</div><!-- note -->{draw.choice(_TEXTS)}"
    return text


def _nest(selector: str, inner: str, draw: random.Random) -> str:
    """Return elements that a selector finds; of a list of selectors, the first."""
    compounds = re.split(r"\s*>\s*|\s+(?![^\[]*[\"'][^\"']*$)", selector.split(",")[0])
    for compound in reversed([one for one in compounds if one]):
        inner = _element(compound, inner, draw)
    return inner


def _element(compound: str, inner: str, draw: random.Random) -> str:
    parts = list(_PART.finditer(compound))
    names = {part["name"]: part["value"] or "x" for part in parts if part["name"]}
    classes = " ".join(part["class"] for part in parts if part["class"])
    ids = [part["id"] for part in parts if part["id"]]
    tag = next((part["tag"] for part in parts if part["tag"]), "")
    tag = tag or draw.choice(_tags(names))
    given = {**names, **({"class": classes} if classes else {})}
    given |= {"id": ids[0]} if ids else {}
    if draw.random() < 0.4:
        given["title"] = given.get("title", "Private")
    written = "".join(f' {name}="{value}"' for name, value in given.items())
    if tag == "input":
        kind = draw.choice(("text", "checkbox", "number"))
        checked = draw.choice(("", " checked"))
        return f'<input{written} type="{kind}" value="{draw.randint(0, 99)}"{checked}>'
    if tag == "select":
        return f"<select{written}>{_options(draw)}</select>"
    if tag == "textarea":
        return f"<textarea{written}>{draw.choice(_TEXTS)}</textarea>"
    return f"<{tag}{written}>{inner}</{tag}>"


def _tags(names: dict[str, str]) -> tuple[str, ...]:
    if "name" in names or "title" in names:
        return ("input", "input", "select", "textarea", "div")
    return ("div", "section", "span")


def _options(draw: random.Random) -> str:
    chosen = draw.randint(-1, 2)
    return "".join(
        f'<option value="{n}"{" selected" if n == chosen else ""}>Option {n}</option>'
        for n in range(3)
    )
