"""The settings of a run as its form words them, in the reader's language.

The configurations do not import Django, so their explanations are marked for
translation here; a test compares both.
"""

from __future__ import annotations

from django.utils.translation import (
    gettext,
    gettext_lazy,
    gettext_noop,
    pgettext_lazy,
)

LABELS = {
    "sites": gettext_lazy("Sites"),
    "tasks_per_phase": gettext_lazy("Tasks per phase"),
    "evaluation_tasks": gettext_lazy("Evaluation tasks"),
    "proposals_per_phase": gettext_lazy("Proposals per phase"),
    "value_low": gettext_lazy("Value low"),
    "value_high": gettext_lazy("Value high"),
    "evolved_share": gettext_lazy("Evolved share"),
    "seed_order": gettext_lazy("Seed order"),
    "use_curriculum": gettext_lazy("Use curriculum"),
    "phases_in_a_row": gettext_lazy("Phases in a row"),
    "reviews_per_task": gettext_lazy("Reviews per task"),
    "blind_first": gettext_lazy("Blind first"),
    "gold_rate": gettext_lazy("Gold rate"),
    "gold_threshold": gettext_lazy("Gold threshold"),
    "contexts": gettext_lazy("Contexts"),
    "step_limit": gettext_lazy("Step limit"),
    "time_limit_s": gettext_lazy("Time limit, seconds"),
    "training_temperature": gettext_lazy("Training temperature"),
    "final_temperature": gettext_lazy("Final temperature"),
    "temperature_phases": gettext_lazy("Temperature phases"),
    "evaluation_temperature": gettext_lazy("Evaluation temperature"),
    "attempts_per_task": gettext_lazy("Attempts per task"),
    "evaluation_attempts": gettext_lazy("Evaluation attempts"),
    "max_retries": gettext_lazy("Max retries"),
    "whole_page": gettext_lazy("Whole page"),
    "observation": gettext_lazy("Observation"),
    "action_dialect": gettext_lazy("Action dialect"),
    "typing": gettext_lazy("Typing"),
    "served_prompt": gettext_lazy("Prompt"),
    "chat_turns": gettext_lazy("Chat turns"),
    "wait_s": gettext_lazy("Min wait, seconds"),
    "navigation_limit_s": gettext_lazy("Navigation limit, seconds"),
    "step_time_limit_s": gettext_lazy("Step time limit, seconds"),
    "repeated_limit": gettext_lazy("Repeated actions limit"),
    "typing_limit": gettext_lazy("Typing limit"),
    "invalid_limit": gettext_lazy("Invalid answers limit"),
    "reset_sites": gettext_lazy("Reset sites"),
    "episodes_per_reset": gettext_lazy("Episodes per reset"),
    "share_sites": gettext_lazy("Share sites"),
    "prompt_price": gettext_lazy("Price of prompt tokens"),
    "answer_price": gettext_lazy("Price of answer tokens"),
    "budget": gettext_lazy("Budget"),
    "record_snapshots": gettext_lazy("Record snapshots"),
    "screenshot_share": gettext_lazy("Screenshot share"),
    "traces": gettext_lazy("Traces"),
    "objective": gettext_lazy("Objective"),
    "beta": gettext_lazy("Beta"),
    "use_kl": gettext_lazy("Use KL constraint"),
    "gae_lambda": gettext_lazy("GAE lambda"),
    "perplexity_low": gettext_lazy("Perplexity low"),
    "perplexity_high": gettext_lazy("Perplexity high"),
    "replay_ratio": gettext_lazy("Replay ratio"),
    "use_replay": gettext_lazy("Use replay"),
    "use_demonstrations": gettext_lazy("Use demonstrations"),
    "kept_quantile": gettext_lazy("Kept quantile"),
    "max_record_mismatch": gettext_lazy("Max record mismatch"),
    "far_rows": gettext_lazy("Far rows"),
    "cap_targets": gettext_lazy("Cap targets"),
    "min_advantage": gettext_lazy("Min advantage"),
    "augmented_copies": gettext_lazy("Augmented copies"),
    "skip_familiar_copies": gettext_lazy("Skip familiar copies"),
    "learning_rate_schedule": gettext_lazy("Learning rate schedule"),
    "max_kl": gettext_lazy("Max KL"),
    "save_every_s": gettext_lazy("Save every, seconds"),
    "lora_rank": gettext_lazy("LoRA rank"),
    "critic_lora_rank": gettext_lazy("LoRA rank of the critic"),
    "gradient_checkpointing": gettext_lazy("Gradient checkpointing"),
    "precision": pgettext_lazy("number format", "Precision"),
    "frozen_weights": gettext_lazy("Frozen weights"),
    "policy_learning_rate": gettext_lazy("Policy learning rate"),
    "policy_epochs": gettext_lazy("Policy epochs"),
    "critic_learning_rate": gettext_lazy("Critic learning rate"),
    "critic_epochs": gettext_lazy("Critic epochs"),
    "batch_size": gettext_lazy("Batch size"),
    "micro_batch_size": gettext_lazy("Micro batch size"),
    "micro_batch_tokens": gettext_lazy("Micro batch tokens"),
    "max_gradient_norm": gettext_lazy("Max gradient norm"),
    "max_prompt_tokens": gettext_lazy("Max prompt tokens"),
    "max_action_tokens": gettext_lazy("Max action tokens"),
    "rewards": gettext_lazy("Rewards"),
    "learn_from_people": gettext_lazy("Learn from people"),
    "learn_from_evaluators": gettext_lazy("Learn from evaluators"),
    "least_verdicts": gettext_lazy("Min verdicts"),
    "learning_rate": gettext_lazy("Learning rate"),
    "epochs": gettext_lazy("Epochs"),
    "rehearsal": gettext_lazy("Rehearsal"),
    "held_out": gettext_lazy("Held out"),
    "prompt": gettext_lazy("Prompt"),
}
HELPS = (
    gettext_noop(
        "What training takes as an episode's outcome: the reward model's "
        "verdict (paper), or people's verdicts, then the evaluators' "
        "outcomes, and the reward model only where neither has decided."
    ),
    gettext_noop(
        "Number format of forward and backward passes; auto is bfloat16 on a "
        "GPU, float32 elsewhere; native is bfloat16 also on processors that "
        "multiply it. Weights and optimiser stay float32."
    ),
    gettext_noop(
        "Number format of the weights that adapters leave unchanged, while training; "
        "bfloat16 halves their memory and applies where passes are bfloat16. Saved "
        "weights are float32."
    ),
    gettext_noop(
        "On: activations are recomputed instead of stored; less memory, "
        "about a third more time."
    ),
    gettext_noop(
        "Rank of the adapters that the policy's update trains; 0 trains all weights "
        "(paper)."
    ),
    gettext_noop(
        "Rank of the adapters that the critic's update trains in addition to "
        "its heads; 0 trains all weights (paper)."
    ),
    gettext_noop(
        "Seconds between two checkpoints of a running training; one is also "
        "written when it is stopped."
    ),
    gettext_noop(
        "Stop the policy's update once a step's mean KL to the reference exceeds "
        "this, in nats; 0 never stops."
    ),
    gettext_noop(
        "How the policy's learning rate falls to 0 over the phase (paper: constant)."
    ),
    gettext_noop(
        "Steps whose advantage is nearer to 0 than this are left out and counted; "
        "in webrl_reference 0.2 leaves out most steps of failures."
    ),
    gettext_noop(
        "Train also on this many copies of each step, with other names and numbers "
        "in instruction, page and action, so that a small model learns to copy them."
    ),
    gettext_noop(
        "On: copies of good steps with a perplexity below perplexity_low are left "
        "out, as in replay: they take as much time as others and teach little."
    ),
    gettext_noop(
        "On: advantages are capped at beta * -log pi_ref of the action, so "
        "that none asks for a probability above 1."
    ),
    gettext_noop(
        "squared: the paper's loss (eq. 7). huber: an error above 1 counts linearly, "
        "so that a few far actions do not set the direction."
    ),
    gettext_noop(
        "Steps whose recorded log-probability differs from the reference's by more, "
        "in nats of the whole action, are left out and counted."
    ),
    gettext_noop(
        "Which episodes keep a Playwright trace; each step takes longer then."
    ),
    gettext_noop("Sites whose tasks are attempted and tested; none chosen means all."),
    gettext_noop("Instructions attempted in a phase (paper: 500)."),
    gettext_noop("Held-out test tasks per evaluation; 0 means all of them."),
    gettext_noop("Instructions the generator is asked for."),
    gettext_noop("Evolved tasks below this critic value are too hard (paper: 0.05)."),
    gettext_noop("Evolved tasks above this critic value are too easy (paper: 0.75)."),
    gettext_noop("Off: the paper's ablation that keeps attempting the seed tasks."),
    gettext_noop(
        "Largest share of a phase's tasks that evolved and were accepted; the rest "
        "are seed tasks."
    ),
    gettext_noop(
        "Order of the seed tasks. unsolved: those that the run has not solved come "
        "first. even: the same, with templates taking turns. learnable: the same, "
        "with most tasks of templates that the phase before solved about half of the "
        "time. band: random; tasks in the value band are four times as likely."
    ),
    gettext_noop(
        "Sampling temperature of training episodes from phase temperature_phases on, "
        "reached in equal steps; 0 keeps training_temperature."
    ),
    gettext_noop("Phase that reaches final_temperature."),
    gettext_noop(
        "Train the reward model of the next phase on the evaluators' outcomes of its "
        "newest training episodes; a person's verdict overrules them."
    ),
    gettext_noop("Phases opened one after another without a click."),
    gettext_noop("People who decide about each task; the majority counts."),
    gettext_noop("Hide the critic's value and the feasibility until a first decision."),
    gettext_noop("Share of gold items, whose right decision is known."),
    gettext_noop("Warn reviewers whose gold accuracy falls below this."),
    gettext_noop("Browser contexts at once per worker."),
    gettext_noop("Maximum steps of an episode (WebArena: 30)."),
    gettext_noop(
        "Maximum seconds of an episode. Waits for a served model that does "
        "not answer are not counted."
    ),
    gettext_noop(
        "What the policy is told. For a served model: our manual, only the "
        "conversation, VisualAgentBench's chat prompt, or the text that "
        "WebRL's released models continue. For a policy trained here: that "
        "text, otherwise the conversation."
    ),
    gettext_noop(
        "Chat turns of a served model's prompt: with a system turn, or user "
        "and assistant strictly alternating (templates of Gemma, Mistral and "
        "Llama 2)."
    ),
    gettext_noop(
        "Minimum seconds before each observation (VisualAgentBench: 3); 0 "
        "waits until the page is at rest."
    ),
    gettext_noop(
        "Maximum seconds until a page answers after an action; then the request is "
        "cancelled, and the policy is told."
    ),
    gettext_noop(
        "Maximum seconds of a step, or of opening the first page; a longer one ends "
        "the episode as the site's failure."
    ),
    gettext_noop(
        "Identical actions in a row that end an episode (WebArena: 3, "
        "WebRL's script: 5)."
    ),
    gettext_noop(
        "Texts typed into one element, also with other actions between them, that end "
        "an episode (WebArena: 3); 0: no limit."
    ),
    gettext_noop(
        "Invalid answers in a row that end an episode (WebArena: 3, WebRL's script: 5)."
    ),
    gettext_noop(
        "When an instance of an external site is reset to its first state: "
        "after each episode that may change it, after every "
        "episodes_per_reset of them, or before each stage of a phase that "
        "has episodes."
    ),
    gettext_noop(
        "Episodes that may change an instance between two resets, where reset_sites "
        "is per_episodes."
    ),
    gettext_noop(
        "Several episodes may change the same instance of an external site at once; "
        "they see one another's changes."
    ),
    gettext_noop("Sampling temperature of training episodes (paper: 1)."),
    gettext_noop("Sampling temperature of evaluation; 0 is greedy."),
    gettext_noop("Training episodes per instruction."),
    gettext_noop(
        "Test episodes per task, each with its own seed; with several the pages show "
        "pass@k. At temperature 0 they repeat one another."
    ),
    gettext_noop("Retries after a site or harness error."),
    gettext_noop(
        "Show the policy the whole page instead of the screen (WebRL: screen)."
    ),
    gettext_noop(
        "What the policy reads: compact HTML, the simplified HTML that "
        "WebRL's released models read, or one line per element with its role "
        "and name."
    ),
    gettext_noop(
        "How the policy writes its actions: WebRL's do(...), either the last "
        "one in an answer or strictly one and nothing else; AutoWebGLM's or "
        "BrowserGym's calls; a served model's tool calls. The starter policy "
        "knows only WebRL's."
    ),
    gettext_noop(
        "How text gets into a field: all at once, or with a click and then "
        "key by key (WebArena, WebArena-Lite)."
    ),
    gettext_noop(
        "Price of a million prompt tokens of a served policy, in the currency of its "
        "bill."
    ),
    gettext_noop("Price of a million tokens of its answers."),
    gettext_noop(
        "What the run may spend on its served policy before it pauses; 0 is no limit."
    ),
    gettext_noop("Keep each page for the replay."),
    gettext_noop("Share of the episodes recorded with screenshots."),
    gettext_noop(
        "What the policy is trained for: WebRL as published or as released, "
        "imitation, Filtered BC, expert iteration, AWR, DigiRL or M-GRPO."
    ),
    gettext_noop("Off: the paper's ablation without the KL constraint."),
    gettext_noop(
        "Filtered BC and DigiRL keep episodes at or above this quantile "
        "(Filtered BC: 0.7; DigiRL's code: 0.9)."
    ),
    gettext_noop(
        "Strength of the KL constraint; the log-ratio aims at advantage / beta "
        "(paper eq. 5; swept there, no single value given)."
    ),
    gettext_noop("Weight of the one-step advantage (paper eq. 9: 0.5)."),
    gettext_noop(
        "Replayed actions with a lower perplexity are too familiar (paper: 1/0.95)."
    ),
    gettext_noop(
        "Replayed actions with a higher perplexity are too hard (paper: 1/0.5)."
    ),
    gettext_noop("At most this many replayed steps per step of the phase (paper: 2)."),
    gettext_noop("Off: the paper's ablation without replay."),
    gettext_noop(
        "On: each phase also trains on the demonstrations that people kept "
        "in the run, regardless of their perplexity, if the objective uses "
        "replay."
    ),
    gettext_noop("Constant (paper, table 6: 1e-6 for 8B)."),
    gettext_noop("Passes over the phase (paper: 1)."),
    gettext_noop("Transitions per optimiser step (paper: 128)."),
    gettext_noop("Transitions per forward and backward pass; divides batch_size."),
    gettext_noop("Maximum tokens of one scoring pass, padding included."),
    gettext_noop("Paper: 1.0."),
    gettext_noop("The page is cut so that the prompt fits (paper: 16,384)."),
    gettext_noop("Longest action that is trained on (code: 512)."),
    gettext_noop("Train the reward model of the next phase on people's verdicts."),
    gettext_noop("Minimum number of judged episodes to learn from."),
    gettext_noop("Constant (for 8B; small models need more)."),
    gettext_noop("Passes over the rows."),
    gettext_noop(
        "Rank of the adapters that the reward model's training trains; 0 trains all "
        "weights."
    ),
    gettext_noop(
        "At most this many of its own sure verdicts per human verdict, so "
        "that it keeps what it knew."
    ),
    gettext_noop("Share of the judged tasks used only for measurement."),
    gettext_noop(
        "What the reward model is asked: our question, or the one that WebRL's "
        "released reward model was trained on."
    ),
)


def say_setting(name: str) -> str:
    """Return a setting's label, or its name in words if it has none."""
    return str(LABELS.get(name) or name.replace("_", " ").capitalize())


def explain_setting(text: str) -> str:
    """Return what a setting is for."""
    return gettext(text) if text else ""
