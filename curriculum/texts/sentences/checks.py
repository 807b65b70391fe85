"""Sentences of evaluators' checks and of the task linter."""

from __future__ import annotations

from curriculum.texts.sentences.marking import gettext_noop

CHECKS = {
    "text_differs": gettext_noop("the text differs"),
    "none_there": gettext_noop("none of them is there"),
    "phrase_there": gettext_noop("the phrase is there"),
    "phrase_missing": gettext_noop("the phrase is not there"),
    "no_whole_number": gettext_noop("no whole number"),
    "number_outside": gettext_noop("the inequality is not met"),
    "equal_words": gettext_noop("equal word for word"),
    "not_impossible": gettext_noop("the answer is not N/A"),
    "no_judge_of_reasons": gettext_noop(
        "the answer is not N/A; no judge is set that could compare the reasons"
    ),
    "judge_agrees": gettext_noop("the judge agrees"),
    "judge_other_reason": gettext_noop("the judge: a different reason"),
    "judge_other_meaning": gettext_noop("the judge: a different meaning"),
    "judge_unclear": gettext_noop("the judge gave no clear answer"),
    "other_page": gettext_noop("the last page is a different one"),
    "page_still_open": gettext_noop("the page had not ended the episode"),
    "state_differs": gettext_noop("%(place)s differs"),
    "rest_changed": gettext_noop("%(names)s changed too"),
    "last_page_not_recorded": gettext_noop("the last page was not recorded"),
    "own_browser": gettext_noop("your browser's pages cannot be read from here"),
    "page_not_recorded": gettext_noop("%(url)s was not recorded"),
    "page_not_reached": gettext_noop("%(url)s was not reached"),
    "no_address_given": gettext_noop("%(name)s gives no address"),
    "no_page_read": gettext_noop("%(name)s reads no page"),
    "no_product": gettext_noop("%(sku)s is not a product."),
    "no_order": gettext_noop("The shop has no order."),
    "malformed_orders": gettext_noop("The shop's response about orders is malformed."),
    "malformed_reviews": gettext_noop(
        "The shop's response about reviews is malformed."
    ),
    "shop_silent": gettext_noop("The shop's API did not answer: %(error)s."),
    "shop_refuses": gettext_noop("The shop's API refuses the token."),
    "shop_refuses_person": gettext_noop(
        "The shop's API refuses user and password of SITE_INTERFACES."
    ),
    "shop_without_token": gettext_noop("The shop's API gave no token."),
    "shop_answered": gettext_noop("The shop's API answered %(status)s."),
    "no_verified_package": gettext_noop(
        "the package webarena-verified scores this: set WEBARENA_VERIFIED_PYTHON"
    ),
    "requests_not_recorded": gettext_noop("the requests were not recorded"),
    "verified_package_failed": gettext_noop(
        "the package webarena-verified gave no result: %(sentence)s"
    ),
    "no_published_task": gettext_noop("the published task is missing"),
    "shop_without_json": gettext_noop("The shop's API returned no JSON."),
}
FINDINGS = {
    "malformed_rules": gettext_noop("malformed rules: %(sentence)s"),
    "unscorable": gettext_noop("cannot be scored as written"),
    "needs_judge": gettext_noop(
        "compares meanings: the outcome stays undecided until a judge is set"
    ),
    "needs_package": gettext_noop(
        "scored by the package webarena-verified: undecided until it is set"
    ),
    "needs_token": gettext_noop(
        "queries Magento's API: the outcome stays undecided without its token"
    ),
    "suspicious": gettext_noop("probably not what its author meant"),
    "unchecked": gettext_noop("has no evaluators: only the reward model can judge it"),
    "no_suite": gettext_noop(
        "the task names no suite whose pages compute their own reward"
    ),
    "same_instruction": gettext_noop("the same instruction as %(place)s"),
    "nothing_to_check": gettext_noop("%(name)s has nothing to check"),
    "list_of_impossible": gettext_noop(
        "a list with N/A goes to the judge; the text N/A marks an impossible task"
    ),
    "reason_needs_judge": gettext_noop(
        "an answer that gives the reason instead of N/A needs a judge"
    ),
    "impossible_contained": gettext_noop("any answer that contains N/A passes"),
    "no_judge": gettext_noop("this compares meanings, and no judge is set"),
    "needs_shop": gettext_noop("%(name)s needs the shop's API: set SITE_INTERFACES"),
    "no_such_page_rule": gettext_noop(
        "the rule set %(name)s has no rule %(rule)s for pages"
    ),
    "no_such_rule": gettext_noop("the rule set %(name)s has no rule %(rule)s"),
    "unknown_rule_set": gettext_noop("unknown rule set; known are %(known)s"),
    "unknown_evaluator": gettext_noop("unknown evaluator %(name)s"),
    "no_list_of_texts": gettext_noop("%(name)s must be a list of texts, not %(value)s"),
    "no_objects": gettext_noop("%(name)s must hold objects"),
    "no_required_contents": gettext_noop("required_contents has none of %(known)s"),
    "no_inequality": gettext_noop("not an inequality: %(value)s"),
    "no_reference_url": gettext_noop("reference_url must name an address"),
    "unknown_url_note": gettext_noop("unknown url_note %(name)s"),
    "unknown_function": gettext_noop("unknown function %(name)s"),
    "unsupported_function": gettext_noop("unsupported function %(text)s"),
    "unsupported_locator": gettext_noop("unsupported locator %(text)s"),
    "unsupported_property": gettext_noop("unsupported property %(name)s"),
    "unsupported_action": gettext_noop("unsupported action %(text)s"),
}
