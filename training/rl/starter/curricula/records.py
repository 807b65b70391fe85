"""Second stage: fetch what came before a label.

`<a id="7">Cart</a>` puts the id before the text by which it is asked for, so copying
does not find it: the answer is before the match, not after it. Records of random
tokens teach exactly that, first with nothing between label and answer, then with as
much as an action has there. Last, the tags and ids of real pages take the places of
the random tokens.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from training.rl.starter.curricula.induction import FIRST_TOKEN, RepeatedSequences
from training.rl.starter.curricula.sequences import GIVEN, LOOKUP, MaskedSequence

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# Stand-ins for markup and numbers while no token has a meaning yet.
OPEN, MIDDLE, CLOSE, ASK, NAMED, ANSWER = 10, 11, 12, 13, 14, 15
FILLER = (31, 32, 33, 34, 35)
NUMBERS = range(100, 200)
FIRST_LABEL = 200
# (longest label, markup in records, markup in questions, most filler tokens and most
# random tokens between label and answer). First only a number and its label: the answer
# is directly before the match. Markup is added on one side at a time: with both at once
# the model stayed at a third of the answers for hundreds of steps.
LEVELS = (
    (1, False, False, 0, 0),
    (1, True, False, 0, 0),
    (1, True, True, 0, 0),
    (1, True, True, 1, 0),
    (2, True, True, 1, 0),
    (2, True, True, 2, 0),
    (3, True, True, 3, 0),
    (3, True, True, 5, 0),
    (3, True, True, 5, 2),
    (3, True, True, 5, 5),
)
FEW_LABELS = 128
QUESTIONS = 12
PREFIX = 6
MASTERED = 0.75
MASTERED_BATCHES = 6
MAX_RECORDS = 24

Record = tuple[int, tuple[int, ...]]


class Records:
    """Random records, then labels whose number is asked for; harder when mastered."""

    def __init__(self, vocabulary_size: int, batch_size: int, seed: int) -> None:
        """Begin at the first level with twelve records and FEW_LABELS labels."""
        self._vocabulary_size, self._batch_size = vocabulary_size, batch_size
        self._rng = random.Random(seed)
        self._repeats = RepeatedSequences(vocabulary_size, batch_size // 9, seed + 1)
        self._repeats.count = vocabulary_size - FIRST_TOKEN
        self.level, self.records, self.few = 0, 12, True
        self._recent: list[float] = []

    def next_batch(self) -> list[MaskedSequence]:
        """Mostly records, and some repeats so that copying is not unlearned."""
        rows = self._repeats.next_batch()
        return rows + [self.sequence() for _ in range(self._batch_size - len(rows))]

    def sequence(self) -> MaskedSequence:
        """Records of this level or the one before, and questions about them."""
        rng = self._rng
        level = max(0, self.level - rng.randint(0, 1))
        longest, markup, asks_markup, filler, noise = LEVELS[level]
        count = rng.randint(max(2, self.records // 2), self.records)
        most = FIRST_LABEL + FEW_LABELS if self.few else self._vocabulary_size
        records = draw_records(rng, rng.sample(NUMBERS, count), longest, most)
        if markup:
            shown = [[OPEN, number, MIDDLE, *label, CLOSE] for number, label in records]
        else:
            shown = [[number, *label] for number, label in records]
        asked = []
        for _, label in records:
            extra = draw_tokens(rng, rng.randint(0, noise), self._vocabulary_size)
            keep = rng.randint(max(0, filler - 1), filler)
            between = [NAMED, *FILLER[:keep], *extra, ANSWER] if asks_markup else []
            asked.append([ASK, *label, *between])
        prefix = draw_tokens(rng, PREFIX, self._vocabulary_size)
        numbers = [number for number, _ in records]
        return join(rng, [prefix, *shown], asked, numbers)

    def report(self, accuracy: float) -> None:
        """Add all labels, then a level, then one record more, each when mastered."""
        self._recent = [*self._recent, accuracy][-MASTERED_BATCHES:]
        if (
            len(self._recent) < MASTERED_BATCHES
            or sum(self._recent) < MASTERED * MASTERED_BATCHES
        ):
            return
        self._recent = []
        if self.few:
            self.few = False
        elif self.level < len(LEVELS) - 1:
            self.level += 1
        else:
            self.records = min(MAX_RECORDS, self.records + 1)


class TaggedRecords:
    """Records in the tags of real pages, with questions in the form of actions."""

    TAGS = (
        ('<a id="', '">', "</a>"),
        ('<a id="', '">', "</a>"),
        ('<button id="', '">', "</button>"),
        ('<input id="', '" label="', '"/>'),
    )
    NAME = "# Element:"
    FRAME = '\ndo(action="Click", element="'

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, batch_size: int, seed: int
    ) -> None:
        """Tokenise tags, numbers and the frame of an action once."""
        self._batch_size = batch_size
        self._rng = random.Random(seed)
        ids = [_ids(tokenizer, f" {number}")[0] for number in range(len(NUMBERS))]
        self._numbers = sorted(set(ids))
        self._tags = [[_ids(tokenizer, part) for part in tag] for tag in self.TAGS]
        self._before = _ids(tokenizer, self.NAME)
        self._after = _ids(tokenizer, self.FRAME)
        self._vocabulary_size = tokenizer_size(tokenizer)

    def next_batch(self) -> list[MaskedSequence]:
        """Return tagged records only: the stand-ins have no meaning any more."""
        return [self.sequence() for _ in range(self._batch_size)]

    def sequence(self) -> MaskedSequence:
        """Four to eight tagged records with rising ids."""
        rng = self._rng
        numbers = sorted(rng.sample(self._numbers, rng.randint(4, 8)))
        records = draw_records(rng, numbers, 3, self._vocabulary_size)
        shown = []
        for number, label in records:
            opening, middle, closing = rng.choice(self._tags)
            shown.append([*opening, number, *middle, *label, *closing])
        asked = [[*self._before, *label, *self._after] for _, label in records]
        prefix = draw_tokens(rng, PREFIX, self._vocabulary_size)
        return join(rng, [prefix, *shown], asked, numbers)

    def report(self, accuracy: float) -> None:
        """Nothing to adapt."""


def tokenizer_size(tokenizer: PreTrainedTokenizerBase) -> int:
    """How many token ids there are."""
    return len(tokenizer)


def draw_tokens(rng: random.Random, count: int, vocabulary_size: int) -> list[int]:
    """Random label tokens."""
    return [rng.randrange(FIRST_LABEL, vocabulary_size) for _ in range(count)]


@torch.no_grad()
def name_stand_ins(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    """Give the real tokens of tags and actions the embeddings of their stand-ins.

    What the model has learnt about OPEN it then knows about `<a id="`. Each stand-in
    gets the real token's embedding in exchange. Without this the model learns tags from
    scratch: it stayed at chance for 300 steps.
    """
    tag, frame = TaggedRecords.TAGS[0], _ids(tokenizer, TaggedRecords.FRAME)
    middle = frame[1:-1]
    stand_ins = [OPEN, MIDDLE, CLOSE, ASK, NAMED, *FILLER[: len(middle)], ANSWER]
    reals = [*(_ids(tokenizer, part)[-1] for part in tag)]
    reals += [_ids(tokenizer, TaggedRecords.NAME)[-1], frame[0], *middle, frame[-1]]
    stand_ins += NUMBERS
    reals += [_ids(tokenizer, f" {n}")[0] for n in range(len(NUMBERS))]
    table = model.get_input_embeddings().weight  # (V, H), tied to the output's
    for stand_in, real in zip(stand_ins, reals, strict=True):
        table[[stand_in, real]] = table[[real, stand_in]]


def draw_records(
    rng: random.Random, numbers: Sequence[int], longest: int, vocabulary_size: int
) -> list[Record]:
    """Each number with a label of one to `longest` tokens that no other has."""
    records: list[Record] = []
    used: set[tuple[int, ...]] = set()
    for number in numbers:
        label = tuple(draw_tokens(rng, rng.randint(1, longest), vocabulary_size))
        while label in used:
            label = tuple(draw_tokens(rng, longest, vocabulary_size))
        used.add(label)
        records.append((number, label))
    return records


def join(
    rng: random.Random,
    shown: Sequence[Sequence[int]],
    asked: Sequence[Sequence[int]],
    numbers: Sequence[int],
) -> MaskedSequence:
    """All records, then at most QUESTIONS questions in random order."""
    ids = [token for record in shown for token in record]
    parts = [GIVEN] * len(ids)
    order = rng.sample(range(len(asked)), min(len(asked), QUESTIONS))
    for position in order:
        ids += [*asked[position], numbers[position]]
        parts += [GIVEN] * len(asked[position]) + [LOOKUP]
    return MaskedSequence(tuple(ids), tuple(parts))


def _ids(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
