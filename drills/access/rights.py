"""Who may open what: one entry for each address and each socket.

An address of the URL resolver without an entry, and an entry without an address, fail
a test and the drill.
"""

from __future__ import annotations

# Audiences of an address; each includes those after it.
ANYONE, SIGNED_IN, ROLE = "anyone", "signed in", "any role"
RESEARCHER, ADMIN = "researcher", "admin"
# The admin's pages of rows that only services write: administrators read them.
ADMIN_READS = "admin reads"
# Answered only on an origin of its own, or with the operator's token.
ELSEWHERE = "elsewhere"

LEAST = {
    ANYONE: "nobody",
    SIGNED_IN: "stranger",
    ROLE: "annotator",
    RESEARCHER: "researcher",
    ADMIN: "admin",
    ADMIN_READS: "admin",
}

_BY_AUDIENCE = {
    ANYONE: (
        "healthz login logout choose_password set_language api-schema api-problem "
        "admin:logout"
    ),
    SIGNED_IN: "change_password",
    ROLE: (
        "home health end_tour restart_tour hide_steps token_list revoke_token help "
        "docs task task_family try_task site_list site "
        "curriculum:task_list curriculum:value_band "
        "rollouts:trajectory_list replay replay_step replay_live trace bundle compare "
        "compare_step judge_episode correct_error_type take_verdict_back judges "
        "take_over takeover act_takeover leave_takeover keep_takeover let_takeover_go "
        "review review_decide review_renew review_undo review_warm desk_keys "
        "review_take_back guidelines guideline progress my_decisions agreement "
        "api-me api-claim-review api-first-look api-renew-review api-undo-review "
        "api-review-list api-review-detail api-site-list api-site-detail api-task-list "
        "api-task-detail api-trajectory-list api-trajectory-detail api-steps api-export"
    ),
    RESEARCHER: (
        "task_import reset_site check_site open_site curriculum:move_band "
        "run_list run run_new run_config annotate_run compare_runs open_phase "
        "ledger attempts phase_ledger phase phase_log phase_record phase_record_json "
        "edit_phase stop_phase name_served "
        "resume_phase finish_review queue evidence notices test_notice "
        "checkpoint taught_episodes training:training_run charts chart_csv "
        "verdict_rows bulk bulk_undo gold set_gold drop_gold settle_flag team disputes "
        "person_decisions "
        "dispute guideline_edit guideline_preview "
        "api-task-import api-open-phase api-stop-phase api-resume-phase "
        "api-finish-review api-taught-episodes api-run-list api-run-detail "
        "api-phase-list api-phase-detail api-event-list api-event-detail "
        "api-training-run-list api-training-run-detail api-metric-list "
        "api-metric-detail api-checkpoint-list api-checkpoint-detail"
    ),
    ADMIN: (
        "add_instance remove_instance people change_person "
        "styleguide admin/login/ admin:login admin:index admin:app_list "
        "admin:password_change admin:password_change_done admin:autocomplete "
        "admin:jsi18n admin:view_on_site admin/(?P<url>.*)$ admin:user admin:group "
        "admin:site"
    ),
    ADMIN_READS: (
        "admin:run admin:phase admin:task admin:review admin:phaseevent "
        "admin:trajectory admin:step admin:sitecondition admin:humanverdict "
        "admin:trainingrun admin:checkpoint admin:experience admin:metric"
    ),
    ELSEWHERE: (
        "metrics "
        r"^recorded/(?P<digest>[0-9a-f]{64})\.html$ "
        r"^recorded/(?P<digest>[0-9a-f]{64})\.jpg$"
    ),
}
RIGHTS = {key: who for who, keys in _BY_AUDIENCE.items() for key in keys.split()}
# Websockets, by their pattern.
SOCKETS = {
    "ws/home/": ROLE,
    "ws/phases/<int:phase_id>/": ROLE,
    "ws/trajectories/<int:trajectory_id>/": ROLE,
}
# Addresses that answer 404 even to permitted roles: the example has no such row.
ABSENT = frozenset(
    "trace review_decide api-problem admin:view_on_site admin/(?P<url>.*)$".split()
)
# Rows of another person: the answer is 404. The trials of owned rows check more.
FOREIGN = frozenset(
    "takeover act_takeover leave_takeover keep_takeover let_takeover_go".split()
)
# Addresses that lead to the sign-in page, or refuse some of their operations.
PARTICULAR = frozenset("logout admin:autocomplete admin:group admin:site".split())
# Parameters of rows that belong to one person. An address with one of these in its
# path must be among the trials of own and foreign rows.
OWNED_PARAMETERS = frozenset({"token_id", "review_id", "batch_id", "takeover_id"})
