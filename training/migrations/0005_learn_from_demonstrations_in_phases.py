"""A phase's steps may come from demonstrations, too."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("training", "0004_learn_from_evaluators")]

    operations = [
        migrations.AlterField(
            model_name="experience",
            name="source",
            field=models.CharField(
                choices=[
                    ("fresh", "This phase"),
                    ("replay", "Replay buffer"),
                    ("shown", "Demonstrations"),
                ],
                max_length=6,
            ),
        ),
    ]
