"""Addresses of the review: the desk and the pages around it."""

from __future__ import annotations

from django.urls import path

from webrl_site.views import (
    agreement,
    bulk,
    desk_keys,
    disputes,
    gold,
    guidelines,
    progress,
    review,
)

urlpatterns = [
    path("", review.desk, name="review"),
    path("decide/", review.decide, name="review_decide"),
    path("renew/", review.renew, name="review_renew"),
    path("<int:review_id>/undo/", review.undo, name="review_undo"),
    path("warm/", review.warm, name="review_warm"),
    path("keys/", desk_keys.desk_keys, name="desk_keys"),
    path("take-back/", review.take_back, name="review_take_back"),
    path("flags/<int:flag_id>/settle/", review.settle_flag, name="settle_flag"),
    path("bulk/", bulk.bulk, name="bulk"),
    path("bulk/<int:batch_id>/undo/", bulk.undo, name="bulk_undo"),
    path("gold/", gold.gold_list, name="gold"),
    path("gold/<int:task_id>/set/", gold.set_gold, name="set_gold"),
    path("gold/<int:task_id>/drop/", gold.drop_gold, name="drop_gold"),
    path("guidelines/", guidelines.guideline_list, name="guidelines"),
    path("guidelines/edit/", guidelines.edit, name="guideline_edit"),
    path("guidelines/preview/", guidelines.preview, name="guideline_preview"),
    path("guidelines/<int:version>/", guidelines.guideline, name="guideline"),
    path("progress/", progress.progress, name="progress"),
    path("progress/decisions/", progress.decisions, name="my_decisions"),
    path("team/", progress.team, name="team"),
    path("disputes/", disputes.dispute_list, name="disputes"),
    path("disputes/<int:task_id>/", disputes.dispute, name="dispute"),
    path("agreement/", agreement.agreement, name="agreement"),
]
