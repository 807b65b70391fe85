"""Instructions written by any model behind an OpenAI-compatible endpoint.

Its answers are untrusted: the JSON in them must have a fixed form, and the rest is
dropped. The tasks have no evaluators, because a model's could not be trusted; the
reward model judges such episodes.
"""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable, Iterator, Sequence

import httpx

from curriculum.evolution.answers import read_values, tidy
from curriculum.evolution.bounded_answers import bound_answers
from curriculum.evolution.prompts import (
    JUDGE_SYSTEM,
    PROPOSE_SYSTEM,
    write_judgement_prompt,
    write_proposal_prompt,
)
from curriculum.evolution.turns import find_share
from curriculum.evolution.types import Feasibility, ProposedTask, SeedTask
from curriculum.rules.retry_after import read_retry_after

EXAMPLES_AT_ONCE = 10
TASKS_AT_ONCE = 20
MAX_ANSWER_LENGTH = 200_000
MAX_INSTRUCTION_LENGTH = 1000
MAX_QUOTE_LENGTH = 80
# After so many answers without a task the model is not asked again.
FUTILE_TURNS = 12
NO_ANSWER = "The instruction generator did not answer: {}."
NO_TASKS = "The instruction generator's answers hold no tasks; the last one: {}"
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
# Refusals that every request would get: key, credit, address, method.
OF_ENDPOINT = frozenset({401, 402, 403, 404, 405, 407, 410})
NOT_JUDGED = "The judge refused the question: {}"


class GeneratorFailed(RuntimeError):
    """The endpoint gave no usable answer after all retries."""


class PromptRefused(GeneratorFailed):
    """The endpoint refuses this request, such as by a content filter."""


class NoTasks(GeneratorFailed):
    """The endpoint answers, but no answer has a task."""


class GeneratorUnavailable(GeneratorFailed):
    """The endpoint does not answer at present; a later call may succeed."""

    def __init__(self, message: str, *, wait_s: float = 0.0) -> None:
        """`wait_s` is for how long the endpoint asks not to be called, in seconds."""
        super().__init__(message)
        self.wait_s = wait_s


@dataclasses.dataclass(frozen=True, slots=True)
class GeneratorOptions:
    """The endpoint and how it is called.

    Attributes:
        base_url: The endpoint, e.g. "https://host/v1". The key goes nowhere else.
        model: Name of the model there.
        api_key: Sent as a bearer token; "" for none.
        temperature: Sampling temperature (paper: 1).
        timeout_s: Longest wait for an answer to begin, and then for its end.
        connect_timeout_s: Longest wait for a connection.
        attempts: Most tries for one answer.
        longest_pause_s: Longest wait between two tries. An endpoint that asks for a
            longer one is given up at once.
    """

    base_url: str
    model: str
    api_key: str = dataclasses.field(default="", repr=False)
    temperature: float = 1.0
    timeout_s: float = 120.0
    connect_timeout_s: float = 10.0
    attempts: int = 5
    longest_pause_s: float = 30.0


class OpenAIGenerator:
    """Satisfies `TaskGenerator`."""

    def __init__(
        self,
        options: GeneratorOptions,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`transport` and `sleep` are replaced in tests."""
        self._options = options
        self._sleep = sleep
        self._known: dict[str, list[str]] = {}
        headers = {}
        if options.api_key:
            headers["Authorization"] = f"Bearer {options.api_key}"
        self._client = httpx.Client(
            base_url=options.base_url.rstrip("/"),
            headers=headers,
            timeout=httpx.Timeout(options.timeout_s, connect=options.connect_timeout_s),
            transport=transport,
            follow_redirects=False,
            event_hooks=bound_answers(options.timeout_s),
        )

    def propose(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> list[ProposedTask]:
        """Ask site by site, with ten drawn examples at a time, until there are `count`.

        Raises:
            GeneratorFailed: The endpoint does not answer, or no answer contains a task.
        """
        parts = self.propose_in_parts(seeds, count=count, seed=seed)
        return [task for part in parts for task in part]

    def propose_in_parts(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> Iterator[list[ProposedTask]]:
        """Yield the tasks of each answer, as `propose` asks for them.

        The sites take turns in a random order, and each is asked for its share.

        Raises:
            GeneratorFailed: As `propose`; answers that came before have been yielded.
        """
        draw = random.Random(seed)
        self.show_examples(seeds)
        by_site = _group_by_site(seeds)
        sites = sorted(by_site)
        draw.shuffle(sites)
        found = 0
        said = ""
        # An endpoint that gives few tasks is not asked indefinitely.
        for turn in range(2 * -(-count // TASKS_AT_ONCE) + len(sites)):
            is_futile = turn >= FUTILE_TURNS and not found
            if found >= count or not sites or is_futile:
                break
            tasks = by_site[sites[turn % len(sites)]]
            examples = draw.sample(tasks, min(EXAMPLES_AT_ONCE, len(tasks)))
            share = find_share(count - found, turn, len(sites))
            wanted = min(TASKS_AT_ONCE, share)
            prompt = write_proposal_prompt(examples, wanted)
            try:
                said = self._ask(PROPOSE_SYSTEM, prompt, seed + turn)
            except PromptRefused as error:
                said = str(error)
                continue
            part = parse_proposals(said, examples)[:wanted]
            found += len(part)
            yield part
        if count and sites and not found:
            raise NoTasks(NO_TASKS.format(tidy(said)[:MAX_QUOTE_LENGTH]))

    def show_examples(self, seeds: Sequence[SeedTask]) -> None:
        """Remember some tasks of each site for the judge."""
        self._known = {
            site: [task.instruction for task in tasks[:EXAMPLES_AT_ONCE]]
            for site, tasks in _group_by_site(seeds).items()
        }

    def judge_feasibility(self, task: ProposedTask) -> Feasibility:
        """Ask whether the task is feasible; an unclear answer or none counts as no.

        Raises:
            GeneratorFailed: The endpoint does not answer.
        """
        prompt = write_judgement_prompt(task, self._known.get(task.site, []))
        try:
            return parse_judgement(self._ask(JUDGE_SYSTEM, prompt, 0))
        except PromptRefused as error:
            return Feasibility(False, NOT_JUDGED.format(error))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, system: str, prompt: str, seed: int) -> str:
        """Return one answer; errors of the endpoint are retried with pauses."""
        body = {
            "model": self._options.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": prompt},
            ],
            "temperature": self._options.temperature,
            "seed": seed % 2**31,
        }
        asked = reason = ""
        for attempt in range(self._options.attempts):
            if attempt:
                wanted = read_retry_after(asked)
                pause = 2.0**attempt if wanted is None else wanted
                self._sleep(min(pause, self._options.longest_pause_s))
            try:
                response = self._client.post("/chat/completions", json=body)
            except httpx.RequestError as error:
                asked, reason = "", type(error).__name__
                continue
            if response.status_code == 200:
                return read_content(response)
            asked = response.headers.get("Retry-After", "")
            reason = f"status {response.status_code}"
            self._check_refusal(response.status_code, asked)
        if (wanted := read_retry_after(asked)) is not None:
            # The stage is retried as soon as this call has ended.
            self._sleep(min(wanted, self._options.longest_pause_s))
        raise GeneratorUnavailable(NO_ANSWER.format(reason))

    def _check_refusal(self, status: int, asked: str) -> None:
        """Raise unless another try, after a short wait, may succeed."""
        reason = f"status {status}"
        if _is_about_prompt(status):
            raise PromptRefused(reason)
        if status not in RETRIED:
            raise GeneratorFailed(NO_ANSWER.format(reason))
        wait_s = read_retry_after(asked) or 0.0
        if wait_s > self._options.longest_pause_s:
            raise GeneratorUnavailable(NO_ANSWER.format(reason), wait_s=wait_s)


def _group_by_site(seeds: Sequence[SeedTask]) -> dict[str, list[SeedTask]]:
    by_site: dict[str, list[SeedTask]] = {}
    for task in seeds:
        by_site.setdefault(task.site, []).append(task)
    return by_site


def _is_about_prompt(status: int) -> bool:
    return 400 <= status < 500 and status not in RETRIED | OF_ENDPOINT


def read_content(response: httpx.Response) -> str:
    """Return the text of a chat completion; "" when it is not one."""
    try:
        content = response.json()["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return ""
    return content[:MAX_ANSWER_LENGTH] if isinstance(content, str) else ""


def parse_proposals(answer: str, examples: Sequence[SeedTask]) -> list[ProposedTask]:
    """Read arrays of objects {"example", "instruction"}; drop everything else."""
    found: list[ProposedTask] = []
    for entry in _list_entries(answer):
        if not isinstance(entry, dict):
            continue
        number = _read_number(entry.get("example"))
        text = entry.get("instruction")
        if not 1 <= number <= len(examples) or not isinstance(text, str):
            continue
        instruction = tidy(text)[:MAX_INSTRUCTION_LENGTH]
        if len(instruction) >= 3:
            found.append(grow_task(examples[number - 1], instruction))
    return found


def _list_entries(answer: str) -> Iterator[object]:
    """Yield possible tasks: from an array, from one in an object, or single ones."""
    for value in read_values(answer):
        if isinstance(value, list):
            yield from value
        elif isinstance(value, dict):
            yield value
            for inner in value.values():
                yield from inner if isinstance(inner, list) else ()


def _read_number(value: object) -> int:
    """Return an example's number; 0 for anything else."""
    if isinstance(value, str) and len(value) < 4 and value.strip().isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if type(value) is int else 0


def grow_task(parent: SeedTask, instruction: str) -> ProposedTask:
    """Return a task with another instruction on the same pages, without evaluators."""
    spec = {
        key: value
        for key, value in parent.spec.items()
        if key in ("sites", "start_url")
    }
    return ProposedTask(
        parent_id=parent.task_id,
        site=parent.site,
        instruction=instruction,
        start_url=parent.start_url,
        template_key="",
        spec={**spec, "intent": instruction, "eval": {}},
    )


def parse_judgement(answer: str) -> Feasibility:
    """Read {"feasible", "reason"}; anything else counts as no, with a reason."""
    verdicts = [
        value
        for value in read_values(answer)
        if isinstance(value, dict) and isinstance(value.get("feasible"), bool)
    ]
    # The answer may quote the task, which may claim that it is feasible.
    if len({verdict["feasible"] for verdict in verdicts}) != 1:
        return Feasibility(False, "The judge gave no clear answer")
    reason = verdicts[-1].get("reason")
    text = tidy(reason)[:500] if isinstance(reason, str) else ""
    return Feasibility(verdicts[-1]["feasible"], text or "No reason given")
