"""Invitations, consent, settings of a reader, and leaving a project. Texts of consent and consents only grow."""

import django.db.models.deletion
from django.conf import settings
from django.core.management import call_command
from django.db import migrations, models

APPEND_ONLY = ["annotation_consenttext", "annotation_consent"]
ROLES = ["annotator", "lead", "instructor", "adjudicator"]


def postgresql():
    for table in APPEND_ONLY:
        yield (
            f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
        )
        yield (
            f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
        )


def sqlite():
    for table in APPEND_ONLY:
        for event in ("update", "delete"):
            yield (
                f"CREATE TRIGGER {table}_no_{event} BEFORE {event.upper()} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
            )


def make_triggers(apps, schema_editor):
    statements = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for statement in statements():
        schema_editor.execute(statement, params=None)  # a % in it is its own


def one_account_per_address(apps, schema_editor):
    """Addresses in small letters; of accounts that share one, the first keeps it, and the others have none."""
    User, taken = apps.get_model("annotation", "User"), set()
    for user in User.objects.exclude(email="").order_by("pk").iterator():
        address = user.email.strip().lower()
        kept = "" if address in taken else address
        taken.add(address)
        if kept != user.email:
            User.objects.filter(pk=user.pk).update(email=kept)


def make_cache(apps, schema_editor):
    """The table of the shared cache, which is there wherever Redis is not; see CACHES in the settings."""
    call_command("createcachetable", "plumb_cache", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0008_preferences")]

    operations = [
        # --- Accounts ---
        migrations.AddField(
            model_name="user", name="sessions_ended", field=models.PositiveIntegerField(default=0)
        ),
        migrations.AddField(model_name="user", name="shortcuts", field=models.BooleanField(default=True)),
        migrations.AddField(
            model_name="user",
            name="text_face",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "As usual for the language"),
                    ("serif", "With serifs"),
                    ("sans", "Without serifs"),
                ],
                default="",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="text_size",
            field=models.CharField(
                choices=[("s", "Small"), ("m", "Medium"), ("l", "Large")], default="m", max_length=1
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="theme",
            field=models.CharField(
                blank=True,
                choices=[("", "As device"), ("light", "Light"), ("dark", "Dark")],
                default="",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="user", name="ui_language", field=models.CharField(blank=True, max_length=16)
        ),
        migrations.RunPython(one_account_per_address),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.UniqueConstraint(
                condition=models.Q(("email", ""), _negated=True),
                fields=("email",),
                name="one_account_per_email_address",
            ),
        ),
        # --- Memberships ---
        migrations.RemoveConstraint(model_name="membership", name="a_known_membership_state"),
        migrations.AlterField(
            model_name="membership",
            name="state",
            field=models.CharField(
                choices=[
                    ("active", "Active"),
                    ("paused", "Paused"),
                    ("left", "Left"),
                    ("withdrawn", "Data withdrawn"),
                ],
                default="active",
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["active", "paused", "left", "withdrawn"])),
                name="a_known_membership_state",
            ),
        ),
        # --- Invitations ---
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("full_name", models.CharField(blank=True, max_length=150)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("annotator", "Annotator"),
                            ("lead", "Lead"),
                            ("instructor", "Instructor"),
                            ("adjudicator", "Adjudicator"),
                        ],
                        max_length=16,
                    ),
                ),
                ("languages", models.JSONField(blank=True, default=list)),
                ("token_digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("accepted", "Accepted"),
                            ("declined", "Declined"),
                            ("revoked", "Revoked"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="accepted_invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "invited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="annotation.project",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("project", "email", "role"),
                        name="one_open_invitation_per_address_and_role",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("accepted_by", None), ("decided_at", None), ("state", "open")),
                            models.Q(
                                ("accepted_by__isnull", False),
                                ("decided_at__isnull", False),
                                ("state", "accepted"),
                            ),
                            models.Q(
                                ("accepted_by", None),
                                ("decided_at__isnull", False),
                                ("state__in", ["declined", "revoked"]),
                            ),
                            _connector="OR",
                        ),
                        name="an_invitation_says_what_became_of_it",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ROLES)), name="invited_to_a_known_role"
                    ),
                ],
            },
        ),
        # --- Consent ---
        migrations.CreateModel(
            name="ConsentText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("language", models.CharField(choices=[("en", "English"), ("zh", "中文")], max_length=2)),
                ("body", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consent_texts",
                        to="annotation.project",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "version", "language"), name="consent_text_once_per_language"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Consent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consents",
                        to="annotation.project",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consents",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "project", "version"), name="one_consent_per_version"
                    )
                ],
            },
        ),
        migrations.RunPython(make_triggers),
        migrations.RunPython(make_cache),
    ]
