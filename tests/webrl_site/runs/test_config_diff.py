from __future__ import annotations

from webrl_site.runs.config_diff import (
    MISSING,
    Difference,
    compare,
    flatten,
    list_differences,
)


def test_nested_settings_have_dotted_keys():
    assert flatten({"a": {"b": {"c": 1}}, "d": 2}) == {"a.b.c": 1, "d": 2}


def test_only_what_differs_is_listed():
    before = {"rollout": {"contexts": 4, "step_limit": 30}, "seed": 1}
    after = {"rollout": {"contexts": 8, "step_limit": 30}, "seed": 1}

    assert list_differences(before, after) == [Difference("rollout.contexts", "4", "8")]


def test_a_whole_number_is_the_same_with_and_without_a_point():
    assert list_differences({"a": 600}, {"a": 600.0}) == []


def test_a_setting_that_one_of_them_lacks_is_shown_as_missing():
    rows = compare([{"a": 1}, {"a": 1, "b": True}])

    assert [(row.key, row.values, row.differs) for row in rows] == [
        ("a", ("1", "1"), False),
        ("b", (MISSING, "true"), True),
    ]
