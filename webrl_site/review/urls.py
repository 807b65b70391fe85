"""Addresses of the review: the desk and the pages around it."""

from __future__ import annotations

from django.urls import path

from webrl_site.review import (
    agreement_views,
    bulk_views,
    dispute_views,
    gold_views,
    guideline_views,
    key_views,
    progress_views,
)
from webrl_site.review import views as review

urlpatterns = [
    path("", review.desk, name="review"),
    path("decide/", review.decide, name="review_decide"),
    path("renew/", review.renew, name="review_renew"),
    path("<int:review_id>/undo/", review.undo, name="review_undo"),
    path("warm/", review.warm, name="review_warm"),
    path("keys/", key_views.desk_keys, name="desk_keys"),
    path("take-back/", review.take_back, name="review_take_back"),
    path("flags/<int:flag_id>/settle/", review.settle_flag, name="settle_flag"),
    path("bulk/", bulk_views.bulk, name="bulk"),
    path("bulk/<int:batch_id>/undo/", bulk_views.undo, name="bulk_undo"),
    path("gold/", gold_views.gold_list, name="gold"),
    path("gold/<int:task_id>/set/", gold_views.set_gold, name="set_gold"),
    path("gold/<int:task_id>/drop/", gold_views.drop_gold, name="drop_gold"),
    path("guidelines/", guideline_views.guideline_list, name="guidelines"),
    path("guidelines/edit/", guideline_views.edit, name="guideline_edit"),
    path("guidelines/preview/", guideline_views.preview, name="guideline_preview"),
    path("guidelines/<int:version>/", guideline_views.guideline, name="guideline"),
    path("progress/", progress_views.progress, name="progress"),
    path("progress/decisions/", progress_views.decisions, name="my_decisions"),
    path("team/", progress_views.team, name="team"),
    path(
        "team/<int:user_id>/",
        progress_views.person_decisions,
        name="person_decisions",
    ),
    path("disputes/", dispute_views.dispute_list, name="disputes"),
    path("disputes/<int:task_id>/", dispute_views.dispute, name="dispute"),
    path("agreement/", agreement_views.agreement, name="agreement"),
]
