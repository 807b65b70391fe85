# When the sweep last ran, which nothing else says across processes.

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('webrl_site', '0006_welcome'),
    ]

    operations = [
        migrations.AddField(
            model_name='worker',
            name='swept_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
