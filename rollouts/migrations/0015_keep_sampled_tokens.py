from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rollouts', '0014_name_the_start'),
    ]

    operations = [
        migrations.AddField(
            model_name='step',
            name='token_ids',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name='step',
            name='token_log_probabilities',
            field=models.JSONField(blank=True, default=list),
        ),
    ]
