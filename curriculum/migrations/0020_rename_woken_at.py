from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("curriculum", "0019_name_the_compact_form")]

    operations = [
        migrations.RenameField(
            model_name="phase", old_name="rung_at", new_name="woken_at"
        )
    ]
