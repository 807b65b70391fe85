"""The glossary's texts, marked for translation; a test compares them with the page."""

from __future__ import annotations

from django.utils.translation import gettext_noop

SECTIONS = (
    gettext_noop("Tasks and sites"),
    gettext_noop("Acting"),
    gettext_noop("Learning"),
    gettext_noop("Programs"),
    gettext_noop("Reviewing"),
    gettext_noop("Keeping work safe"),
)
# Each word and what it means.
TERMS = {
    gettext_noop("task"): gettext_noop(
        "something to do on a site, with its instruction; a row of curriculum.Task "
        "(WebArena says intent, BrowserGym goal)"
    ),
    gettext_noop("instruction"): gettext_noop(
        "the sentence of a task that the agent reads"
    ),
    gettext_noop("site"): gettext_noop("a web application that the agent works on"),
    gettext_noop("external site"): gettext_noop(
        "a web application outside the sandbox; all episodes share it"
    ),
    gettext_noop("closed site"): gettext_noop(
        "an external site that gets no new episodes for a while because it "
        "broke too many in a row; then single episodes try it"
    ),
    gettext_noop("site reset"): gettext_noop(
        "putting an external site, which all episodes share, back to its first state"
    ),
    gettext_noop("sandbox"): gettext_noop(
        "the sites that come with the workbench, with a state per episode"
    ),
    gettext_noop("evaluator"): gettext_noop(
        "a rule that decides an episode by what really happened: its answer, address, "
        "page or state"
    ),
    gettext_noop("judge"): gettext_noop(
        "a language model that compares meanings for an evaluator"
    ),
    gettext_noop("outcome"): gettext_noop(
        "the evaluators' result for an episode: success, failure, or unknown when a "
        "task has none"
    ),
    gettext_noop("human verdict"): gettext_noop(
        "a person's verdict on an episode: success, failure or cannot tell; the "
        "newest of each person counts"
    ),
    gettext_noop("oracle"): gettext_noop(
        "the scripted solver of a task template; proves that its tasks can be solved"
    ),
    gettext_noop("split"): gettext_noop("train, validation or test; no task is in two"),
    gettext_noop("job"): gettext_noop(
        "a Celery task; it takes ids and may run twice. tasks.py keeps Celery's file "
        "name"
    ),
    gettext_noop("environment"): gettext_noop(
        "the object around one browser page with reset and step, Gymnasium's contract"
    ),
    gettext_noop("observation"): gettext_noop(
        "what the policy sees of a page: simplified HTML, or an accessibility tree, "
        "with integer ids"
    ),
    gettext_noop("action"): gettext_noop(
        "what the policy writes: comment lines, then one call"
    ),
    gettext_noop("dialect"): gettext_noop(
        "one of the ways to write actions: webrl, webrl_strict, autowebglm, "
        "browsergym or tools"
    ),
    gettext_noop("step"): gettext_noop("one exchange of observation and action"),
    gettext_noop("terminated"): gettext_noop(
        "the task ended: the agent called exit, or a page that computes its "
        "own reward ended it"
    ),
    gettext_noop("truncated"): gettext_noop(
        "the episode was stopped: step limit, time limit, repetition, invalid answers"
    ),
    gettext_noop("episode"): gettext_noop(
        "one run from reset to terminated or truncated"
    ),
    gettext_noop("rollout"): gettext_noop(
        "the act of collecting episodes with a policy"
    ),
    gettext_noop("trajectory"): gettext_noop(
        "the record of one episode; a row of rollouts.Trajectory"
    ),
    gettext_noop("takeover"): gettext_noop(
        "a person continues an episode by hand from one of its steps, in a "
        "browser brought to that step; this makes a new trajectory"
    ),
    gettext_noop("demonstration"): gettext_noop(
        "a success by hand that was kept, for SFT; or what an oracle does"
    ),
    gettext_noop("film"): gettext_noop(
        "an episode's steps side by side in the replay, with strips of numbers under "
        "them"
    ),
    gettext_noop("bundle"): gettext_noop(
        "an episode as one archive that opens from disk"
    ),
    gettext_noop("agent"): gettext_noop(
        "policy, environment and the loop between them"
    ),
    gettext_noop("reward"): gettext_noop(
        "the number for one step or one outcome, 0 or 1"
    ),
    gettext_noop("return"): gettext_noop(
        "the sum of later rewards, discounted where a discount is named"
    ),
    gettext_noop("reward model"): gettext_noop(
        "the outcome-supervised model (ORM): P(YES) that a trajectory succeeded, from "
        "instruction, actions and last page"
    ),
    gettext_noop("policy"): gettext_noop("the model that acts"),
    gettext_noop("critic"): gettext_noop("the model that estimates value"),
    gettext_noop("value"): gettext_noop(
        "the critic's probability, 0 to 1, that the episode will succeed "
        "from a given page on"
    ),
    gettext_noop("advantage"): gettext_noop(
        "how much better an action was than the critic expected"
    ),
    gettext_noop("perplexity"): gettext_noop(
        "of a past action under a policy: exp(-mean token log-probability), at least "
        "1; low is what the policy would have done anyway"
    ),
    gettext_noop("perplexity band"): gettext_noop(
        "the perplexities between which a past step may be replayed: neither too "
        "familiar nor too unlikely"
    ),
    gettext_noop("value band"): gettext_noop(
        "the values between which an evolved task is kept: neither too hard nor too "
        "easy for the critic"
    ),
    gettext_noop("experience"): gettext_noop(
        "what training made of one step: its numbers, whether it was used, and if "
        "not, why"
    ),
    gettext_noop("replay buffer"): gettext_noop(
        "the steps of past successes from which experience may be drawn"
    ),
    gettext_noop("phase"): gettext_noop(
        "one round: collect, score, train, evaluate, evolve, review"
    ),
    gettext_noop("run"): gettext_noop(
        "a series of phases with one configuration, one seed and one lineage of weights"
    ),
    gettext_noop("curriculum"): gettext_noop(
        "the rule that decides the next phase's tasks"
    ),
    gettext_noop("evolve"): gettext_noop("make new tasks from those that failed"),
    gettext_noop("checkpoint"): gettext_noop(
        "saved weights with the digest, configuration and code that made them"
    ),
    gettext_noop("SFT"): gettext_noop(
        "supervised fine-tuning on demonstrations, also called behaviour cloning"
    ),
    gettext_noop("KL"): gettext_noop(
        "how far a policy has moved from the one that collected the phase, per "
        "action; 0 is not at all"
    ),
    gettext_noop("KL constraint"): gettext_noop(
        "the term of the loss that keeps the policy near the policy that collected "
        "the phase"
    ),
    # xgettext:no-python-format
    gettext_noop("Wilson interval"): gettext_noop(
        "the range of a success rate at 95 % confidence, given how many episodes were "
        "counted; it never leaves 0 to 100 %"
    ),
    gettext_noop("evidence"): gettext_noop(
        "files that show people what an episode did: traces, screenshots, recorded "
        "pages"
    ),
    gettext_noop("retention"): gettext_noop(
        "the rules by which evidence is removed after so many days, or above so many "
        "GiB"
    ),
    gettext_noop("pinned"): gettext_noop(
        "of an episode: a person has marked it, so its evidence is kept "
        "regardless of the rule"
    ),
    gettext_noop("token"): gettext_noop(
        "of the API: a program's key, limited to scopes and in time; elsewhere what a "
        "model reads and writes"
    ),
    gettext_noop("scope"): gettext_noop(
        "what a token may do: read, review, run, import"
    ),
    gettext_noop("problem"): gettext_noop(
        "an error of the API as RFC 9457 defines it; its type is its name"
    ),
    gettext_noop("idempotency key"): gettext_noop(
        "a name for a request, so that it is carried out only once"
    ),
    gettext_noop("review"): gettext_noop(
        "one person's decision about an evolved task: accept, edit, reject or skip"
    ),
    gettext_noop("vote"): gettext_noop(
        "a review that counts: neither skipped nor taken back"
    ),
    gettext_noop("gold item"): gettext_noop(
        "a decided task whose right decision is known, mixed in among those under "
        "review; reviewers do not see which it is"
    ),
    gettext_noop("dispute"): gettext_noop(
        "a task about which enough people voted without a majority; its status is "
        "disputed"
    ),
    gettext_noop("adjudication"): gettext_noop(
        "the decision with which a researcher ends a dispute"
    ),
    gettext_noop("claim"): gettext_noop("take a row of work by one conditional update"),
    gettext_noop("lease"): gettext_noop(
        "how long a claim is valid without a heartbeat"
    ),
    gettext_noop("heartbeat"): gettext_noop("the regular write that renews a lease"),
    gettext_noop("attempt"): gettext_noop(
        "the number of a claim; a write with an older number changes nothing"
    ),
    gettext_noop("wake-up"): gettext_noop(
        "a message that there may be work; it may be lost or repeated"
    ),
    gettext_noop("stuck"): gettext_noop(
        "of a phase: it should progress, but has not for STUCK_AFTER_S seconds"
    ),
    gettext_noop("notice"): gettext_noop("a message to operators by webhook or e-mail"),
    gettext_noop("sweep"): gettext_noop(
        "the regular search for expired leases and for phases that no worker "
        "is processing"
    ),
}
