"""The board's initial state: generated once, never changed."""

from __future__ import annotations

import dataclasses
import random

from rollouts.sites.kit.vocabulary import CITIES, DATA_SEED, ME, PEOPLE, slugify, words

# Forum -> what its posts are about.
TOPICS: dict[str, list[str]] = {
    "Books": words("novel library author chapter poem"),
    "Chess": words("opening board match club trap"),
    "Cooking": words("soup bread recipe oven sauce"),
    "Cycling": words("bike helmet wheel race hill"),
    "Fishing": words("river boat hook net lake"),
    "Gaming": words("console level quest team dragon"),
    "Gardening": words("tomato rose soil seed hedge"),
    "Hiking": words("mountain boots tent map forest"),
    "History": words("castle museum coin king empire"),
    "Movies": words("actor cinema comedy script trailer"),
    "Music": words("guitar piano concert song choir"),
    "Painting": words("brush canvas portrait frame studio"),
    "Photography": words("camera lens tripod sunset album"),
    "Running": words("marathon shoes track pace coach"),
    "Science": words("planet rocket magnet cell fossil"),
    "Travel": words("train hotel island passport beach"),
}
ADJECTIVES = words(
    "First Best Cheap Old New Quiet Strange Simple Lost Perfect Broken Favorite"
)
KINDS = words("question advice story review guide news tips idea")
BODIES = (
    "I thought about this all week.",
    "Please tell me what you think.",
    "It took me years to learn this.",
    "I hope this helps somebody.",
    "What would you do?",
    "I wrote down all I know.",
)
REMARKS = (
    "I agree with you.",
    "Thank you for this.",
    "This did not work for me.",
    "I learned a lot.",
    "Can you say more?",
    "My friends say the same.",
)
POSTS_PER_FORUM = 30
HOT_POSTS = 8
OWN_POSTS = 8
PLACES = words("library station museum cinema hotel beach harbor market")
DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
LETTER_COUNT = 14
SAVED_COUNT = 8
BLOCKED_COUNT = 6
SUBSCRIBED = ("chess", "cooking", "hiking", "music", "science")
MY_BIO = "Likes tea and long walks"
MY_CITY = "London"


@dataclasses.dataclass(frozen=True, slots=True)
class Forum:
    """A forum for one subject."""

    slug: str
    name: str
    members: int


@dataclasses.dataclass(frozen=True, slots=True)
class User:
    """Somebody with an account."""

    slug: str
    name: str
    city: str
    joined: int
    bio: str


@dataclasses.dataclass(frozen=True, slots=True)
class Comment:
    """An answer to a post; `key` is the post's slug and the author's."""

    key: str
    author: str
    text: str
    points: int
    city: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Post:
    """A post; `age` in hours, `author` is a name."""

    slug: str
    title: str
    forum: str
    author: str
    body: str
    points: int
    age: int
    comments: tuple[Comment, ...]

    @property
    def heat(self) -> float:
        """Points that fade with age; the order of "hot"."""
        return self.points / (self.age + 12)


@dataclasses.dataclass(frozen=True, slots=True)
class Letter:
    """A private message to Robin."""

    slug: str
    sender: str
    subject: str
    text: str
    place: str
    day: str


def _comments(rng: random.Random, slug: str, author: str) -> tuple[Comment, ...]:
    others = [name for name in PEOPLE if name != author]
    authors = rng.sample(others, rng.randint(2, 4))
    points = rng.sample(range(1, 60), len(authors))
    remarks = rng.sample(REMARKS, len(authors))
    city = rng.choice(CITIES)
    comments = []
    for index, name in enumerate(authors):
        is_local = index == 0
        text = f"I saw one in {city}." if is_local else remarks[index]
        key = f"{slug}.{slugify(name)}"
        place = city if is_local else ""
        comments.append(Comment(key, name, text, points[index], place))
    return tuple(sorted(comments, key=lambda comment: -comment.points))


def _titles(rng: random.Random, forum: str) -> list[str]:
    titles = [
        f"{adjective} {topic} {kind}"
        for adjective in ADJECTIVES
        for topic in TOPICS[forum]
        for kind in KINDS
    ]
    return rng.sample(titles, POSTS_PER_FORUM)


def _forum_posts(rng: random.Random, forum: str) -> list[Post]:
    points = rng.sample(range(5, 400), POSTS_PER_FORUM)
    ages = rng.sample(range(1, 200), POSTS_PER_FORUM)
    posts = []
    for index, title in enumerate(_titles(rng, forum)):
        slug = slugify(title)
        author = rng.choice(PEOPLE)
        posts.append(
            Post(
                slug=slug,
                title=title,
                forum=slugify(forum),
                author=author,
                body=rng.choice(BODIES),
                points=points[index],
                age=ages[index],
                comments=_comments(rng, slug, author),
            )
        )
    return posts


def _users(rng: random.Random) -> dict[str, User]:
    topics = [topic for words in TOPICS.values() for topic in words]
    users = {}
    for name in PEOPLE:
        one, two = rng.sample(topics, 2)
        user = User(
            slug=slugify(name),
            name=name,
            city=rng.choice(CITIES),
            joined=rng.randint(2012, 2023),
            bio=f"Likes {one} and {two}",
        )
        users[user.slug] = user
    users[slugify(ME)] = User(slugify(ME), ME, MY_CITY, 2019, MY_BIO)
    return users


def _letters(rng: random.Random) -> dict[str, Letter]:
    letters = {}
    topics = [topic for words in TOPICS.values() for topic in words]
    subjects = rng.sample(topics, LETTER_COUNT)
    for sender, topic in zip(rng.sample(PEOPLE, LETTER_COUNT), subjects, strict=True):
        subject = f"About the {topic}"
        place, day = rng.choice(PLACES), rng.choice(DAYS)
        text = f"Can we meet at the {place} on {day}?"
        slug = slugify(subject)
        letters[slug] = Letter(slug, sender, subject, text, place, day)
    return letters


def _build() -> None:
    rng = random.Random(DATA_SEED + 1)
    for name in TOPICS:
        FORUMS[slugify(name)] = Forum(slugify(name), name, rng.randint(120, 980))
    for name in TOPICS:
        POSTS.update({post.slug: post for post in _forum_posts(rng, name)})
    for slug in rng.sample(sorted(POSTS), OWN_POSTS):
        own = POSTS[slug]
        POSTS[slug] = dataclasses.replace(own, author=ME)
    USERS.update(_users(rng))
    LETTERS.update(_letters(rng))
    others = [slug for slug, post in POSTS.items() if post.author != ME]
    SAVED.extend(rng.sample(others, SAVED_COUNT))
    BLOCKED.extend(slugify(name) for name in rng.sample(PEOPLE, BLOCKED_COUNT))


FORUMS: dict[str, Forum] = {}
POSTS: dict[str, Post] = {}
USERS: dict[str, User] = {}
LETTERS: dict[str, Letter] = {}
SAVED: list[str] = []
BLOCKED: list[str] = []
_build()
POST_BY_TITLE = {post.title: post for post in POSTS.values()}
USER_BY_NAME = {user.name: user for user in USERS.values()}
FORUM_BY_NAME = {forum.name: forum for forum in FORUMS.values()}
