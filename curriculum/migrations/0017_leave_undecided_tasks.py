from __future__ import annotations

from typing import Any

from django.db import migrations, models


def tell_them_apart(apps: Any, schema_editor: Any) -> None:
    """What nobody decided was called filtered out, with this reason."""
    tasks = apps.get_model("curriculum", "Task").objects
    reason = "Left undecided when the review was finished"
    left = tasks.filter(status="filtered", filter_reason=reason)
    left.update(status="left", filter_reason="")


def call_them_filtered(apps: Any, schema_editor: Any) -> None:
    tasks = apps.get_model("curriculum", "Task").objects
    reason = "Left undecided when the review was finished"
    tasks.filter(status="left").update(status="filtered", filter_reason=reason)


class Migration(migrations.Migration):
    dependencies = [("curriculum", "0016_keep_evidence_of_runs")]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="status",
            field=models.CharField(
                choices=[
                    ("proposed", "Proposed"),
                    ("filtered", "Filtered out"),
                    ("shortlisted", "Waiting for review"),
                    ("disputed", "Reviewers disagree"),
                    ("accepted", "Accepted"),
                    ("rejected", "Rejected"),
                    ("left", "Left undecided"),
                ],
                default="accepted",
                max_length=12,
            ),
        ),
        migrations.RunPython(tell_them_apart, call_them_filtered),
    ]
