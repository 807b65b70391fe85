"""The bars of reliability (R) and security (S), and the drill of each.

Needs neither Django nor the virtual environment.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

PROFILES = ("embedded", "servers")


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """One bar that a drill measures.

    Attributes:
        name: R1 to R21, S1 to S14.
        asked: The condition that must hold.
        drill: The module of `drills` that measures it; "" if none does.
        group: Drills of one group share a process and a deployment.
        seconds: Approximate duration on two cores.
        settings: Those of the group's deployment; the tests' use stand-in models.
        is_timed: Its number is a time or a rate, so it needs a machine that does
            nothing else.
        why_not: Why no drill measures it.
    """

    name: str
    asked: str
    drill: str = ""
    group: str = ""
    seconds: int = 0
    settings: str = "webrl_site.settings"
    is_timed: bool = False
    why_not: str = ""


BARS = (
    Bar(
        "R1",
        "200 random SIGKILL while 1,000 episodes are collected: each ends once, whole",
        "faults.kills",
        group="rollouts",
        seconds=90,
    ),
    Bar(
        "R2",
        "60 episodes in Chromium, 30 kills: each ends once, no process left after 5 s",
        "browsers.killed_browsers",
        group="chromium",
        seconds=200,
    ),
    Bar(
        "R3",
        "the time that kills cost: at most kills x (lease + a step)",
        "faults.overhead",
        group="rollouts",
        seconds=60,
    ),
    Bar(
        "R4",
        "killed at every write of a phase: the same rows as without",
        "faults.crash_points",
        group="phase",
        seconds=120,
        settings="tests.services.quick_settings",
    ),
    Bar(
        "R5",
        "a training killed at 20 points: the same weights, bit by bit",
        "trainings.killed_training",
        group="training",
        seconds=120,
    ),
    Bar(
        "R6",
        "the broker's folder deleted 10 times in 500 episodes: 0 lost, back in 15 s",
        "outages.lost_broker",
        group="broker",
        seconds=150,
        settings="tests.services.quick_settings",
    ),
    Bar(
        "R7",
        "each message delivered 3 times, shuffled: the same rows",
        "faults.repeats",
        group="phase",
        seconds=20,
        settings="tests.services.quick_settings",
    ),
    Bar(
        "R8",
        "30 % of messages dropped: all done in at most 1.5 times the time",
        "outages.lossy_broker",
        group="broker",
        seconds=180,
        settings="tests.services.quick_settings",
    ),
    Bar(
        "R9",
        "6 writers and 100 annotators for 60 s: 0 errors, p95 under 300 ms",
        "desk.crowd",
        group="crowd",
        seconds=90,
        is_timed=True,
    ),
    Bar(
        "R10",
        "disk full: what was acknowledged is stored, a reason in 5 s, on in 10 s",
        "outages.full_disk",
        group="disk",
        seconds=60,
        settings="tests.services.quick_settings",
    ),
    Bar(
        "R11",
        "hanging and crashing browsers: the slot is free within the deadline + 5 s",
        "browsers.mixed_failures",
        group="browser",
        seconds=120,
    ),
    Bar(
        "R12",
        "a model that answers 429, 500, late or nonsense: 0 lost, at most 1.2 x calls",
        "outages.failing_model",
        group="outages",
        seconds=40,
    ),
    Bar(
        "R13",
        "2 researchers launch 50 times each at once: 1 phase, 99 answers 409, 0 errors",
        "desk.launches",
        group="web",
        seconds=10,
    ),
    Bar(
        "R14",
        "8 reviewers, 60 tasks, 3,000 submits: 0 lost, conflicts keep the loser's text",
        "desk.conflicts",
        group="web",
        seconds=120,
    ),
    Bar(
        "R15",
        "sockets cut 100 times: no event missing, the page as a fresh one",
        "desk.cut_sockets",
        group="browser",
        seconds=120,
    ),
    Bar(
        "R16",
        "100 cuts and 100 flipped bits in checkpoints: all refused, an older one used",
        "trainings.checkpoints",
        group="checkpoints",
        seconds=20,
    ),
    Bar(
        "R17",
        "10 restarts under load: 0 lost, no pause over 10 s",
        "outages.restarts",
        group="restarts",
        seconds=200,
        settings="tests.services.settings",
    ),
    Bar(
        "R18",
        "10,000 queued: p99 of a claim under 20 ms, as quick as at 100",
        "faults.long_queue",
        group="rollouts",
        seconds=60,
        is_timed=True,
    ),
    Bar(
        "R19",
        "2,000 episodes: memory, files and threads stay flat",
        "faults.soak",
        group="soak",
        seconds=300,
        is_timed=True,
    ),
    Bar(
        "R20",
        "clocks 2 h off in some workers: R1 still holds",
        "faults.clocks",
        group="rollouts",
        seconds=40,
    ),
    Bar(
        "R21",
        "a dead owner is noticed within 10 s at the default settings",
        "faults.detection",
        group="rollouts",
        seconds=50,
    ),
    Bar(
        "S1",
        "60 hostile recorded pages in the replay: 0 scripts, requests, navigations",
        "hostile.recorded_pages",
        group="browser",
        seconds=60,
    ),
    Bar(
        "S2",
        "25 ways out of an allowed site: 0 hits, all attempts logged",
        "hostile.ways_out",
        group="browser",
        seconds=90,
    ),
    Bar(
        "S3",
        "80 URLs of private addresses at every entry, rebinding, redirects: 0 hits",
        "hostile.private_addresses",
        group="hostile",
        seconds=30,
    ),
    Bar(
        "S4",
        "all routes and sockets, every role, own and foreign rows: 0 surprises",
        "access.authorisation",
        group="web",
        seconds=60,
    ),
    Bar(
        "S5",
        "every answer: policy without unsafe scripts, nosniff, no frames, no-store",
        "access.headers",
        group="web",
        seconds=5,
    ),
    Bar(
        "S6",
        "another site's page against every changing address and socket: 0 succeed",
        "access.cross_site",
        group="web",
        seconds=15,
    ),
    Bar(
        "S7",
        "12 planted secrets: 0 in logs, rows, messages, exports, pages",
        "hostile.planted_secrets",
        group="secrets",
        seconds=60,
    ),
    Bar(
        "S8",
        "10,000 model outputs, 1,000 files, 200 archives: no code run, p99 under 1 ms",
        "hostile.hostile_texts",
        group="hostile",
        seconds=40,
    ),
    Bar(
        "S9",
        "1,000 parallel guesses: at most 10 tried; unknown names within 10 % in time",
        "access.sign_in_limits",
        group="web",
        seconds=40,
    ),
    Bar(
        "S10",
        "the model's key goes to no changed address",
        "hostile.model_key",
        group="hostile",
        seconds=5,
    ),
    Bar(
        "S11",
        "exports of 5,000 hostile values: 0 formula cells",
        "access.formula_cells",
        group="web",
        seconds=5,
    ),
    Bar(
        "S12",
        "deployment checks clean; 12 unsafe settings refused; no eval, no pickle",
        "hostile.unsafe_settings",
        group="hostile",
        seconds=25,
    ),
    Bar(
        "S13",
        "known holes in the locked packages: none that is high",
        "hostile.known_holes",
        group="hostile",
        seconds=1,
    ),
    Bar(
        "S14",
        "sockets close within 5 s of sign-out, loss of the role or a new password",
        "access.closed_sockets",
        group="web",
        seconds=15,
    ),
)
BY_NAME = {bar.name: bar for bar in BARS}


class UnknownBar(ValueError):
    """There is no bar of that name."""


def choose(names: Iterable[str]) -> list[Bar]:
    """Return the named bars in the order of the table; "all" names them all.

    Raises:
        UnknownBar: See above.
    """
    wanted = {name.upper() for name in names}
    if "ALL" in wanted:
        return list(BARS)
    if unknown := sorted(wanted - set(BY_NAME)):
        raise UnknownBar(f"There is no bar {unknown[0]}: ./webrl drill --list has all.")
    return [bar for bar in BARS if bar.name in wanted]
