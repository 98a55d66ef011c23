from django.db import migrations, models

ACTIVITIES = {
    "lesson": "Lessons",
    "training": "Training",
    "exam": "Exam",
    "calibration": "Calibration",
    "scoring": "Scoring",
    "judging": "Rankings, votes and cases",
    "thread": "Discussion",
}


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0015_last_hand_outs"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="activetime", name="a_known_activity"),
        migrations.AlterField(
            model_name="activetime",
            name="activity",
            field=models.CharField(choices=list(ACTIVITIES.items()), max_length=16),
        ),
        migrations.AddConstraint(
            model_name="activetime",
            constraint=models.CheckConstraint(
                condition=models.Q(activity__in=list(ACTIVITIES)), name="a_known_activity"
            ),
        ),
    ]
