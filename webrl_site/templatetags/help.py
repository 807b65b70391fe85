"""Words of the glossary on the pages: `{% term "lease" %}`."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.context import Context

from webrl_site.help.glossary import read_glossary

register = template.Library()


@register.inclusion_tag("includes/_term.html", takes_context=True)
def term(context: Context, word: str, label: str = "") -> dict[str, Any]:
    """Show a word with its explanation, with another label if one is given.

    Only its first occurrence on a page has the explanation. Later ones, words that the
    glossary lacks, and words in archives, which have no request, are plain text.
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
