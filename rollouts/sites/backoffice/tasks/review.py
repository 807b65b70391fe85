"""Office tasks that judge product reviews."""

from __future__ import annotations

from random import Random

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.lookups import (
    PENDING,
    PRODUCTS,
    go_to,
    go_to_review,
    product_of,
    review_of,
    review_with,
)
from rollouts.sites.backoffice.pages.review import ACTIONS, LIST_SIZE
from rollouts.sites.backoffice.records import Review
from rollouts.sites.kit.plans import Click, Select, Step
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Infeasible,
    Values,
    change,
    known,
    require,
)

_SHOWN = {product.slug for product in PRODUCTS}
STEPS: dict[str, list[Step]] = {
    "Approve": [Click("Approve")],
    "Reject": [Click("Reject"), Click("Yes, reject")],
}
# By the list of reviews, the first two pages' are reached sooner than by the product.
BEHIND = [r for r in PENDING[2 * LIST_SIZE :] if r.product in _SHOWN]
TWO, THREE = ("first", "second"), ("first", "second", "third")


def _state(reviews: list[Review], status: str) -> dict[str, object]:
    return {"reviews": {str(r.number): {"status": status} for r in reviews}}


def _judge(review: Review, action: str, *way: Step) -> Goal:
    status = ACTIONS[action]
    require(review.status != status, f"The review is {status} already.")
    return change(BACKOFFICE, _state([review], status), *way, *STEPS[action])


def _draw_pending(rng: Random) -> Values:
    return {"review": str(rng.choice(PENDING).number)}


def _approve(values: Values) -> Goal:
    review = review_of(values)
    return _judge(review, "Approve", *go_to_review(review))


def _reject(values: Values) -> Goal:
    review = review_of(values)
    return _judge(review, "Reject", *go_to_review(review))


def _draw_stars(rng: Random) -> Values:
    """A product and the stars of a review that waits."""
    review = rng.choice(BEHIND)
    name = data.PRODUCTS[review.product].name
    return {"product": name, "stars": str(review.stars)}


def _reject_by_stars(values: Values) -> Goal:
    product = product_of(values)
    review = review_with(product, values["stars"])
    if review is None:
        raise Infeasible("Nobody gave it that many stars.")
    opinion = Click(f"Review {review.number}")
    return _judge(review, "Reject", *go_to(product), Click("Opinions"), opinion)


def _draw_bulk(rng: Random, names: tuple[str, ...], pages: int) -> Values:
    page = rng.randrange(pages)
    shown = PENDING[page * LIST_SIZE : (page + 1) * LIST_SIZE]
    chosen = rng.sample(shown, len(names))
    named = {name: str(r.number) for name, r in zip(names, chosen, strict=True)}
    return {"action": rng.choice(list(ACTIONS)), **named}


def _bulk(values: Values, names: tuple[str, ...], pages: int) -> Goal:
    status = known(ACTIONS, values["action"], "action")
    reviews = [review_of(values, name) for name in names]
    require(len(set(reviews)) == len(reviews), "A review is named twice.")
    require(all(r in PENDING for r in reviews), "A review does not wait any more.")
    found = {PENDING.index(review) // LIST_SIZE for review in reviews}
    turns = min(found)
    require(len(found) == 1 and turns < pages, "They are on several pages.")
    way: list[Step] = [Click("Reviews"), *[Click("Next page")] * turns]
    way += [Click(f"Tick {review.number}") for review in reviews]
    choose = Select("Action", values["action"])
    return change(BACKOFFICE, _state(reviews, status), way, choose, Click("Apply"))


def _draw_two(rng: Random) -> Values:
    return _draw_bulk(rng, TWO, 2)


def _two(values: Values) -> Goal:
    return _bulk(values, TWO, 2)


def _draw_three(rng: Random) -> Values:
    return _draw_bulk(rng, THREE, 4)


def _three(values: Values) -> Goal:
    return _bulk(values, THREE, 4)


REVIEW_TEMPLATES = table(
    BACKOFFICE,
    "change",
    row(
        "backoffice.approve_review",
        _draw_pending,
        _approve,
        "Approve review {{review}}.",
        "Review {{review}} is fine, approve it.",
        "Let review {{review}} be shown in the shop.",
    ),
    row(
        "backoffice.reject_review",
        _draw_pending,
        _reject,
        "Reject review {{review}}.",
        "Review {{review}} is not fit for the shop, reject it.",
        "Do not let review {{review}} be shown, reject it.",
    ),
    row(
        "backoffice.reject_by_stars",
        _draw_stars,
        _reject_by_stars,
        'Reject the {{stars}} star review of the "{{product}}".',
        'Someone gave the "{{product}}" {{stars}} of 5 stars, reject this review.',
        'Of the reviews of the "{{product}}", reject the one with {{stars}} of '
        "5 stars.",
        is_held_out=True,
    ),
    row(
        "backoffice.judge_two",
        _draw_two,
        _two,
        "{{action}} the reviews {{first}} and {{second}}.",
        'Tick the pending reviews {{first}} and {{second}} and apply "{{action}}".',
        'Apply the action "{{action}}" to the reviews {{first}} and {{second}}.',
    ),
    row(
        "backoffice.judge_three",
        _draw_three,
        _three,
        "{{action}} the reviews {{first}}, {{second}} and {{third}}.",
        "Tick the pending reviews {{first}}, {{second}} and {{third}} and apply "
        '"{{action}}".',
        'Apply the action "{{action}}" to three reviews: {{first}}, {{second}} '
        "and {{third}}.",
    ),
)
