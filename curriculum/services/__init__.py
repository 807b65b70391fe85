"""The only writers of curriculum's rows."""

from __future__ import annotations

from curriculum.services.edits import (
    check_settings,
    digest_settings,
    edit_and_resume,
)
from curriculum.services.phases import (
    claim_wakeup,
    create_run,
    fail_phase,
    forget_wakeup,
    freeze_tasks,
    move_phase,
    open_phase,
    pause_phase,
    resume_phase,
    set_next_orm,
    set_next_served,
    set_next_weights,
    stop_phase,
)
from curriculum.services.proposals import (
    accept_shortlisted,
    mark_evolved,
    record_feasibility,
    record_proposals,
    set_task_values,
    shortlist_tasks,
)
from curriculum.services.reviewing.adjudication import adjudicate
from curriculum.services.reviewing.bulk_reviews import (
    check_many,
    decide_many,
    undo_batch,
)
from curriculum.services.reviewing.decision_rules import Decision
from curriculum.services.reviewing.decisions import (
    decide_review,
    finish_review,
    take_back_passed,
    undo_review,
)
from curriculum.services.reviewing.desk_keys import reset_keys, save_keys
from curriculum.services.reviewing.first_looks import take_first_look
from curriculum.services.reviewing.flags import flag_task, settle_flag, withdraw_flag
from curriculum.services.reviewing.gold import drop_gold, set_gold
from curriculum.services.reviewing.guidelines import write_guideline
from curriculum.services.reviewing.phase_lock import lock_if_decided
from curriculum.services.reviewing.reservations import (
    Reservation,
    find_reservation,
    reclaim,
    renew_review_lease,
    require_reservation,
    take_next,
)
from curriculum.services.reviewing.review_lease import claim_review
from curriculum.services.run_notes import RunNotes, annotate_run
from curriculum.services.sites import (
    add_site_instance,
    check_address,
    check_sites,
    register_sites,
    remove_site_instance,
    set_site_address,
)
from curriculum.services.stage_lease import (
    Heartbeat,
    StageLease,
    claim_stage,
    expire_stages,
    release_stage,
    renew_stage,
    working_on,
    writing_under,
)
from curriculum.services.task_import import (
    ImportReport,
    check_tasks,
    import_tasks,
    prepare_entries,
    read_task_file,
)
from curriculum.services.value_band import (
    Moved,
    move_band,
)

__all__ = [
    "Decision",
    "Heartbeat",
    "ImportReport",
    "Moved",
    "Reservation",
    "RunNotes",
    "StageLease",
    "accept_shortlisted",
    "add_site_instance",
    "adjudicate",
    "annotate_run",
    "check_address",
    "check_many",
    "check_settings",
    "check_sites",
    "check_tasks",
    "claim_review",
    "claim_stage",
    "claim_wakeup",
    "create_run",
    "decide_many",
    "decide_review",
    "digest_settings",
    "drop_gold",
    "edit_and_resume",
    "expire_stages",
    "fail_phase",
    "find_reservation",
    "finish_review",
    "flag_task",
    "forget_wakeup",
    "freeze_tasks",
    "import_tasks",
    "lock_if_decided",
    "mark_evolved",
    "move_band",
    "move_phase",
    "open_phase",
    "pause_phase",
    "prepare_entries",
    "read_task_file",
    "reclaim",
    "record_feasibility",
    "record_proposals",
    "register_sites",
    "release_stage",
    "remove_site_instance",
    "renew_review_lease",
    "renew_stage",
    "require_reservation",
    "reset_keys",
    "resume_phase",
    "save_keys",
    "set_gold",
    "set_next_orm",
    "set_next_served",
    "set_next_weights",
    "set_site_address",
    "set_task_values",
    "settle_flag",
    "shortlist_tasks",
    "stop_phase",
    "take_back_passed",
    "take_first_look",
    "take_next",
    "undo_batch",
    "undo_review",
    "withdraw_flag",
    "working_on",
    "write_guideline",
    "writing_under",
]
