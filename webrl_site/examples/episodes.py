"""Example episodes and their steps, written in large batches."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from random import Random

from django.utils import timezone

from curriculum.models import Phase, Task
from rollouts.models import Step, Trajectory
from rollouts.rules.error_types import Act, name_error_type
from webrl_site.examples import recorded_pages as pages

BATCH = 5_000
STEPS_AT_ONCE = 20_000
# Their steps are made up: the rules only check that something was done.
ACTED = Act("Click", has_element=True, has_failed=False)
_MOVES = (
    ("Search", 0, "mug", "Search the shop"),
    ("Click", 1, "", "Enamel camping mug"),
    ("Click", 4, "", "Cart"),
    ("Scroll Down", None, "", ""),
)


class EpisodeWriter:
    """Writes the episodes of one example; `snapshots` are stored pages' digests."""

    def __init__(self, rng: Random, snapshots: Sequence[str], steps: int) -> None:
        """`steps` is how many an episode has."""
        self._random = rng
        self._snapshots = snapshots
        self._steps = steps
        self._observations = [_observation(rng, number) for number in range(200)]

    def write(
        self,
        phase: Phase,
        tasks: Sequence[Task],
        purpose: Trajectory.Purpose,
        rate: float,
    ) -> None:
        """Write one finished episode for each task, a share `rate` of them solved."""
        ended = phase.ended_at or timezone.now()
        rows = [self._episode(phase, task, purpose, rate, ended) for task in tasks]
        made = Trajectory.objects.bulk_create(rows, batch_size=BATCH)
        waiting: list[Step] = []
        for row in made:
            waiting.extend(self._steps_of(row))
            if len(waiting) >= STEPS_AT_ONCE:
                Step.objects.bulk_create(waiting, batch_size=BATCH)
                waiting = []
        Step.objects.bulk_create(waiting, batch_size=BATCH)

    def _episode(
        self,
        phase: Phase,
        task: Task,
        purpose: Trajectory.Purpose,
        rate: float,
        ended: dt.datetime,
    ) -> Trajectory:
        rng = self._random
        outcome = rng.random() < rate
        says_yes = outcome if rng.random() < 0.85 else not outcome
        likely = rng.uniform(0.55, 0.98)
        ended_by = "exit" if outcome else rng.choice(("exit", "step_limit", "repeated"))
        return Trajectory(
            phase=phase,
            task=task,
            purpose=purpose,
            seed=rng.randrange(10**6),
            status=Trajectory.Status.FINISHED,
            attempt=1,
            ended_by=ended_by,
            answer="12.50" if ended_by == "exit" else "",
            step_count=self._steps,
            final_observation=rng.choice(self._observations),
            final_url="http://shop.example/cart",
            final_snapshot=self._snapshots[-1],
            outcome=outcome,
            outcome_checks=[_check(outcome)],
            error_type="" if outcome else name_error_type(ended_by, [ACTED]),
            success_probability=likely if says_yes else 1 - likely,
            reward=float(says_yes),
            started_at=ended - dt.timedelta(minutes=rng.uniform(4, 60)),
            ended_at=ended - dt.timedelta(minutes=rng.uniform(0, 3)),
        )

    def _steps_of(self, row: Trajectory) -> Iterator[Step]:
        rng = self._random
        for index in range(self._steps):
            name, element, argument, label = _MOVES[index % len(_MOVES)]
            call = f'do(action="{name}", argument="{argument}", element="{element}")'
            yield Step(
                trajectory=row,
                attempt=1,
                index=index,
                url=f"http://shop.example/{index}",
                title="Corner Shop",
                observation=self._observations[(row.pk + index) % 200],
                output=f"# Element: {label}\n{call}",
                action={"name": name, "element": element, "argument": argument},
                error="" if rng.random() < 0.95 else "Element 12 is not on this page.",
                target_box=[57, 318, 250, 24] if element is not None else [],
                snapshot=self._snapshots[index % len(self._snapshots)],
                timing={
                    "observe": round(rng.uniform(4, 12), 1),
                    "policy": round(rng.uniform(30, 90), 1),
                    "act": round(rng.uniform(6, 16), 1),
                    "settle": round(rng.uniform(8, 40), 1),
                },
                log_probability=-rng.expovariate(2.0),
                token_count=14,
            )


def _check(passed: bool) -> dict[str, object]:
    return {
        "name": "state_match.shop.cart",
        "passed": passed,
        "expected": '{"mug": 1}',
        "got": '{"mug": 1}' if passed else "{}",
        "why": "" if passed else "shop.cart differs",
    }


def _observation(rng: Random, number: int) -> str:
    """Return a page of about a thousand characters, as a policy reads it."""
    names = [name for name, _ in pages.PRODUCTS]
    elements = ["input type=text|Search the shop", "button|Search"]
    elements += [f"a|{rng.choice(names)} {n}" for n in range(rng.randint(16, 28))]
    return pages.observation(f"Corner Shop, page {number}", elements)
