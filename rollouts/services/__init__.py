"""The only writers of rollouts' rows."""

from __future__ import annotations

from rollouts.services.collection import (
    Assignment,
    Collection,
    CollectorStalled,
    EpisodeCollector,
    collect_episodes,
)
from rollouts.services.demonstrations import (
    keep_demonstration,
    let_demonstration_go,
)
from rollouts.services.instances.checks import check_site, request_check
from rollouts.services.queue import (
    claim_episodes,
    draw_seed,
    queue_episodes,
    release_episodes,
    renew_leases,
    requeue_expired,
    requeue_failed,
)
from rollouts.services.records import (
    SaveReport,
    append_step,
    fail_trajectory,
    finish_trajectory,
    record_scores,
    save_records,
)
from rollouts.services.retention import (
    Removal,
    drop_leftovers,
    drop_lost_traces,
    measure_evidence,
    remove_evidence,
)
from rollouts.services.serving.hand_overs import hand_over_weights, name_served_model
from rollouts.services.site_breaker import open_site
from rollouts.services.site_resets import (
    forget_reset,
    request_reset,
    reset_site,
)
from rollouts.services.takeover_worker import Driver, attend_takeover
from rollouts.services.takeovers import (
    ask_action,
    end_lost_takeovers,
    leave_takeover,
    open_takeover,
)
from rollouts.services.verdicts import (
    MAX_NOTE_LENGTH,
    record_human_verdict,
    take_verdict_back,
)

__all__ = [
    "MAX_NOTE_LENGTH",
    "Assignment",
    "Collection",
    "CollectorStalled",
    "Driver",
    "EpisodeCollector",
    "Removal",
    "SaveReport",
    "append_step",
    "ask_action",
    "attend_takeover",
    "check_site",
    "claim_episodes",
    "collect_episodes",
    "draw_seed",
    "drop_leftovers",
    "drop_lost_traces",
    "end_lost_takeovers",
    "fail_trajectory",
    "finish_trajectory",
    "forget_reset",
    "hand_over_weights",
    "keep_demonstration",
    "leave_takeover",
    "let_demonstration_go",
    "measure_evidence",
    "name_served_model",
    "open_site",
    "open_takeover",
    "queue_episodes",
    "record_human_verdict",
    "record_scores",
    "release_episodes",
    "remove_evidence",
    "renew_leases",
    "request_check",
    "request_reset",
    "requeue_expired",
    "requeue_failed",
    "reset_site",
    "save_records",
    "take_verdict_back",
]
