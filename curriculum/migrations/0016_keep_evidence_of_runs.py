from __future__ import annotations

from typing import Any

from django.db import migrations, models


def keep_what_was_kept(apps: Any, schema_editor: Any) -> None:
    """Notes and tags kept a run's evidence before there was a word for it."""
    runs = apps.get_model("curriculum", "Run").objects
    runs.exclude(notes="", tags="").update(keep_evidence=True)


class Migration(migrations.Migration):
    dependencies = [("curriculum", "0015_find_waiting_tasks_in_order")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="keep_evidence",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(keep_what_was_kept, migrations.RunPython.noop),
    ]
