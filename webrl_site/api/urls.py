"""Every address of the API."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path
from rest_framework.routers import SimpleRouter

from curriculum.api.views import EventViewSet, SiteViewSet, TaskViewSet
from rollouts.api import StepViewSet, TrajectoryViewSet
from training.api import MetricViewSet, TrainingRunViewSet
from webrl_site.api.about import MeView, ProblemView
from webrl_site.api.checkpoints import CheckpointViewSet
from webrl_site.api.phases import (
    FinishReviewView,
    OpenPhaseView,
    PhaseViewSet,
    ResumePhaseView,
    StopPhaseView,
)
from webrl_site.api.reviews import (
    ClaimReviewView,
    FirstLookView,
    RenewReviewView,
    ReviewViewSet,
    UndoReviewView,
)
from webrl_site.api.reward_models import OrmExampleViewSet
from webrl_site.api.runs import RunViewSet
from webrl_site.api.schema import SchemaView
from webrl_site.api.task_import import TaskImportView
from webrl_site.exports.api import ExportView

router = SimpleRouter()
router.register("sites", SiteViewSet, basename="api-site")
router.register("tasks", TaskViewSet, basename="api-task")
router.register("reviews", ReviewViewSet, basename="api-review")
router.register("runs", RunViewSet, basename="api-run")
router.register("phases", PhaseViewSet, basename="api-phase")
router.register("events", EventViewSet, basename="api-event")
router.register("trajectories", TrajectoryViewSet, basename="api-trajectory")
router.register("training-runs", TrainingRunViewSet, basename="api-training-run")
router.register("metrics", MetricViewSet, basename="api-metric")
router.register("checkpoints", CheckpointViewSet, basename="api-checkpoint")

urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", SchemaView.as_view(), name="api-schema"),
    path("problems/<slug:name>/", ProblemView.as_view(), name="api-problem"),
    path("me/", MeView.as_view(), name="api-me"),
    path("tasks/import/", TaskImportView.as_view(), name="api-task-import"),
    path("runs/<int:run_id>/phases/", OpenPhaseView.as_view(), name="api-open-phase"),
    path("phases/<int:phase_id>/stop/", StopPhaseView.as_view(), name="api-stop-phase"),
    path(
        "phases/<int:phase_id>/resume/",
        ResumePhaseView.as_view(),
        name="api-resume-phase",
    ),
    path(
        "phases/<int:phase_id>/finish-review/",
        FinishReviewView.as_view(),
        name="api-finish-review",
    ),
    path("reviews/claim/", ClaimReviewView.as_view(), name="api-claim-review"),
    path("reviews/first-look/", FirstLookView.as_view(), name="api-first-look"),
    path("reviews/renew/", RenewReviewView.as_view(), name="api-renew-review"),
    path(
        "reviews/<int:review_id>/undo/",
        UndoReviewView.as_view(),
        name="api-undo-review",
    ),
    path(
        "trajectories/<int:trajectory_id>/steps/",
        StepViewSet.as_view({"get": "list"}),
        name="api-steps",
    ),
    path(
        "checkpoints/<int:checkpoint_id>/episodes/",
        OrmExampleViewSet.as_view({"get": "list"}),
        name="api-taught-episodes",
    ),
    path("exports/<slug:kind>/", ExportView.as_view(), name="api-export"),
    *router.urls,
]
