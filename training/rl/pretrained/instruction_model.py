"""A small local model as instruction generator and feasibility judge.

In-breadth evolving (paper, section 3.2) for models that write no JSON: a numbered list
of failed tasks of one site, which the model continues line by line. Feasibility is the
model's own next-token odds of "Yes" against "No" after tasks known to be possible.
Instructions are quoted as data; control tokens in them are only text.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from curriculum.evolution.openai_generator import grow_task
from curriculum.evolution.turns import find_share
from curriculum.evolution.types import Feasibility, ProposedTask, SeedTask
from training.rl import checkpoints
from training.rl.encoding import Encoder
from training.rl.scale.idle import leave_device

EXAMPLES_AT_ONCE = 6
TASKS_AT_ONCE = 5
ROWS_AT_ONCE = 4
MAX_PROMPT_TOKENS = 2048
MAX_LINE_TOKENS = 48
MIN_WORDS = 3
MAX_KNOWN = 8
# P(Yes) from which a task counts as feasible.
FEASIBLE = 0.5
_NUMBERED = re.compile(r"\A\s*(?:\d+[.):]|[-*])\s*")
PROPOSE = (
    "These are tasks for a person who uses the web site {site}:\n{examples}\n"
    "Write {count} other tasks for the same web site. Use the same names. "
    "One task a line, numbered."
)
JUDGE = (
    "Tasks that can be done on the web site {site}:\n{examples}\n"
    "Can this task be done on the same web site? Task: {task}\nAnswer Yes or No."
)


class InstructionModel:
    """Satisfies `curriculum.evolution.types.TaskGenerator` with a local checkpoint."""

    def __init__(self, directory: Path, *, temperature: float = 1.0) -> None:
        """Load the checkpoint; the paper draws at temperature 1."""
        self._model = checkpoints.load_policy_model(directory).eval()
        self._tokenizer = checkpoints.load_tokenizer(directory)
        self._encoder = Encoder(
            self._tokenizer,
            max_prompt_tokens=MAX_PROMPT_TOKENS,
            max_action_tokens=MAX_LINE_TOKENS,
        )
        self._temperature = temperature
        self._known: dict[str, list[str]] = {}
        self._answers = tuple(self._first_token(word) for word in ("Yes", "No"))

    def propose(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> list[ProposedTask]:
        """Propose tasks site by site until there are `count`; the seed determines them.

        The sites take turns in a random order, and each contributes its share.
        """
        draw = random.Random(seed)
        by_site = _group_by_site(seeds)
        self.show_examples(seeds)
        sites, found = sorted(by_site), list[ProposedTask]()
        draw.shuffle(sites)
        # A model that writes little is not asked indefinitely.
        turns = 2 * -(-count // (TASKS_AT_ONCE * ROWS_AT_ONCE)) + len(sites)
        for turn in range(turns if sites else 0):
            if len(found) >= count:
                break
            tasks = by_site[sites[turn % len(sites)]]
            examples = draw.sample(tasks, min(EXAMPLES_AT_ONCE, len(tasks)))
            texts = self._continue(self._propose_prompt(examples), seed + turn)
            written = [task for text in texts for task in parse_lines(text, examples)]
            share = find_share(count - len(found), turn, len(sites))
            found.extend(written[:share])
        return found

    def show_examples(self, seeds: Sequence[SeedTask]) -> None:
        """Remember some tasks of each site for the judge."""
        self._known = {
            site: [task.instruction for task in tasks[:MAX_KNOWN]]
            for site, tasks in _group_by_site(seeds).items()
        }

    def judge_feasibility(self, task: ProposedTask) -> Feasibility:
        """Judge a task feasible if Yes is likelier than No."""
        chance = self.find_chance(task)
        reason = f"The judge says yes with probability {chance:.2f}."
        return Feasibility(chance > FEASIBLE, reason)

    @torch.inference_mode()
    def find_chance(self, task: ProposedTask) -> float:
        """The chance of Yes against No as the answer's first token, 0 to 1."""
        known = self._known.get(task.site, [])
        prompt = self._chat(
            JUDGE.format(
                site=self._encoder.clean(task.site),
                examples=self._number(known),
                task=self._encoder.clean(task.instruction),
            )
        )
        ids = torch.tensor([prompt], device=self._model.device)  # (1, T)
        logits = self._model(input_ids=ids, logits_to_keep=1).logits[0, -1].float()
        return float(logits[list(self._answers)].softmax(-1)[0])

    def close(self) -> None:
        """Free the device; the model is not used again."""
        leave_device(self._model)

    def _propose_prompt(self, examples: Sequence[SeedTask]) -> list[int]:
        listed = self._number([task.instruction for task in examples])
        site = self._encoder.clean(examples[0].site)
        return self._chat(
            PROPOSE.format(site=site, examples=listed, count=TASKS_AT_ONCE)
        )

    def _number(self, instructions: Sequence[str]) -> str:
        clean = (" ".join(self._encoder.clean(text).split()) for text in instructions)
        return "\n".join(f"{n}. {text}" for n, text in enumerate(clean, start=1))

    def _chat(self, text: str) -> list[int]:
        """Return the token ids of one question; too long ones lose their beginning."""
        ids = self._tokenizer.apply_chat_template(
            [{"role": "user", "content": text}],
            add_generation_prompt=True,
            return_dict=False,
        )
        return list(ids)[-MAX_PROMPT_TOKENS:]

    @torch.inference_mode()
    def _continue(self, prompt: list[int], seed: int) -> list[str]:
        """Draw several answers to one prompt."""
        torch.manual_seed(seed % 2**63)
        ids = torch.tensor([prompt], device=self._model.device)  # (1, T)
        drawn = self._model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            do_sample=True,
            temperature=self._temperature,
            num_return_sequences=ROWS_AT_ONCE,
            max_new_tokens=TASKS_AT_ONCE * MAX_LINE_TOKENS,
            pad_token_id=self._tokenizer.pad_token_id,
        )  # (ROWS_AT_ONCE, T + N)
        texts: list[str] = self._tokenizer.batch_decode(
            drawn[:, len(prompt) :], skip_special_tokens=True
        )
        return texts

    def _first_token(self, word: str) -> int:
        return int(self._tokenizer(word, add_special_tokens=False)["input_ids"][0])


def _group_by_site(seeds: Sequence[SeedTask]) -> dict[str, list[SeedTask]]:
    by_site: dict[str, list[SeedTask]] = {}
    for task in seeds:
        by_site.setdefault(task.site, []).append(task)
    return by_site


def parse_lines(text: str, examples: Sequence[SeedTask]) -> list[ProposedTask]:
    """Read one task a line; a line's parent is the example that it resembles most."""
    found = []
    for line in text.splitlines():
        instruction = " ".join(_NUMBERED.sub("", line).split())
        if len(instruction.split()) >= MIN_WORDS and _NUMBERED.match(line):
            found.append(grow_task(_nearest(instruction, examples), instruction))
    return found


def _nearest(instruction: str, examples: Sequence[SeedTask]) -> SeedTask:
    words = set(instruction.lower().split())
    return max(
        examples, key=lambda task: len(words & set(task.instruction.lower().split()))
    )


def load_instruction_model(path: str) -> Any:
    """The generator at a checkpoint's folder."""
    return InstructionModel(Path(path))
