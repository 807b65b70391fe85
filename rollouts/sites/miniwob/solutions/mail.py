"""An inbox, where icons without words are known by their order."""

from __future__ import annotations

from rollouts.sites.miniwob.solutions.answers import click, write
from rollouts.sites.miniwob.solutions.reading import Item, Page
from rollouts.sites.miniwob.solutions.rules import Rule, Words, rule

ICONS = {"trash": 0, "star": 1}


def use_icon(page: Page, words: Words, step: int) -> str:
    """Each row of the inbox has two icons, when all of it is visible."""
    sender, icon = words
    row = _find_mail(page, sender)
    if row is None:
        return click(None)
    number = page.items.index(row) + 1
    icons = [item for item in page.items[number : number + 2] if item.tag == "span"]
    return click(icons[ICONS[icon]] if len(icons) == len(ICONS) else None)


def reply(page: Page, words: Words, step: int) -> str:
    sender, text = words
    return _open_and_send(page, sender, "Reply", "textarea", text)


def forward(page: Page, words: Words, step: int) -> str:
    sender, person = words
    return _open_and_send(page, sender, "Forward", "text", person)


def _open_and_send(page: Page, sender: str, verb: str, kind: str, text: str) -> str:
    """Open the mail, take the verb, fill the field, send: the icon beside closing."""
    button, fields = page.find(verb), page.of(kind)
    if button:
        return click(button)
    if not fields:
        return click(_find_mail(page, sender))
    if fields[0].attributes.get("value") != text:
        return write(fields[0], text)
    return click(page.of("span")[1])


def _find_mail(page: Page, sender: str) -> Item | None:
    rows = (item for item in page.of("div") if item.text.split()[:1] == [sender])
    return next(rows, None)


SENDER = r"Find the email by (\S+)"
RULES: tuple[Rule, ...] = (
    rule(
        "email-inbox-delete email-inbox-important",
        rf"{SENDER} and click the (star|trash) icon .+",
        use_icon,
    ),
    rule(
        "email-inbox-reply email-inbox-star-reply",
        rf'{SENDER} and reply to them with the text "(.+)"\.',
        reply,
    ),
    rule(
        "email-inbox-forward email-inbox-noscroll email-inbox",
        rf"{SENDER} and forward that email to (.+)\.",
        forward,
    ),
)
