from __future__ import annotations

import random
import re

import pytest

from tests.training.rl.conftest import make_trajectory
from training.rl.critic import Critic
from training.rl.encoding import Encoder
from training.rl.orm.reward_model import verdict_token_ids
from training.rl.starter.curricula import judging, valuing
from training.rl.starter.curricula.hard_negatives import HardNegatives
from training.rl.starter.curricula.practice import Practice
from training.rl.starter.curricula.reading import Pages
from training.rl.starter.curricula.sequences import GIVEN, LOOKUP, TARGET
from training.rl.starter.episodes import RecordedEpisode, load_episodes, save_episodes


def episodes(count: int = 8) -> list[RecordedEpisode]:
    return [
        RecordedEpisode(f"t{i}", i % 2 == 0, "exit", make_trajectory(i, i % 2 == 0))
        for i in range(count)
    ]


def mixed(encoder, found, size):
    negatives = HardNegatives([e for e in episodes() if e.outcome], ["Violin"])
    return judging.MixedOutcomes(encoder, found, negatives, ["Violin"], size, 0)


def test_batches_hold_the_share_of_successes(encoder):
    yes, _ = verdict_token_ids(encoder.tokenizer)
    batch = mixed(encoder, episodes(4), 10).next_batch()
    successes = sum(row.ids[-1] == yes for row in batch)
    assert successes == round(judging.SUCCESS_SHARE * 10)
    assert len(batch) == 10


def test_a_failure_asks_only_for_its_verdict(encoder):
    row = mixed(encoder, episodes(4), 10).next_batch()[-1]
    assert row.parts == (GIVEN,) * (len(row.ids) - 1) + (LOOKUP,)


def test_a_success_asks_for_its_actions_too_but_not_for_ids(encoder):
    row = mixed(encoder, episodes(4), 10).next_batch()[0]
    asked = [i for i, p in zip(row.ids, row.parts, strict=True) if p == TARGET]
    text = encoder.tokenizer.decode(asked)
    assert 'action="Click"' in text
    assert not re.search(r"element=\"\d", text)
    assert "Instruction" not in text


def test_a_judge_cannot_learn_from_one_outcome(encoder):
    with pytest.raises(ValueError, match="Both outcomes"):
        mixed(encoder, [e for e in episodes(4) if not e.outcome], 4)


def test_the_reward_model_learns_to_tell_memorised_episodes_apart(model, encoder):
    losses = []
    judging.train_reward_model(
        model,
        encoder,
        episodes(4),
        HardNegatives([e for e in episodes() if e.outcome], ["Violin"]),
        ["Violin"],
        steps=60,
        learning_rate=5e-3,
        batch_size=8,
        seed=0,
        on_step=lambda step, loss, accuracy: losses.append(loss),
    )
    assert sum(losses[-10:]) < sum(losses[:10])


def own_states(encoder, size=8):
    return valuing.OwnStates(encoder, episodes(4), ["Violin"], size, 0)


def test_the_starter_critic_learns_the_outcome_of_its_episodes(model, encoder):
    losses = []
    valuing.train_heads(
        Critic(model.get_decoder(), None),
        own_states(encoder),
        pad_id=encoder.tokenizer.pad_token_id,
        steps=60,
        learning_rate=5e-3,
        on_step=lambda step, loss, accuracy: losses.append(loss),
    )
    assert sum(losses[-10:]) < sum(losses[:10])


def test_a_state_is_followed_by_its_outcome_as_a_word(encoder):
    yes, no = verdict_token_ids(encoder.tokenizer)
    for row in own_states(encoder).next_batch():
        assert row.parts == (GIVEN,) * (len(row.ids) - 1) + (TARGET,)
        assert row.ids[-1] in {yes, no}


def test_practice_mixes_pages_and_steps(tokenizer):
    encoder = Encoder(tokenizer, max_prompt_tokens=300, max_action_tokens=40)
    pages = Pages(encoder, [], ["Blue", "Lamp"], batch_size=2, seed=0)
    shown = [make_trajectory(1, 1.0)]
    practice = Practice(encoder, pages, shown, ["Violin"], steps=3, seed=0)
    batch = practice.next_batch()
    assert len(batch) == 5
    # The kind of action, the label and the id.
    assert all(row.parts.count(LOOKUP) == 3 for row in batch[2:])


def test_recorded_episodes_survive_their_file(tmp_path):
    kept = random.Random(0).sample(episodes(), 3)
    save_episodes(tmp_path / "e.jsonl", kept)
    assert load_episodes(tmp_path / "e.jsonl") == kept
