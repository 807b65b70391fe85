"""The recipe's stages, in order, inside a work folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from rollouts.sites.kit.drawing import Task
from rollouts.sites.sandbox.oracle import OraclePolicy
from training.rl import checkpoints
from training.rl.critic import Critic
from training.rl.encoding import Encoder
from training.rl.local_policy import LocalPolicy
from training.rl.orm.reward_model import verdict_token_ids
from training.rl.starter import architecture
from training.rl.starter.curricula import judging, reading, valuing
from training.rl.starter.curricula.hard_negatives import HardNegatives
from training.rl.starter.curricula.induction import RepeatedSequences
from training.rl.starter.curricula.practice import Practice
from training.rl.starter.curricula.records import Records, TaggedRecords, name_stand_ins
from training.rl.starter.episodes import RecordedEpisode
from training.rl.starter.noisy_oracle import NoisyOracle
from training.rl.starter.stores import Stores
from training.rl.starter.tokenizer import train_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

PAGE_TOKENS = 1024  # of a whole prompt
ACTION_TOKENS = 48  # comment line and call
# How often each of the policy's own attempts occurs in the reward model's episodes.
OWN_WEIGHT = 4
# Times that each element id occurs in the tokenizer's texts, so that each becomes one
# token; an id of two would be two lookups.
NUMBER_WEIGHT = 2000
# The share of the pages in practice with a question in mid-episode.
LATE_SHARE = 2 / 3


class Pipeline(Stores):
    """Runs the stages in order inside a work folder."""

    def run(self) -> None:
        """All stages."""
        solved = self.oracle_episodes()
        tokenizer = self.tokenizer(solved)
        encoder = Encoder(
            tokenizer, max_prompt_tokens=PAGE_TOKENS, max_action_tokens=ACTION_TOKENS
        )
        reader = self.reader(encoder, solved)
        shown = choose_demonstrations(
            self.train_tasks,
            solved,
            per_template=self.recipe.demonstrations_per_template,
            max_steps=self.recipe.demonstration_max_steps,
        )
        practice = self.practice(encoder, shown)
        policy = self.policy(encoder, reader, practice)
        self.practised(encoder, practice)
        judged = self.judged_episodes(encoder, policy)
        noisy = self.noisy_episodes()
        # The policy's own attempts count more than the scripted ones.
        names = self.names(solved)
        labelled = [*judged * OWN_WEIGHT, *noisy, *solved]
        self.reward_model(encoder, HardNegatives(solved, names), names, labelled)
        self.critic(encoder, judged, names)

    def oracle_episodes(self) -> list[RecordedEpisode]:
        """Solved episodes of every training task."""
        return self.episodes("oracle", OraclePolicy(self.train_tasks), self.train_tasks)

    def noisy_episodes(self) -> list[RecordedEpisode]:
        """Near misses and lucky successes of a solver that makes mistakes."""
        policy = NoisyOracle(OraclePolicy(self.train_tasks))
        tasks = self.train_tasks * self.recipe.noisy_rounds
        return self.episodes("noisy", policy, tasks)

    def tokenizer(self, shown: Sequence[RecordedEpisode]) -> PreTrainedTokenizerBase:
        """A vocabulary from pages, instructions, actions and numbers."""
        folder = self.work / "tokenizer"
        if not folder.exists():
            texts = [f'<a id="{n}"/>element="{n}" {n}' for n in range(150)]
            texts *= NUMBER_WEIGHT
            texts += ["YES\nNO\nError: ", *self.words(shown)] * 20
            for episode in shown:
                trajectory = episode.trajectory
                texts.append(f"Task Instruction: {trajectory.instruction}")
                for step in trajectory.transitions:
                    texts += [step.observation, step.output]
            size = architecture.VOCABULARY_SIZE
            train_tokenizer(texts, size).save_pretrained(folder)
        tokenizer = checkpoints.load_tokenizer(folder)
        verdict_token_ids(tokenizer)
        return tokenizer

    def words(self, shown: Sequence[RecordedEpisode]) -> list[str]:
        """Words of pages and instructions, for random labels and instructions."""
        found: set[str] = set()
        for episode in shown:
            found.update(re.findall(r"[A-Za-z]+", episode.trajectory.instruction))
            for step in episode.trajectory.transitions:
                text = re.sub(r"<[^>]*>", " ", step.observation)
                found.update(re.findall(r"[A-Za-z]{2,}|\$?\d+", text))
        return sorted(found)

    def names(self, shown: Sequence[RecordedEpisode]) -> list[str]:
        """Words that take the places of names."""
        return [word for word in self.words(shown) if word.istitle()]

    def reader(
        self, encoder: Encoder, shown: Sequence[RecordedEpisode]
    ) -> PreTrainedModel:
        """Induction, then reading: a model that finds what an instruction names."""
        return self._staged(
            "reader",
            encoder.tokenizer,
            lambda: self._tagged(encoder.tokenizer),
            lambda model: self.fit(
                "reading", model, self._pages(encoder, shown, batch_size=14)
            ),
        )

    def _staged(
        self,
        name: str,
        tokenizer: PreTrainedTokenizerBase,
        begin: Callable[[], PreTrainedModel],
        teach: Callable[[PreTrainedModel], None],
    ) -> PreTrainedModel:
        """The model after a stage, from its folder if it is there."""
        folder = self.work / name
        if folder.exists():
            return checkpoints.load_policy_model(folder, dtype=torch.float32)
        model = begin()
        teach(model)
        checkpoints.save_checkpoint(folder, model, tokenizer)
        return model

    def _pages(
        self,
        encoder: Encoder,
        shown: Sequence[RecordedEpisode],
        **options: Any,
    ) -> reading.Pages:
        return reading.Pages(
            encoder,
            [s.observation for e in shown for s in e.trajectory.transitions],
            self.words(shown),
            seed=self.recipe.seed,
            **options,
        )

    def _tagged(self, tokenizer: PreTrainedTokenizerBase) -> PreTrainedModel:
        seed = self.recipe.seed

        def teach(model: PreTrainedModel) -> None:
            name_stand_ins(model, tokenizer)
            self.fit("tagged", model, TaggedRecords(tokenizer, 36, seed))

        return self._staged(
            "tagged", tokenizer, lambda: self._recorded(tokenizer), teach
        )

    def _recorded(self, tokenizer: PreTrainedTokenizerBase) -> PreTrainedModel:
        source = Records(architecture.VOCABULARY_SIZE, 45, self.recipe.seed)
        return self._staged(
            "records",
            tokenizer,
            lambda: self._induced(tokenizer),
            lambda model: self.fit("records", model, source),
        )

    def _induced(self, tokenizer: PreTrainedTokenizerBase) -> PreTrainedModel:
        seed = self.recipe.seed
        ids = {
            name: getattr(tokenizer, name)
            for name in ("bos_token_id", "eos_token_id", "pad_token_id")
        }
        source = RepeatedSequences(architecture.VOCABULARY_SIZE, 64, seed)
        return self._staged(
            "induction",
            tokenizer,
            lambda: architecture.new_model(seed, **ids),
            lambda model: self.fit("induction", model, source),
        )

    def practice(self, encoder: Encoder, shown: Sequence[RecordedEpisode]) -> Practice:
        """Batches of demonstrated steps under other names, and questions on pages."""
        pages = self._pages(
            encoder,
            shown,
            batch_size=self.recipe.practice_pages,
            elements=reading.MAX_ELEMENTS,
            late_share=LATE_SHARE,
        )
        return Practice(
            encoder,
            pages,
            [episode.trajectory for episode in shown],
            self.names(shown),
            steps=self.recipe.practice_demonstrated_steps,
            seed=self.recipe.seed,
        )

    def policy(
        self, encoder: Encoder, reader: PreTrainedModel, practice: Practice
    ) -> PreTrainedModel:
        """Return the shipped policy: imitation stopped early, with room to improve."""
        folder = self.out / "policy"
        if folder.exists():
            return checkpoints.load_policy_model(folder, dtype=torch.float32)
        self.fit("policy", reader, practice, "muon")
        self.ship("policy", reader, encoder.tokenizer)
        return reader

    def practised(self, encoder: Encoder, practice: Practice) -> PreTrainedModel:
        """Return the policy after more imitation, from which the reward model starts.

        It solves more than twice as many tasks as the shipped policy: it knows what
        should have been done.
        """
        return self._staged(
            "practised",
            encoder.tokenizer,
            lambda: checkpoints.load_policy_model(
                self.out / "policy", dtype=torch.float32
            ),
            lambda model: self.fit("practice", model, practice, "muon"),
        )

    def judged_episodes(
        self, encoder: Encoder, policy: PreTrainedModel
    ) -> list[RecordedEpisode]:
        """The policy's own attempts, labelled by the evaluators."""
        actor = LocalPolicy(policy, encoder, temperature=1.0)
        tasks = self.train_tasks * self.recipe.judged_rounds
        return self.episodes("judged", actor, tasks)

    def reward_model(
        self,
        encoder: Encoder,
        negatives: HardNegatives,
        names: Sequence[str],
        labelled: Sequence[RecordedEpisode],
    ) -> None:
        """YES or NO, from the practised model: it knows what should be done."""
        if (self.out / "orm").exists():
            return
        model = checkpoints.load_policy_model(
            self.work / "practised", dtype=torch.float32
        )
        steps = self.recipe.reward_model_steps
        judging.train_reward_model(
            model,
            encoder,
            labelled,
            negatives,
            names,
            steps=steps,
            learning_rate=self.recipe.reward_model_learning_rate,
            batch_size=20,
            seed=self.recipe.seed,
            on_step=self.logger("orm", steps),
        )
        self.keep_curves("orm")
        self.ship("orm", model, encoder.tokenizer)

    def critic(
        self,
        encoder: Encoder,
        judged: Sequence[RecordedEpisode],
        names: Sequence[str],
    ) -> None:
        """V from the reward model's body and the policy's own episodes."""
        if (self.out / "critic").exists():
            return
        model = checkpoints.load_policy_model(self.out / "orm", dtype=torch.float32)
        states = valuing.OwnStates(encoder, judged, names, 24, self.recipe.seed)
        self.fit("values", model, states)
        critic = Critic(model.get_decoder(), None)
        steps = self.recipe.critic_steps
        valuing.train_heads(
            critic,
            states,
            pad_id=encoder.tokenizer.pad_token_id,
            steps=steps,
            learning_rate=self.recipe.heads_learning_rate,
            on_step=self.logger("critic", steps),
        )
        self.keep_curves("critic")
        heads = {k: v.bfloat16() for k, v in critic.heads.state_dict().items()}
        self.ship("critic", critic.backbone, encoder.tokenizer, heads=heads)


def choose_demonstrations(
    tasks: Sequence[Task],
    solved: Sequence[RecordedEpisode],
    *,
    per_template: int,
    max_steps: int,
) -> list[RecordedEpisode]:
    """The few demonstrations that the policy learns from.

    Args:
        tasks: Training tasks.
        solved: A solved episode of each, in the same order.
        per_template: At most so many of one template, the first ones.
        max_steps: Tasks whose shortest solution is longer are left out.
    """
    seen: Counter[str] = Counter()
    chosen = []
    for task, episode in zip(tasks, solved, strict=True):
        template = task["template_key"]
        if task["optimal_steps"] <= max_steps and seen[template] < per_template:
            seen[template] += 1
            chosen.append(episode)
    return chosen
