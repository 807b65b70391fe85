"""Forum tasks that end on a page."""

from __future__ import annotations

from random import Random
from urllib.parse import quote_plus

from rollouts.sites.forum import data
from rollouts.sites.forum.lookups import (
    SEARCH_BOX,
    author_of,
    draw_forum,
    draw_letter,
    draw_person,
    draw_post,
    forum_of,
    go_to,
    go_to_forum,
    go_to_letter,
    go_to_person,
    letter_of,
    person_of,
    post_of,
)
from rollouts.sites.kit.plans import Click, Search
from rollouts.sites.kit.sites import FORUM
from rollouts.sites.kit.task_templates import (
    Goal,
    Template,
    Values,
    known,
    navigate,
    require,
)

HOME = FORUM.placeholder
AREAS = {
    "Forums": "forums",
    "Saved": "saved",
    "Inbox": "inbox",
    "Profile": "profile",
    "New post": "submit",
}
SORT_BY_LABEL = {"New": "new", "Top": "top"}


def _draw_area(rng: Random) -> Values:
    return {"area": rng.choice(list(AREAS))}


def _area(values: Values) -> Goal:
    slug = known(AREAS, values["area"], "page")
    return navigate(f"{HOME}/{slug}", Click(values["area"]))


def _draw_query(rng: Random) -> Values:
    topics = data.TOPICS[rng.choice(list(data.TOPICS))]
    return {"query": f"{rng.choice(topics)} {rng.choice(data.KINDS)}"}


def _query(values: Values) -> Goal:
    query = values["query"]
    address = f"{HOME}/search?q={quote_plus(query)}"
    return navigate(address, Search(SEARCH_BOX, query))


def _forum(values: Values) -> Goal:
    forum = forum_of(values)
    return navigate(f"{HOME}/forum/{forum.slug}", go_to_forum(forum))


def _post(values: Values) -> Goal:
    post = post_of(values)
    return navigate(f"{HOME}/post/{post.slug}", go_to(post))


def _person(values: Values) -> Goal:
    user = person_of(values)
    return navigate(f"{HOME}/user/{user.slug}", go_to_person(user))


def _author(values: Values) -> Goal:
    post = post_of(values)
    author = author_of(post)
    return navigate(f"{HOME}/user/{author.slug}", go_to(post), Click(author.name))


def _draw_sort(rng: Random) -> Values:
    return {**draw_forum(rng), "sort": rng.choice(list(SORT_BY_LABEL))}


def _sorted(values: Values) -> Goal:
    forum = forum_of(values)
    sort = known(SORT_BY_LABEL, values["sort"], "way to sort")
    address = f"{HOME}/forum/{forum.slug}?sort={sort}"
    return navigate(address, go_to_forum(forum), Click(values["sort"]))


def _draw_page(rng: Random) -> Values:
    return {**draw_forum(rng), "page": str(rng.randint(2, 4))}


def _page(values: Values) -> Goal:
    forum, text = forum_of(values), values["page"]
    require(text in ("2", "3", "4"), "A forum has 4 pages.")
    turns = [Click("Next page")] * (int(text) - 1)
    address = f"{HOME}/forum/{forum.slug}?page={text}"
    return navigate(address, go_to_forum(forum), turns)


def _letter(values: Values) -> Goal:
    letter = letter_of(values)
    return navigate(f"{HOME}/inbox/{letter.slug}", go_to_letter(letter))


NAVIGATE_TEMPLATES = (
    Template(
        "forum.open_area",
        FORUM,
        "navigate",
        (
            'Open the "{{area}}" page.',
            'Go to "{{area}}".',
            'Show me the "{{area}}" page of the board.',
        ),
        _draw_area,
        _area,
    ),
    Template(
        "forum.open_results",
        FORUM,
        "navigate",
        (
            'Search the board for "{{query}}".',
            'Look for posts about "{{query}}".',
            'Show me the search results for "{{query}}".',
        ),
        _draw_query,
        _query,
    ),
    Template(
        "forum.open_forum",
        FORUM,
        "navigate",
        (
            "Open the forum {{forum}}.",
            "Go to the {{forum}} forum.",
            "Show me the posts in {{forum}}.",
        ),
        draw_forum,
        _forum,
    ),
    Template(
        "forum.open_post",
        FORUM,
        "navigate",
        (
            'Open the post "{{post}}".',
            'Go to "{{post}}".',
            'Show me the comments of "{{post}}".',
        ),
        draw_post,
        _post,
    ),
    Template(
        "forum.open_person",
        FORUM,
        "navigate",
        (
            "Open the page of {{person}}.",
            "Go to the profile of {{person}}.",
            "Show me what {{person}} has posted.",
        ),
        draw_person,
        _person,
    ),
    Template(
        "forum.open_author",
        FORUM,
        "navigate",
        (
            'Open the page of the author of "{{post}}".',
            'Go to the profile of the person who wrote "{{post}}".',
            'Show me what else the author of "{{post}}" has posted.',
        ),
        draw_post,
        _author,
    ),
    Template(
        "forum.open_sorted",
        FORUM,
        "navigate",
        (
            'Show the forum {{forum}} sorted by "{{sort}}".',
            'Open {{forum}} and sort the posts by "{{sort}}".',
            'List the posts of {{forum}}, sorted by "{{sort}}".',
        ),
        _draw_sort,
        _sorted,
    ),
    Template(
        "forum.open_forum_page",
        FORUM,
        "navigate",
        (
            "Open page {{page}} of the forum {{forum}}.",
            "Show me page {{page}} of {{forum}}.",
            "Go to {{forum}} and turn to page {{page}}.",
        ),
        _draw_page,
        _page,
        is_held_out=True,
    ),
    Template(
        "forum.open_letter",
        FORUM,
        "navigate",
        (
            'Open the message "{{subject}}".',
            'Go to my message "{{subject}}".',
            'Show me the message "{{subject}}" in the inbox.',
        ),
        draw_letter,
        _letter,
    ),
)
