"""Reward models may learn from the evaluators' outcomes, too."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("training", "0003_learn_from_demonstrations")]

    operations = [
        migrations.AlterField(
            model_name="ormexample",
            name="source",
            field=models.CharField(
                choices=[
                    ("people", "People's verdicts"),
                    ("checks", "The evaluators' outcomes"),
                    ("own", "Its own sure verdict"),
                ],
                max_length=6,
            ),
        ),
    ]
