"""Every address of the dashboard, the API and the replay origin."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.i18n import set_language

from training import views as training_views
from webrl_site import recorded
from webrl_site.api import urls as api
from webrl_site.views import (
    account,
    charts,
    docs,
    edit_phase,
    evidence,
    healthz,
    help,
    home,
    judges,
    launch,
    notices,
    phases,
    queue,
    records,
    replay,
    runs,
    sites,
    styleguide,
    takeovers,
    task_import,
    tasks,
    tokens,
    welcome,
)

DIGEST = r"(?P<digest>[0-9a-f]{64})"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("health/", home.health, name="health"),
    path("healthz", healthz.healthz, name="healthz"),
    path("sign-in/", account.SignIn.as_view(), name="login"),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("language/", set_language, name="set_language"),
    path("curriculum/", include("curriculum.urls")),
    path("curriculum/<int:task_id>/", tasks.task_detail, name="task"),
    path("curriculum/<int:task_id>/family/", tasks.task_family, name="task_family"),
    path("curriculum/<int:task_id>/try/", sites.try_task, name="try_task"),
    path("curriculum/sites/", sites.site_list, name="site_list"),
    path("curriculum/sites/<int:site_id>/reset/", sites.reset_site, name="reset_site"),
    path("curriculum/sites/<int:site_id>/open/", sites.open_site, name="open_site"),
    path("curriculum/import/", task_import.task_import, name="task_import"),
    path("review/", include("webrl_site.review_urls")),
    path("runs/", runs.run_list, name="run_list"),
    path("runs/new/", launch.run_new, name="run_new"),
    path("runs/queue/", queue.queue, name="queue"),
    path("runs/evidence/", evidence.evidence, name="evidence"),
    path("runs/notices/", notices.notices, name="notices"),
    path("runs/notices/test/", notices.test_notice, name="test_notice"),
    path("runs/<int:run_id>/notes/", runs.annotate_run, name="annotate_run"),
    path("runs/compare/", runs.compare_runs, name="compare_runs"),
    path("runs/<int:run_id>/", runs.run_detail, name="run"),
    path("runs/<int:run_id>/config.json", runs.run_config, name="run_config"),
    path("runs/<int:run_id>/phases/", runs.open_phase, name="open_phase"),
    path("phases/<int:phase_id>/", phases.phase_detail, name="phase"),
    path("phases/<int:phase_id>/log/", phases.phase_log, name="phase_log"),
    path("phases/<int:phase_id>/edit/", edit_phase.edit_phase, name="edit_phase"),
    path("phases/<int:phase_id>/stop/", phases.stop_phase, name="stop_phase"),
    path("phases/<int:phase_id>/resume/", phases.resume_phase, name="resume_phase"),
    path(
        "phases/<int:phase_id>/finish-review/",
        phases.finish_review,
        name="finish_review",
    ),
    path("trajectories/", include("rollouts.urls")),
    path("trajectories/<int:trajectory_id>/", replay.replay, name="replay"),
    path(
        "trajectories/<int:trajectory_id>/steps/<int:number>/",
        replay.replay,
        name="replay_step",
    ),
    path(
        "trajectories/<int:trajectory_id>/live/", replay.replay_live, name="replay_live"
    ),
    path("trajectories/<int:trajectory_id>/trace/", replay.trace, name="trace"),
    path("trajectories/<int:trajectory_id>/bundle.zip", replay.bundle, name="bundle"),
    path(
        "trajectories/<int:left_id>/compare/<int:right_id>/",
        replay.compare,
        name="compare",
    ),
    path(
        "trajectories/<int:left_id>/compare/<int:right_id>/steps/<int:number>/",
        replay.compare,
        name="compare_step",
    ),
    path(
        "trajectories/<int:trajectory_id>/verdict/",
        replay.judge_episode,
        name="judge_episode",
    ),
    path(
        "trajectories/<int:trajectory_id>/verdict/take-back/",
        replay.take_back_verdict,
        name="take_verdict_back",
    ),
    path(
        "trajectories/<int:trajectory_id>/steps/<int:number>/take-over/",
        takeovers.take_over,
        name="take_over",
    ),
    path("takeovers/<int:takeover_id>/", takeovers.takeover, name="takeover"),
    path("takeovers/<int:takeover_id>/act/", takeovers.act, name="act_takeover"),
    path("takeovers/<int:takeover_id>/leave/", takeovers.leave, name="leave_takeover"),
    path("takeovers/<int:takeover_id>/keep/", takeovers.keep, name="keep_takeover"),
    path(
        "takeovers/<int:takeover_id>/let-go/",
        takeovers.let_go,
        name="let_takeover_go",
    ),
    path(
        "checkpoints/<int:checkpoint_id>/", training_views.checkpoint, name="checkpoint"
    ),
    path(
        "checkpoints/<int:checkpoint_id>/episodes/",
        training_views.taught_episodes,
        name="taught_episodes",
    ),
    path("phases/<int:phase_id>/record/", records.phase_record, name="phase_record"),
    path(
        "phases/<int:phase_id>/record.json",
        records.phase_record_json,
        name="phase_record_json",
    ),
    path("training/", include("training.urls")),
    path("judges/", judges.judges, name="judges"),
    path("judges/verdicts.jsonl", judges.verdict_rows, name="verdict_rows"),
    path("charts/", charts.chart_list, name="charts"),
    path("charts/<slug:key>.csv", charts.chart_csv, name="chart_csv"),
    re_path(rf"^recorded/{DIGEST}\.html$", recorded.recorded_page),
    re_path(rf"^recorded/{DIGEST}\.jpg$", recorded.recorded_screenshot),
    path("styleguide/", styleguide.styleguide, name="styleguide"),
    path("account/password/", account.ChangePassword.as_view(), name="change_password"),
    path("account/tokens/", tokens.token_list, name="token_list"),
    path("account/tokens/<int:token_id>/revoke/", tokens.revoke, name="revoke_token"),
    path("help/", help.help_page, name="help"),
    path("help/tour/end/", welcome.end_tour, name="end_tour"),
    path("help/tour/again/", welcome.restart_tour, name="restart_tour"),
    path("help/first-steps/hide/", welcome.hide_steps, name="hide_steps"),
    path("help/docs/<path:name>", docs.docs_page, name="docs"),
    path("api/", include(api.urlpatterns)),
    path("admin/login/", account.admin_sign_in),
    path("admin/", admin.site.urls),
]

# Programs get problem JSON where people get a page.
handler400 = "webrl_site.api.problems.bad_request"
handler404 = "webrl_site.api.problems.not_found"
handler500 = "webrl_site.api.problems.server_error"
