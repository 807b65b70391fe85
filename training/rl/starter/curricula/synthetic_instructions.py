"""Random instructions about an element, and random steps before them.

Instructions have many wordings and name more than the next step needs: what counts is
which of their words are on the page and not yet done.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

Element = tuple[str, str, str]

CLICKS = ("Click {label}", "Open {label}", "Go to {label}", 'Press "{label}"')
TYPES = ('Type "{text}" in {label}', "Enter {text} as {label}")
PLAIN_SHARE = 0.3
MAX_NOISE_WORDS = 6
MAX_DONE = 4


def write_instruction(
    rng: random.Random, element: Element, words: Sequence[str]
) -> tuple[str, str]:
    """An instruction about one element, and the action that follows it."""
    tag, number, label = element
    plain = rng.random() < PLAIN_SHARE
    if tag in ("input", "textarea"):
        text = random_words(rng, words, 4)
        name = rng.choice(("Type", "Search"))
        call = f'do(action="{name}", argument="{text}", element="{number}")'
        phrase = rng.choice(TYPES) if plain else _noisy(rng, words, '"{text}"')
        if not plain and rng.random() < 0.7:
            phrase = _noisy(rng, words, phrase, "{label}")
        instruction = phrase.replace("{label}", label).replace("{text}", text)
        return instruction, _answer(label, call)
    call = f'do(action="Click", element="{number}")'
    name = rng.choice(("{label}", '"{label}"'))
    phrase = rng.choice(CLICKS) if plain else _noisy(rng, words, name)
    return phrase.replace("{label}", label), _answer(label, call)


def _noisy(rng: random.Random, words: Sequence[str], *parts: str) -> str:
    """`parts` in random order with random words before, between and after them."""
    pieces = [*rng.sample(parts, len(parts)), ""]
    spoken = []
    for piece in pieces:
        spoken += [rng.choice(words) for _ in range(rng.randint(0, MAX_NOISE_WORDS))]
        spoken += [piece] if piece else []
    return " ".join(spoken)


def write_mid_episode(
    rng: random.Random, element: Element, words: Sequence[str]
) -> tuple[str, str, list[str]]:
    """An instruction with steps already done, the next action, and those steps.

    The instruction names other things too, some of them done; of a label of several
    words it may leave out the first or write it small, as in "order 1017".
    """
    tag, number, label = element
    named = _shorten(rng, label)
    others = [random_words(rng, words, 4) for _ in range(rng.randint(0, 2))]
    done = []
    for _ in range(rng.randint(0, MAX_DONE)):
        text = rng.choice([*others, random_words(rng, words, 3)])
        past = ("a", str(rng.randrange(30)), text)
        done.append(write_instruction(rng, past, words)[1])
    parts = [rng.choice(('"{}"', "{}")).format(text) for text in (named, *others)]
    if tag not in ("input", "textarea"):
        call = f'do(action="Click", element="{number}")'
        return _noisy(rng, words, *parts), _answer(label, call), done
    text = random_words(rng, words, 4)
    name = rng.choice(("Type", "Search"))
    call = f'do(action="{name}", argument="{text}", element="{number}")'
    instruction = _noisy(rng, words, f'{named} "{text}"', *parts[1:])
    return instruction, _answer(label, call), done


def random_words(rng: random.Random, words: Sequence[str], most: int) -> str:
    """One to `most` random words."""
    return " ".join(rng.choice(words) for _ in range(rng.randint(1, most)))


def _shorten(rng: random.Random, label: str) -> str:
    first, _, rest = label.partition(" ")
    if not rest or rng.random() < 0.6:
        return label
    return rng.choice((rest, f"{first.lower()} {rest}"))


def _answer(label: str, call: str) -> str:
    return f"# Element: {label}\n{call}"
