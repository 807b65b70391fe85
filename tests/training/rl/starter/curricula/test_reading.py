from __future__ import annotations

import random

import pytest

from training.rl.encoding import Encoder
from training.rl.starter.curricula import reading, synthetic_instructions
from training.rl.starter.curricula.sequences import LOOKUP

WORDS = ["Blue", "Oak", "Lamp", "Red", "Cup", "Small"]


@pytest.fixture
def encoder(tokenizer):
    return Encoder(tokenizer, max_prompt_tokens=400, max_action_tokens=40)


def test_elements_are_read_by_text_or_label():
    page = '<a id="3">Blue Lamp</a><input id="4" label="Search"/><h1>Hi</h1>'
    assert reading.read_elements(page) == [
        ("a", "3", "Blue Lamp"),
        ("input", "4", "Search"),
    ]


def test_a_label_that_occurs_twice_is_not_asked_for():
    assert reading.read_elements('<a id="0">Cup</a><a id="1">Cup</a>') == []


def test_random_pages_have_rising_ids_with_gaps():
    page = reading.random_page(random.Random(1), WORDS, 12)
    ids = [int(part.split('"')[0]) for part in page.split('id="')[1:]]
    assert ids == sorted(set(ids))
    assert ids != list(range(12))


def read_lookups(encoder, sequence):
    return [
        encoder.decode_action([token])
        for token, part in zip(sequence.ids, sequence.parts, strict=True)
        if part == LOOKUP
    ]


def test_every_question_looks_up_the_kind_the_label_and_the_id(encoder):
    pages = reading.Pages(encoder, [], WORDS, batch_size=1, seed=0)
    found = read_lookups(encoder, pages.sequence('<a id="7">Lamp</a>'))
    assert found == ["#", "Lamp", "7"] * reading.QUESTIONS


@pytest.mark.parametrize("seed", range(20))
def test_an_instruction_names_what_is_to_be_clicked_or_typed(seed):
    rng = random.Random(seed)
    instruction, _ = synthetic_instructions.write_instruction(
        rng, ("a", "7", "Blue Lamp"), WORDS
    )
    assert "Blue Lamp" in instruction
    instruction, output = synthetic_instructions.write_instruction(
        rng, ("input", "4", "Name"), WORDS
    )
    assert output.split('argument="')[1].split('"')[0] in instruction


def test_instructions_are_said_in_many_ways():
    rng = random.Random(0)
    asked = {
        synthetic_instructions.write_instruction(rng, ("a", "7", "Cup"), WORDS)[0]
        for _ in range(50)
    }
    assert len(asked) > 30


@pytest.mark.parametrize("seed", range(20))
def test_in_mid_episode_the_instruction_still_names_the_next_label(seed):
    rng = random.Random(seed)
    instruction, output, done = synthetic_instructions.write_mid_episode(
        rng, ("a", "7", "Order 10"), WORDS
    )
    assert "10" in instruction
    assert output == '# Element: Order 10\ndo(action="Click", element="7")'
    assert len(done) <= synthetic_instructions.MAX_DONE


def test_a_page_in_mid_episode_asks_once(encoder):
    pages = reading.Pages(encoder, [], WORDS, batch_size=4, seed=0, late_share=1.0)
    for row in pages.next_batch():
        found = read_lookups(encoder, row)
        assert sum(one.isdigit() for one in found) <= 2
        assert found.count("#") == 1


def test_pages_grow_when_they_are_mastered(encoder):
    pages = reading.Pages(encoder, [], WORDS, batch_size=1, seed=0)
    before = pages.elements
    for _ in range(reading.MASTERED_BATCHES):
        pages.report(1.0)
    assert pages.elements == before + 1


def test_pages_do_not_grow_before(encoder):
    pages = reading.Pages(encoder, [], WORDS, batch_size=1, seed=0)
    before = pages.elements
    for _ in range(50):
        pages.report(0.5)
    assert pages.elements == before
