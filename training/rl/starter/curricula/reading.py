"""Second stage: find an element's id on a page by its label.

Several questions about one page share its tokens. Pages of random words come first and
grow longer as the model masters them; pages of the sandbox are mixed in.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from training.rl.encoding import Encoder
from training.rl.starter.curricula.sequences import (
    GIVEN,
    LOOKUP,
    TARGET,
    MaskedSequence,
)
from training.rl.starter.curricula.synthetic_instructions import (
    Element,
    write_instruction,
    write_mid_episode,
)

QUESTIONS = 8
MASTERED = 0.7
MASTERED_BATCHES = 6
SANDBOX_FROM = 6
MAX_ELEMENTS = 26
ELEMENT = re.compile(
    r'<(?P<tag>a|button|input|select|textarea|summary|label) id="(?P<id>\d+)"'
    r"(?P<attributes>[^>]*)>(?P<text>[^<]*)"
)
LABEL = re.compile(r'(?:label|placeholder|title)="([^"]*)"')


def read_elements(page: str) -> list[Element]:
    """(tag, id, label) of the page's elements whose label is unique on it."""
    found: list[Element] = []
    for match in ELEMENT.finditer(page):
        label = LABEL.search(match["attributes"])
        inside = "" if match["attributes"].endswith("/") else match["text"]
        text = " ".join(inside.split()) or (label[1] if label else "")
        found.append((match["tag"], match["id"], text))
    labels = [label for _, _, label in found]
    return [row for row in found if row[2] and labels.count(row[2]) == 1]


def random_page(rng: random.Random, words: Sequence[str], elements: int) -> str:
    """A page of `elements` elements with random labels and some plain text.

    Ids rise with gaps: a model that only counts elements learns nothing here.
    """
    parts = []
    for number in sorted(rng.sample(range(3 * elements), elements)):
        label = " ".join(rng.choice(words) for _ in range(rng.choice((1, 1, 2, 3))))
        kind = rng.random()
        if kind < 0.7:
            parts.append(f'<a id="{number}">{label}</a>')
        elif kind < 0.85:
            parts.append(f'<button id="{number}">{label}</button>')
        else:
            name = rng.choice(("label", "placeholder"))
            parts.append(f'<input id="{number}" {name}="{label}"/>')
        if rng.random() < 0.25:
            text = " ".join(rng.choice(words) for _ in range(rng.randint(1, 6)))
            parts.append(f"<p>{text}</p>")
    return "".join(parts)


class Pages:
    """Random pages that grow as they are mastered, and pages of the sandbox."""

    def __init__(
        self,
        encoder: Encoder,
        pages: Sequence[str],
        words: Sequence[str],
        *,
        batch_size: int,
        seed: int,
        elements: int = 4,
        late_share: float = 0.0,
    ) -> None:
        """Begin with pages of `elements` elements.

        Args:
            encoder: Encoder of the starter tokenizer.
            pages: Observations of the sandbox; they come in once pages of
                SANDBOX_FROM elements are mastered.
            words: Words that labels are made of.
            batch_size: Pages per batch.
            seed: Seed of all draws.
            elements: Elements of the first random pages.
            late_share: Share of pages in mid-episode.
        """
        self._encoder, self._pages, self._words = encoder, pages, words
        self._batch_size, self._rng = batch_size, random.Random(seed)
        self.elements, self._late_share = elements, late_share
        self._recent: list[float] = []
        self._marks = decision_marks(encoder)

    def next_batch(self) -> list[MaskedSequence]:
        """Pages with several questions, and pages in mid-episode with one."""
        rows: list[MaskedSequence] = []
        while len(rows) < self._batch_size:
            is_late = self._rng.random() < self._late_share
            make = self.late_sequence if is_late else self.sequence
            sequence = make(self._page())
            if sequence is not None:
                rows.append(sequence)
        return rows

    def late_sequence(self, page: str) -> MaskedSequence | None:
        """One page, steps done before it, and the next; None without an element."""
        elements = read_elements(page)
        if not elements:
            return None
        element = self._rng.choice(elements)
        instruction, output, done = write_mid_episode(self._rng, element, self._words)
        errors = ("",) * len(done)
        step = self._encoder.encode_step(instruction, done, errors, page, output)
        parts = (GIVEN,) * step.prompt_length
        parts += self.answer_parts(step.ids[step.prompt_length :])
        return MaskedSequence(step.ids, parts)

    def report(self, accuracy: float) -> None:
        """Add one element after MASTERED_BATCHES mastered batches."""
        self._recent = [*self._recent, accuracy][-MASTERED_BATCHES:]
        if (
            len(self._recent) == MASTERED_BATCHES
            and sum(self._recent) > MASTERED * MASTERED_BATCHES
        ):
            self._recent = []
            self.elements = min(MAX_ELEMENTS, self.elements + 1)

    def _page(self) -> str:
        rng = self._rng
        if self.elements >= SANDBOX_FROM and self._pages and rng.random() < 0.6:
            return rng.choice(self._pages)
        low = max(3, self.elements // 2)
        return random_page(rng, self._words, rng.randint(low, self.elements))

    def sequence(self, page: str) -> MaskedSequence | None:
        """One page with QUESTIONS questions after it; None when it has no element.

        The first question has the form of a task: instruction, page, action.
        """
        elements = read_elements(page)
        if not elements:
            return None
        chosen = [self._rng.choice(elements) for _ in range(QUESTIONS)]
        instruction, output = write_instruction(self._rng, chosen[0], self._words)
        first = self._encoder.encode_step(instruction, (), (), page, output)
        ids = list(first.ids)
        parts = [GIVEN] * first.prompt_length
        parts += self.answer_parts(first.ids[first.prompt_length :])
        for element in chosen[1:]:
            instruction, output = write_instruction(self._rng, element, self._words)
            prompt = self._question(instruction)
            answer = self._encoder.encode_action(output)
            ids += [*prompt, *answer]
            parts += [*[GIVEN] * len(prompt), *self.answer_parts(answer)]
        return MaskedSequence(tuple(ids), tuple(parts))

    def _question(self, instruction: str) -> list[int]:
        tokenizer = self._encoder.tokenizer
        text = tokenizer.apply_chat_template(
            [{"role": "user", "content": f"Task Instruction: {instruction}"}],
            tokenize=False,
            add_generation_prompt=True,
        )
        return list(tokenizer(text, add_special_tokens=False)["input_ids"][1:])

    def answer_parts(self, ids: Sequence[int]) -> tuple[int, ...]:
        """LOOKUP for what decides an action, TARGET for the rest of it.

        The kind of action, the element's label and id, and where an argument or a
        message begins: in a mean over all tokens easy ones would outweigh these few.
        """
        before = [None, *ids[:-1]]
        return tuple(
            LOOKUP if token is None or token in self._marks else TARGET
            for token in before
        )


def decision_marks(encoder: Encoder) -> frozenset[int]:
    """The tokens in an action after which something must be found or decided."""
    frames = ("# Element:", ', element="', ', argument="', 'exit(message="')
    tokenize = encoder.tokenizer
    return frozenset(
        tokenize(frame, add_special_tokens=False)["input_ids"][-1] for frame in frames
    )


def lookup_marks(encoder: Encoder) -> int:
    """The token before an element's id in an action."""
    ids = encoder.tokenizer(', element="', add_special_tokens=False)["input_ids"]
    return int(ids[-1])
