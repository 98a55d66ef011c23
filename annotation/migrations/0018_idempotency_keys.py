import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0017_token_scopes"),
    ]

    operations = [
        migrations.CreateModel(
            name="IdempotencyKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200)),
                ("method", models.CharField(max_length=8)),
                ("path", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(db_index=True)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("body", models.TextField(blank=True)),
                ("location", models.TextField(blank=True)),
                ("is_kept", models.BooleanField(default=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="idempotency_keys",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "key"), name="one_use_of_an_idempotency_key"),
                    models.CheckConstraint(
                        condition=models.Q(("is_kept", True), ("body", ""), _connector="OR"),
                        name="no_secret_is_kept_in_an_answer",
                    ),
                ],
            },
        ),
    ]
