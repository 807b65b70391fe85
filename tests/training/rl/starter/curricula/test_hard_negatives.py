from __future__ import annotations

import dataclasses
import random

from training.rl.starter.curricula.hard_negatives import (
    HardNegatives,
    answered,
    astray,
    cut,
    message,
    reassigned,
    renamed,
)
from training.rl.starter.episodes import RecordedEpisode
from training.rl.types import Trajectory, Transition

SEARCH = '# Element: Search\ndo(action="Search", argument="Blue Lamp", element="1")'
OPEN = '# Element: Blue Lamp\ndo(action="Click", element="8")'
ADD = '# Element: Add to cart\ndo(action="Click", element="9")'
WORDS = ["Violin", "Berlin"]


def shown(instruction: str, *outputs: str, said: str = "") -> Trajectory:
    outputs = (*outputs, f'exit(message="{said}")')
    steps = tuple(
        Transition(
            step_id=number,
            history=outputs[:number],
            errors=("",) * number,
            observation=f"<p>page {number} costs $12</p>",
            output=output,
        )
        for number, output in enumerate(outputs)
    )
    return Trajectory(1, 1, instruction, steps, "<p>last page costs $12</p>", 1.0)


ADDED = shown('Put the "Blue Lamp" into my cart.', SEARCH, OPEN, ADD)
OPENED = shown('Show me the "Red Cup".', SEARCH.replace("Blue Lamp", "Red Cup"))
MISSING = shown('Show me the "Red Cup".', SEARCH, said="N/A")


def test_a_cut_episode_leaves_before_its_last_step_and_shows_that_page():
    for seed in range(20):
        found = cut(random.Random(seed), ADDED)
        number = len(found.transitions) - 1
        assert number < 3
        assert found.transitions[:number] == ADDED.transitions[:number]
        assert found.final_observation == ADDED.transitions[number].observation
        assert found.transitions[-1].output.startswith("exit(")


def test_leaving_early_is_never_right_about_what_does_not_exist():
    said = {message(cut(random.Random(seed), MISSING)) for seed in range(50)}
    assert "N/A" not in said


def test_one_name_of_the_instruction_changes_and_nothing_else():
    found = renamed(random.Random(0), ADDED, WORDS)
    assert found is not None
    assert found.transitions == ADDED.transitions
    same = [
        old == new
        for old, new in zip(
            ADDED.instruction.split(), found.instruction.split(), strict=True
        )
    ]
    assert same.count(False) == 1


def test_an_instruction_without_names_cannot_be_renamed():
    assert renamed(random.Random(0), shown("Show all."), WORDS) is None


def test_only_a_name_that_was_used_leads_astray():
    assert astray(random.Random(0), ADDED, 0, WORDS) is None
    found = astray(random.Random(0), ADDED, 1, WORDS)
    assert found is not None
    assert found.instruction != ADDED.instruction
    assert found.transitions == ADDED.transitions


def test_an_episode_stands_under_another_instruction_with_its_own_names():
    found = reassigned(OPENED, ADDED)
    assert found is not None
    assert found.instruction == 'Put the "Red Cup" into my cart.'
    assert found.transitions == OPENED.transitions


def test_an_episode_that_does_more_than_the_donor_may_well_satisfy_it():
    assert reassigned(ADDED, OPENED) is None


def test_another_answer_stands_on_the_last_page():
    asked = shown('How much is the "Blue Lamp"?', SEARCH, said="$99")
    found = answered(random.Random(0), asked)
    assert found is not None
    assert message(found) in {"last", "page", "costs", "$12"}


def test_a_task_without_an_answer_cannot_be_answered_wrongly():
    assert answered(random.Random(0), ADDED) is None


def test_no_contrast_is_the_demonstration():
    kept = [
        RecordedEpisode(f"shop.{n}", True, "exit", trajectory)
        for n, trajectory in enumerate((ADDED, OPENED, MISSING))
    ]
    texts = {
        (t.instruction, tuple(s.output for s in t.transitions))
        for t in (e.trajectory for e in kept)
    }
    source = HardNegatives(kept, ["Blue", "Lamp", "Red", "Cup"])
    for seed in range(60):
        found = source.draw(random.Random(seed))
        found = dataclasses.replace(found, reward=0.0)
        outputs = tuple(s.output for s in found.transitions)
        assert (found.instruction, outputs) not in texts
