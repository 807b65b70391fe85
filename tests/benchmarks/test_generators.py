from __future__ import annotations

from collections.abc import Sequence

import pytest

from benchmarks import generators
from benchmarks.generators import Proposals, Verdicts
from curriculum.evolution.types import Feasibility, ProposedTask
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.generator import GrammarGenerator


def _propose(instruction: str, site: str = "shop") -> ProposedTask:
    return ProposedTask(1, site, instruction, f"__{site.upper()}__/", "", {})


class _Judge(GrammarGenerator):
    """Is surer of a task the longer its text is."""

    def judge_feasibility(self, task: ProposedTask) -> Feasibility:
        return Feasibility(self.find_chance(task) > 0.5, "")

    def find_chance(self, task: ProposedTask) -> float:
        return len(task.instruction) / 10


def test_a_phrasing_with_words_in_its_blanks_is_understood() -> None:
    (task,) = [
        task for task in load_tasks("train") if task["key"].startswith("shop.train.00")
    ][:1]
    proposal = _propose(task["intent"].lower().capitalize() + " ")

    assert task["template_key"] in {
        template.key for template, _ in generators.understand(proposal)
    }


def test_other_words_are_not_understood() -> None:
    assert generators.understand(_propose("Paint the shop blue.")) == []


def test_the_grammars_proposals_are_understood_and_mostly_possible() -> None:
    seeds = generators.list_seeds()
    own = GrammarGenerator().propose(seeds, count=40, seed=1)

    found = generators.sort_out(own, 40)

    assert found.given == 1
    assert found.understood == found.new > 0.9
    assert 0.5 < found.possible < found.understood


def test_known_tasks_test_tasks_and_repetitions_are_not_new() -> None:
    texts = [load_tasks(split)[0]["intent"] for split in ("train", "test")]
    other = "Paint the shop blue and green, please"

    found = generators.sort_out([*map(_propose, [*texts, other, other])], 8)

    assert found == Proposals(given=0.5, new=0.125, understood=0.0, possible=0.0)


@pytest.mark.parametrize(
    ("chances", "area"),
    [([0.9, 0.1], 1.0), ([0.1, 0.9], 0.0), ([0.4, 0.4], 0.5)],
)
def test_the_area_counts_pairs_in_the_right_order(
    chances: Sequence[float], area: float
) -> None:
    assert generators.measure_area(chances, [True, False]) == area


def test_a_judge_is_measured_on_both_kinds_of_tasks() -> None:
    tasks = [_propose("a" * size) for size in (3, 8, 4, 6)]

    found = generators.judge(_Judge(), tasks, [True, True, False, False])

    assert found == Verdicts(of_possible=0.5, of_impossible=0.5, area=0.5)


def test_the_records_hold_the_grammar_beside_the_checkpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(generators, "_load", lambda checkpoint: _Judge())

    records = generators.run(["count=30"])

    shares = [record for record in records if not record.metric.startswith("judge")]
    assert [record.ratio for record in shares] == [1.0] * 4
    assert {record.n for record in shares} == {30}
    assert [record.reference for record in records[4:]] == [50.0] * 3


@pytest.mark.parametrize("choice", ["count=none", "count=0", "sites=shop"])
def test_a_choice_that_does_not_exist_is_refused(choice: str) -> None:
    with pytest.raises(SystemExit, match="checkpoint=ADDRESS"):
        generators.run([choice])


def test_too_few_proposals_for_a_judge_are_refused() -> None:
    with pytest.raises(SystemExit, match="raise count"):
        generators.run(["count=1"])
