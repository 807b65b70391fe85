from __future__ import annotations

import torch

from training.rl.starter.curricula.induction import (
    FIRST_TOKEN,
    LENGTH,
    RepeatedSequences,
)
from training.rl.starter.curricula.records import (
    LEVELS,
    MASTERED_BATCHES,
    OPEN,
    Records,
    TaggedRecords,
    name_stand_ins,
)
from training.rl.starter.curricula.sequences import GIVEN, LOOKUP, TARGET


def test_only_the_repeat_is_a_target():
    sequence = RepeatedSequences(600, 1, 0).sequence(20)
    assert sequence.ids[:20] == sequence.ids[20:40]
    assert sequence.parts == (GIVEN,) * 21 + (TARGET,) * (LENGTH - 21)


def test_more_tokens_come_in_when_copying_is_mastered():
    repeats = RepeatedSequences(600, 4, 0)
    assert len({token for row in repeats.next_batch() for token in row.ids}) <= 128
    for _ in range(10):
        repeats.report(1.0)
    assert repeats.count == 600 - FIRST_TOKEN


def test_tokens_stay_few_while_copying_is_not_mastered():
    repeats = RepeatedSequences(600, 4, 0)
    for _ in range(10):
        repeats.report(0.5)
    assert repeats.count == 128


def test_every_asked_number_stands_before_its_label():
    sequence = Records(600, 1, 0).sequence()
    shown = sequence.ids[: sequence.parts.index(LOOKUP)]
    for position, part in enumerate(sequence.parts):
        if part == LOOKUP:
            assert sequence.ids[position] in shown


def test_mastered_records_become_harder():
    records = Records(600, 9, 0)
    for _ in range(MASTERED_BATCHES):
        records.report(1.0)
    assert not records.few
    for _ in range(MASTERED_BATCHES * (len(LEVELS) - 1)):
        records.report(1.0)
    assert records.level == len(LEVELS) - 1
    before = records.records
    for _ in range(MASTERED_BATCHES):
        records.report(1.0)
    assert records.records == before + 1


def test_tagged_records_look_like_a_page_and_an_action(tokenizer):
    sequence = TaggedRecords(tokenizer, 3, 0).sequence()
    text = tokenizer.decode(list(sequence.ids))
    assert ' id="' in text
    assert 'do(action="Click", element="' in text


def test_batches_have_the_size_they_were_asked_for(tokenizer):
    assert len(TaggedRecords(tokenizer, 9, 0).next_batch()) == 9
    assert len(Records(600, 9, 0).next_batch()) == 9


def test_real_tokens_take_the_embeddings_of_their_stand_ins(model, tokenizer):
    table = model.get_input_embeddings().weight
    before = table.detach().clone()
    name_stand_ins(model, tokenizer)
    opening = tokenizer.convert_tokens_to_ids('<aĠid="')
    assert torch.equal(table[opening], before[OPEN])
    assert torch.equal(table[OPEN], before[opening])


def test_naming_loses_no_embedding(model, tokenizer):
    table = model.get_input_embeddings().weight
    before = sorted(table.sum(1).tolist())
    name_stand_ins(model, tokenizer)
    assert sorted(table.sum(1).tolist()) == before
