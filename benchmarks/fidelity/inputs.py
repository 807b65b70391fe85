"""Generated answers, addresses, page contents and outputs, reproducible by seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Task = Mapping[str, Any]
QUOTES = ("'", '"')
BLANKS = (" ", "  ", "\n", "\t", "\u00a0")
MARKS = (".", "!", "?", ",", ";", ":", " -", "...", "/", "%", "\u2019")
SENTENCES = (
    "mr. smith said so.",
    "It costs 15. Then 7.",
    "See st. louis, mo. for more",
    "e.g. the blue one",
    "That is no. 5 of the list.",
    "Dr. No left at 5 p.m. on Jan. 3.",
    "Yes! Really? I don't know",
    "$12.50, or 0.5 km/h",
)
WORDS = ("", "N/A", "none", "0", "1", "'", '"', "''", "yes/no", "15/3", "whatever")
STOPS = ("Early stop: Reach max steps 30", "Early stop: Same action for 3 times")
_Change = Callable[[random.Random, str], str]


def _references(task: Task) -> list[str]:
    answers = task["eval"].get("reference_answers") or {}
    found: list[str] = []
    for wanted in answers.values():
        found += wanted if isinstance(wanted, list) else [wanted]
    return [str(one) for one in found]


def _quote(rng: random.Random, text: str) -> str:
    quote = rng.choice(QUOTES)
    return f"{quote}{text}{quote}"


def _pad(rng: random.Random, text: str) -> str:
    return f"{rng.choice((*BLANKS, ''))}{text}{rng.choice((*BLANKS, ''))}"


def _mark(rng: random.Random, text: str) -> str:
    return text + rng.choice(MARKS)


def _say(rng: random.Random, text: str) -> str:
    before, after = rng.choice(SENTENCES), rng.choice(SENTENCES)
    return rng.choice(
        (f"{before} {text}", f"{text} {after}", f"{before} {text}. {after}")
    )


def _cut(rng: random.Random, text: str) -> str:
    return text[rng.randrange(len(text)) :] if text else text


def _grow(rng: random.Random, text: str) -> str:
    return rng.choice(
        (f"1{text}", f"{text}0", f"{text}s", f"x{text}", f"{text}/{text}")
    )


def _swap_case(rng: random.Random, text: str) -> str:
    return rng.choice((text.upper(), text.lower(), text.title()))


_CHANGES: tuple[_Change, ...] = (
    *(_quote, _pad, _mark, _say, _cut, _grow, _swap_case),
    *(_quote, _pad, _say),
)


def draw_answers(
    tasks: Sequence[Task], count: int, rng: random.Random
) -> Iterator[tuple[Task, str]]:
    """Yield tasks whose answers are compared, each with an answer."""
    asked = [task for task in tasks if "string_match" in task["eval"]["eval_types"]]
    for _ in range(count):
        task = rng.choice(asked)
        references = _references(task)
        kept = [one for one in references if rng.random() < 0.85]
        rng.shuffle(kept)
        parts = [part for one in kept for part in one.split(" |OR| ")]
        text = rng.choice((", ", " ", "\n", " and ", "/", ". ")).join(parts)
        if rng.random() < 0.08:
            text = rng.choice((*WORDS, *STOPS, *SENTENCES))
        for _ in range(rng.randrange(4)):
            text = rng.choice(_CHANGES)(rng, text)
        yield task, text


def draw_addresses(
    tasks: Sequence[Task], count: int, rng: random.Random
) -> Iterator[tuple[Task, str]]:
    """Yield tasks whose last address is compared, each with an address."""
    asked = [task for task in tasks if "url_match" in task["eval"]["eval_types"]]
    for _ in range(count):
        task = rng.choice(asked)
        url = rng.choice(task["eval"]["reference_url"].split(" |OR| "))
        for _ in range(rng.randrange(4)):
            url = _change_address(rng, url)
        yield task, url


def _change_address(rng: random.Random, url: str) -> str:
    base, _, query = url.partition("?")
    pairs = query.split("&") if query else []
    changes: tuple[Callable[[], str], ...] = (
        lambda: url + "/" * rng.randrange(1, 3),
        lambda: (
            f"{base}{rng.choice(('/a', '-2', 'x', ';v=1', '%20', '/../b'))}?{query}"
        ),
        lambda: (
            f"{base}?{'&'.join([*pairs, rng.choice(('a=1', 'page=2', 'q=', '='))])}"
        ),
        lambda: f"{base}?{'&'.join(rng.sample(pairs, len(pairs)))}",
        lambda: f"{base}?{'&'.join(pairs[1:])}",
        lambda: f"{base}?{query.replace('=', '=x', 1)}",
        lambda: f"{url}#{rng.choice(('top', 'a=1', '/'))}",
        lambda: url.replace("host.example", rng.choice(("localhost", "127.0.0.1"))),
        lambda: url.rpartition("/")[0],
        lambda: url.upper() if rng.random() < 0.2 else url.replace("http:", "https:"),
        lambda: url.replace("+", "%20").replace("%20", "+"),
        lambda: f"http://other.example/?next={url}",
    )
    return rng.choice(changes)()


def draw_contents(
    tasks: Sequence[Task], count: int, rng: random.Random
) -> Iterator[tuple[Task, str]]:
    """Yield tasks with one page target each, and the content found there."""
    asked = [task for task in tasks if "program_html" in task["eval"]["eval_types"]]
    for _ in range(count):
        task = rng.choice(asked)
        target = rng.choice(task["eval"]["program_html"])
        wanted = next(iter(target["required_contents"].values()))
        kept = [wanted] if isinstance(wanted, str) else list(wanted)
        rng.shuffle(kept)
        parts = [rng.choice(one.split(" |OR| ")) for one in kept if rng.random() < 0.9]
        text = rng.choice((" ", "\n", ", ", "</p><p>")).join(parts)
        for _ in range(rng.randrange(3)):
            text = rng.choice((*_CHANGES, _escape))(rng, text)
        alone = {"url": "last", "locator": ""} | {
            "required_contents": target["required_contents"]
        }
        rules = {"eval_types": ["program_html"], "program_html": [alone]}
        yield {"intent": task["intent"], "eval": rules}, text


def _escape(rng: random.Random, text: str) -> str:
    return text.replace("&", "&amp;").replace("'", "&#39;").replace(" ", "&nbsp;", 1)


ACTIONS = (
    *("Click", "Type", "Search", "Hover", "Scroll Up", "Scroll Down", "Press Enter"),
    *("Select Dropdown Option", "Go Backward", "Go Forward", "click", "TYPE"),
    *("Right Click", "Switch Tab", "Wait", "Fly"),
)
TEXTS = (
    *("blue mug", "it's", 'a "b"', "a\\b", "two\nlines", "C:\\new", "\\d+", "", "50%"),
    *(
        "exit(message='x')",
        'do(action="Wait")',
        "# no",
        "né",
        "\u4f60\u597d",
        "a=b, (c)",
    ),
)
PROSE = (
    *("I will click it.", "<think>First do(x), then exit().</think>", "- ", "1. "),
    *(
        "# Element: the cart",
        "# Note: 15 items",
        "```python",
        "Action:",
        "undo",
        "\ufeff",
    ),
)
AFTER = (
    " # the cart",
    "\n```",
    ";",
    " and done",
    "\n",
    " \n\n",
    ")",
    ".",
    "\n# Note: x",
)


def draw_outputs(count: int, rng: random.Random) -> Iterator[str]:
    """Yield outputs that a policy might write."""
    for _ in range(count):
        calls = [_draw_call(rng) for _ in range(rng.choice((1, 1, 1, 1, 2, 3)))]
        text = rng.choice(("\n", " ", ", then ")).join(calls)
        if rng.random() < 0.5:
            before = "\n".join(rng.choice(PROSE) for _ in range(rng.randrange(1, 4)))
            text = before + rng.choice(("\n", "", " ")) + text
        if rng.random() < 0.4:
            text += rng.choice(AFTER)
        if rng.random() < 0.06:
            text = _cut(rng, text)
        yield text


def _draw_call(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.15:
        return rng.choice(
            ("exit(message={0})", "exit( message = {0} )", "exit()")
        ).format(_literal(rng, rng.choice(TEXTS)))
    if kind < 0.2:
        return rng.choice(("go_backward()", "go_forward()"))
    parts = [f"action={_literal(rng, rng.choice(ACTIONS))}"]
    if rng.random() < 0.6:
        parts.append(f"argument={_argument(rng)}")
    if rng.random() < 0.7:
        parts.append(f"element={_element(rng)}")
    if rng.random() < 0.1:
        parts.append(
            rng.choice(("force=True", "wait=1.5", "keys=['a', ('b', 2)]", "d={}"))
        )
    if rng.random() < 0.3:
        rng.shuffle(parts)
    blank = rng.choice((" ", " ", " ", "", "\n  ", " # why\n  "))
    return f"do({f',{blank}'.join(parts)}{rng.choice(('', '', '', ',', ' '))})"


def _argument(rng: random.Random) -> str:
    if rng.random() < 0.15:
        return rng.choice(("None", "5", "True", "[]", "-1"))
    return _literal(rng, rng.choice(TEXTS))


def _element(rng: random.Random) -> str:
    if rng.random() < 0.2:
        return rng.choice(
            ("3", "None", "'#buy'", "find_element_by_instruction(instruction='x')")
        )
    return _literal(rng, str(rng.randrange(60)))


def _literal(rng: random.Random, text: str) -> str:
    kinds: tuple[Callable[[], str], ...] = (
        lambda: json.dumps(text, ensure_ascii=rng.random() < 0.5),
        lambda: repr(text),
        lambda: f'"{text}"',
        lambda: f'"""{text}"""',
        lambda: f"'{text}'",
        lambda: f"r{text!r}",
        lambda: f"{text[:2]!r} {text[2:]!r}",
        lambda: f"({text!r})",
    )
    return rng.choices(kinds, weights=(6, 4, 3, 1, 1, 1, 1, 1))[0]()
