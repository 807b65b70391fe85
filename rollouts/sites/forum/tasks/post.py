"""Forum tasks that vote, save, comment, publish and delete."""

from __future__ import annotations

from random import Random

from rollouts.sites.forum import data
from rollouts.sites.forum.data import Post
from rollouts.sites.forum.lookups import (
    OTHERS,
    OWN,
    draw_missing_post,
    draw_post,
    forum_of,
    go_to,
    post_of,
    visible_comments,
    with_text,
)
from rollouts.sites.kit.plans import Click, Select, Step, Type
from rollouts.sites.kit.sites import FORUM
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, change, require
from rollouts.sites.kit.vocabulary import ME, TEXTS


def _write_comment(text: str) -> list[Step]:
    return [Type("Comment", text), Click("Send comment")]


def _upvote(values: Values) -> Goal:
    post = post_of(values)
    return change(FORUM, {"votes": {post.slug: 1}}, go_to(post), Click("Upvote"))


def _downvote(values: Values) -> Goal:
    post = post_of(values)
    return change(FORUM, {"votes": {post.slug: -1}}, go_to(post), Click("Downvote"))


def _unsaved(values: Values, key: str = "post") -> Post:
    post = post_of(values, key)
    require(post.slug not in data.SAVED, "Robin has saved it already.")
    return post


def _draw_unsaved(rng: Random) -> Values:
    free = [post for post in OTHERS if post.slug not in data.SAVED]
    return {"post": rng.choice(free).title}


def _save(values: Values) -> Goal:
    post = _unsaved(values)
    return change(FORUM, {"saved": {post.slug: True}}, go_to(post), Click("Save"))


def _draw_two(rng: Random) -> Values:
    first, second = _draw_unsaved(rng)["post"], _draw_unsaved(rng)["post"]
    return {"first": first, "second": second} if first != second else _draw_two(rng)


def _save_two(values: Values) -> Goal:
    first, second = _unsaved(values, "first"), _unsaved(values, "second")
    require(first != second, "The two posts are the same.")
    state = {"saved": {first.slug: True, second.slug: True}}
    save = Click("Save")
    return change(FORUM, state, go_to(first), save, go_to(second), save)


def _draw_saved(rng: Random) -> Values:
    return {"post": data.POSTS[rng.choice(data.SAVED)].title}


def _unsave(values: Values) -> Goal:
    post = post_of(values)
    require(post.slug in data.SAVED, "Robin has not saved it.")
    state = {"saved": {post.slug: False}}
    return change(FORUM, state, Click("Saved"), Click(f"Remove {post.title}"))


def _draw_post_text(rng: Random) -> Values:
    return with_text(rng, draw_post(rng))


def _comment(values: Values) -> Goal:
    post, text = post_of(values), values["text"]
    state = {"comments": [{"post": post.slug, "text": text}]}
    return change(FORUM, state, go_to(post), _write_comment(text))


def _draw_comment_two(rng: Random) -> Values:
    return with_text(rng, _draw_two(rng))


def _comment_two(values: Values) -> Goal:
    first, second = post_of(values, "first"), post_of(values, "second")
    require(first != second, "The two posts are the same.")
    text = values["text"]
    state = {"comments": [{"post": p.slug, "text": text} for p in (first, second)]}
    steps = [*go_to(first), *_write_comment(text)]
    return change(FORUM, state, steps, go_to(second), _write_comment(text))


def _vote_and_comment(values: Values) -> Goal:
    post, text = post_of(values), values["text"]
    state = {
        "votes": {post.slug: 1},
        "comments": [{"post": post.slug, "text": text}],
    }
    return change(FORUM, state, go_to(post), Click("Upvote"), _write_comment(text))


def _draw_commenter(rng: Random) -> Values:
    while True:
        post = rng.choice(OTHERS)
        comments = visible_comments(post)
        if comments:
            return {"post": post.title, "person": rng.choice(comments).author}


def _upvote_comment(values: Values) -> Goal:
    post = post_of(values)
    keys = {comment.author: comment.key for comment in visible_comments(post)}
    require(values["person"] in keys, "This person has not commented on it.")
    key = keys[values["person"]]
    click = Click(f"Upvote {values['person']}")
    return change(FORUM, {"comment_votes": {key: 1}}, go_to(post), click)


def _draw_new_post(rng: Random) -> Values:
    title = draw_missing_post(rng)["post"]
    forum = rng.choice(list(data.TOPICS))
    return {"forum": forum, "title": title, "text": rng.choice(TEXTS)}


def _new_post(values: Values) -> Goal:
    forum, title, text = forum_of(values), values["title"], values["text"]
    state = {"posts": [{"forum": forum.slug, "title": title, "text": text}]}
    steps: list[Step] = [
        Click("New post"),
        Select("Forum", forum.name),
        Type("Title", title),
    ]
    return change(FORUM, state, steps, Type("Text", text), Click("Publish"))


def _draw_own(rng: Random) -> Values:
    return {"post": rng.choice(OWN).title}


def _delete(values: Values) -> Goal:
    post = post_of(values)
    require(post.author == ME, "Only its author may delete it.")
    steps = [Click("Profile"), Click(post.title)]
    steps += [Click("Delete post"), Click("Yes, delete")]
    return change(FORUM, {"deleted": [post.slug]}, steps)


POST_TEMPLATES = table(
    FORUM,
    "change",
    row(
        "forum.upvote",
        draw_post,
        _upvote,
        'Upvote the post "{{post}}".',
        'Give an upvote to "{{post}}".',
        'I like "{{post}}", upvote it.',
    ),
    row(
        "forum.downvote",
        draw_post,
        _downvote,
        'Downvote the post "{{post}}".',
        'Give a downvote to "{{post}}".',
        'I do not like "{{post}}", downvote it.',
    ),
    row(
        "forum.save",
        _draw_unsaved,
        _save,
        'Save the post "{{post}}".',
        'Save "{{post}}" for later.',
        'Put "{{post}}" among my saved posts.',
    ),
    row(
        "forum.save_two",
        _draw_two,
        _save_two,
        'Save the posts "{{first}}" and "{{second}}".',
        'Save "{{first}}" and then "{{second}}" for later.',
        'Put "{{first}}" and "{{second}}" among my saved posts.',
    ),
    row(
        "forum.unsave",
        _draw_saved,
        _unsave,
        'Remove "{{post}}" from my saved posts.',
        'Take the post "{{post}}" out of the saved ones.',
        'I no longer need "{{post}}", remove it from the saved posts.',
    ),
    row(
        "forum.comment",
        _draw_post_text,
        _comment,
        'Comment "{{text}}" on the post "{{post}}".',
        'Write the comment "{{text}}" under "{{post}}".',
        'Answer the post "{{post}}" with the comment "{{text}}".',
    ),
    row(
        "forum.comment_two",
        _draw_comment_two,
        _comment_two,
        'Comment "{{text}}" on the posts "{{first}}" and "{{second}}".',
        'Write the comment "{{text}}" under "{{first}}" and under "{{second}}".',
        'Answer "{{first}}" and then "{{second}}" with the comment "{{text}}".',
    ),
    row(
        "forum.upvote_and_comment",
        _draw_post_text,
        _vote_and_comment,
        'Upvote the post "{{post}}" and comment "{{text}}" on it.',
        'Give an upvote to "{{post}}", then write the comment "{{text}}".',
        'I like "{{post}}": upvote it and comment "{{text}}".',
    ),
    row(
        "forum.upvote_comment",
        _draw_commenter,
        _upvote_comment,
        'Upvote the comment of {{person}} on "{{post}}".',
        'Give {{person}} an upvote for the comment on "{{post}}".',
        'Look at "{{post}}" and upvote what {{person}} says there.',
    ),
    row(
        "forum.new_post",
        _draw_new_post,
        _new_post,
        'Publish a post in {{forum}} with the title "{{title}}" and the text '
        '"{{text}}".',
        'Write a new post "{{title}}" with the text "{{text}}" in {{forum}}.',
        'In the forum {{forum}}, post "{{title}}", text "{{text}}".',
    ),
    row(
        "forum.delete_post",
        _draw_own,
        _delete,
        'Delete my post "{{post}}".',
        'Please delete "{{post}}", which I wrote.',
        'I no longer want my post "{{post}}", delete it.',
    ),
)
