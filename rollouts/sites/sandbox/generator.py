"""Grows new tasks from failed ones inside the sandbox's grammar.

In-breadth evolving as in the paper: same site, similar difficulty, other entities or
other wording, sometimes a related task about the same entity. Each task has its
evaluator. Like a model, it sometimes combines names that do not belong together; the
feasibility check finds such tasks. Held-out templates and the test split stay
untouched.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from curriculum.evolution.types import Feasibility, ProposedTask, SeedTask
from rollouts.sites.kit.drawing import identity, identity_of
from rollouts.sites.kit.task_templates import BLANK, Infeasible, Template, Values, fill
from rollouts.sites.sandbox.catalog import TEMPLATES, load_tasks

SIBLING_SHARE = 0.3
CARRY_SHARE = 0.5
KEEP_INFEASIBLE_SHARE = 0.25
TRIES_PER_TASK = 20


class GrammarGenerator:
    """Satisfies `curriculum.evolution.types.TaskGenerator` without any model."""

    def __init__(self) -> None:
        """Load the existing tasks, so that none is proposed again."""
        tasks = load_tasks()
        self._texts = {task["intent"] for task in tasks}
        self._held_out = {identity_of(t) for t in tasks if t["split"] != "train"}
        self._known = {identity_of(task) for task in tasks if task["split"] == "train"}

    def propose(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> list[ProposedTask]:
        """Return at most `count` new tasks, the same ones for the same arguments.

        Other words for a known training task come last, where nothing else is left;
        other words for the failed task itself are as good as a new task.
        """
        rng = Random(seed)
        parents = [task for task in seeds if _templates_like(task)]
        texts = self._texts | {task.instruction for task in seeds}
        known = self._known | {_identity_of_seed(task) for task in parents}
        proposed: list[ProposedTask] = []
        reworded: list[ProposedTask] = []
        used: set[str] = set()
        for turn in range(count * TRIES_PER_TASK if parents else 0):
            if len(proposed) == count:
                break
            parent = parents[turn % len(parents)]
            task = _evolve(parent, rng)
            name = _identity(task)
            if task.instruction in texts or name in self._held_out:
                continue
            texts.add(task.instruction)
            own = _identity_of_seed(parent)
            if name in used or (name in known and name != own):
                reworded.append(task)
                continue
            used.add(name)
            proposed.append(task)
        return (proposed + reworded)[:count]

    def judge_feasibility(self, task: ProposedTask) -> Feasibility:
        """Say whether the names exist and the goal can be reached."""
        template = TEMPLATES.get(task.template_key)
        values = task.spec.get("instantiation_dict")
        if template is None or not isinstance(values, dict):
            return Feasibility(False, "The task does not follow the sandbox's grammar.")
        try:
            goal = template.solve(values)
        except Infeasible as error:
            return Feasibility(False, str(error))
        except KeyError as error:
            return Feasibility(False, f"The task leaves {error} open.")
        if not template.is_possible:
            return Feasibility(False, "The site does not offer this; it would be N/A.")
        steps = len(goal.plan)
        return Feasibility(True, f"All it names exists; it takes {steps} steps.")


def _templates_like(task: SeedTask) -> list[Template]:
    """The templates of the task's sites, so that a run never leaves its sites."""
    sites = task.spec.get("sites") or [task.site]
    return [
        template
        for template in TEMPLATES.values()
        if template.site.key == task.site
        and template.site_keys == sites
        and not template.is_held_out
    ]


def _evolve(parent: SeedTask, rng: Random) -> ProposedTask:
    template = _choose_template(parent, rng)
    values = template.draw(rng)
    carried = _carry(parent, values, rng)
    if _is_feasible(template, carried) or rng.random() < KEEP_INFEASIBLE_SHARE:
        values = carried
    phrasings = list(template.phrasings)
    used = parent.spec.get("intent_template")
    if used in phrasings:
        phrasings.remove(used)
    return _build(parent, template, rng.choice(phrasings), values)


def _choose_template(parent: SeedTask, rng: Random) -> Template:
    """The parent's template, or sometimes a sibling that shares one of its blanks."""
    siblings = _templates_like(parent)
    own = TEMPLATES.get(parent.template_key)
    if own in siblings and rng.random() >= SIBLING_SHARE:
        return own
    blanks = set(parent.spec.get("instantiation_dict") or {})
    related = [t for t in siblings if blanks & set(BLANK.findall(t.phrasings[0]))]
    return rng.choice(related or siblings)


def _carry(parent: SeedTask, values: Values, rng: Random) -> Values:
    """The new values, half the time with one of the parent's in place."""
    old = parent.spec.get("instantiation_dict") or {}
    shared = sorted(name for name in values if name in old)
    if not shared or rng.random() >= CARRY_SHARE:
        return values
    name = rng.choice(shared)
    return {**values, name: str(old[name])}


def _is_feasible(template: Template, values: Values) -> bool:
    try:
        template.solve(values)
    except Infeasible:
        return False
    return True


def _build(
    parent: SeedTask, template: Template, phrasing: str, values: Values
) -> ProposedTask:
    spec: dict[str, Any]
    try:
        spec = template.build_task(phrasing, values)
    except Infeasible:
        spec = template.describe(phrasing, values)
    return ProposedTask(
        parent_id=parent.task_id,
        site=parent.site,
        instruction=fill(phrasing, values),
        start_url=spec["start_url"],
        template_key=template.key,
        spec=spec,
        optimal_steps=spec.get("optimal_steps"),
    )


def _identity(task: ProposedTask) -> str:
    return identity(task.template_key, task.spec["instantiation_dict"])


def _identity_of_seed(task: SeedTask) -> str:
    return identity(task.template_key, task.spec.get("instantiation_dict") or {})
