from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0014_workbench"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="lease",
            index=models.Index(fields=["annotator", "id"], name="hand_outs_in_order"),
        ),
    ]
