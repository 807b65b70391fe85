from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rollouts.sites.kit.episodes import StateUnreadable, UnknownSite
from rollouts.sites.oscar import copies as copies_module
from rollouts.sites.oscar.changes import new_changes
from rollouts.sites.oscar.copies import Copies, DatabaseCopy
from rollouts.sites.oscar.names import EPISODES, TEMPLATE
from tests.rollouts.sites.oscar.tables import act, write_shop

BUY = """INSERT INTO basket_basket VALUES (2, 1, 'Open');
    INSERT INTO basket_line VALUES (2, 2, 2, 1)"""


@pytest.fixture
def copies(tmp_path: Path) -> Copies:
    write_shop(tmp_path / TEMPLATE)
    return Copies(tmp_path)


def file_of(copy: DatabaseCopy, folder: Path) -> Path:
    return folder / EPISODES / f"{copy.name}.sqlite3"


def test_a_shop_that_is_not_there_says_how_to_add_it(tmp_path):
    with pytest.raises(UnknownSite, match=r"run \./webrl site add oscar"):
        Copies(tmp_path).open()
    assert list(tmp_path.iterdir()) == []


def test_two_copies_do_not_see_each_other(copies, tmp_path):
    one, two = copies.open(), copies.open()
    act(file_of(one, tmp_path), BUY)
    assert one.read()["basket"] == {"Open Night": 1}
    assert two.read() == new_changes()


def test_a_fork_starts_equal_and_then_goes_its_own_way(copies, tmp_path):
    copy = copies.open()
    act(file_of(copy, tmp_path), BUY)
    fork = copy.fork()
    assert fork.read() == copy.read()
    act(file_of(fork, tmp_path), "DELETE FROM basket_line WHERE basket_id = 2")
    assert (fork.read()["basket"], copy.read()["basket"]) == ({}, {"Open Night": 1})


def test_closing_removes_the_file_and_closing_again_is_fine(copies, tmp_path):
    copy = copies.open()
    copy.close()
    copy.close()
    assert not file_of(copy, tmp_path).exists()


def test_a_file_that_is_being_written_to_is_not_copied(copies, tmp_path, monkeypatch):
    monkeypatch.setattr(copies_module, "BUSY_S", 0.01)
    copy = copies.open()
    with closing(sqlite3.connect(file_of(copy, tmp_path))) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StateUnreadable, match="locked"):
            copy.fork()


def test_a_copy_that_is_gone_cannot_be_read(copies, tmp_path):
    copy = copies.open()
    file_of(copy, tmp_path).unlink()
    with pytest.raises(StateUnreadable, match="unable to open"):
        copy.read()


def test_what_a_dead_sandbox_has_left_is_cleared_away(copies, tmp_path):
    dead = tmp_path / EPISODES / "0123456789abcdef"
    dead.mkdir(parents=True)
    (dead / "feed.sqlite3").touch()
    copies.open()
    assert not dead.exists()


def test_what_a_living_sandbox_holds_stays(copies, tmp_path):
    copy = copies.open()
    other = Copies(tmp_path).open()
    assert file_of(copy, tmp_path).exists()
    assert copy.name.partition("/")[0] != other.name.partition("/")[0]


def test_a_template_that_is_built_again_is_read_again(copies, tmp_path):
    assert copies.open().read() == new_changes()
    (tmp_path / TEMPLATE).unlink()
    write_shop(tmp_path / TEMPLATE)
    act(tmp_path / TEMPLATE, "INSERT INTO wishlists_wishlist VALUES (2, 1, 'More')")
    assert copies.open().read() == new_changes()
