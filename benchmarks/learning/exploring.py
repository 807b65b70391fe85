"""Episodes without a task: a random walk, told afterwards as an instruction.

`python -m benchmarks.learning.exploring OUT --episodes 3000 --pages FOLDER ...` walks
over the five sites, a few actions each, and writes to OUT what was done as if somebody
had asked for it: "Reopen issue of 'Lost login text'.", "What is the phone of Laura
Gardner?". It knows no template and no solution. A name to search for is one that an
episode of the folders has seen on a page. (Hindsight labels of exploration: BAGEL,
arXiv 2403.08140; NNetNav, arXiv 2410.02907.)
"""

from __future__ import annotations

import argparse
import dataclasses
import html
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.learning.acting import read_rows
from benchmarks.learning.cloning import as_lines
from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.oracle import ELEMENT
from training.rl.starter.episodes import (
    RecordedEpisode,
    collect_episodes,
    sandbox_server,
)
from training.rl.training_data import write_lines

STEP_LIMIT = 8
# A walk ends here with this probability, after 0, 1, 2 and more further steps.
STOPS = (0.15, 0.45, 0.6, 0.8)
READS = 0.5
SEARCHES = 0.7
_TAG = re.compile(r"<[^>]*>")
_LABEL = re.compile(r' label="([^"]*)"')
_OPTION = re.compile(r"<option[^>]*>([^<]*)</option>")
_NAME = re.compile(r'<(?:li|td)><a id="\d+">([^<]{3,40})</a>')
# "Phone 555 4661", "Made in Portugal", "Member since 2019".
_FACT = re.compile(r"<p>([A-Z][a-z]+(?: [a-z]+)*) ([A-Z0-9$][^<]{0,30}?)\.?</p>")


class Element(NamedTuple):
    """Something on a page that can be used."""

    tag: str
    id: int
    label: str
    options: tuple[str, ...]


class Done(NamedTuple):
    """One action of a walk: kind, the element's label, and what was entered."""

    kind: str
    label: str
    value: str = ""


def read_elements(page: str) -> list[Element]:
    """The links, buttons and fields of a page, in their order."""
    found = []
    for match in ELEMENT.finditer(page):
        tag, inner = match["tag"], match["inner"] or ""
        named = _LABEL.search(match["attributes"])
        text = "" if tag == "select" else _TAG.sub(" ", inner)
        label = " ".join(html.unescape(text or (named[1] if named else "")).split())
        options = tuple(html.unescape(one) for one in _OPTION.findall(inner))
        found.append(Element(tag, int(match["id"]), label, options))
    return found


def read_facts(page: str) -> list[tuple[str, str]]:
    """What a page states about something: a word for it, and its value."""
    return [(html.unescape(a), html.unescape(b)) for a, b in _FACT.findall(page)]


def collect_names(pages: Iterable[str]) -> dict[str, list[str]]:
    """The names of things on lists, by the site, which its first link names."""
    found: dict[str, set[str]] = defaultdict(set)
    for page in pages:
        names = [one for one in map(html.unescape, _NAME.findall(page)) if " " in one]
        elements = read_elements(page)
        if elements:
            found[elements[0].label].update(names)
    return {site: sorted(names) for site, names in found.items()}


class Explorer:
    """Satisfies `rollouts.policies.protocol.Policy`: walks at random."""

    def __init__(self, names: Mapping[str, Sequence[str]]) -> None:
        """Bind the names that may be searched for, by site."""
        self._names = names

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Answer every request by itself; the seed decides."""
        return [PolicyAnswer(self._choose(request)) for request in requests]

    def close(self) -> None:
        """Nothing is held."""

    def _choose(self, request: PolicyRequest) -> str:
        rng = random.Random(f"{request.seed} {len(request.history)}")
        elements = read_elements(request.observation)
        past = [one for output in request.history if (one := read_action(output))]
        if not elements or any(request.errors):
            return write_exit("")
        if not past:
            return self._begin(rng, elements)
        if past[-1].kind == "Search":
            wanted = [one for one in elements if one.label == past[-1].value]
            return write_click(wanted[-1]) if wanted else write_exit("")
        return _go_on(rng, request.observation, elements, past)

    def _begin(self, rng: random.Random, elements: Sequence[Element]) -> str:
        names = self._names.get(elements[0].label, ())
        fields = [one for one in elements if one.label.startswith("Search ")]
        if names and fields and rng.random() < SEARCHES:
            field, name = fields[0], rng.choice(names)
            call = f'do(action="Search", argument="{name}", element="{field.id}")'
            return f"# Element: {field.label}\n{call}"
        links = [one for one in elements[1:] if one.tag in ("a", "button")]
        links = [one for one in links if one.label and one.label != "Search"]
        return write_click(rng.choice(links)) if links else write_exit("")


def _go_on(
    rng: random.Random, page: str, elements: Sequence[Element], past: Sequence[Done]
) -> str:
    """Stop, or use something that has not been used and is not on every page."""
    # The head of a page ends where its own content begins.
    _, _, content = page.rpartition("</nav>") if "<h1" not in page else ("", "", page)
    head = page.find("<h1")
    used = {one.label for one in past}
    own = [
        one
        for one in elements
        if page.find(f'id="{one.id}"') > head and one.label and one.label not in used
    ]
    facts = read_facts(content)
    walked = len(past) - 2 if past[0].kind == "Search" else len(past) - 1
    if not own or rng.random() < STOPS[min(walked, len(STOPS) - 1)]:
        if facts and rng.random() < READS and past[-1].kind == "Click":
            return write_exit(rng.choice(facts)[1])
        return write_exit("")
    chosen = rng.choice(own)
    if chosen.tag == "select" and chosen.options:
        return write_entry("Select Dropdown Option", chosen, rng.choice(chosen.options))
    if chosen.tag in ("input", "textarea"):
        words = re.findall(r"\b[A-Za-z]{4,}\b", _TAG.sub(" ", page))
        text = " ".join(rng.sample(words, min(len(words), 2)))
        return write_entry("Type", chosen, text)
    return write_click(chosen)


def write_click(element: Element) -> str:
    """The answer that clicks an element."""
    return f'# Element: {element.label}\ndo(action="Click", element="{element.id}")'


def write_entry(action: str, element: Element, text: str) -> str:
    """The answer that enters a text or chooses an option."""
    call = f'do(action="{action}", argument="{text}", element="{element.id}")'
    return f"# Element: {element.label}\n{call}"


def write_exit(answer: str) -> str:
    """The answer that ends an episode."""
    return f'exit(message="{answer}")'


def read_action(output: str) -> Done | None:
    """What an answer of the explorer did; None for its end."""
    match = re.match(
        r'# Element: (.*)\ndo\(action="([^"]*)"(?:, argument="([^"]*)")?', output
    )
    return Done(match[2], match[1], match[3] or "") if match else None


def tell(rng: random.Random, done: Sequence[Done], page: str, answer: str) -> str:
    """An instruction of which a walk is the solution; "" if there is none.

    Args:
        rng: Chooses among ways of saying the same.
        done: The walk, without its end.
        page: The page on which it ended.
        answer: What it answered; "" if nothing was read.
    """
    if not done:
        return ""
    searched = [one.value for one in done if one.kind == "Search"]
    steps = list(done[2:]) if searched else list(done)
    about = searched[0] if searched else steps.pop(0).label
    name = rng.choice([f'"{about}"', f'"{about}"', about])
    # A confirmation repeats what was asked for.
    told = [one for one in steps if not one.label.startswith("Yes,")]
    if answer:
        # After more steps it would be told of something else.
        if len(told) > 1:
            return ""
        words = [word for word, value in read_facts(page) if value == answer]
        if not words:
            return ""
        word = words[0].lower()
        return rng.choice(
            [
                f"What is the {word} of {name}?",
                f"Tell me the {word} of {name}.",
                f"{words[0]} of {name}: what is it?",
                f"Find {name} and tell me the {word}.",
            ]
        )
    if not told:
        return rng.choice([f"Open {name}.", f"Show me {name}.", f"Go to {name}."])
    if len(told) > 1 and told[-1].kind == "Click" and rng.random() < 0.5:
        # What leads to the last page need not be said.
        told = [one for one in told[:-1] if one.kind != "Click"] + told[-1:]
    said = " and ".join(_say(rng, one) for one in told)
    return rng.choice(
        [
            f"{said[0].upper()}{said[1:]} of {name}.",
            f"{said[0].upper()}{said[1:]} {name}.",
            f"For {name}: {said}.",
            f"Go to {name}, {said}.",
            f"I want to {said} of {name}.",
        ]
    )


def _say(rng: random.Random, done: Done) -> str:
    label = rng.choice([done.label, done.label.lower()])
    if done.kind == "Click":
        return label
    return f"{label} {rng.choice([done.value, chr(34) + done.value + chr(34)])}"


def relabel(rng: random.Random, episode: RecordedEpisode) -> RecordedEpisode | None:
    """The episode with an instruction that it solves; None if it solves none."""
    trajectory = episode.trajectory
    steps = trajectory.transitions
    outputs = [step.output for step in steps]
    if not steps or any(any(step.errors) for step in steps):
        return None
    done = [one for output in outputs if (one := read_action(output))]
    end = re.fullmatch(r'exit\(message="([^"]*)"\)', outputs[-1])
    if end is None or (done and done[-1].kind == "Search"):
        return None
    told = tell(rng, done, steps[-1].observation, end[1])
    if not told:
        return None
    changed = dataclasses.replace(trajectory, instruction=told, reward=1.0)
    return dataclasses.replace(episode, trajectory=changed)


def explore(
    names: Mapping[str, Sequence[str]], count: int, seed: int
) -> list[RecordedEpisode]:
    """Walks of all sites in turn, those that can be told."""
    starts: dict[tuple[str, ...], dict[str, Any]] = {}
    for task in load_tasks():
        if task["split"] == "train" and len(task["sites"]) == 1:
            starts.setdefault(tuple(task["sites"]), task)
    sites = list(starts.values())
    tasks = [
        {**sites[number % len(sites)], "key": f"explored.{number:05}"}
        for number in range(count)
    ]
    with sandbox_server() as control_url:
        episodes = collect_episodes(
            Explorer(names),
            tasks,
            control_url=control_url,
            step_limit=STEP_LIMIT,
            seeds=[seed * count + number for number in range(count)],
        )
    episodes.sort(key=lambda episode: episode.key)
    rng = random.Random(seed)
    return [told for one in episodes if (told := relabel(rng, one)) is not None]


def read_pages(folders: Sequence[Path]) -> Iterable[str]:
    """All pages of the episodes in the folders."""
    for folder in folders:
        for row in read_rows(folder):
            for step in row["trajectory"]["transitions"]:
                yield step["observation"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--episodes", type=int, default=3000)
    parser.add_argument("--pages", type=Path, nargs="+", required=True)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    names = collect_names(read_pages(given.pages))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    write_lines(given.out, as_lines(explore(names, given.episodes, given.seed)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
