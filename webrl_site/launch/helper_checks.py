"""Checks before a launch of what a run needs apart from sites and weights.

Otherwise a missing one would be noticed only when the first episode begins or ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext

from curriculum.errors import CheckpointError
from curriculum.models import Run, Site, Task
from curriculum.rules.checkpoints import is_served, read_file, read_positions
from curriculum.selectors.pools import usable_tasks
from rollouts.browser.verified.types import NAME as VERIFIED
from rollouts.policies.published_prompts import (
    END_OF_TURN,
    NoPublishedPrompt,
    read_system_prompt,
)
from webrl_site.server.health import Check

# Values of TASK_GENERATOR: the default, and the one that asks GENERATOR_URL.
GRAMMAR = "rollouts.sites.sandbox.generator.GrammarGenerator"
SERVED_GENERATOR = "curriculum.services.generators.open_openai_generator"
# Llama 3's has 9 MB.
MAX_TOKENIZER_BYTES = 64 * 2**20


def check_helpers(config: Mapping[str, Any]) -> list[Check]:
    """Return the checks that the run's settings and tasks need; there may be none."""
    return [
        *check_prompt(config),
        *check_generator(config),
        *check_judge(config),
        *check_verified(config),
    ]


def check_prompt(config: Mapping[str, Any]) -> list[Check]:
    """Check that the published system prompt can be read, if a run uses it."""
    if config["rollout"]["served_prompt"] != "vab":
        return []
    title = gettext("Published prompt")
    try:
        read_system_prompt(settings.VAB_PROMPT_FILE)
    except NoPublishedPrompt as error:
        return [Check(title, "bad", str(error))]
    return [Check(title, "ok", settings.VAB_PROMPT_FILE)]


def check_generator(config: Mapping[str, Any]) -> list[Check]:
    """Check that the generator writes tasks for the run's sites.

    Otherwise a phase evolves nothing, hours after its launch.
    """
    if not config["curriculum"]["use_curriculum"]:
        return []
    title = gettext("Generator")
    if settings.TASK_GENERATOR == SERVED_GENERATOR:
        if settings.GENERATOR_URL and settings.GENERATOR_MODEL:
            return [Check(title, "ok", settings.GENERATOR_MODEL)]
        return [Check(title, "bad", gettext("Set GENERATOR_URL and GENERATOR_MODEL."))]
    if settings.TASK_GENERATOR != GRAMMAR:
        return []
    seeds = usable_tasks(Run(config=dict(config)), Task.Split.TRAIN)
    # Pages of a suite set their own goals: nothing is evolved from them.
    seeds = seeds.filter(site__kind=Site.Kind.EXTERNAL).exclude(spec__has_key="suite")
    names = seeds.order_by("site__name").values_list("site__name", flat=True)
    if not names.exists():
        return []
    text = gettext(
        "No tasks will be evolved for %(sites)s: the default generator knows only the "
        "sandbox's sites. Set TASK_GENERATOR to %(generator)s."
    )
    told = text % {"sites": ", ".join(names.distinct()), "generator": SERVED_GENERATOR}
    return [Check(title, "warn", told)]


def check_marks(config: Mapping[str, Any], policy_uri: str) -> list[Check]:
    """Check whether a policy's tokenizer reads its prompt's marks as plain text."""
    if config["rollout"]["served_prompt"] != "webrl" or is_served(policy_uri):
        return []
    try:
        told = read_file(policy_uri, "tokenizer.json", MAX_TOKENIZER_BYTES)
    except CheckpointError:
        # The check of the weights reports what is wrong with them.
        return []
    if told is None or END_OF_TURN.encode() in told:
        return []
    text = gettext(
        "The tokenizer of %(uri)s does not know %(mark)s: the released prompt is made "
        "for models that do."
    )
    told_text = text % {"uri": policy_uri, "mark": END_OF_TURN}
    return [Check(gettext("Published prompt"), "warn", told_text)]


def check_positions(config: Mapping[str, Any], policy_uri: str) -> list[Check]:
    """Check whether the policy reads prompts as long as the run allows.

    Beyond the number of tokens that a model was made for, most give bad answers
    without an error, and those that learn each position fail.
    """
    if is_served(policy_uri):
        return []
    try:
        positions = read_positions(policy_uri)
    except CheckpointError:
        return []
    limits = config["algorithm"]
    asked = limits["max_prompt_tokens"] + limits["max_action_tokens"]
    if positions is None or asked <= positions:
        return []
    text = gettext(
        "%(uri)s reads at most %(positions)s tokens; max_prompt_tokens and "
        "max_action_tokens allow %(asked)s. Lower max_prompt_tokens."
    )
    told = text % {"uri": policy_uri, "positions": positions, "asked": asked}
    return [Check(gettext("Prompt length"), "warn", told)]


def check_judge(config: Mapping[str, Any]) -> list[Check]:
    """Check for a judge, if a task needs one to compare meanings."""
    tasks = _count(config, '"fuzzy_match"')
    if not tasks:
        return []
    title = gettext("Judge")
    if settings.JUDGE_URL:
        text = gettext(
            "Test tasks that compare meanings: %(tasks)s. %(model)s is asked."
        )
        told = text % {"tasks": tasks, "model": settings.JUDGE_MODEL}
        return [Check(title, "ok", told)]
    text = gettext(
        "Test tasks that compare meanings: %(tasks)s. No judge is set, so "
        "their episodes may stay undecided. Set JUDGE_URL and JUDGE_MODEL."
    )
    return [Check(title, "warn", text % {"tasks": tasks})]


def check_verified(config: Mapping[str, Any]) -> list[Check]:
    """Check for WebArena-Verified's package, if a task needs it."""
    tasks = _count(config, f'"{VERIFIED}"')
    if not tasks:
        return []
    title, python = gettext("WebArena-Verified"), settings.WEBARENA_VERIFIED_PYTHON
    if python:
        return [Check(title, "ok", python)]
    text = gettext(
        "Test tasks that its package scores: %(tasks)s. No package is set, "
        "so they stay undecided. Set WEBARENA_VERIFIED_PYTHON."
    )
    return [Check(title, "warn", text % {"tasks": tasks})]


def _count(config: Mapping[str, Any], word: str) -> int:
    """Count the run's test tasks whose object has this word."""
    rows: QuerySet[Task] = usable_tasks(Run(config=dict(config)), Task.Split.TEST)
    texts = rows.annotate(told=Cast("spec", TextField()))
    return texts.filter(told__contains=word).count()
