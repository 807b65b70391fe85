# How far people have come in getting to know the dashboard.

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('webrl_site', '0005_notices'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Welcome',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tour_ended_at', models.DateTimeField(blank=True, null=True)),
                ('steps_hidden_at', models.DateTimeField(blank=True, null=True)),
                ('replay_opened_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='welcome', to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]
