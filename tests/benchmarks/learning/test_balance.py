"""Attempts that are spread evenly over templates."""

from __future__ import annotations

from typing import Any

from benchmarks.learning.balance import (
    ATTEMPT_LIMIT,
    count_by_learnability,
    count_evenly,
    deal_attempts,
    draw_candidates,
    draw_new_first,
    group_by_template,
)


def make_tasks(template: str, count: int) -> list[dict[str, Any]]:
    return [
        {"key": f"{template}.{number}", "template_key": template}
        for number in range(count)
    ]


MANY, FEW = make_tasks("many", 50), make_tasks("few", 3)


def attempt(template: str, solved: int, of: int) -> list[dict[str, Any]]:
    return [
        {
            "key": f"{template}.{number}",
            "template": template,
            "outcome": number < solved,
        }
        for number in range(of)
    ]


def test_each_template_has_candidates_of_its_own():
    assert group_by_template([*MANY, *FEW]) == {"many": MANY, "few": FEW}


def test_even_templates_have_as_many_tasks():
    assert count_evenly({"many": MANY, "few": FEW}, 10) == {"many": 5, "few": 5}


def test_a_rare_template_has_all_its_tasks_as_candidates():
    assert len(draw_candidates(MANY, 5, 1)) == 10
    assert draw_candidates(FEW, 5, 1) == FEW


def test_the_next_phase_attempts_other_tasks_of_a_template_that_has_them():
    first, second = (draw_candidates(MANY, 5, phase)[:5] for phase in (1, 2))
    assert not {t["key"] for t in first} & {t["key"] for t in second}


def test_a_template_that_sometimes_succeeds_has_most_tasks():
    groups = {"never": [], "sometimes": [], "always": []}
    attempted = [
        *attempt("never", 0, 10),
        *attempt("sometimes", 5, 10),
        *attempt("always", 10, 10),
    ]
    counts = count_by_learnability(groups, 100, attempted)
    assert counts["sometimes"] > 5 * counts["never"]
    assert counts["never"] == counts["always"]
    assert sum(counts.values()) == 100


def test_no_template_is_given_up():
    attempted = [*attempt("never", 0, 500), *attempt("sometimes", 5, 10)]
    assert count_by_learnability({"never": [], "sometimes": []}, 4, attempted) == {
        "never": 1,
        "sometimes": 4,
    }


def test_tasks_that_were_attempted_come_last():
    chosen = draw_new_first(FEW, 1, attempt("few", 0, 2))
    assert [task["key"] for task in chosen] == ["few.2", "few.0"]


def test_tasks_of_a_rare_template_are_attempted_more_often():
    groups = [make_tasks("many", 5), make_tasks("few", 2)]
    assert deal_attempts(groups, [5, 5], 2) == {2: groups[0], 5: groups[1]}


def test_no_task_is_attempted_without_end():
    groups = [make_tasks("many", 20), make_tasks("one", 1)]
    found = deal_attempts(groups, [20, 20], 2)
    assert found == {2: groups[0], ATTEMPT_LIMIT: groups[1]}


def test_a_single_group_is_attempted_as_often_as_the_plan_says():
    group = make_tasks("many", 7)
    assert deal_attempts([group], [7], 4) == {4: group}
