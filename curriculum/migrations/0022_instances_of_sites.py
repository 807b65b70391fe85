"""External sites may have several instances."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("curriculum", "0021_lengthen_filter_reasons")]

    operations = [
        migrations.CreateModel(
            name="SiteInstance",
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
                ("base_url", models.URLField(blank=True)),
                (
                    "site",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="instances",
                        to="curriculum.site",
                    ),
                ),
            ],
            options={"ordering": ["site_id", "number"]},
        ),
        migrations.AddConstraint(
            model_name="siteinstance",
            constraint=models.UniqueConstraint(
                fields=("site", "number"), name="one_instance_per_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="siteinstance",
            constraint=models.CheckConstraint(
                condition=Q(number__gte=2), name="first_instance_is_the_site"
            ),
        ),
    ]
