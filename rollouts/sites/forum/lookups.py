"""What the forum's task templates share: drawing entities and ways to reach them."""

from __future__ import annotations

from random import Random

from rollouts.sites.forum import data
from rollouts.sites.forum.data import Comment, Forum, Letter, Post, User
from rollouts.sites.forum.rendering import SORTS
from rollouts.sites.kit.plans import Click, Search, Step
from rollouts.sites.kit.task_templates import Values, known, require
from rollouts.sites.kit.vocabulary import ME, TEXTS, slugify
from rollouts.sites.kit.web import PAGE_SIZE

SEARCH_BOX = "Search posts"
# Posts that the start page shows have a shorter way than the plans take.
_HOTTEST = sorted(data.POSTS.values(), key=SORTS["hot"][1])[: data.HOT_POSTS]
OTHERS = [p for p in data.POSTS.values() if p not in _HOTTEST and p.author != ME]
OWN = [p for p in data.POSTS.values() if p.author == ME]
PEOPLE = [user for user in data.USERS.values() if user.name != ME]
STRANGERS = [user for user in PEOPLE if user.slug not in data.BLOCKED]
LETTERS = {letter.subject: letter for letter in data.LETTERS.values()}


def draw_post(rng: Random) -> Values:
    """A post of another person."""
    return {"post": rng.choice(OTHERS).title}


def draw_person(rng: Random) -> Values:
    """A person whom Robin has not blocked."""
    return {"person": rng.choice(STRANGERS).name}


def draw_forum(rng: Random) -> Values:
    """Any forum."""
    return {"forum": rng.choice(list(data.TOPICS))}


def draw_letter(rng: Random) -> Values:
    """Any message to Robin."""
    return {"subject": rng.choice(list(LETTERS))}


def with_text(rng: Random, values: Values) -> Values:
    """The blanks and something to write."""
    return {**values, "text": rng.choice(TEXTS)}


def draw_title(rng: Random) -> str:
    """A title that a post could have."""
    topics = data.TOPICS[rng.choice(list(data.TOPICS))]
    words = (rng.choice(data.ADJECTIVES), rng.choice(topics), rng.choice(data.KINDS))
    return " ".join(words)


def draw_missing_post(rng: Random) -> Values:
    """A title that no post has, though each of its words is known."""
    while True:
        title = draw_title(rng)
        if title not in data.POST_BY_TITLE:
            return {"post": title}


def post_of(values: Values, key: str = "post") -> Post:
    """The post that a blank names."""
    return known(data.POST_BY_TITLE, values[key], "post")


def person_of(values: Values) -> User:
    """The person that a blank names, not Robin."""
    user = known(data.USER_BY_NAME, values["person"], "person")
    require(user.name != ME, "That is Robin.")
    return user


def author_of(post: Post) -> User:
    """Who wrote the post; not Robin."""
    require(post.author != ME, "Robin wrote it.")
    return data.USER_BY_NAME[post.author]


def forum_of(values: Values) -> Forum:
    """The forum that a blank names."""
    return known(data.FORUM_BY_NAME, values["forum"], "forum")


def letter_of(values: Values) -> Letter:
    """The message that a blank names."""
    return known(LETTERS, values["subject"], "message")


def visible_comments(post: Post) -> list[Comment]:
    """The comments that Robin sees at the start."""
    return [c for c in post.comments if slugify(c.author) not in data.BLOCKED]


def go_to(post: Post) -> list[Step]:
    """From any page to the post's."""
    return [Search(SEARCH_BOX, post.title), Click(post.title)]


def go_to_person(user: User) -> list[Step]:
    """From any page to the person's."""
    return [Search(SEARCH_BOX, user.name), Click(user.name)]


def go_to_forum_row(forum: Forum) -> list[Step]:
    """From any page to the page of the list that shows the forum."""
    turns = list(data.FORUMS).index(forum.slug) // PAGE_SIZE
    return [Click("Forums"), *[Click("Next page")] * turns]


def go_to_forum(forum: Forum) -> list[Step]:
    """From the start page to the forum's: a link there, in the list, or by search."""
    if forum.slug in data.SUBSCRIBED:
        return [Click(forum.name)]
    row = go_to_forum_row(forum)
    way = row if len(row) == 1 else [Search(SEARCH_BOX, forum.name)]
    return [*way, Click(forum.name)]


def go_to_letter(letter: Letter) -> list[Step]:
    """From any page to the message."""
    turns = list(data.LETTERS).index(letter.slug) // PAGE_SIZE
    return [Click("Inbox"), *[Click("Next page")] * turns, Click(letter.subject)]
