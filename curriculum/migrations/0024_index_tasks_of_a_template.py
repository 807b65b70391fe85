"""The newest accepted tasks of a template are found without walking through the site."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('curriculum', '0023_serve_trained_policies'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name='task',
            index=models.Index(fields=['site', 'template_key', 'status', 'id'], name='task_of_template'),
        ),
    ]
