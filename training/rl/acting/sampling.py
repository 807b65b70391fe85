"""Answers to several prompts, drawn from a causal model with few forward passes.

Prompts are read in groups of similar length, padded on the right, where causal
attention never looks. Then each pass feeds every answer its last token and some guesses
at what follows (`drafting`). Each token is drawn from the distribution given the tokens
before it, with the answer's own generator, one draw for each token; a guess is kept
while the draws equal it. So an answer is exactly the one that sampling token by token
gives, and no rejection step is needed. Wrong guesses in the cache are masked.

Shapes: B answers, T tokens in the cache, Q tokens fed in a pass, V vocabulary.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch
from torch.nn import functional
from transformers.cache_utils import DynamicCache, DynamicLayer

from training.rl.acting.drafting import AnswerMemory, draft, index_prompt
from training.rl.checkpoints import CheckpointError
from training.rl.scale.last_layer import Places, reading_only

# Guesses a pass. Actions of the dialects are about 13 tokens long.
MAX_DRAFT = 10
# A group's prompts are padded to its longest: more groups, less padding, more calls.
ROWS_PER_GROUP = 4


@dataclasses.dataclass(slots=True)
class Drawn:
    """One answer as it grows.

    Attributes:
        prompt: Token ids of the prompt.
        ids: Tokens drawn so far.
        scores: Their log-probabilities at temperature 1, in nats.
        ended: Whether the answer is complete.
    """

    prompt: Sequence[int]
    ids: list[int] = dataclasses.field(default_factory=list)
    scores: list[float] = dataclasses.field(default_factory=list)
    ended: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class _Read:
    """A prompt that was read: log-probabilities (V,), and keys and values by layer."""

    logs: torch.Tensor  # (V,)
    # Keys and values of each layer, both (1, heads, T, width of a head).
    layers: list[tuple[torch.Tensor, torch.Tensor]]


class Sampler:
    """Draws answers from one model and remembers which tokens follow which."""

    def __init__(
        self,
        model: Any,
        *,
        ends: Collection[int],
        max_tokens: int,
        temperature: float,
    ) -> None:
        """Bind a model.

        Args:
            model: A causal language model with a key-value cache.
            ends: The tokens that end an answer.
            max_tokens: Longest answer.
            temperature: 0 is greedy.

        Raises:
            CheckpointError: The model keeps other states than keys and values.
        """
        self._model = model
        self._device = next(model.parameters()).device
        self._ends, self._max_tokens = frozenset(ends), max_tokens
        self._temperature = temperature
        self._memory = AnswerMemory()
        layers = DynamicCache(config=model.config).layers
        if not all(isinstance(layer, DynamicLayer) for layer in layers):
            raise CheckpointError(
                f"{type(model).__name__} has layers without keys and values: guessed "
                "tokens cannot be taken back. Serve it with vLLM or SGLang and name "
                "the server as the run's served policy."
            )
        # An attention window counts the cache's columns: wrong guesses between the
        # tokens of an answer would narrow it.
        has_window = any(layer.is_sliding for layer in layers)
        self._limit = 0 if has_window else MAX_DRAFT

    @torch.inference_mode()
    def sample(
        self, prompts: Sequence[Sequence[int]], seeds: Sequence[int]
    ) -> list[Drawn]:
        """Return one answer to each prompt; the same seed gives the same answer."""
        answers = [Drawn(prompt) for prompt in prompts]
        draws = [
            self._drawing(answer, seed)
            for answer, seed in zip(answers, seeds, strict=True)
        ]
        first, cache, mask = self._read(prompts)  # (B, V), cache, (B, T)
        for row, take in enumerate(draws):
            # The prompt's last position gives each answer's first token.
            take(first[row])
        indexes = [index_prompt(prompt) for prompt in prompts]
        while not all(answer.ended for answer in answers):
            drafts = [
                []
                if answer.ended
                else draft(
                    self._memory, index, answer.ids, limit=self._limit, ends=self._ends
                )
                for answer, index in zip(answers, indexes, strict=True)
            ]
            logs, fed = self._feed(answers, drafts, cache, mask)  # (B, Q, V), (B, Q)
            kept = torch.zeros_like(fed)  # (B, Q)
            for row, guess in enumerate(drafts):
                if not answers[row].ended:
                    kept[row, : _accept(draws[row], guess, logs[row])] = 1
            # The cache keeps all fed tokens; the mask hides what follows a wrong guess.
            mask = torch.cat([mask, kept], dim=1)  # (B, T)
        for answer in answers:
            # After the round: within one, all answers are guessed from the same memory.
            self._memory.learn(answer.ids)
        return answers

    def _read(
        self, prompts: Sequence[Sequence[int]]
    ) -> tuple[torch.Tensor, DynamicCache, torch.Tensor]:
        """After every prompt: log-probabilities (B, V), cache, and its mask (B, T)."""
        # By length, so that a group pads little.
        order = sorted(range(len(prompts)), key=lambda row: len(prompts[row]))
        found: dict[int, _Read] = {}
        for start in range(0, len(order), ROWS_PER_GROUP):
            rows = order[start : start + ROWS_PER_GROUP]
            read = self._read_group([prompts[row] for row in rows])
            found |= dict(zip(rows, read, strict=True))
        longest = len(prompts[order[-1]])
        cache = DynamicCache()
        for number in range(len(found[0].layers)):
            pairs = [found[row].layers[number] for row in range(len(prompts))]
            keys, values = (
                torch.cat([_pad_left(pair[side], longest) for pair in pairs])
                for side in (0, 1)
            )  # (B, heads, T, width of a head)
            cache.update(keys, values, number)
        # Zeros on the left: prompts end together, answers begin together.
        mask = torch.zeros(len(prompts), longest, dtype=torch.long)
        for row, prompt in enumerate(prompts):
            mask[row, longest - len(prompt) :] = 1
        logs = torch.stack([found[row].logs for row in range(len(prompts))])  # (B, V)
        return logs, cache, mask.to(self._device)

    def _read_group(self, prompts: Sequence[Sequence[int]]) -> list[_Read]:
        """Read some prompts of similar length in one pass."""
        ids = torch.zeros(len(prompts), max(map(len, prompts)), dtype=torch.long)
        for row, prompt in enumerate(prompts):
            ids[row, : len(prompt)] = torch.tensor(prompt)
        # The head runs at the last position of each prompt only.
        lasts = sorted({len(prompt) - 1 for prompt in prompts})
        with reading_only(self._model, self._find_ends(prompts)):
            result = self._model(
                input_ids=ids.to(self._device),
                # All columns: a model's own cache would keep only a window's width of
                # the padded group, and for shorter prompts less than they attend to.
                past_key_values=DynamicCache(),
                use_cache=True,
                logits_to_keep=torch.tensor(lasts, device=self._device),
            )
        layers = result.past_key_values.layers
        return [
            _Read(
                # float32, as in training: else the recorded log-probabilities differ.
                result.logits[row, lasts.index(size - 1)].float().log_softmax(-1),
                [
                    (layer.keys[row, None, :, :size], layer.values[row, None, :, :size])
                    for layer in layers
                ],
            )
            for row, size in enumerate(map(len, prompts))
        ]

    def _find_ends(self, prompts: Sequence[Sequence[int]]) -> Places:
        """Row and column of each prompt's last token."""
        ends = [len(prompt) - 1 for prompt in prompts]
        return (
            torch.arange(len(prompts), device=self._device),
            torch.tensor(ends, device=self._device),
        )

    def _feed(
        self,
        answers: Sequence[Drawn],
        drafts: Sequence[Sequence[int]],
        cache: DynamicCache,
        mask: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities (B, Q, V) after each fed token, and the mask (B, Q)."""
        rows, width = len(answers), 1 + max(map(len, drafts))
        # All three (B, Q); the unused columns of a shorter draft are masked.
        ids = torch.zeros(rows, width, dtype=torch.long)
        fed = torch.zeros(rows, width, dtype=torch.long)
        places = torch.zeros(rows, width, dtype=torch.long)
        for row, (answer, guess) in enumerate(zip(answers, drafts, strict=True)):
            tokens = [answer.ids[-1], *guess]
            ids[row, : len(tokens)] = torch.tensor(tokens)
            fed[row, : len(tokens)] = 1
            # Positions count tokens, not columns: padding and wrong guesses do not
            # shift the positions that training will see.
            first = len(answer.prompt) + len(answer.ids) - 1
            places[row] = torch.arange(first, first + width)
        fed = fed.to(self._device)
        logits = self._model(
            input_ids=ids.to(self._device),
            attention_mask=torch.cat([mask, fed], dim=1),  # (B, T + Q)
            position_ids=places.to(self._device),
            past_key_values=cache,
            use_cache=True,
        ).logits  # (B, Q, V)
        return logits.float().log_softmax(-1), fed

    def _drawing(self, answer: Drawn, seed: int) -> Callable[[torch.Tensor], int]:
        """Return a function that draws the next token from (V,) and notes it."""
        # On the CPU, for every device: the same seed draws the same answer anywhere.
        generator = torch.Generator().manual_seed(seed % 2**63)

        def take(logs: torch.Tensor) -> int:
            token = self._draw(logs, generator)
            answer.ids.append(token)
            # log pi at temperature 1, not the sampling's: the losses compare these.
            answer.scores.append(float(logs[token]))
            answer.ended = token in self._ends or len(answer.ids) >= self._max_tokens
            return -1 if answer.ended else token

        return take

    def _draw(self, logs: torch.Tensor, generator: torch.Generator) -> int:
        if self._temperature == 0:
            return int(logs.argmax(-1))
        weights = (logs / self._temperature).softmax(-1).cpu()  # (V,)
        return int(torch.multinomial(weights, 1, generator=generator))


def _pad_left(cached: torch.Tensor, longest: int) -> torch.Tensor:
    """Put zeros before a prompt's keys or values, so that all prompts end together."""
    return functional.pad(cached, (0, 0, longest - cached.shape[2], 0))


def _accept(
    take: Callable[[torch.Tensor], int], guess: Sequence[int], logs: torch.Tensor
) -> int:
    """Draw until a draw differs from its guess; return how many fed tokens count.

    The first fed token, which is the answer's last, always counts.
    """
    for place in range(len(guess)):
        if take(logs[place]) != guess[place]:
            return place + 1
    # Every guess was right: the last position gives one more token at no cost.
    take(logs[len(guess)])
    return len(guess) + 1
