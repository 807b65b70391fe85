from django.conf import settings
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("webrl_site", "0007_when_swept"),
    ]

    operations = [
        migrations.RenameModel(
            old_name="StoredAnswer", new_name="IdempotentResponse"
        )
    ]
