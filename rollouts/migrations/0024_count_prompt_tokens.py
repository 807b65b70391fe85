"""Steps keep how many prompt tokens a server billed."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rollouts', '0023_check_instances'),
    ]

    operations = [
        migrations.AddField(
            model_name='step',
            name='prompt_token_count',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
    ]
