"""Every address of the dashboard, the API and the replay origin.

Each feature keeps its own addresses in its `urls.py`.
"""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.i18n import set_language

from training import views as training_views
from webrl_site.api import urls as api

FEATURES = (
    "home",
    "server",
    "metrics",
    "account",
    "task_pages",
    "sites",
    "runs",
    "launch",
    "operations",
    "phases",
    "replay",
    "takeover",
    "verdicts",
    "charts",
    "ledger",
    "attempts",
    "recorded",
    "help",
)

urlpatterns: list[URLPattern | URLResolver] = [
    *(path("", include(f"webrl_site.{feature}.urls")) for feature in FEATURES),
    path("language/", set_language, name="set_language"),
    path("curriculum/", include("curriculum.urls")),
    path("review/", include("webrl_site.review.urls")),
    path("trajectories/", include("rollouts.urls")),
    path(
        "checkpoints/<int:checkpoint_id>/", training_views.checkpoint, name="checkpoint"
    ),
    path(
        "checkpoints/<int:checkpoint_id>/episodes/",
        training_views.taught_episodes,
        name="taught_episodes",
    ),
    path("training/", include("training.urls")),
    path("api/", include(api.urlpatterns)),
    path("admin/", admin.site.urls),
]

# Programs get problem JSON, people get a page.
handler400 = "webrl_site.api.problems.bad_request"
handler404 = "webrl_site.api.problems.not_found"
handler500 = "webrl_site.api.problems.server_error"
