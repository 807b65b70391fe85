from __future__ import annotations

from webrl_site.replay.alignment import Moment, Pair, align, find_divergence


def moments(text: str) -> list[Moment]:
    """`"a1 b2"`: page a with action 1, page b with action 2; the place is the page."""
    return [Moment(step[0], step[0], (step[1], "", "")) for step in text.split()]


def pairs(left: str, right: str) -> list[tuple[int | None, int | None]]:
    return [(pair.left, pair.right) for pair in align(moments(left), moments(right))]


def test_equal_episodes_are_paired_step_by_step():
    found = align(moments("a1 b2"), moments("a1 b2"))

    assert found == [Pair(0, 0), Pair(1, 1)]
    assert find_divergence(found) is None


def test_episodes_part_where_the_action_differs():
    found = align(moments("a1 b2"), moments("a1 b3"))

    assert found[1] == Pair(1, 1, ("action",))
    assert find_divergence(found) == 1


def test_episodes_part_where_the_page_differs():
    found = align(moments("a1 b2"), moments("a1 c2"))

    assert found[1].differs == ("page",)


def test_a_detour_leaves_a_gap_and_the_rest_is_paired_again():
    assert pairs("a1 b2 c3 d4", "a1 c3 d4") == [(0, 0), (1, None), (2, 1), (3, 2)]


def test_a_longer_episode_goes_on_alone():
    found = align(moments("a1"), moments("a1 b2"))

    assert found == [Pair(0, 0), Pair(None, 1, ("missing",))]
    assert find_divergence(found) == 1


def test_every_step_of_both_is_there_once_and_in_order():
    found = pairs("a1 b2 a1 b2 c1", "b2 a1 a1 c1 c2 b2")

    assert [left for left, _ in found if left is not None] == [0, 1, 2, 3, 4]
    assert [right for _, right in found if right is not None] == [0, 1, 2, 3, 4, 5]


def test_an_episode_without_steps_stands_beside_any():
    assert pairs("", "a1") == [(None, 0)]
    assert pairs("", "") == []
