"""What the newest look at each instance of an external site found."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("curriculum", "0022_instances_of_sites"),
        ("rollouts", "0022_hand_weights_over"),
    ]

    operations = [
        migrations.CreateModel(
            name="InstanceCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("wanted_at", models.DateTimeField(blank=True, null=True)),
                ("checked_at", models.DateTimeField(blank=True, null=True)),
                ("answers", models.BooleanField(blank=True, null=True)),
                ("answers_why", models.TextField(blank=True)),
                ("is_signed_in", models.BooleanField(blank=True, null=True)),
                ("signed_in_why", models.TextField(blank=True)),
                ("is_at_first", models.BooleanField(blank=True, null=True)),
                ("at_first_why", models.TextField(blank=True)),
                ("cookies", models.JSONField(blank=True, default=list)),
                (
                    "site",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="curriculum.site",
                    ),
                ),
            ],
            options={"ordering": ["site_id", "number"]},
        ),
        migrations.AddConstraint(
            model_name="instancecheck",
            constraint=models.UniqueConstraint(
                fields=("site", "number"), name="one_check_per_instance"
            ),
        ),
    ]
