"""Find the oldest queued episodes without a look at those that have ended."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rollouts', '0024_count_prompt_tokens'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='trajectory',
            index=models.Index(
                condition=models.Q(('status', 'queued')),
                fields=['phase', 'purpose', 'id'],
                name='trajectory_queue',
            ),
        ),
    ]
