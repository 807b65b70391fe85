"""What an episode has changed on the board, and the board as it then looks.

The change set is plain JSON and empty at the start. Every rule of the board is here;
pages only show and call.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from rollouts.sites.forum import data
from rollouts.sites.forum.data import Comment, Forum, Post, User
from rollouts.sites.kit.episodes import Changes, set_flag
from rollouts.sites.kit.vocabulary import ME, slugify

MAX_TEXT_LENGTH = 1000
MAX_TITLE_LENGTH = 100


class ForumError(ValueError):
    """The board refuses, with a message for the page."""


def new_changes() -> Changes:
    """The change set of an episode that has not begun."""
    return {
        "votes": {},
        "comment_votes": {},
        "comments": [],
        "posts": [],
        "deleted": [],
        "saved": {},
        "subscribed": {},
        "blocked": {},
        "messages": [],
        "profile": {},
    }


def _flagged(base: list[str] | tuple[str, ...], flags: dict[str, bool]) -> list[str]:
    kept = [key for key in base if flags.get(key, True)]
    return kept + [key for key, value in flags.items() if value]


def _required(text: str, limit: int) -> str:
    if not text:
        raise ForumError("Please write something.")
    return text[:limit]


class Board:
    """The board of one episode: base data below, the change set on top."""

    def __init__(self, changes: Changes) -> None:
        """Bind the episode's change set, which the methods change in place."""
        self._changes = changes

    @property
    def posts(self) -> dict[str, Post]:
        """All posts by slug, Robin's new ones last."""
        if not self._changes["posts"] and not self._changes["deleted"]:
            return data.POSTS
        new = {slug: self._own_post(slug, post) for slug, post in self._new_posts()}
        gone = self._changes["deleted"]
        return {s: p for s, p in {**data.POSTS, **new}.items() if s not in gone}

    def _new_posts(self) -> list[tuple[str, dict[str, Any]]]:
        posts: list[dict[str, Any]] = self._changes["posts"]
        return [(f"new-{number}", post) for number, post in enumerate(posts, 1)]

    @staticmethod
    def _own_post(slug: str, post: dict[str, Any]) -> Post:
        return Post(slug, post["title"], post["forum"], ME, post["text"], 1, 0, ())

    def points(self, post: Post) -> int:
        """The post's points with Robin's vote."""
        return post.points + int(self._changes["votes"].get(post.slug, 0))

    def vote(self, post: Post) -> int:
        """Robin's vote: -1, 0 or 1."""
        return int(self._changes["votes"].get(post.slug, 0))

    def set_vote(self, post: Post, vote: int) -> None:
        """Vote; the same vote twice takes it back."""
        _toggle_vote(self._changes["votes"], post.slug, vote)

    def comments(self, post: Post) -> list[Comment]:
        """The post's comments, Robin's new ones last."""
        own = [
            Comment(f"{post.slug}.new-{number}", ME, comment["text"], 1)
            for number, comment in enumerate(self._changes["comments"], 1)
            if comment["post"] == post.slug
        ]
        votes = self._changes["comment_votes"]
        base = [
            dataclasses.replace(c, points=c.points + votes.get(c.key, 0))
            for c in post.comments
        ]
        return [c for c in base if not self.is_blocked(slugify(c.author))] + own

    def set_comment_vote(self, key: str) -> None:
        """Vote for a comment; voting twice takes the vote back."""
        _toggle_vote(self._changes["comment_votes"], key, 1)

    def add_comment(self, post: Post, text: str) -> None:
        """Answer a post."""
        text = _required(text, MAX_TEXT_LENGTH)
        self._changes["comments"].append({"post": post.slug, "text": text})

    def add_post(self, forum: Forum, title: str, text: str) -> str:
        """Open a post; returns its slug."""
        title = _required(title, MAX_TITLE_LENGTH)
        text = _required(text, MAX_TEXT_LENGTH)
        posts = self._changes["posts"]
        posts.append({"forum": forum.slug, "title": title, "text": text})
        return f"new-{len(posts)}"

    def delete_post(self, post: Post) -> None:
        """Delete one of Robin's posts."""
        if post.author != ME:
            raise ForumError("Only the author can delete a post.")
        self._changes["deleted"].append(post.slug)

    @property
    def saved(self) -> list[Post]:
        """Saved posts, oldest first."""
        slugs = _flagged(data.SAVED, self._changes["saved"])
        posts = self.posts
        return [posts[slug] for slug in slugs if slug in posts]

    def set_saved(self, post: Post, saved: bool) -> None:
        """Save a post or remove it from the saved ones."""
        base = post.slug in data.SAVED
        set_flag(self._changes["saved"], post.slug, saved, base=base)

    @property
    def subscribed(self) -> list[Forum]:
        """The forums that Robin follows."""
        slugs = _flagged(data.SUBSCRIBED, self._changes["subscribed"])
        return [data.FORUMS[slug] for slug in slugs]

    def set_subscribed(self, forum: Forum, subscribed: bool) -> None:
        """Follow a forum or leave it."""
        base = forum.slug in data.SUBSCRIBED
        set_flag(self._changes["subscribed"], forum.slug, subscribed, base=base)

    @property
    def blocked(self) -> list[User]:
        """The people whose comments Robin does not see."""
        slugs = _flagged(data.BLOCKED, self._changes["blocked"])
        return [data.USERS[slug] for slug in slugs]

    def is_blocked(self, slug: str) -> bool:
        """Whether Robin has blocked the person."""
        return bool(self._changes["blocked"].get(slug, slug in data.BLOCKED))

    def set_blocked(self, user: User, blocked: bool) -> None:
        """Block a person or forgive them."""
        if user.name == ME:
            raise ForumError("You cannot block yourself.")
        base = user.slug in data.BLOCKED
        set_flag(self._changes["blocked"], user.slug, blocked, base=base)

    def send_message(self, user: User, text: str) -> None:
        """Write to a person."""
        if user.name == ME:
            raise ForumError("You cannot write to yourself.")
        text = _required(text, MAX_TEXT_LENGTH)
        self._changes["messages"].append({"to": user.slug, "text": text})

    def sent_to(self, user: User) -> list[str]:
        """What Robin has written to the person in this episode."""
        sent = self._changes["messages"]
        return [message["text"] for message in sent if message["to"] == user.slug]

    @property
    def me(self) -> User:
        """Robin's own profile."""
        base = data.USERS[slugify(ME)]
        return dataclasses.replace(base, **self._changes["profile"])

    def edit_profile(self, bio: str, city: str) -> None:
        """Save bio and city."""
        bio, city = _required(bio, MAX_TITLE_LENGTH), _required(city, MAX_TITLE_LENGTH)
        base = data.USERS[slugify(ME)]
        edited = {"bio": (bio, base.bio), "city": (city, base.city)}
        self._changes["profile"] = {
            name: new for name, (new, old) in edited.items() if new != old
        }

    def user(self, slug: str) -> User | None:
        """A person by slug, Robin with the edited profile."""
        return self.me if slug == slugify(ME) else data.USERS.get(slug)


def _toggle_vote(votes: dict[str, int], key: str, vote: int) -> None:
    if votes.get(key) == vote:
        del votes[key]
    else:
        votes[key] = vote
