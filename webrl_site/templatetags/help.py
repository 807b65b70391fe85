"""Words of the glossary on the pages: `{% term "lease" %}`."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.context import Context

from webrl_site.help.glossary import read_glossary

register = template.Library()


@register.inclusion_tag("includes/_term.html", takes_context=True)
def term(context: Context, word: str, label: str = "") -> dict[str, Any]:
    """Show a word that explains itself, with another label where one is given.

    It does so once per page, where it first appears; after that, and in archives,
    which have no request, it is plain text. So is a word that the glossary lacks.
    """
    request = context.get("request")
    seen = vars(request).setdefault("_terms_shown", set()) if request else {word}
    is_first = word not in seen
    seen.add(word)
    known = read_glossary().get(word)
    shown = label or (known.shown_word if known else word)
    # Django doubles the signs of what a tag is given as `_("…")`.
    return {
        "term": known if is_first else None,
        "label": str(shown).replace("%%", "%"),
    }
