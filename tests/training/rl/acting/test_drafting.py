from __future__ import annotations

from training.rl.acting.drafting import (
    MAX_REMEMBERED,
    AnswerMemory,
    draft,
    index_prompt,
)

END = 9


def guess(memory, prompt, answer, limit=5):
    return draft(
        memory, index_prompt(prompt), answer, limit=limit, ends=frozenset({END})
    )


def test_a_draft_goes_on_as_the_prompt_does():
    assert guess(AnswerMemory(), [1, 2, 3, 4], [1, 2]) == [3, 4]


def test_a_draft_goes_on_as_an_earlier_answer_did():
    memory = AnswerMemory()
    memory.learn([5, 6, 7, END])
    assert guess(memory, [], [5]) == [6, 7, END]


def test_three_tokens_of_an_answer_count_before_the_prompt():
    memory = AnswerMemory()
    memory.learn([1, 2, 3, 7, END])
    assert guess(memory, [2, 3, 4], [1, 2, 3]) == [7, END]


def test_two_tokens_of_the_prompt_count_before_those_of_an_answer():
    memory = AnswerMemory()
    memory.learn([2, 3, 7, END])
    assert guess(memory, [2, 3, 4], [2, 3])[0] == 4


def test_a_draft_is_no_longer_than_its_limit():
    assert guess(AnswerMemory(), [1, 2, 3, 4, 5, 6], [1, 2], limit=2) == [3, 4]


def test_nothing_is_drafted_after_the_end_of_an_answer():
    memory = AnswerMemory()
    memory.learn([5, END])
    memory.learn([END, 5])
    assert guess(memory, [], [5]) == [END]


def test_what_was_never_seen_is_not_guessed():
    assert guess(AnswerMemory(), [1, 2, 3], [4]) == []


def test_the_memory_forgets_the_oldest():
    memory = AnswerMemory()
    for token in range(10, 10 + MAX_REMEMBERED):
        memory.learn([token, token + 1])
    memory.learn([1, 2])
    assert memory.following((10,)) is None
    assert memory.following((1,)) == 2
