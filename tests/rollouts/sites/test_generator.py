from __future__ import annotations

import dataclasses

import pytest

from curriculum.evolution.types import ProposedTask, SeedTask, TaskGenerator
from rollouts.sites.kit.drawing import identity_of
from rollouts.sites.sandbox.catalog import TEMPLATES, load_tasks
from rollouts.sites.sandbox.generator import GrammarGenerator

TRAIN = load_tasks("train")


def seeds(step: int = 7) -> list[SeedTask]:
    return [
        SeedTask(
            task_id=number,
            site=task["sites"][0],
            instruction=task["intent"],
            start_url=task["start_url"],
            template_key=task["template_key"],
            spec=task,
        )
        for number, task in enumerate(TRAIN[::step])
    ]


@pytest.fixture(scope="module")
def proposed() -> list[ProposedTask]:
    return GrammarGenerator().propose(seeds(), count=600, seed=1)


def test_it_satisfies_the_protocol() -> None:
    generator: TaskGenerator = GrammarGenerator()
    assert generator.propose([], count=5, seed=0) == []


def test_it_proposes_as_many_as_asked_and_each_once(
    proposed: list[ProposedTask],
) -> None:
    assert len(proposed) == 600
    assert len({task.instruction for task in proposed}) == 600


def test_the_same_arguments_give_the_same_tasks() -> None:
    one, two = GrammarGenerator(), GrammarGenerator()
    assert one.propose(seeds(), count=50, seed=3) == two.propose(
        seeds(), count=50, seed=3
    )
    assert one.propose(seeds(), count=50, seed=3) != two.propose(
        seeds(), count=50, seed=4
    )


def test_a_proposal_stays_on_the_site_of_its_parent(
    proposed: list[ProposedTask],
) -> None:
    parents = {seed.task_id: seed for seed in seeds()}
    for task in proposed:
        assert task.site == parents[task.parent_id].site == task.spec["sites"][0]
        assert task.start_url == task.spec["start_url"]
        assert task.instruction == task.spec["intent"]


def test_nothing_of_the_other_splits_is_proposed(
    proposed: list[ProposedTask],
) -> None:
    known = {task["intent"] for task in load_tasks()}
    held = {identity_of(t) for t in load_tasks() if t["split"] != "train"}
    for task in proposed:
        assert task.instruction not in known
        assert identity_of(task.spec) not in held
        assert not TEMPLATES[task.template_key].is_held_out


def test_no_two_proposals_ask_for_the_same_thing(
    proposed: list[ProposedTask],
) -> None:
    names = [identity_of(task.spec) for task in proposed]

    assert len(set(names)) == len(names)


def test_of_known_tasks_only_the_failed_one_comes_in_other_words(
    proposed: list[ProposedTask],
) -> None:
    known = {identity_of(task) for task in TRAIN}
    own = {seed.task_id: identity_of(seed.spec) for seed in seeds()}

    again = [task for task in proposed if identity_of(task.spec) in known]

    assert again
    assert all(identity_of(task.spec) == own[task.parent_id] for task in again)


def test_known_tasks_in_other_words_come_last() -> None:
    known = {identity_of(task) for task in TRAIN}
    tasks = GrammarGenerator().propose(seeds()[:1], count=120, seed=1)
    names = [identity_of(task.spec) for task in tasks]

    fresh = len(set(names) - known)

    assert len(set(names)) < len(names) < 120
    assert not known & set(names[:fresh]) - {identity_of(seeds()[0].spec)}


def test_feasible_proposals_carry_their_evaluator(
    proposed: list[ProposedTask],
) -> None:
    generator = GrammarGenerator()
    verdicts = [generator.judge_feasibility(task) for task in proposed]
    assert all(verdict.reason for verdict in verdicts)
    share = sum(verdict.is_feasible for verdict in verdicts) / len(verdicts)
    assert 0.8 < share < 1
    for task, verdict in zip(proposed, verdicts, strict=True):
        if verdict.is_feasible:
            assert task.spec["eval"]["eval_types"]
            assert task.optimal_steps == task.spec["optimal_steps"]


def test_impossible_templates_are_not_feasible() -> None:
    generator = GrammarGenerator()
    parent = next(s for s in seeds(1) if s.template_key == "shop.missing_product")
    tasks = generator.propose([parent], count=20, seed=2)
    own = [task for task in tasks if task.template_key == parent.template_key]
    assert own
    assert not any(generator.judge_feasibility(task).is_feasible for task in own)


def test_what_the_grammar_does_not_know_is_not_feasible() -> None:
    generator = GrammarGenerator()
    task = generator.propose(seeds(), count=1, seed=0)[0]
    foreign = dataclasses.replace(task, template_key="bank.pay")
    open_blank = dataclasses.replace(task, spec={"instantiation_dict": {}})
    for wrong in (foreign, open_blank):
        verdict = generator.judge_feasibility(wrong)
        assert not verdict.is_feasible
        assert verdict.reason


def test_a_seed_without_a_known_template_still_grows() -> None:
    stranger = dataclasses.replace(seeds()[0], template_key="", spec={})
    assert len(GrammarGenerator().propose([stranger], count=5, seed=0)) == 5


def test_a_seed_stays_on_its_sites() -> None:
    two = [task for task in seeds(1) if len(task.spec["sites"]) > 1]
    for parents in (two, [task for task in seeds() if task not in two]):
        known = {tuple(task.spec["sites"]) for task in parents}
        proposed = GrammarGenerator().propose(parents, count=60, seed=0)
        assert {tuple(task.spec["sites"]) for task in proposed} <= known


def test_a_seed_of_an_unknown_site_is_left_out() -> None:
    stranger = dataclasses.replace(seeds()[0], site="bank")
    assert GrammarGenerator().propose([stranger], count=5, seed=0) == []


def test_a_small_pool_gives_what_it_has() -> None:
    parent = next(s for s in seeds(1) if s.template_key == "shop.remove_wish")
    tasks = GrammarGenerator().propose([parent], count=2000, seed=0)
    assert 0 < len(tasks) <= 2000
