"""What the linter of tasks finds, in the reader's language.

The linter is asked by programs, too, and knows no language: it speaks English. Pages
find its sentence again among these; what an evaluator says of the odd rule that it
cannot read stays as it is.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop

from curriculum.texts.known_sentences import KnownSentences

FINDINGS = KnownSentences(
    gettext_noop("malformed rules: %(sentence)s"),
    gettext_noop("cannot be scored as written"),
    gettext_noop("compares meanings: success stays open until a judge is set"),
    gettext_noop("asks Magento's own interface: success stays open without its token"),
    gettext_noop("probably not what its author meant"),
    gettext_noop("has no evaluators: only the reward model can judge it"),
    gettext_noop("the task names no suite whose pages reward themselves"),
    # Before the shorter one, which would take its end for a part of the place.
    gettext_noop("the same instruction as %(place)s, with another check"),
    gettext_noop("the same instruction as %(place)s"),
    gettext_noop("%(name)s has nothing to check"),
    gettext_noop("a list of N/A goes to the judge; the text N/A marks the impossible"),
    gettext_noop("an answer that gives the reason instead of N/A needs a judge"),
    gettext_noop("any answer that contains N/A passes"),
    gettext_noop("this compares meanings, and no judge is set"),
    gettext_noop("%(name)s needs the shop's own interface: set SITE_INTERFACES"),
    gettext_noop("the rule set %(name)s has no rule %(rule)s for pages"),
    gettext_noop("the rule set %(name)s has no rule %(rule)s"),
    gettext_noop("unknown rule set; known are %(known)s"),
    gettext_noop("unknown evaluator %(name)s"),
    gettext_noop("%(name)s must be a list of texts, not %(value)s"),
    gettext_noop("%(name)s must hold objects"),
    gettext_noop("required_contents has none of %(known)s"),
    gettext_noop("not an inequality: %(value)s"),
    gettext_noop("reference_url must name an address"),
    gettext_noop("unknown url_note %(name)s"),
    gettext_noop("unknown function %(name)s"),
    gettext_noop("unsupported function %(text)s"),
    gettext_noop("unsupported locator %(text)s"),
    gettext_noop("unsupported property %(name)s"),
    gettext_noop("unsupported action %(text)s"),
)


def say_finding(message: str) -> str:
    """Return the linter's sentence in the reader's language, or as it is."""
    return FINDINGS.say(message)
