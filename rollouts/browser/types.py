"""What passes between the policy, the environment and the record: plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

Traces = Literal["off", "failures", "all"]
EndedBy = Literal[
    "exit",
    "page",
    "solved",
    "step_limit",
    "time_limit",
    "repeated",
    "invalid",
    "left",
]
FailureClass = Literal["site", "harness", "endpoint"]


@dataclasses.dataclass(frozen=True, slots=True)
class Element:
    """One interactive element that the observation shows with an id.

    Attributes:
        id: The integer in the observation's `id="N"`, from 0 in document order.
        tag: Lower-case tag name.
        text: What a person would call it: its own text, label, placeholder or title.
        box: x, y, width, height in CSS pixels of the viewport.
    """

    id: int
    tag: str
    text: str
    box: tuple[float, float, float, float]


@dataclasses.dataclass(frozen=True, slots=True)
class Observation:
    """One page as the policy sees it.

    Attributes:
        text: The page in the form of observation that the run has chosen.
        elements: The elements with ids, in id order.
        url: Address of the page, never shown to the policy.
        title: Document title.
        snapshot: Self-contained HTML for the replay, or "" when not recorded.
        screenshot: JPEG bytes, or b"" when not recorded.
    """

    text: str
    elements: tuple[Element, ...]
    url: str
    title: str
    snapshot: str = ""
    screenshot: bytes = b""


@dataclasses.dataclass(frozen=True, slots=True)
class Action:
    """One parsed answer of the policy.

    Attributes:
        name: "Click", "Type", ..., "Exit", or "" when the answer has no valid call.
        element: Element id, or None.
        argument: Text, option, tab number or exit message; "" when there is none.
        error: Why the answer is invalid, shown to the agent; "" when it is valid.
        repairs: What had to be skipped to read it; answers that ask for the same are
            equal regardless of their repairs.
    """

    name: str
    element: int | None = None
    argument: str = ""
    error: str = ""
    repairs: tuple[str, ...] = dataclasses.field(default=(), compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class PageEnding:
    """What a page reports about an episode that it has ended.

    Attributes:
        reward: The page's own, above 0 for a success.
        reason: Why, in the page's words; often "".
    """

    reward: float
    reason: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class SignIn:
    """How to sign in to an external site: by a form, by what a browser keeps, or both.

    Attributes:
        path: Below the site's address, e.g. "/login".
        fields: CSS selector and text of each field to fill; () where there is no form.
        button: CSS selector of what sends the form; "" where there is none.
        signed_in: CSS selector of what only a person who is signed in sees.
        headers: Name and text of each header that goes with every request to the site.
        storage: Name and text of each entry of the site's `localStorage`.
    """

    path: str
    fields: tuple[tuple[str, str], ...] = dataclasses.field(repr=False)
    button: str
    signed_in: str
    headers: tuple[tuple[str, str], ...] = dataclasses.field(default=(), repr=False)
    storage: tuple[tuple[str, str], ...] = dataclasses.field(default=(), repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class TaskSpec:
    """What an episode needs to know of a task.

    Attributes:
        task_id: Database id, echoed in the records.
        instruction: What the agent is asked to do.
        start_url: Address with the site's placeholder, e.g. "__SHOP__/".
        sites: Keys of the sites the task may touch.
        spec: The task object in WebArena's JSON format.
        addresses: Addresses of external sites by key, where this episode does not use
            their usual ones.
    """

    task_id: int
    instruction: str
    start_url: str
    sites: tuple[str, ...]
    spec: dict[str, Any]
    addresses: Mapping[str, str] = dataclasses.field(default_factory=dict)


# An episode's row, and the fencing number of a claim on it.
Attempt = tuple[int, int]


@dataclasses.dataclass(frozen=True, slots=True)
class EpisodeRequest:
    """One episode to collect, and the claim under which it is collected.

    Attributes:
        trajectory_id: Row to write to.
        attempt: Fencing number of the claim.
        task: The task.
        seed: Seed of the policy's sampling in this episode.
        step_limit: Most steps before truncation, at least 1.
        time_limit_s: Most seconds before truncation.
        record_snapshots: Store the page's HTML at each step.
        record_screenshots: Store a JPEG at each step.
        traces: Whether to keep a Playwright trace: never, unless solved, or always.
    """

    trajectory_id: int
    attempt: int
    task: TaskSpec
    seed: int
    step_limit: int
    time_limit_s: float
    record_snapshots: bool = True
    record_screenshots: bool = False
    traces: Traces = "off"


@dataclasses.dataclass(frozen=True, slots=True)
class StepRecord:
    """One finished exchange, in the order in which it happened.

    `log_probability` is the sum over the output's tokens; `timing` is milliseconds by
    part: observe, policy, act, settle. `token_ids` and `token_log_probabilities` are
    the policy's; empty where it does not give them. `prompt_token_count` is what a
    server bills.
    """

    trajectory_id: int
    attempt: int
    index: int
    observation: Observation
    output: str
    action: Action
    error: str
    target_box: tuple[float, float, float, float] | None
    timing: dict[str, float]
    log_probability: float | None = None
    token_count: int | None = None
    token_ids: tuple[int, ...] = ()
    token_log_probabilities: tuple[float, ...] = ()
    prompt_token_count: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of an evaluator: what it expected, what it got, and why.

    `passed` is None where nothing can be said.
    """

    name: str
    passed: bool | None
    expected: str
    got: str
    why: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class RefusedAttempt:
    """Attempts of an episode's pages to reach a place outside the task's sites.

    Attributes:
        host: Requested name or address.
        port: 1 to 65535; 0 where many places are counted together.
        kind: Which kind of request (document, image, fetch, websocket, ...), or
            "connection" where it belongs to no request of a page.
        count: How many connections were refused.
    """

    host: str
    port: int
    kind: str
    count: int


@dataclasses.dataclass(frozen=True, slots=True)
class EpisodeEnd:
    """How an episode ended; `outcome` is None where the task has no evaluators.

    `trace` is the file of its Playwright trace, "" without one; the code that stores
    the record removes the file. `refused` is what its pages tried to reach and could
    not.
    """

    trajectory_id: int
    attempt: int
    ended_by: EndedBy
    answer: str
    final: Observation
    outcome: bool | None
    checks: tuple[CheckResult, ...] = ()
    trace: str = ""
    refused: tuple[RefusedAttempt, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class EpisodeFailure:
    """An episode broken by the site or the harness; never scored, may be retried.

    `site` is the key of the site that failed, "" where that is not known; `trace` and
    `refused` as in `EpisodeEnd`; `wait_s` is for how many seconds the model's endpoint
    asks not to be called.
    """

    trajectory_id: int
    attempt: int
    failure_class: FailureClass
    reason: str
    site: str = ""
    trace: str = ""
    refused: tuple[RefusedAttempt, ...] = ()
    wait_s: float = 0.0


EpisodeRecord = StepRecord | EpisodeEnd | EpisodeFailure


def attempt_of(thing: EpisodeRequest | EpisodeRecord) -> Attempt:
    """Return the episode and the attempt that a request or a record belongs to."""
    return thing.trajectory_id, thing.attempt


@dataclasses.dataclass(frozen=True, slots=True)
class Exchange:
    """One step that an external caller requested: its record and its result."""

    record: StepRecord
    following: Observation
    end: EpisodeEnd | None = None
