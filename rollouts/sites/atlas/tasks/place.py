"""Map tasks that change something about a place: saved, reported, reviewed."""

from __future__ import annotations

from random import Random
from typing import Any

from rollouts.sites.atlas import robin
from rollouts.sites.atlas.data import REVIEW_TEXTS, Place
from rollouts.sites.atlas.lookups import (
    NEW_LISTS,
    PLACES,
    SEARCH_BOX,
    best_of,
    draw_category,
    draw_list,
    draw_near,
    draw_place,
    go_to,
    list_of,
    near_query,
    nearest_of,
    new_list_of,
    place_of,
    town_query,
)
from rollouts.sites.atlas.tasks.near import BY_RATING, draw_open, minutes_of, open_at
from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.plans import Click, Search, Select, Step, Type
from rollouts.sites.kit.sites import ATLAS
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, change, require


def _save_in(values: Values) -> list[Step]:
    """From a place's page."""
    choose = Select("List", values["list"])
    return [Click("Save place"), choose, Click("Save")]


def _saved(values: Values, place: Place) -> dict[str, Any]:
    """The state after the place was put on the list that the blank names."""
    slug = list_of(values)
    require(slug != "favorites", "Favorites is chosen already.")
    require(place.slug not in robin.SAVED[slug], "The place is on this list already.")
    return {"saved": {f"{slug}/{place.slug}": True}}


def _draw_save(rng: Random) -> Values:
    while True:
        values = {**draw_place(rng), "list": draw_list(rng)}
        if place_of(values).slug not in robin.SAVED[list_of(values)]:
            return values


def _save(values: Values) -> Goal:
    place = place_of(values)
    return change(ATLAS, _saved(values, place), go_to(place), _save_in(values))


def _save_new(values: Values) -> Goal:
    place, (slug, name) = place_of(values), new_list_of(values)
    state = {"lists": {slug: name}, "saved": {f"{slug}/{place.slug}": True}}
    steps: list[Step] = [Click("Save place"), Type("Or a new list", name)]
    return change(ATLAS, state, go_to(place), steps, Click("Save"))


def _draw_save_nearest(rng: Random) -> Values:
    while True:
        values = {**draw_near(rng), "list": draw_list(rng)}
        if nearest_of(values).place.slug not in robin.SAVED[list_of(values)]:
            return values


def _save_nearest(values: Values) -> Goal:
    place = nearest_of(values).place
    find: list[Step] = [Search(SEARCH_BOX, near_query(values)), Click(place.name)]
    return change(ATLAS, _saved(values, place), find, _save_in(values))


def _draw_save_best(rng: Random) -> Values:
    while True:
        values = {**draw_category(rng), "list": draw_list(rng)}
        if best_of(values).slug not in robin.SAVED[list_of(values)]:
            return values


def _save_best(values: Values) -> Goal:
    place = best_of(values)
    find: list[Step] = [
        Search(SEARCH_BOX, town_query(values)),
        BY_RATING,
        Click(place.name),
    ]
    return change(ATLAS, _saved(values, place), find, _save_in(values))


def _draw_save_best_open(rng: Random) -> Values:
    while True:
        values = {**draw_open(rng), "list": draw_list(rng)}
        place = best_of(values, minutes_of(values))
        if place.slug not in robin.SAVED[list_of(values)]:
            return values


def _save_best_open(values: Values) -> Goal:
    place = best_of(values, minutes_of(values))
    find: list[Step] = [Search(SEARCH_BOX, town_query(values))]
    find += [*open_at(values["time"]), BY_RATING, Click(place.name)]
    return change(ATLAS, _saved(values, place), find, _save_in(values))


def _draw_review(rng: Random) -> Values:
    place = rng.choice(PLACES).name
    stars = str(rng.choice((1, 2, 4, 5)))
    return {"place": place, "stars": stars, "text": rng.choice(REVIEW_TEXTS)}


def _write(values: Values) -> tuple[dict[str, Any], list[Step]]:
    """The review, and the steps from the place's page."""
    stars, text = values["stars"], values["text"]
    require(stars in {"1", "2", "4", "5"}, "stars must be 1, 2, 4 or 5.")
    steps: list[Step] = [Click("Reviews"), Click("Write review")]
    steps += [Select("Stars", f"{stars} stars"), Type("Text", text)]
    return {"stars": int(stars), "text": text}, [*steps, Click("Send review")]


def _review(values: Values) -> Goal:
    place, (review, steps) = place_of(values), _write(values)
    return change(ATLAS, {"reviews": {place.slug: review}}, go_to(place), steps)


def _draw_review_nearest(rng: Random) -> Values:
    return {**_draw_review(rng), **draw_near(rng)}


def _review_nearest(values: Values) -> Goal:
    place, (review, steps) = nearest_of(values).place, _write(values)
    find: list[Step] = [Search(SEARCH_BOX, near_query(values)), Click(place.name)]
    return change(ATLAS, {"reviews": {place.slug: review}}, find, steps)


PLACE_TEMPLATES = table(
    ATLAS,
    "change",
    row(
        "atlas.save_place",
        _draw_save,
        _save,
        'Save the "{{place}}" in my list {{list}}.',
        'Put the "{{place}}" on my list {{list}}.',
        'I want the "{{place}}" in my list {{list}}.',
    ),
    row(
        "atlas.save_in_new_list",
        draw_one("list", NEW_LISTS, after=draw_place),
        _save_new,
        'Save the "{{place}}" in a new list called {{list}}.',
        'Put the "{{place}}" on a new list with the name {{list}}.',
        'Begin the list {{list}} and save the "{{place}}" in it.',
        is_held_out=True,
    ),
    row(
        "atlas.save_nearest",
        _draw_save_nearest,
        _save_nearest,
        'Save the {{category}} nearest to the "{{place}}" in my list {{list}}.',
        'Find the {{category}} nearest to "{{place}}" and put it on my list {{list}}.',
        'I am at the "{{place}}". Put the {{category}} nearest to it on my list '
        "{{list}}.",
    ),
    row(
        "atlas.save_best",
        _draw_save_best,
        _save_best,
        "Save the best rated {{category}} in {{town}} in my list {{list}}.",
        "Find the {{category}} with the highest rating in {{town}} and put it on "
        "my list {{list}}.",
        "Put the best rated {{category}} of {{town}} on my list {{list}}.",
    ),
    row(
        "atlas.save_best_open",
        _draw_save_best_open,
        _save_best_open,
        "Save the best rated {{category}} in {{town}} that is open at {{time}} in "
        "my list {{list}}.",
        "Find the best rated {{category}} in {{town}} that is open at {{time}} and "
        "put it on my list {{list}}.",
        "Put the {{category}} in {{town}} with the best rating among those open at "
        "{{time}} on my list {{list}}.",
        is_held_out=True,
    ),
    row(
        "atlas.write_review",
        _draw_review,
        _review,
        'Write a review of the "{{place}}" with {{stars}} stars and the text '
        '"{{text}}".',
        'Give the "{{place}}" {{stars}} stars and write "{{text}}".',
        'Review the "{{place}}": {{stars}} stars, "{{text}}".',
    ),
    row(
        "atlas.review_nearest",
        _draw_review_nearest,
        _review_nearest,
        'Review the {{category}} nearest to the "{{place}}" with {{stars}} stars '
        'and the text "{{text}}".',
        'Find the {{category}} nearest to "{{place}}", give it {{stars}} stars and '
        'write "{{text}}".',
        'I am at the "{{place}}". Review the nearest {{category}}: {{stars}} '
        'stars, "{{text}}".',
    ),
)
