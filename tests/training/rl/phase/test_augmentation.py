from __future__ import annotations

import random

from training.rl.phase.augmentation import augment, collect_words, read_names
from training.rl.types import Trajectory, Transition

PAGE = '<a id="17">Order 17</a><a id="4">Cart</a><p>Blue Lamp</p>'
SHOWN = Trajectory(
    trajectory_id=1,
    task_id=1,
    instruction='Open order 17 with the "Blue Lamp".',
    transitions=(
        Transition(
            step_id=1,
            history=('# Element: Blue Lamp\ndo(action="Click", element="17")',),
            errors=("",),
            observation=PAGE,
            output='# Element: Order 17\ndo(action="Click", element="17")',
        ),
    ),
    final_observation=PAGE,
    reward=1.0,
)


def augmented():
    """The first variation in which every name was exchanged."""
    for seed in range(1000):
        found = augment(random.Random(seed), SHOWN, ["Violin"])
        if "Violin Violin" in found.instruction and "17" not in found.instruction:
            return found
    raise AssertionError("No variation exchanged everything.")


def test_names_are_capital_words_numbers_and_quotes():
    assert read_names('Open order 17 in Rome with "blue Lamp".') == [
        "17",
        "Lamp",
        "Rome",
        "blue",
    ]


def test_a_name_is_exchanged_wherever_it_stands():
    found = augmented()
    step = found.transitions[0]
    number = found.instruction.split("order ")[1][:2]
    assert f"Order {number}" in step.observation
    assert step.output.startswith(f"# Element: Order {number}\n")
    assert step.history[0].startswith("# Element: Violin Violin\n")
    assert "<p>Violin Violin</p>" in found.final_observation


def test_ids_of_elements_stay():
    step = augmented().transitions[0]
    assert '<a id="17">' in step.observation
    assert step.output.endswith('element="17")')


def test_words_that_the_instruction_does_not_name_stay():
    assert '<a id="4">Cart</a>' in augmented().transitions[0].observation


def test_some_names_stay():
    instructions = {
        augment(random.Random(seed), SHOWN, ["Violin"]).instruction
        for seed in range(50)
    }
    assert any("Blue" in text for text in instructions)


def test_small_words_in_quotes_are_no_names():
    assert read_names('Open the message "About the wheel".') == ["About", "wheel"]


def test_names_may_be_words_with_a_capital_letter_on_pages():
    assert collect_words([SHOWN]) == ["Blue", "Cart", "Lamp", "Open", "Order"]


def test_without_words_numbers_alone_are_exchanged():
    found = {augment(random.Random(seed), SHOWN, []).instruction for seed in range(9)}
    assert all(instruction.endswith('with the "Blue Lamp".') for instruction in found)
    assert len(found) > 1
