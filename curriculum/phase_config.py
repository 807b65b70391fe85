"""Numbers of the curriculum and of the rollouts: what a phase attempts, and how."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from curriculum.rules.setting import setting
from curriculum.rules.site_use import SiteUse, read_site_use


@dataclasses.dataclass(frozen=True)
class CurriculumConfig:
    """Which tasks a phase attempts and how new ones are made."""

    sites: tuple[str, ...] = setting(
        (), "Sites whose tasks are attempted and tested; none chosen means all."
    )
    tasks_per_phase: int = setting(
        500, "Instructions attempted in a phase (paper: 500).", low=1, high=100_000
    )
    evaluation_tasks: int = setting(
        0, "Held-out test tasks per evaluation; 0 means all of them.", low=0
    )
    proposals_per_phase: int = setting(
        1000, "Instructions the generator is asked for.", low=0, high=1_000_000
    )
    value_low: float = setting(
        0.05,
        "Evolved tasks below this critic value are too hard (paper: 0.05).",
        low=0,
        high=1,
    )
    value_high: float = setting(
        0.75,
        "Evolved tasks above this critic value are too easy (paper: 0.75).",
        low=0,
        high=1,
    )
    evolved_share: float = setting(
        1.0,
        "Largest share of a phase's tasks that evolved and were accepted; the rest "
        "are seed tasks.",
        low=0,
        high=1,
    )
    seed_order: Literal["unsolved", "even", "learnable", "band"] = setting(
        "unsolved",
        "Order of the seed tasks. unsolved: those that the run has not solved come "
        "first. even: the same, with templates taking turns. learnable: the same, "
        "with most tasks of templates that the phase before solved about half of the "
        "time. band: random; tasks in the value band are four times as likely.",
    )
    use_curriculum: bool = setting(
        True, "Off: the paper's ablation that keeps attempting the seed tasks."
    )
    phases_in_a_row: int = setting(
        1, "Phases opened one after another without a click.", low=1, high=1000
    )


@dataclasses.dataclass(frozen=True)
class ReviewConfig:
    """How people decide about evolved tasks."""

    reviews_per_task: int = setting(
        1, "People who decide about each task; the majority counts.", low=1, high=9
    )
    blind_first: bool = setting(
        False, "Hide the critic's value and the feasibility until a first decision."
    )
    gold_rate: float = setting(
        0.0, "Share of gold items, whose right decision is known.", low=0, high=0.5
    )
    gold_threshold: float = setting(
        0.8, "Warn reviewers whose gold accuracy falls below this.", low=0, high=1
    )


@dataclasses.dataclass(frozen=True)
class RolloutConfig:
    """How episodes are collected."""

    contexts: int = setting(4, "Browser contexts at once per worker.", low=1, high=64)
    step_limit: int = setting(
        30, "Maximum steps of an episode (WebArena: 30).", low=1, high=1000
    )
    time_limit_s: float = setting(
        600.0,
        "Maximum seconds of an episode. Waits for a served model that does "
        "not answer are not counted.",
        low=1,
        high=86_400,
    )
    training_temperature: float = setting(
        1.0, "Sampling temperature of training episodes (paper: 1).", low=0, high=10
    )
    final_temperature: float = setting(
        0.0,
        "Sampling temperature of training episodes from phase temperature_phases on, "
        "reached in equal steps; 0 keeps training_temperature.",
        low=0,
        high=10,
    )
    temperature_phases: int = setting(
        8, "Phase that reaches final_temperature.", low=2, high=1000
    )
    evaluation_temperature: float = setting(
        0.0, "Sampling temperature of evaluation; 0 is greedy.", low=0, high=10
    )
    attempts_per_task: int = setting(
        1, "Training episodes per instruction.", low=1, high=64
    )
    evaluation_attempts: int = setting(
        1,
        "Test episodes per task, each with its own seed; with several the pages show "
        "pass@k. At temperature 0 they repeat one another.",
        low=1,
        high=64,
    )
    max_retries: int = setting(
        2, "Retries after a site or harness error.", low=0, high=20
    )
    whole_page: bool = setting(
        False, "Show the policy the whole page instead of the screen (WebRL: screen)."
    )
    observation: Literal["compact", "webrl", "accessibility_tree"] = setting(
        "compact",
        "What the policy reads: compact HTML, the simplified HTML that "
        "WebRL's released models read, or one line per element with its role "
        "and name.",
        former={"html": "compact"},
    )
    action_dialect: Literal[
        "webrl", "webrl_strict", "autowebglm", "browsergym", "tools"
    ] = setting(
        "webrl",
        "How the policy writes its actions: WebRL's do(...), either the last "
        "one in an answer or strictly one and nothing else; AutoWebGLM's or "
        "BrowserGym's calls; a served model's tool calls. The starter policy "
        "knows only WebRL's.",
    )
    typing: Literal["insert", "keys"] = setting(
        "insert",
        "How text gets into a field: all at once, or with a click and then "
        "key by key (WebArena, WebArena-Lite).",
    )
    served_prompt: Literal["manual", "plain", "vab", "webrl"] = setting(
        "manual",
        "What the policy is told. For a served model: our manual, only the "
        "conversation, VisualAgentBench's chat prompt, or the text that "
        "WebRL's released models continue. For a policy trained here: that "
        "text, otherwise the conversation.",
    )
    chat_turns: Literal["usual", "alternating"] = setting(
        "usual",
        "Chat turns of a served model's prompt: with a system turn, or user "
        "and assistant strictly alternating (templates of Gemma, Mistral and "
        "Llama 2).",
    )
    wait_s: float = setting(
        0.0,
        "Minimum seconds before each observation (VisualAgentBench: 3); 0 "
        "waits until the page is at rest.",
        low=0,
        high=30,
    )
    navigation_limit_s: float = setting(
        10.0,
        "Maximum seconds until a page answers after an action; then the request is "
        "cancelled, and the policy is told.",
        low=1,
        high=100,
    )
    step_time_limit_s: float = setting(
        30.0,
        "Maximum seconds of a step, or of opening the first page; a longer one ends "
        "the episode as the site's failure.",
        low=10,
        high=120,
    )
    repeated_limit: int = setting(
        3,
        "Identical actions in a row that end an episode (WebArena: 3, "
        "WebRL's script: 5).",
        low=1,
        high=1000,
    )
    typing_limit: int = setting(
        0,
        "Texts typed into one element, also with other actions between them, that end "
        "an episode (WebArena: 3); 0: no limit.",
        low=0,
        high=1000,
    )
    invalid_limit: int = setting(
        3,
        "Invalid answers in a row that end an episode (WebArena: 3, WebRL's script: "
        "5).",
        low=1,
        high=1000,
    )
    reset_sites: Literal["per_task", "per_episodes", "per_phase"] = setting(
        "per_task",
        "When an instance of an external site is reset to its first state: "
        "after each episode that may change it, after every "
        "episodes_per_reset of them, or before each stage of a phase that "
        "has episodes.",
    )
    episodes_per_reset: int = setting(
        20,
        "Episodes that may change an instance between two resets, where reset_sites "
        "is per_episodes.",
        low=1,
        high=100_000,
    )
    share_sites: bool = setting(
        False,
        "Several episodes may change the same instance of an external site at once; "
        "they see one another's changes.",
    )
    prompt_price: float = setting(
        0.0,
        "Price of a million prompt tokens of a served policy, in the currency of its "
        "bill.",
        low=0,
        high=1_000_000,
    )
    answer_price: float = setting(
        0.0,
        "Price of a million tokens of its answers.",
        low=0,
        high=1_000_000,
    )
    budget: float = setting(
        0.0,
        "What the run may spend on its served policy before it pauses; 0 is no limit.",
        low=0,
        high=1_000_000_000,
    )
    record_snapshots: bool = setting(True, "Keep each page for the replay.")
    screenshot_share: float = setting(
        0.0, "Share of the episodes recorded with screenshots.", low=0, high=1
    )
    traces: Literal["off", "failures", "all"] = setting(
        "off", "Which episodes keep a Playwright trace; each step takes longer then."
    )

    @property
    def site_use(self) -> SiteUse:
        """How the run's episodes use external sites."""
        return read_site_use(
            self.reset_sites, self.episodes_per_reset, shares=self.share_sites
        )

    def temperature_in(self, phase_number: int) -> float:
        """Return the temperature of a phase's training episodes; phases count from 1.

        >>> RolloutConfig(final_temperature=0.5, temperature_phases=6).temperature_in(3)
        0.8
        """
        if not self.final_temperature:
            return self.training_temperature
        passed = min(1.0, (phase_number - 1) / (self.temperature_phases - 1))
        change = self.final_temperature - self.training_temperature
        return round(self.training_temperature + passed * change, 6)


# Published sites run in containers that often take more than 10 s to answer, most of
# all after a reset; VisualAgentBench waits up to 120 s then.
SLOW_SITES = {"navigation_limit_s": 60.0, "step_time_limit_s": 120.0}

# Settings that reproduce a published setup; presets for a run's rollouts. The scoring
# of an answer follows from the suite of each task.
PROFILES: dict[str, dict[str, Any]] = {
    "workbench": {},
    # run.py: an accessibility tree, 2 s after each action, stops after three equal
    # actions; texts typed into one element count as equal regardless of their content
    # and of the actions in between.
    "webarena": {
        "observation": "accessibility_tree",
        "typing": "keys",
        "wait_s": 2.0,
        "typing_limit": 3,
        **SLOW_SITES,
    },
    # wa_parallel_run_webrl_chat.sh: greedy, 3 s, stops after five equal actions.
    "webarena-lite": {
        "observation": "webrl",
        "served_prompt": "vab",
        "typing": "keys",
        "wait_s": 3.0,
        "repeated_limit": 5,
        "invalid_limit": 5,
        **SLOW_SITES,
    },
    # Its agents end by themselves or at the limit of steps.
    "browsergym": {
        "observation": "accessibility_tree",
        "action_dialect": "browsergym",
        "repeated_limit": 1000,
        "invalid_limit": 1000,
        **SLOW_SITES,
    },
    # wa_parallel_run_webrl.sh: as webarena-lite, with the trained models' prompt.
    "webrl": {
        "observation": "webrl",
        "served_prompt": "webrl",
        "typing": "keys",
        "wait_s": 3.0,
        "repeated_limit": 5,
        "invalid_limit": 5,
        **SLOW_SITES,
    },
}
