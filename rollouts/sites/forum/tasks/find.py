"""Forum tasks that ask for information, and some that cannot be done."""

from __future__ import annotations

from random import Random

from rollouts.sites.forum import data
from rollouts.sites.forum.lookups import (
    OTHERS,
    SEARCH_BOX,
    author_of,
    draw_forum,
    draw_letter,
    draw_missing_post,
    draw_person,
    draw_post,
    forum_of,
    go_to,
    go_to_forum,
    go_to_forum_row,
    go_to_letter,
    go_to_person,
    letter_of,
    person_of,
    post_of,
    visible_comments,
)
from rollouts.sites.forum.rendering import SORTS
from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.goals import tell_field
from rollouts.sites.kit.plans import Click, Search
from rollouts.sites.kit.sites import FORUM
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Values,
    cannot,
    find,
    known,
    require,
)
from rollouts.sites.kit.vocabulary import ME, words

EXTREMES = {"newest": "new", "top": "top"}
MISSING_PEOPLE = words("Amber Bruno Cora Dexter Elsa Frank Gina Henry Isla Jonas")


def _author(values: Values) -> Goal:
    post = post_of(values)
    return find(post.author, Search(SEARCH_BOX, post.title))


def _points(values: Values) -> Goal:
    post = post_of(values)
    return find(str(post.points), Search(SEARCH_BOX, post.title))


def _author_city(values: Values) -> Goal:
    post = post_of(values)
    author = author_of(post)
    return find(author.city, go_to(post), Click(author.name))


def _extreme(values: Values) -> Goal:
    forum = forum_of(values)
    label, order = SORTS[known(EXTREMES, values["extreme"], "way to sort")]
    posts = [post for post in data.POSTS.values() if post.forum == forum.slug]
    first = min(posts, key=order)
    return find(first.title, go_to_forum(forum), Click(label))


def _draw_comment_city(rng: Random) -> Values:
    while True:
        post = rng.choice(OTHERS)
        local = [comment for comment in visible_comments(post) if comment.city]
        if local:
            return {"post": post.title, "person": local[0].author}


def _comment_city(values: Values) -> Goal:
    post = post_of(values)
    cities = {c.author: c.city for c in visible_comments(post) if c.city}
    require(values["person"] in cities, "This person names no city there.")
    return find(cities[values["person"]], go_to(post))


def _draw_comment(rng: Random) -> Values:
    while True:
        post = rng.choice(OTHERS)
        comments = visible_comments(post)
        if comments:
            return {"post": post.title, "person": rng.choice(comments).author}


def _comment_points(values: Values) -> Goal:
    post = post_of(values)
    points = {c.author: str(c.points) for c in visible_comments(post)}
    require(values["person"] in points, "This person has not commented on it.")
    return find(points[values["person"]], go_to(post))


def _missing_post(values: Values) -> Goal:
    title = values["post"]
    require(title not in data.POST_BY_TITLE, "The post exists.")
    return cannot(Search(SEARCH_BOX, title))


def _missing_person(values: Values) -> Goal:
    name = values["person"]
    require(name not in data.USER_BY_NAME, "The person exists.")
    return cannot(Search(SEARCH_BOX, name))


def _delete_foreign(values: Values) -> Goal:
    post = post_of(values)
    require(post.author != ME, "Robin wrote it and may delete it.")
    return cannot(go_to(post))


FIND_TEMPLATES = table(
    FORUM,
    "find",
    row(
        "forum.find_author",
        draw_post,
        _author,
        'Who wrote the post "{{post}}"?',
        'Tell me the author of "{{post}}".',
        'Which person posted "{{post}}"?',
    ),
    row(
        "forum.find_points",
        draw_post,
        _points,
        'How many points has the post "{{post}}"?',
        'Tell me the number of points of "{{post}}".',
        'How many points did "{{post}}" get?',
    ),
    row(
        "forum.find_city",
        draw_person,
        tell_field("{0.city}", person_of, go_to_person),
        "In which city does {{person}} live?",
        "Where does {{person}} live?",
        "Tell me the city of {{person}}.",
    ),
    row(
        "forum.find_joined",
        draw_person,
        tell_field("{0.joined}", person_of, go_to_person),
        "Since which year is {{person}} a member?",
        "In which year did {{person}} join?",
        "Tell me the year since which {{person}} is a member.",
        is_held_out=True,
    ),
    row(
        "forum.find_author_city",
        draw_post,
        _author_city,
        'In which city does the author of "{{post}}" live?',
        'Where does the person who wrote "{{post}}" live?',
        'Tell me the city of the author of "{{post}}".',
        is_held_out=True,
    ),
    row(
        "forum.find_extreme",
        draw_one("extreme", EXTREMES, after=draw_forum),
        _extreme,
        "What is the {{extreme}} post in {{forum}}?",
        "Tell me the title of the {{extreme}} post in {{forum}}.",
        "Which post is the {{extreme}} of the forum {{forum}}?",
    ),
    row(
        "forum.find_comment_city",
        _draw_comment_city,
        _comment_city,
        'Which city does {{person}} name in a comment on "{{post}}"?',
        'Look at the comments of "{{post}}": where did {{person}} see one?',
        'In which city did {{person}} see one, says the comment on "{{post}}"?',
    ),
    row(
        "forum.find_comment_points",
        _draw_comment,
        _comment_points,
        'How many points has the comment of {{person}} on "{{post}}"?',
        'Tell me how many points {{person}} got for the comment on "{{post}}".',
        'Look at "{{post}}": how many points has the comment of {{person}}?',
        is_held_out=True,
    ),
    row(
        "forum.find_members",
        draw_forum,
        tell_field("{0.members}", forum_of, go_to_forum_row),
        "How many members has the forum {{forum}}?",
        "Tell me the number of members of {{forum}}.",
        "How many people are in {{forum}}?",
    ),
    row(
        "forum.find_letter_day",
        draw_letter,
        tell_field("{0.day}", letter_of, go_to_letter),
        'On which day does the message "{{subject}}" want to meet?',
        'Read my message "{{subject}}": which day is it about?',
        'Tell me the day in the message "{{subject}}".',
    ),
    row(
        "forum.find_letter_place",
        draw_letter,
        tell_field("{0.place}", letter_of, go_to_letter),
        'At which place does the message "{{subject}}" want to meet?',
        'Read my message "{{subject}}": at which place shall we meet?',
        'Tell me the meeting place in the message "{{subject}}".',
    ),
    row(
        "forum.missing_post",
        draw_missing_post,
        _missing_post,
        'Who wrote the post "{{post}}"?',
        'How many points has the post "{{post}}"?',
        'Upvote the post "{{post}}".',
        kind="impossible",
    ),
    row(
        "forum.missing_person",
        draw_one("person", MISSING_PEOPLE),
        _missing_person,
        "In which city does {{person}} live?",
        "Open the page of {{person}}.",
        "Block {{person}}.",
        kind="impossible",
    ),
    row(
        "forum.delete_foreign_post",
        draw_post,
        _delete_foreign,
        'Delete the post "{{post}}".',
        'Please delete "{{post}}".',
        'I no longer want the post "{{post}}", delete it.',
        kind="impossible",
        is_held_out=True,
    ),
)
