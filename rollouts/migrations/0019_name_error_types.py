"""Failed test episodes get the error type that the rules give them."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from rollouts.rules.error_types import Act, name_error_type

BATCH = 200


def name_types(apps: Any, schema_editor: Any) -> None:
    """Name those of before; a batch at a time, since steps are many."""
    trajectory = apps.get_model("rollouts", "Trajectory")
    failed = trajectory.objects.filter(
        outcome=False, status="finished", purpose__in=("baseline", "evaluate")
    )
    ids = list(failed.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), BATCH):
        rows = list(trajectory.objects.filter(pk__in=ids[start : start + BATCH]))
        acts = _read_acts(apps, rows)
        for row in rows:
            row.error_type = name_error_type(row.ended_by, acts.get(row.pk, []))
        trajectory.objects.bulk_update(rows, ["error_type"])


def _read_acts(apps: Any, rows: list[Any]) -> dict[int, list[Act]]:
    attempts = {row.pk: row.attempt for row in rows}
    steps = apps.get_model("rollouts", "Step").objects.filter(trajectory__in=rows)
    found: dict[int, list[Act]] = {}
    for pk, attempt, action, error in steps.order_by("index").values_list(
        "trajectory_id", "attempt", "action", "error"
    ):
        if attempts[pk] == attempt:
            has_element = bool(action) and action.get("element") is not None
            act = Act(
                action.get("name", "") if action else "",
                has_element,
                bool(error) or not action,
            )
            found.setdefault(pk, []).append(act)
    return found


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("rollouts", "0018_count_outages"),
    ]

    operations = [
        migrations.AddField(
            model_name="trajectory",
            name="error_type",
            field=models.CharField(
                blank=True,
                choices=[
                    ("no_recovery", "Fails to recover"),
                    ("stuck", "Stuck midway"),
                    ("wrong_stop", "Stops at the wrong place"),
                    ("no_attempt", "No reasonable attempt"),
                ],
                max_length=12,
                default="",
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="trajectory",
            name="error_type_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="trajectory",
            index=models.Index(
                condition=models.Q(("error_type", ""), _negated=True),
                fields=["phase", "purpose", "error_type"],
                name="trajectory_error_types",
            ),
        ),
        migrations.RunPython(name_types, migrations.RunPython.noop, elidable=True),
    ]
