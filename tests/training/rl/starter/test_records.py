from __future__ import annotations

from training.rl.starter.fitting import GIVEN, LOOKUP, TARGET
from training.rl.starter.induction import RepeatedSequences
from training.rl.starter.records import LEVELS, PATIENCE, Records, TaggedRecords


def test_only_the_repeat_is_a_target():
    sequence = RepeatedSequences(600, 1, 0).sequence(10)
    assert sequence.ids[:10] == sequence.ids[10:]
    assert sequence.parts == (GIVEN,) * 11 + (TARGET,) * 9


def test_every_asked_number_stands_before_its_label():
    sequence = Records(600, 1, 0).sequence()
    shown = sequence.ids[: sequence.parts.index(LOOKUP)]
    for position, part in enumerate(sequence.parts):
        if part == LOOKUP:
            assert sequence.ids[position] in shown


def test_mastered_records_become_harder():
    records = Records(600, 9, 0)
    for _ in range(PATIENCE * (len(LEVELS) - 1)):
        records.report(1.0)
    assert records.level == len(LEVELS) - 1
    assert records.records == 8
    for _ in range(PATIENCE):
        records.report(1.0)
    assert records.records == 9


def test_tagged_records_look_like_a_page_and_an_action(tokenizer):
    sequence = TaggedRecords(tokenizer, 3, 0).sequence()
    text = tokenizer.decode(list(sequence.ids))
    assert ' id="' in text
    assert 'do(action="Click", element="' in text


def test_batches_have_the_size_they_were_asked_for(tokenizer):
    assert len(TaggedRecords(tokenizer, 9, 0).next_batch()) == 9
    assert len(Records(600, 9, 0).next_batch()) == 9
