"""Forum tasks that end on a page."""

from __future__ import annotations

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
from rollouts.sites.kit.blanks import draw_one, draw_page, draw_query
from rollouts.sites.kit.goals import open_area, open_item, open_results, turn_to
from rollouts.sites.kit.plans import Click
from rollouts.sites.kit.sites import FORUM
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
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


def _author(values: Values) -> Goal:
    post = post_of(values)
    author = author_of(post)
    return navigate(f"{HOME}/user/{author.slug}", go_to(post), Click(author.name))


def _sorted(values: Values) -> Goal:
    forum = forum_of(values)
    sort = known(SORT_BY_LABEL, values["sort"], "way to sort")
    address = f"{HOME}/forum/{forum.slug}?sort={sort}"
    return navigate(address, go_to_forum(forum), Click(values["sort"]))


def _page(values: Values) -> Goal:
    forum, text = forum_of(values), values["page"]
    require(text in ("2", "3", "4"), "A forum has 4 pages.")
    address = f"{HOME}/forum/{forum.slug}?page={text}"
    return navigate(address, go_to_forum(forum), turn_to(int(text)))


NAVIGATE_TEMPLATES = table(
    FORUM,
    "navigate",
    row(
        "forum.open_area",
        draw_one("area", AREAS),
        open_area(FORUM, AREAS),
        'Open the "{{area}}" page.',
        'Go to "{{area}}".',
        'Show me the "{{area}}" page of the board.',
    ),
    row(
        "forum.open_results",
        draw_query(
            lambda rng: (data.TOPICS[rng.choice(list(data.TOPICS))], data.KINDS)
        ),
        open_results(FORUM, SEARCH_BOX),
        'Search the board for "{{query}}".',
        'Look for posts about "{{query}}".',
        'Show me the search results for "{{query}}".',
    ),
    row(
        "forum.open_forum",
        draw_forum,
        open_item(FORUM, "/forum/{0.slug}", forum_of, go_to_forum),
        "Open the forum {{forum}}.",
        "Go to the {{forum}} forum.",
        "Show me the posts in {{forum}}.",
    ),
    row(
        "forum.open_post",
        draw_post,
        open_item(FORUM, "/post/{0.slug}", post_of, go_to),
        'Open the post "{{post}}".',
        'Go to "{{post}}".',
        'Show me the comments of "{{post}}".',
    ),
    row(
        "forum.open_person",
        draw_person,
        open_item(FORUM, "/user/{0.slug}", person_of, go_to_person),
        "Open the page of {{person}}.",
        "Go to the profile of {{person}}.",
        "Show me what {{person}} has posted.",
    ),
    row(
        "forum.open_author",
        draw_post,
        _author,
        'Open the page of the author of "{{post}}".',
        'Go to the profile of the person who wrote "{{post}}".',
        'Show me what else the author of "{{post}}" has posted.',
    ),
    row(
        "forum.open_sorted",
        draw_one("sort", SORT_BY_LABEL, after=draw_forum),
        _sorted,
        'Show the forum {{forum}} sorted by "{{sort}}".',
        'Open {{forum}} and sort the posts by "{{sort}}".',
        'List the posts of {{forum}}, sorted by "{{sort}}".',
    ),
    row(
        "forum.open_forum_page",
        draw_page(draw_forum),
        _page,
        "Open page {{page}} of the forum {{forum}}.",
        "Show me page {{page}} of {{forum}}.",
        "Go to {{forum}} and turn to page {{page}}.",
        is_held_out=True,
    ),
    row(
        "forum.open_letter",
        draw_letter,
        open_item(FORUM, "/inbox/{0.slug}", letter_of, go_to_letter),
        'Open the message "{{subject}}".',
        'Go to my message "{{subject}}".',
        'Show me the message "{{subject}}" in the inbox.',
    ),
)
