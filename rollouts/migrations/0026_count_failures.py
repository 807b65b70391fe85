"""Episodes keep how often an attempt at them failed."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rollouts', '0025_find_queued_episodes'),
    ]

    operations = [
        migrations.AddField(
            model_name='trajectory',
            name='failures',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    ]
