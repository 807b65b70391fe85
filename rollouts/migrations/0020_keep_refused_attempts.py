"""Episodes keep what their pages tried to reach in vain."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rollouts", "0019_name_error_types")]

    operations = [
        migrations.AddField(
            model_name="trajectory",
            name="refused_attempts",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
