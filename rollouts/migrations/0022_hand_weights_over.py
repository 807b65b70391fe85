"""Weights are handed over to servers, and episodes keep who acted."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('curriculum', '0023_serve_trained_policies'),
        ('rollouts', '0021_instances_of_sites'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='trajectory',
            name='acted_by',
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name='trajectory',
            name='acted_digest',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.CreateModel(
            name='HandOver',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('policy_uri', models.CharField(max_length=300)),
                ('digest', models.CharField(max_length=64)),
                ('way', models.CharField(max_length=20)),
                ('state', models.CharField(choices=[('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='running', max_length=7)),
                ('served_uri', models.CharField(blank=True, max_length=300)),
                ('reason', models.TextField(blank=True)),
                ('tries', models.PositiveIntegerField(default=0)),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ('phase', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hand_overs', to='curriculum.phase')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(fields=['served_uri', 'ended_at'], name='rollouts_ha_served__62a276_idx')],
                'constraints': [models.UniqueConstraint(fields=('phase', 'policy_uri'), name='one_hand_over_of_weights')],
            },
        ),
    ]
