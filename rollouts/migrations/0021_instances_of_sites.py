"""Episodes hold instances of sites, each of which has a condition of its own."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("curriculum", "0022_instances_of_sites"),
        ("rollouts", "0020_keep_refused_attempts"),
    ]

    operations = [
        migrations.AddField(
            model_name="trajectory",
            name="site_instances",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AlterField(
            model_name="sitecondition",
            name="site",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="curriculum.site",
            ),
        ),
        migrations.AddField(
            model_name="sitecondition",
            name="number",
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.AddField(
            model_name="sitecondition",
            name="changes",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="sitecondition",
            name="changed_in",
            field=models.CharField(blank=True, max_length=40),
        ),
        migrations.AddField(
            model_name="sitecondition",
            name="last_reset_s",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AlterModelOptions(
            name="sitecondition", options={"ordering": ["site_id", "number"]}
        ),
        migrations.AddConstraint(
            model_name="sitecondition",
            constraint=models.UniqueConstraint(
                fields=("site", "number"), name="one_condition_per_instance"
            ),
        ),
    ]
