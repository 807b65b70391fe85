from __future__ import annotations

import pytest

from rollouts.sites.forum import data
from rollouts.sites.forum.rendering import SORTS, format_age
from rollouts.sites.forum.state import Board, ForumError, new_changes

POST = next(p for p in data.POSTS.values() if p.author != "Robin")
OWN = next(p for p in data.POSTS.values() if p.author == "Robin")
ALICE = data.USERS["alice"]
ROBIN = data.USERS["robin"]


@pytest.fixture
def board() -> Board:
    return Board(new_changes())


def test_a_vote_counts_once_and_can_be_taken_back() -> None:
    changes = new_changes()
    board = Board(changes)
    board.set_vote(POST, 1)
    assert board.points(POST) == POST.points + 1
    board.set_vote(POST, -1)
    assert board.points(POST) == POST.points - 1
    board.set_vote(POST, -1)
    assert changes == new_changes()


def test_a_vote_for_a_comment_counts(board: Board) -> None:
    comment = board.comments(POST)[0]
    board.set_comment_vote(comment.key)
    assert board.comments(POST)[0].points == comment.points + 1


def test_a_comment_needs_a_text(board: Board) -> None:
    board.add_comment(POST, "Great work")
    assert board.comments(POST)[-1].author == "Robin"
    with pytest.raises(ForumError):
        board.add_comment(POST, "")


def test_a_new_post_can_be_read_and_deleted(board: Board) -> None:
    slug = board.add_post(data.FORUMS["chess"], "My title", "My text")
    assert board.posts[slug].title == "My title"
    board.delete_post(board.posts[slug])
    assert slug not in board.posts


def test_only_own_posts_can_be_deleted(board: Board) -> None:
    board.delete_post(OWN)
    assert OWN.slug not in board.posts
    with pytest.raises(ForumError, match="author"):
        board.delete_post(POST)


def test_flags_set_back_leave_no_trace() -> None:
    changes = new_changes()
    board = Board(changes)
    forum = data.FORUMS["books"]
    for value in (True, False):
        board.set_saved(POST, value)
        board.set_subscribed(forum, value)
        board.set_blocked(ALICE, value)
        assert (POST in board.saved, forum in board.subscribed) == (value, value)
        assert (ALICE in board.blocked) == value
    assert changes == new_changes()


def test_a_deleted_post_is_no_longer_saved(board: Board) -> None:
    board.set_saved(OWN, True)
    board.delete_post(OWN)
    assert OWN not in board.saved


def test_blocked_people_are_not_heard() -> None:
    changes = new_changes()
    board = Board(changes)
    author = board.comments(POST)[0].author
    board.set_blocked(data.USER_BY_NAME[author], True)
    assert author not in [comment.author for comment in board.comments(POST)]


def test_nobody_writes_to_or_blocks_themselves(board: Board) -> None:
    with pytest.raises(ForumError):
        board.send_message(ROBIN, "Hello")
    with pytest.raises(ForumError):
        board.set_blocked(ROBIN, True)


def test_a_message_is_kept_with_the_person(board: Board) -> None:
    board.send_message(ALICE, "Hello")
    assert board.sent_to(ALICE) == ["Hello"]
    assert board.sent_to(data.USERS["ben"]) == []


def test_a_profile_edited_back_leaves_no_trace() -> None:
    changes = new_changes()
    board = Board(changes)
    board.edit_profile("New bio", ROBIN.city)
    assert changes["profile"] == {"bio": "New bio"}
    assert board.user("robin") == board.me
    board.edit_profile(ROBIN.bio, ROBIN.city)
    assert changes == new_changes()


def test_posts_can_be_told_apart() -> None:
    assert len(data.POSTS) == len(data.POST_BY_TITLE) == 480
    for slug in data.FORUMS:
        posts = [post for post in data.POSTS.values() if post.forum == slug]
        for _, key in SORTS.values():
            assert len({key(post) for post in posts}) == len(posts)
    for post in data.POSTS.values():
        authors = [post.author, *(comment.author for comment in post.comments)]
        assert len(set(authors)) == len(authors)


@pytest.mark.parametrize(
    ("hours", "text"),
    [(0, "just now"), (1, "1 hour ago"), (23, "23 hours ago"), (50, "2 days ago")],
)
def test_ages_are_written_for_people(hours: int, text: str) -> None:
    assert format_age(hours) == text
