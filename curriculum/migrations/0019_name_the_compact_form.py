from __future__ import annotations

from typing import Any

from django.db import migrations


def name_it(apps: Any, schema_editor: Any) -> None:
    """The compact form of observation was the only HTML, and called "html"."""
    _rename(apps, "html", "compact")


def unname_it(apps: Any, schema_editor: Any) -> None:
    _rename(apps, "compact", "html")


def _rename(apps: Any, old: str, new: str) -> None:
    runs = apps.get_model("curriculum", "Run").objects
    for run in runs.filter(config__rollout__observation=old):
        run.config["rollout"]["observation"] = new
        run.save(update_fields=["config"])


class Migration(migrations.Migration):
    dependencies = [("curriculum", "0018_name_the_start")]

    operations = [migrations.RunPython(name_it, unname_it)]
