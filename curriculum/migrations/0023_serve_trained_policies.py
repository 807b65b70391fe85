"""A server may act with the weights that a run trains."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('curriculum', '0022_instances_of_sites'),
    ]

    operations = [
        migrations.AddField(
            model_name='phase',
            name='next_served_uri',
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name='phase',
            name='served_uri',
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name='run',
            name='served_uri',
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AlterField(
            model_name='phase',
            name='resume_status',
            field=models.CharField(blank=True, choices=[('planned', 'Planned'), ('baseline', 'Measuring the start'), ('collecting', 'Collecting episodes'), ('scoring', 'Scoring trajectories'), ('training', 'Training'), ('handing_over', 'Handing weights over'), ('evaluating', 'Evaluating'), ('evolving', 'Evolving tasks'), ('review', 'Waiting for review'), ('closed', 'Closed'), ('stopped', 'Stopped'), ('failed', 'Failed')], max_length=12),
        ),
        migrations.AlterField(
            model_name='phase',
            name='status',
            field=models.CharField(choices=[('planned', 'Planned'), ('baseline', 'Measuring the start'), ('collecting', 'Collecting episodes'), ('scoring', 'Scoring trajectories'), ('training', 'Training'), ('handing_over', 'Handing weights over'), ('evaluating', 'Evaluating'), ('evolving', 'Evolving tasks'), ('review', 'Waiting for review'), ('closed', 'Closed'), ('stopped', 'Stopped'), ('failed', 'Failed')], default='planned', max_length=12),
        ),
    ]
