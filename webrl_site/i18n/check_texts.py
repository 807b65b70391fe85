"""Why a check of an evaluator says what it says, in the reader's language.

Evaluators know no language: what they tell is stored in English. What a page says of
its own ending stays as it is.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop

from curriculum.texts.known_sentences import KnownSentences
from webrl_site.i18n.finding_texts import FINDINGS

CHECKS = KnownSentences(
    gettext_noop("the text differs"),
    gettext_noop("none of them is there"),
    gettext_noop("the phrase is there"),
    gettext_noop("the phrase is not there"),
    gettext_noop("no whole number"),
    gettext_noop("the number does not meet it"),
    gettext_noop("equal word for word"),
    gettext_noop("the answer is not N/A"),
    gettext_noop(
        "the answer is not N/A; no judge is set that could compare the reasons"
    ),
    gettext_noop("the judge agrees"),
    gettext_noop("the judge: another reason"),
    gettext_noop("the judge: another meaning"),
    gettext_noop("the judge gave no clear answer"),
    gettext_noop("the last page is another one"),
    gettext_noop("the page had not ended the episode"),
    gettext_noop("%(place)s is otherwise"),
    gettext_noop("%(names)s changed too"),
    gettext_noop("the last page was not recorded"),
    gettext_noop("your browser's pages cannot be read from here"),
    gettext_noop("%(url)s was not recorded"),
    gettext_noop("%(url)s was not reached"),
    gettext_noop("%(name)s gives no address"),
    gettext_noop("%(name)s reads no page"),
    gettext_noop("%(sku)s is no product."),
    gettext_noop("The shop has no order."),
    gettext_noop("The shop's answer on orders is malformed."),
    gettext_noop("The shop's answer on reviews is malformed."),
    gettext_noop("The shop's interface did not answer: %(error)s."),
    gettext_noop("The shop's interface refuses the token."),
    gettext_noop("The shop's interface answered %(status)s."),
    gettext_noop("The shop's interface gave no JSON."),
    *FINDINGS.sentences,
)
