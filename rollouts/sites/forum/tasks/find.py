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
from rollouts.sites.kit.plans import Click, Search
from rollouts.sites.kit.sites import FORUM
from rollouts.sites.kit.task_templates import (
    Goal,
    Template,
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


def _city(values: Values) -> Goal:
    user = person_of(values)
    return find(user.city, go_to_person(user))


def _joined(values: Values) -> Goal:
    user = person_of(values)
    return find(str(user.joined), go_to_person(user))


def _author_city(values: Values) -> Goal:
    post = post_of(values)
    author = author_of(post)
    return find(author.city, go_to(post), Click(author.name))


def _draw_extreme(rng: Random) -> Values:
    return {**draw_forum(rng), "extreme": rng.choice(list(EXTREMES))}


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


def _members(values: Values) -> Goal:
    forum = forum_of(values)
    return find(str(forum.members), go_to_forum_row(forum))


def _day(values: Values) -> Goal:
    letter = letter_of(values)
    return find(letter.day, go_to_letter(letter))


def _place(values: Values) -> Goal:
    letter = letter_of(values)
    return find(letter.place, go_to_letter(letter))


def _missing_post(values: Values) -> Goal:
    title = values["post"]
    require(title not in data.POST_BY_TITLE, "The post exists.")
    return cannot(Search(SEARCH_BOX, title))


def _draw_missing_person(rng: Random) -> Values:
    return {"person": rng.choice(MISSING_PEOPLE)}


def _missing_person(values: Values) -> Goal:
    name = values["person"]
    require(name not in data.USER_BY_NAME, "The person exists.")
    return cannot(Search(SEARCH_BOX, name))


def _delete_foreign(values: Values) -> Goal:
    post = post_of(values)
    require(post.author != ME, "Robin wrote it and may delete it.")
    return cannot(go_to(post))


FIND_TEMPLATES = (
    Template(
        "forum.find_author",
        FORUM,
        "find",
        (
            'Who wrote the post "{{post}}"?',
            'Tell me the author of "{{post}}".',
            'Which person posted "{{post}}"?',
        ),
        draw_post,
        _author,
    ),
    Template(
        "forum.find_points",
        FORUM,
        "find",
        (
            'How many points has the post "{{post}}"?',
            'Tell me the number of points of "{{post}}".',
            'How many points did "{{post}}" get?',
        ),
        draw_post,
        _points,
    ),
    Template(
        "forum.find_city",
        FORUM,
        "find",
        (
            "In which city does {{person}} live?",
            "Where does {{person}} live?",
            "Tell me the city of {{person}}.",
        ),
        draw_person,
        _city,
    ),
    Template(
        "forum.find_joined",
        FORUM,
        "find",
        (
            "Since which year is {{person}} a member?",
            "In which year did {{person}} join?",
            "Tell me the year since which {{person}} is a member.",
        ),
        draw_person,
        _joined,
        is_held_out=True,
    ),
    Template(
        "forum.find_author_city",
        FORUM,
        "find",
        (
            'In which city does the author of "{{post}}" live?',
            'Where does the person who wrote "{{post}}" live?',
            'Tell me the city of the author of "{{post}}".',
        ),
        draw_post,
        _author_city,
        is_held_out=True,
    ),
    Template(
        "forum.find_extreme",
        FORUM,
        "find",
        (
            "What is the {{extreme}} post in {{forum}}?",
            "Tell me the title of the {{extreme}} post in {{forum}}.",
            "Which post is the {{extreme}} of the forum {{forum}}?",
        ),
        _draw_extreme,
        _extreme,
    ),
    Template(
        "forum.find_comment_city",
        FORUM,
        "find",
        (
            'Which city does {{person}} name in a comment on "{{post}}"?',
            'Look at the comments of "{{post}}": where did {{person}} see one?',
            'In which city did {{person}} see one, says the comment on "{{post}}"?',
        ),
        _draw_comment_city,
        _comment_city,
    ),
    Template(
        "forum.find_comment_points",
        FORUM,
        "find",
        (
            'How many points has the comment of {{person}} on "{{post}}"?',
            'Tell me how many points {{person}} got for the comment on "{{post}}".',
            'Look at "{{post}}": how many points has the comment of {{person}}?',
        ),
        _draw_comment,
        _comment_points,
        is_held_out=True,
    ),
    Template(
        "forum.find_members",
        FORUM,
        "find",
        (
            "How many members has the forum {{forum}}?",
            "Tell me the number of members of {{forum}}.",
            "How many people are in {{forum}}?",
        ),
        draw_forum,
        _members,
    ),
    Template(
        "forum.find_letter_day",
        FORUM,
        "find",
        (
            'On which day does the message "{{subject}}" want to meet?',
            'Read my message "{{subject}}": which day is it about?',
            'Tell me the day in the message "{{subject}}".',
        ),
        draw_letter,
        _day,
    ),
    Template(
        "forum.find_letter_place",
        FORUM,
        "find",
        (
            'At which place does the message "{{subject}}" want to meet?',
            'Read my message "{{subject}}": at which place shall we meet?',
            'Tell me the meeting place in the message "{{subject}}".',
        ),
        draw_letter,
        _place,
    ),
    Template(
        "forum.missing_post",
        FORUM,
        "impossible",
        (
            'Who wrote the post "{{post}}"?',
            'How many points has the post "{{post}}"?',
            'Upvote the post "{{post}}".',
        ),
        draw_missing_post,
        _missing_post,
    ),
    Template(
        "forum.missing_person",
        FORUM,
        "impossible",
        (
            "In which city does {{person}} live?",
            "Open the page of {{person}}.",
            "Block {{person}}.",
        ),
        _draw_missing_person,
        _missing_person,
    ),
    Template(
        "forum.delete_foreign_post",
        FORUM,
        "impossible",
        (
            'Delete the post "{{post}}".',
            'Please delete "{{post}}".',
            'I no longer want the post "{{post}}", delete it.',
        ),
        draw_post,
        _delete_foreign,
        is_held_out=True,
    ),
)
