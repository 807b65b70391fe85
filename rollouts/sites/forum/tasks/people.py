"""Forum tasks about forums, people, messages and the own profile."""

from __future__ import annotations

from random import Random

from rollouts.sites.forum import data
from rollouts.sites.forum.data import User
from rollouts.sites.forum.lookups import (
    OTHERS,
    author_of,
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
    with_text,
)
from rollouts.sites.kit.plans import Click, Step, Type
from rollouts.sites.kit.sites import FORUM
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Values,
    change,
    known,
    require,
)
from rollouts.sites.kit.vocabulary import CITIES, slugify

OTHER_CITIES = [city for city in CITIES if city != data.MY_CITY]


def _write_to(text: str) -> list[Step]:
    return [Click("Send message"), Type("Message", text), Click("Send")]


def _draw_post_text(rng: Random) -> Values:
    return with_text(rng, draw_post(rng))


def _draw_unfollowed(rng: Random) -> Values:
    names = [f.name for f in data.FORUMS.values() if f.slug not in data.SUBSCRIBED]
    return {"forum": rng.choice(names)}


def _subscribe(values: Values) -> Goal:
    forum = forum_of(values)
    require(forum.slug not in data.SUBSCRIBED, "Robin follows it already.")
    state = {"subscribed": {forum.slug: True}}
    return change(FORUM, state, go_to_forum(forum), Click("Subscribe"))


def _draw_followed(rng: Random) -> Values:
    return {"forum": data.FORUMS[rng.choice(data.SUBSCRIBED)].name}


def _unsubscribe(values: Values) -> Goal:
    forum = forum_of(values)
    require(forum.slug in data.SUBSCRIBED, "Robin does not follow it.")
    state = {"subscribed": {forum.slug: False}}
    return change(FORUM, state, go_to_forum(forum), Click("Unsubscribe"))


def _draw_person_text(rng: Random) -> Values:
    return with_text(rng, draw_person(rng))


def _message(values: Values) -> Goal:
    user, text = person_of(values), values["text"]
    state = {"messages": [{"to": user.slug, "text": text}]}
    return change(FORUM, state, go_to_person(user), _write_to(text))


def _message_author(values: Values) -> Goal:
    post, text = post_of(values), values["text"]
    author = author_of(post)
    state = {"messages": [{"to": author.slug, "text": text}]}
    return change(FORUM, state, go_to(post), Click(author.name), _write_to(text))


def _draw_reply(rng: Random) -> Values:
    return with_text(rng, draw_letter(rng))


def _reply(values: Values) -> Goal:
    letter, text = letter_of(values), values["text"]
    state = {"messages": [{"to": slugify(letter.sender), "text": text}]}
    steps: list[Step] = [Type("Reply", text), Click("Send reply")]
    return change(FORUM, state, go_to_letter(letter), steps)


def _stranger(user: User) -> User:
    require(user.slug not in data.BLOCKED, "Robin has blocked this person already.")
    return user


def _block(values: Values) -> Goal:
    user = _stranger(person_of(values))
    steps = [*go_to_person(user), Click("Block"), Click("Yes, block")]
    return change(FORUM, {"blocked": {user.slug: True}}, steps)


def _draw_blockable(rng: Random) -> Values:
    free = [post for post in OTHERS if slugify(post.author) not in data.BLOCKED]
    return {"post": rng.choice(free).title}


def _block_author(values: Values) -> Goal:
    post = post_of(values)
    author = _stranger(author_of(post))
    steps = [*go_to(post), Click(author.name), Click("Block"), Click("Yes, block")]
    return change(FORUM, {"blocked": {author.slug: True}}, steps)


def _draw_blocked(rng: Random) -> Values:
    return {"person": data.USERS[rng.choice(data.BLOCKED)].name}


def _unblock(values: Values) -> Goal:
    user = person_of(values)
    require(user.slug in data.BLOCKED, "Robin has not blocked this person.")
    steps = [Click("Profile"), Click("Blocked"), Click(f"Unblock {user.name}")]
    return change(FORUM, {"blocked": {user.slug: False}}, steps)


def _edit(values: Values, **fields: str) -> Goal:
    steps: list[Step] = [Click("Profile"), Click("Edit profile")]
    steps += [Type(name.capitalize(), text) for name, text in fields.items()]
    return change(FORUM, {"profile": fields}, steps, Click("Save profile"))


def _draw_bio(rng: Random) -> Values:
    topics = [topic for words in data.TOPICS.values() for topic in words]
    one, two = rng.sample(topics, 2)
    return {"bio": f"Likes {one} and {two}"}


def _edit_bio(values: Values) -> Goal:
    return _edit(values, bio=values["bio"])


def _draw_city(rng: Random) -> Values:
    return {"city": rng.choice(OTHER_CITIES)}


def _city(values: Values) -> str:
    return known({city: city for city in OTHER_CITIES}, values["city"], "other city")


def _edit_city(values: Values) -> Goal:
    return _edit(values, city=_city(values))


def _draw_both(rng: Random) -> Values:
    return {**_draw_bio(rng), **_draw_city(rng)}


def _edit_both(values: Values) -> Goal:
    return _edit(values, bio=values["bio"], city=_city(values))


PEOPLE_TEMPLATES = table(
    FORUM,
    "change",
    row(
        "forum.subscribe",
        _draw_unfollowed,
        _subscribe,
        "Subscribe to the forum {{forum}}.",
        "Follow {{forum}}: subscribe to it.",
        "I want to subscribe to {{forum}}.",
    ),
    row(
        "forum.unsubscribe",
        _draw_followed,
        _unsubscribe,
        "Unsubscribe from the forum {{forum}}.",
        "Leave {{forum}}: unsubscribe from it.",
        "I want to unsubscribe from {{forum}}.",
        is_held_out=True,
    ),
    row(
        "forum.message",
        _draw_person_text,
        _message,
        'Send {{person}} the message "{{text}}".',
        'Write "{{text}}" to {{person}}.',
        'Send a message to {{person}}: "{{text}}".',
    ),
    row(
        "forum.message_author",
        _draw_post_text,
        _message_author,
        'Send the author of "{{post}}" the message "{{text}}".',
        'Write "{{text}}" to the person who wrote "{{post}}".',
        'Send a message to the author of "{{post}}": "{{text}}".',
    ),
    row(
        "forum.reply",
        _draw_reply,
        _reply,
        'Reply "{{text}}" to the message "{{subject}}".',
        'Answer my message "{{subject}}" with "{{text}}".',
        'Read the message "{{subject}}" and reply "{{text}}".',
    ),
    row(
        "forum.block",
        draw_person,
        _block,
        "Block {{person}}.",
        "Please block the person {{person}}.",
        "I do not want to read {{person}} any more, block them.",
    ),
    row(
        "forum.block_author",
        _draw_blockable,
        _block_author,
        'Block the author of "{{post}}".',
        'Please block the person who wrote "{{post}}".',
        'I do not want to read the author of "{{post}}" any more, block them.',
        is_held_out=True,
    ),
    row(
        "forum.unblock",
        _draw_blocked,
        _unblock,
        "Unblock {{person}}.",
        "Please unblock the person {{person}}.",
        "I want to read {{person}} again, unblock them.",
    ),
    row(
        "forum.edit_bio",
        _draw_bio,
        _edit_bio,
        'Change the bio of my profile to "{{bio}}".',
        'Edit my profile: the bio is "{{bio}}" now.',
        'Write "{{bio}}" as the bio of my profile.',
    ),
    row(
        "forum.edit_city",
        _draw_city,
        _edit_city,
        "Change the city of my profile to {{city}}.",
        "Edit my profile: the city is {{city}} now.",
        "I moved to {{city}}, change the city in my profile.",
        is_held_out=True,
    ),
    row(
        "forum.edit_profile",
        _draw_both,
        _edit_both,
        'Change my profile: bio "{{bio}}", city {{city}}.',
        'Edit my profile: the bio is "{{bio}}" and the city is {{city}} now.',
        'I moved to {{city}}; change that in my profile, and the bio to "{{bio}}".',
        is_held_out=True,
    ),
)
