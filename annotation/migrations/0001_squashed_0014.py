"""All of annotation's tables at once, as 0001 to 0014 make them: an empty database takes seconds instead of half a minute.

A database that has come some way through those goes on through them. They can be deleted once nobody has one older than
0014; then `replaces` goes too.
"""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.comparison
import django.utils.timezone
from django.conf import settings
from django.core.management import call_command
from django.db import migrations, models

import annotation.models.work

ONLY_GROW = [
    "annotation_adjudicationcase",
    "annotation_calibrationresult",
    "annotation_casejudgement",
    "annotation_categoryvote",
    "annotation_comment",
    "annotation_conflict",
    "annotation_consent",
    "annotation_consenttext",
    "annotation_criterion",
    "annotation_critiquegrade",
    "annotation_extraattempt",
    "annotation_guideline",
    "annotation_journalentry",
    "annotation_lease",
    "annotation_lessonread",
    "annotation_level",
    "annotation_mark",
    "annotation_passage",
    "annotation_rankedresponse",
    "annotation_ranking",
    "annotation_reflection",
    "annotation_rubric",
    "annotation_ruling",
    "annotation_screeninganswer",
    "annotation_skip",
]
# Never changed; removed only while an import that brought them is not stored yet, or is undone.
JUDGEMENTS_OF_IMPORTS = ["annotation_preference", "annotation_score"]
MATERIAL_OF_IMPORTS = ["annotation_prompt", "annotation_response"]
TEXT_COLUMNS = [
    "text",
    "text_sha256",
    "external_id",
    "prompt_id",
    "project_id",
    "given_length",
    "source_model",
    "parameters",
    "source_id",
    "source_place",
]
ITEM = "annotation_consensusitem"
UNFINISHED = "SELECT 1 FROM annotation_import WHERE id = OLD.source_id AND state IN ('storing', 'undoing')"
BEGUN = "SELECT 1 FROM annotation_round WHERE id = OLD.round_id AND state <> 'draft'"

POSTGRESQL_FUNCTIONS = f"""
CREATE FUNCTION plumb_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$;
CREATE FUNCTION plumb_of_an_import() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS ({UNFINISHED}) THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE FUNCTION plumb_until_begun() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS ({BEGUN}) THEN
    RAISE EXCEPTION 'rows of % stay as they are once their round has begun', TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
"""


def postgresql():
    yield POSTGRESQL_FUNCTIONS
    refuse = "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
    for table in ONLY_GROW:
        yield f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE ON {table} {refuse}"
    for table in JUDGEMENTS_OF_IMPORTS:
        yield f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE ON {table} {refuse}"
    for table in JUDGEMENTS_OF_IMPORTS + MATERIAL_OF_IMPORTS:
        yield (
            f"CREATE TRIGGER {table}_stays BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION plumb_of_an_import()"
        )
    yield (
        f"CREATE TRIGGER annotation_response_text_stays BEFORE UPDATE OF {', '.join(TEXT_COLUMNS)} "
        f"ON annotation_response {refuse}"
    )
    yield (
        f"CREATE TRIGGER {ITEM}_stays BEFORE UPDATE OR DELETE ON {ITEM} "
        "FOR EACH ROW EXECUTE FUNCTION plumb_until_begun()"
    )
    for table in [*ONLY_GROW, *JUDGEMENTS_OF_IMPORTS, *MATERIAL_OF_IMPORTS, ITEM]:
        yield (
            f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
        )


def sqlite():
    def refuse(event, table, when=""):
        return (
            f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} {when}"
            f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
        )

    for table in ONLY_GROW + JUDGEMENTS_OF_IMPORTS:
        yield refuse("UPDATE", table)
    for table in ONLY_GROW:
        yield refuse("DELETE", table)
    for table in JUDGEMENTS_OF_IMPORTS + MATERIAL_OF_IMPORTS:
        yield refuse("DELETE", table, when=f"WHEN NOT EXISTS ({UNFINISHED}) ")
    yield (
        f"CREATE TRIGGER annotation_response_text_stays BEFORE UPDATE OF {', '.join(TEXT_COLUMNS)} "
        "ON annotation_response BEGIN SELECT RAISE(ABORT, 'the text of a response never changes'); END"
    )
    for event in ("UPDATE", "DELETE"):
        yield (
            f"CREATE TRIGGER {ITEM}_no_{event.lower()} BEFORE {event} ON {ITEM} WHEN EXISTS ({BEGUN}) "
            f"BEGIN SELECT RAISE(ABORT, 'rows of {ITEM} stay as they are once their round has begun'); END"
        )


def make_triggers(apps, schema_editor):
    statements = {"postgresql": postgresql, "sqlite": sqlite}[schema_editor.connection.vendor]
    for statement in statements():
        schema_editor.execute(statement, params=None)  # a % in it is its own


def make_cache(apps, schema_editor):
    """The table of the shared cache, which is there wherever Redis is not; see CACHES in the settings."""
    call_command("createcachetable", "plumb_cache", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("annotation", "0001_initial"),
        ("annotation", "0002_append_only_tables"),
        ("annotation", "0003_set_up_imports_and_panels"),
        ("annotation", "0004_what_imports_may_take_back"),
        ("annotation", "0005_marks"),
        ("annotation", "0006_marks_only_grow"),
        ("annotation", "0007_imports_know_who_read_them"),
        ("annotation", "0008_preferences"),
        ("annotation", "0009_accounts"),
        ("annotation", "0010_preparation"),
        ("annotation", "0011_exams"),
        ("annotation", "0012_training"),
        ("annotation", "0013_calibration"),
        ("annotation", "0014_workbench"),
    ]

    dependencies = [("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        migrations.CreateModel(
            name="Project",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("languages", models.JSONField(blank=True, default=list)),
                ("taxonomy", models.CharField(blank=True, max_length=40)),
                (
                    "annotators_per_response",
                    models.PositiveSmallIntegerField(
                        default=3, validators=[django.core.validators.MinValueValidator(2)]
                    ),
                ),
                (
                    "assigning",
                    models.CharField(
                        choices=[
                            ("panel", "Panel: the same annotators score every response to a prompt"),
                            ("pool", "Pool: any annotators score a response"),
                        ],
                        default="panel",
                        max_length=8,
                    ),
                ),
                ("criterion_marks", models.BooleanField(default=False)),
                ("ties_allowed", models.BooleanField(default=False)),
                ("justification_minimum", models.PositiveSmallIntegerField(default=0)),
                ("time_zone", models.CharField(default="UTC", max_length=64)),
                ("hourly_rate", models.DecimalField(blank=True, decimal_places=2, max_digits=9, null=True)),
                ("currency", models.CharField(default="USD", max_length=3)),
                ("words_per_minute", models.PositiveSmallIntegerField(default=238)),
                ("characters_per_minute", models.PositiveSmallIntegerField(default=300)),
                ("alpha_acceptable", models.DecimalField(decimal_places=3, default="0.400", max_digits=4)),
                ("alpha_good", models.DecimalField(decimal_places=3, default="0.667", max_digits=4)),
                ("near_duplicate_percent", models.PositiveSmallIntegerField(default=70)),
                ("pseudonym_key", models.CharField(blank=True, max_length=64)),
                ("sealed_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("annotators_per_response__gte", 2)),
                        name="two_annotators_or_more_per_response",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("characters_per_minute__gte", 1), ("words_per_minute__gte", 1)),
                        name="reading_takes_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("near_duplicate_percent__gte", 1), ("near_duplicate_percent__lte", 100)
                        ),
                        name="near_duplicates_are_a_share",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined"),
                ),
                (
                    "text_size",
                    models.CharField(
                        choices=[("s", "Small"), ("m", "Medium"), ("l", "Large")], default="m", max_length=1
                    ),
                ),
                (
                    "text_face",
                    models.CharField(
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
                (
                    "theme",
                    models.CharField(
                        blank=True,
                        choices=[("", "As device"), ("light", "Light"), ("dark", "Dark")],
                        default="",
                        max_length=8,
                    ),
                ),
                ("ui_language", models.CharField(blank=True, max_length=16)),
                ("shortcuts", models.BooleanField(default=True)),
                ("sessions_ended", models.PositiveIntegerField(default=0)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "db_table": "plumb_user",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("email", ""), _negated=True),
                        fields=("email",),
                        name="one_account_per_email_address",
                    )
                ],
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="ActiveTime",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="active_times",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="active_times",
                        to="annotation.project",
                    ),
                ),
                (
                    "activity",
                    models.CharField(
                        choices=[
                            ("lesson", "Lessons"),
                            ("training", "Training"),
                            ("exam", "Exam"),
                            ("calibration", "Calibration"),
                            ("scoring", "Scoring"),
                            ("thread", "Discussion"),
                        ],
                        max_length=16,
                    ),
                ),
                ("load", models.UUIDField()),
                ("seconds", models.PositiveIntegerField(default=0)),
                ("started_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["project", "user"], name="active_times_of_a_person")],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "load"), name="one_time_per_opening_of_a_page"),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "activity__in",
                                ["lesson", "training", "exam", "calibration", "scoring", "thread"],
                            )
                        ),
                        name="a_known_activity",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=100)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
            ],
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
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consents",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consents",
                        to="annotation.project",
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "project", "version"), name="one_consent_per_version"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ConsentText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                ("version", models.PositiveIntegerField()),
                ("language", models.CharField(choices=[("en", "English"), ("zh", "中文")], max_length=2)),
                ("body", models.TextField()),
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
                ("created_at", models.DateTimeField()),
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
            name="Genre",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="genres",
                        to="annotation.project",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="types",
                        to="annotation.genre",
                    ),
                ),
                ("key", models.SlugField(max_length=60)),
                ("name_en", models.CharField(max_length=100)),
                ("name_zh", models.CharField(blank=True, max_length=100)),
                ("position", models.PositiveSmallIntegerField()),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "key"), name="genre_key_once_per_project")
                ],
            },
        ),
        migrations.CreateModel(
            name="Import",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="imports",
                        to="annotation.project",
                    ),
                ),
                ("files", models.JSONField()),
                ("shape", models.JSONField(default=dict)),
                ("layout", models.CharField(max_length=40)),
                ("field_map", models.JSONField(default=dict)),
                ("keep_names", models.BooleanField(default=False)),
                ("leave_out_bad_rows", models.BooleanField(default=False)),
                ("importer_version", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Not imported yet"),
                            ("storing", "Being imported"),
                            ("stored", "Imported"),
                            ("undoing", "Being undone"),
                            ("undone", "Undone"),
                        ],
                        default="draft",
                        max_length=8,
                    ),
                ),
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
                ("created_at", models.DateTimeField()),
                ("stored_at", models.DateTimeField(blank=True, null=True)),
                ("read_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ["draft", "storing"]), ("stored_at", None)),
                            models.Q(
                                ("state__in", ["stored", "undoing", "undone"]), ("stored_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="a_stored_import_says_when",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                (
                    "invited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
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
                ("decided_at", models.DateTimeField(blank=True, null=True)),
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
                        condition=models.Q(("role__in", ["annotator", "lead", "instructor", "adjudicator"])),
                        name="invited_to_a_known_role",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JournalEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="journal",
                        to="annotation.project",
                    ),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("action", models.CharField(max_length=60)),
                ("data", models.JSONField(default=dict)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="memberships",
                        to="annotation.project",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
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
                (
                    "state",
                    models.CharField(
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
                ("languages", models.JSONField(blank=True, default=list)),
                ("pseudonym", models.CharField(blank=True, max_length=32)),
                ("external_id", models.CharField(blank=True, max_length=200)),
                ("joined_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "user", "role"), name="one_membership_per_role"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("role__in", ["annotator", "lead"])),
                        fields=("project", "user"),
                        name="lead_and_annotator_exclude_each_other",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("pseudonym", ""), _negated=True),
                        fields=("project", "pseudonym"),
                        name="pseudonym_once_per_project",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("external_id", ""), _negated=True),
                        fields=("project", "external_id"),
                        name="external_annotator_once_per_project",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["annotator", "lead", "instructor", "adjudicator"])),
                        name="a_known_role",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["active", "paused", "left", "withdrawn"])),
                        name="a_known_membership_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("role", "annotator"), _negated=True),
                            models.Q(("pseudonym", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="annotators_have_a_pseudonym",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Preparation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preparation",
                        to="annotation.project",
                    ),
                ),
                ("uses_screening", models.BooleanField(default=True)),
                ("uses_exam", models.BooleanField(default=True)),
                ("uses_training", models.BooleanField(default=True)),
                ("uses_calibration", models.BooleanField(default=True)),
                (
                    "language_level_minimum",
                    models.CharField(
                        choices=[
                            ("B1", "B1: intermediate"),
                            ("B2", "B2: upper intermediate"),
                            ("C1", "C1: advanced"),
                            ("C2", "C2: proficient"),
                            ("native", "Native or equal to it"),
                        ],
                        default="C1",
                        max_length=8,
                    ),
                ),
                ("familiarity_minimum", models.PositiveSmallIntegerField(default=1)),
                ("questions", models.JSONField(blank=True, default=list)),
                ("exam_items_minimum", models.PositiveSmallIntegerField(default=40)),
                ("exam_kappa_minimum", models.DecimalField(decimal_places=2, default="0.55", max_digits=3)),
                ("exam_exact_percent", models.PositiveSmallIntegerField(default=50)),
                ("exam_within_one_percent", models.PositiveSmallIntegerField(default=95)),
                ("critiques_graded", models.PositiveSmallIntegerField(default=8)),
                ("graders", models.PositiveSmallIntegerField(default=1)),
                ("critique_percent", models.PositiveSmallIntegerField(default=60)),
                ("retake_hours", models.PositiveSmallIntegerField(default=48)),
                ("retakes", models.PositiveSmallIntegerField(default=2)),
                ("exam_days", models.PositiveSmallIntegerField(default=14)),
                ("worked_items", models.PositiveSmallIntegerField(default=5)),
                ("practice_items", models.PositiveSmallIntegerField(default=35)),
                ("check_items", models.PositiveSmallIntegerField(default=10)),
                ("mastery_percent", models.PositiveSmallIntegerField(default=70)),
                ("mastery_window", models.PositiveSmallIntegerField(default=10)),
                (
                    "gate_statistic",
                    models.CharField(
                        choices=[
                            ("alpha_rest", "Alpha against the rest"),
                            ("alpha_rest_low", "Lower end of the interval of alpha against the rest"),
                            ("kappa_rest", "Quadratic weighted kappa against the rest"),
                        ],
                        default="alpha_rest",
                        max_length=16,
                    ),
                ),
                ("gate_threshold", models.DecimalField(decimal_places=2, default="0.40", max_digits=3)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("graders__in", [1, 2])), name="one_grader_or_two"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("critique_percent__lte", 100),
                            ("exam_exact_percent__lte", 100),
                            ("exam_within_one_percent__lte", 100),
                            ("mastery_percent__lte", 100),
                        ),
                        name="shares_of_a_hundred",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("familiarity_minimum__lte", 3)), name="familiarity_from_0_to_3"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("mastery_window__gte", 1)), name="mastery_looks_at_something"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rubric",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rubrics",
                        to="annotation.project",
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("note", models.TextField(blank=True)),
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
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "version"), name="rubric_version_once_per_project"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedFieldMap",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="field_maps",
                        to="annotation.project",
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("layout", models.CharField(max_length=40)),
                ("field_map", models.JSONField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="field_map_name_once_per_project"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Criterion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="criteria",
                        to="annotation.rubric",
                    ),
                ),
                (
                    "genre",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="criteria",
                        to="annotation.genre",
                    ),
                ),
                ("language", models.CharField(choices=[("en", "English"), ("zh", "中文")], max_length=2)),
                ("key", models.SlugField(max_length=60)),
                ("name", models.CharField(max_length=100)),
                ("question", models.TextField()),
                ("position", models.PositiveSmallIntegerField()),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rubric", "genre", "language", "key"), name="criterion_once_per_language"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("genre", None)),
                        fields=("rubric", "language", "key"),
                        name="universal_criterion_once_per_language",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Guideline",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guidelines",
                        to="annotation.rubric",
                    ),
                ),
                ("language", models.CharField(choices=[("en", "English"), ("zh", "中文")], max_length=2)),
                ("body", models.TextField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("rubric", "language"), name="guideline_once_per_language")
                ],
            },
        ),
        migrations.CreateModel(
            name="ImportJob",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=8,
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("claimed_by", models.CharField(blank=True, max_length=200)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "queued_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("queued_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.project"
                    ),
                ),
                (
                    "subject",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="jobs",
                        to="annotation.import",
                    ),
                ),
                (
                    "action",
                    models.CharField(
                        choices=[("check", "Check"), ("store", "Import"), ("undo", "Undo")], max_length=8
                    ),
                ),
                ("rows_read", models.PositiveIntegerField(default=0)),
                ("report", models.JSONField(blank=True, null=True)),
            ],
            options={
                "abstract": False,
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("lease_until__isnull", False),
                                ("state", "running"),
                                models.Q(("claimed_by", ""), _negated=True),
                            ),
                            models.Q(models.Q(("state", "running"), _negated=True), ("lease_until", None)),
                            _connector="OR",
                        ),
                        name="importjob_runs_under_a_lease",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", False), ("state__in", ["done", "failed"])),
                            models.Q(("finished_at", None), ("state__in", ["queued", "running"])),
                            _connector="OR",
                        ),
                        name="importjob_says_when_it_ended",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=("project",),
                        name="one_active_import_job_per_project",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Lesson",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lessons",
                        to="annotation.project",
                    ),
                ),
                ("language", models.CharField(blank=True, max_length=16)),
                (
                    "genre",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lessons",
                        to="annotation.genre",
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("key", models.SlugField(blank=True, max_length=40)),
                ("title", models.CharField(max_length=200)),
                ("body", models.TextField()),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "Draft"), ("published", "Published"), ("retired", "Retired")],
                        default="draft",
                        max_length=16,
                    ),
                ),
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
                ("created_at", models.DateTimeField()),
                ("changed_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["position", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("key", ""), _negated=True),
                        fields=("project", "language", "key"),
                        name="a_shipped_lesson_once_per_language",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["draft", "published", "retired"])),
                        name="a_known_state_of_lesson",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("version__gte", 1)), name="versions_of_lessons_start_at_1"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Level",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="levels",
                        to="annotation.rubric",
                    ),
                ),
                ("language", models.CharField(choices=[("en", "English"), ("zh", "中文")], max_length=2)),
                ("value", models.PositiveSmallIntegerField()),
                ("name", models.CharField(max_length=60)),
                ("description", models.TextField()),
                ("comparison", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["-value"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rubric", "language", "value"), name="level_once_per_language"
                    ),
                    models.CheckConstraint(condition=models.Q(("value__lte", 3)), name="level_from_0_to_3"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Prompt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="prompts",
                        to="annotation.project",
                    ),
                ),
                ("external_id", models.CharField(max_length=200)),
                ("language", models.CharField(blank=True, max_length=35)),
                (
                    "genre",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="prompts",
                        to="annotation.genre",
                    ),
                ),
                ("text", models.TextField(blank=True)),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="prompts",
                        to="annotation.import",
                    ),
                ),
                ("source_place", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "external_id"), name="prompt_id_once_per_project"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Qualification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="annotation.project",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="annotation.membership",
                    ),
                ),
                (
                    "invitation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="annotation.invitation",
                    ),
                ),
                ("language", models.CharField(blank=True, max_length=16)),
                (
                    "stage",
                    models.CharField(
                        choices=[
                            ("invited", "Invited"),
                            ("screening", "Screening"),
                            ("exam", "Exam"),
                            ("training", "Training"),
                            ("calibration", "Calibration"),
                            ("active", "Active"),
                            ("paused", "Paused"),
                            ("declined", "Declined"),
                        ],
                        max_length=16,
                    ),
                ),
                ("since", models.DateTimeField()),
                ("genres", models.ManyToManyField(blank=True, related_name="+", to="annotation.genre")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("annotator", "language"), name="one_qualification_per_annotator_and_language"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("annotator", None)),
                        fields=("invitation", "language"),
                        name="one_qualification_per_invitation_and_language",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "stage__in",
                                [
                                    "invited",
                                    "screening",
                                    "exam",
                                    "training",
                                    "calibration",
                                    "active",
                                    "paused",
                                    "declined",
                                ],
                            )
                        ),
                        name="a_known_stage",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("annotator__isnull", False),
                            models.Q(("invitation__isnull", False), ("stage__in", ["invited", "declined"])),
                            _connector="OR",
                        ),
                        name="past_the_invitation_somebody_has_come",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Conflict",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="conflicts",
                        to="annotation.membership",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="conflicts",
                        to="annotation.prompt",
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("annotator", "prompt"), name="one_conflict_per_prompt")
                ],
            },
        ),
        migrations.CreateModel(
            name="ExtraAttempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "qualification",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="extra_attempts",
                        to="annotation.qualification",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("reason", models.TextField()),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="LessonRead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "lesson",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reads",
                        to="annotation.lesson",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lessons_read",
                        to="annotation.membership",
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("lesson", "annotator", "version"), name="a_version_is_read_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Passage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "qualification",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="passages",
                        to="annotation.qualification",
                    ),
                ),
                (
                    "from_stage",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("invited", "Invited"),
                            ("screening", "Screening"),
                            ("exam", "Exam"),
                            ("training", "Training"),
                            ("calibration", "Calibration"),
                            ("active", "Active"),
                            ("paused", "Paused"),
                            ("declined", "Declined"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "to_stage",
                    models.CharField(
                        choices=[
                            ("invited", "Invited"),
                            ("screening", "Screening"),
                            ("exam", "Exam"),
                            ("training", "Training"),
                            ("calibration", "Calibration"),
                            ("active", "Active"),
                            ("paused", "Paused"),
                            ("declined", "Declined"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "to_stage__in",
                                [
                                    "invited",
                                    "screening",
                                    "exam",
                                    "training",
                                    "calibration",
                                    "active",
                                    "paused",
                                    "declined",
                                ],
                            )
                        ),
                        name="to_a_known_stage",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Requirement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="requirements",
                        to="annotation.prompt",
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("kind", models.CharField(blank=True, max_length=20)),
                ("text", models.TextField()),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("prompt", "position"), name="requirement_position_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Round",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rounds",
                        to="annotation.project",
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("live", "Live"),
                            ("repeat", "Repeat"),
                            ("gold", "Gold"),
                            ("exam", "Exam"),
                            ("training", "Training"),
                            ("calibration", "Calibration"),
                            ("validation", "Validation"),
                            ("adjudication", "Adjudication"),
                        ],
                        default="live",
                        max_length=16,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("scores", "Scores"),
                            ("rankings", "Rankings"),
                            ("categories", "Votes on categories"),
                            ("pairs", "Votes on pairs"),
                        ],
                        default="scores",
                        max_length=10,
                    ),
                ),
                (
                    "token",
                    models.CharField(default=annotation.models.work.new_token, max_length=32, unique=True),
                ),
                ("ties_allowed", models.BooleanField(default=False)),
                (
                    "instruction",
                    models.CharField(
                        choices=[
                            ("preference", "General preference"),
                            ("requirements", "How many requirements are satisfied"),
                        ],
                        default="preference",
                        max_length=12,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("open", "Open"),
                            ("paused", "Paused"),
                            ("locked", "Locked"),
                        ],
                        default="draft",
                        max_length=8,
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rounds",
                        to="annotation.rubric",
                    ),
                ),
                ("annotators_per_response", models.PositiveSmallIntegerField(default=3)),
                (
                    "assigning",
                    models.CharField(
                        choices=[
                            ("panel", "Panel: the same annotators score every response to a prompt"),
                            ("pool", "Pool: any annotators score a response"),
                        ],
                        default="pool",
                        max_length=8,
                    ),
                ),
                ("language", models.CharField(blank=True, max_length=16)),
                ("closes_at", models.DateTimeField(blank=True, null=True)),
                (
                    "follows",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="followed_by",
                        to="annotation.round",
                    ),
                ),
                ("daily_cap", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "mixed_into",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="mixed_in",
                        to="annotation.round",
                    ),
                ),
                (
                    "gold_percent",
                    models.PositiveSmallIntegerField(
                        default=0, validators=[django.core.validators.MaxValueValidator(50)]
                    ),
                ),
                (
                    "repeat_percent",
                    models.PositiveSmallIntegerField(
                        default=0, validators=[django.core.validators.MaxValueValidator(50)]
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("locked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "prompts",
                    models.ManyToManyField(blank=True, related_name="rounds", to="annotation.prompt"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "name"), name="round_name_once_per_project"),
                    models.UniqueConstraint(
                        condition=models.Q(("purpose", "training"), ("state__in", ["open", "paused"])),
                        fields=("project", "language"),
                        name="one_open_course_per_language",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("locked_at", None), ("opened_at", None), ("state", "draft")),
                            models.Q(
                                ("locked_at", None),
                                ("opened_at__isnull", False),
                                ("state__in", ["open", "paused"]),
                            ),
                            models.Q(
                                ("locked_at__isnull", False),
                                ("opened_at__isnull", False),
                                ("state", "locked"),
                            ),
                            _connector="OR",
                        ),
                        name="a_round_says_when_it_opened_and_locked",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "purpose__in",
                                [
                                    "live",
                                    "repeat",
                                    "gold",
                                    "exam",
                                    "training",
                                    "calibration",
                                    "validation",
                                    "adjudication",
                                ],
                            )
                        ),
                        name="a_known_purpose",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["scores", "rankings", "categories", "pairs"])),
                        name="a_known_kind",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("instruction__in", ["preference", "requirements"])),
                        name="a_known_instruction",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("mixed_into__isnull", False)),
                        fields=("mixed_into", "purpose"),
                        name="one_round_of_a_purpose_mixed_in",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("mixed_into", None), ("purpose__in", ["gold", "repeat"]), _connector="OR"
                        ),
                        name="only_gold_and_repeats_are_mixed_in",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("gold_percent__lte", 50), ("repeat_percent__lte", 50)),
                        name="most_of_a_round_is_its_own",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ScreeningAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "qualification",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="screening_answers",
                        to="annotation.qualification",
                    ),
                ),
                (
                    "level",
                    models.CharField(
                        choices=[
                            ("B1", "B1: intermediate"),
                            ("B2", "B2: upper intermediate"),
                            ("C1", "C1: advanced"),
                            ("C2", "C2: proficient"),
                            ("native", "Native or equal to it"),
                        ],
                        max_length=8,
                    ),
                ),
                ("familiarity", models.JSONField(default=dict)),
                ("answers", models.JSONField(default=list)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "qualification",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="annotation.qualification",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="annotation.round",
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Under way"),
                            ("finished", "Waiting for the critiques"),
                            ("passed", "Passed"),
                            ("failed", "Failed"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("marks", models.JSONField()),
                ("started_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("result", models.JSONField(blank=True, default=dict)),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("qualification", "number"), name="attempt_number_once"),
                    models.UniqueConstraint(fields=("qualification", "round"), name="a_form_is_taken_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["open", "finished"])),
                        fields=("qualification",),
                        name="one_attempt_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="attempts_start_at_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("due_at__gt", models.F("started_at"))), name="an_attempt_has_time"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("decided_at", None), ("finished_at", None), ("state", "open")),
                            models.Q(
                                ("decided_at", None), ("finished_at__isnull", False), ("state", "finished")
                            ),
                            models.Q(
                                ("decided_at__isnull", False),
                                ("finished_at__isnull", False),
                                ("state__in", ["passed", "failed"]),
                            ),
                            _connector="OR",
                        ),
                        name="an_attempt_says_when_it_finished_and_was_decided",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("decided_by", None),
                            models.Q(("decided_at__isnull", False), models.Q(("reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="who_decides_an_attempt_says_why",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CalibrationResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="calibration_results",
                        to="annotation.round",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="calibration_results",
                        to="annotation.membership",
                    ),
                ),
                ("numbers", models.JSONField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "annotator"), name="one_calibration_result_per_annotator"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("annotator", None)),
                        fields=("round",),
                        name="one_calibration_result_of_the_group",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PanelSeat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="seats",
                        to="annotation.round",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.prompt"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seats",
                        to="annotation.membership",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "prompt", "seat"), name="one_annotator_per_seat"
                    ),
                    models.UniqueConstraint(
                        fields=("round", "prompt", "annotator"), name="one_seat_per_annotator"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Quota",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="quotas",
                        to="annotation.round",
                    ),
                ),
                ("language", models.CharField(max_length=16)),
                (
                    "genre",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.genre",
                    ),
                ),
                ("wanted", models.PositiveIntegerField()),
                ("reached_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "language", "genre"), name="one_quota_per_stratum"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("genre", None)),
                        fields=("round", "language"),
                        name="one_quota_per_language",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Response",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="annotation.project",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="annotation.prompt",
                    ),
                ),
                ("external_id", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("text_sha256", models.CharField(max_length=64)),
                ("given_length", models.PositiveIntegerField(blank=True, null=True)),
                ("source_model", models.CharField(blank=True, max_length=200)),
                ("parameters", models.JSONField(blank=True, default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[("incoming", "Incoming"), ("active", "Active"), ("removed", "Removed")],
                        default="active",
                        max_length=8,
                    ),
                ),
                (
                    "removed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "removed_kind",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("grammar", "Grammar that hinders understanding"),
                            ("factual", "Factual inconsistency"),
                            ("prompt_violation", "Violates the prompt"),
                            ("truncated", "Truncated or failed"),
                            ("wrong_language", "Wrong language"),
                            ("duplicate", "Duplicate"),
                            ("identity_leak", "Gives its source away"),
                            ("other", "Other"),
                        ],
                        max_length=20,
                    ),
                ),
                ("removed_reason", models.TextField(blank=True)),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="annotation.import",
                    ),
                ),
                ("source_place", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField()),
                (
                    "kept_requirements",
                    models.ManyToManyField(blank=True, related_name="+", to="annotation.requirement"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "external_id"), name="response_id_once_per_project"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("removed_at", None), ("state", "active")),
                            models.Q(("removed_at", None), ("source__isnull", False), ("state", "incoming")),
                            models.Q(("removed_at__isnull", False), ("state", "removed")),
                            _connector="OR",
                        ),
                        name="a_removed_response_says_when",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AdjudicationCase",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "token",
                    models.CharField(default=annotation.models.work.new_token, max_length=32, unique=True),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cases",
                        to="annotation.round",
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("tied_votes", "Tied votes"),
                            ("wide_spread", "Wide spread of scores"),
                            ("contrary_votes", "Contrary votes"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.prompt"
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                (
                    "other",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                ("opened_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("response", None)),
                        fields=("round", "prompt"),
                        name="one_case_per_prompt",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("other", None), ("response__isnull", False)),
                        fields=("round", "response"),
                        name="one_case_per_response",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("other__isnull", False)),
                        fields=("round", "response", "other"),
                        name="one_case_per_pair",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason__in", ["tied_votes", "wide_spread", "contrary_votes"])),
                        name="a_known_reason_of_a_case",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="annotation.round",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="annotation.prompt",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="annotation.response",
                    ),
                ),
                (
                    "other",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                ("slot", models.PositiveSmallIntegerField()),
                ("place", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open"), ("leased", "Leased"), ("done", "Done"), ("void", "Void")],
                        default="open",
                        max_length=8,
                    ),
                ),
                (
                    "reserved_for",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.membership",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="annotation.membership",
                    ),
                ),
                ("leased_until", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["round", "reserved_for", "state", "place"], name="free_slots"),
                    models.Index(fields=["annotator", "state"], name="slots_in_hand"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("other", None)),
                        fields=("round", "response", "slot"),
                        name="slot_once_per_response",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("other", None)),
                        fields=("round", "response", "annotator"),
                        name="annotator_once_per_response",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("response", None)),
                        fields=("round", "prompt", "slot"),
                        name="slot_once_per_prompt",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("response", None)),
                        fields=("round", "prompt", "annotator"),
                        name="annotator_once_per_prompt",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("other__isnull", False)),
                        fields=("round", "response", "other", "slot"),
                        name="slot_once_per_pair",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("other__isnull", False)),
                        fields=("round", "response", "other", "annotator"),
                        name="annotator_once_per_pair",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("other", None), ("response__lt", models.F("other")), _connector="OR"
                        ),
                        name="a_pair_names_the_older_first",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "leased")),
                        fields=("round", "annotator"),
                        name="one_lease_per_annotator",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("annotator", None), ("leased_until", None), ("state", "open")),
                            models.Q(
                                ("annotator__isnull", False),
                                ("leased_until__isnull", False),
                                ("state", "leased"),
                            ),
                            models.Q(("annotator__isnull", False), ("leased_until", None), ("state", "done")),
                            models.Q(("leased_until", None), ("state", "void")),
                            _connector="OR",
                        ),
                        name="state_annotator_and_lease_agree",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                        to="annotation.round",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                        to="annotation.response",
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("body", models.TextField()),
                ("paragraph", models.PositiveIntegerField(blank=True, null=True)),
                ("criterion", models.SlugField(blank=True, max_length=60)),
                ("at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["round", "response"], name="comments_of_a_thread")],
            },
        ),
        migrations.CreateModel(
            name="ConsensusItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consensus_items",
                        to="annotation.round",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consensus_items",
                        to="annotation.response",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("exam", "Exam"),
                            ("worked", "Worked example"),
                            ("practice", "Practice"),
                            ("check", "Check"),
                            ("extra", "Extra practice"),
                            ("gold", "Gold item"),
                        ],
                        max_length=8,
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("value", models.PositiveSmallIntegerField()),
                ("split", models.JSONField(blank=True, default=list)),
                ("rationale", models.TextField(blank=True)),
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
                ("created_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "response"), name="consensus_item_once_per_round"
                    ),
                    models.UniqueConstraint(
                        fields=("round", "position"), name="one_consensus_item_per_position"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("value__lte", 3)), name="consensus_score_from_0_to_3"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["exam", "worked", "practice", "check", "extra", "gold"])
                        ),
                        name="a_known_kind_of_item",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CritiqueGrade",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="grades",
                        to="annotation.attempt",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                (
                    "grader",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("points", models.JSONField()),
                ("comment", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("attempt", "response", "grader"), name="a_grader_grades_a_critique_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Flag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="flags",
                        to="annotation.project",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flags",
                        to="annotation.response",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flags",
                        to="annotation.prompt",
                    ),
                ),
                ("check_key", models.CharField(max_length=40)),
                ("rules_version", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("detail", models.JSONField(blank=True, default=dict)),
                (
                    "raised_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="flags",
                        to="annotation.membership",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("grammar", "Grammar that hinders understanding"),
                            ("factual", "Factual inconsistency"),
                            ("prompt_violation", "Violates the prompt"),
                            ("truncated", "Truncated or failed"),
                            ("wrong_language", "Wrong language"),
                            ("duplicate", "Duplicate"),
                            ("identity_leak", "Gives its source away"),
                            ("other", "Other"),
                        ],
                        max_length=20,
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("raised_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open"), ("kept", "Kept"), ("removed", "Removed")],
                        default="open",
                        max_length=8,
                    ),
                ),
                (
                    "settled_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("state", "open")), fields=["project"], name="open_flags")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("prompt", None), ("response__isnull", False)),
                            models.Q(("prompt__isnull", False), ("response", None)),
                            _connector="OR",
                        ),
                        name="a_flag_is_about_one_thing",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("settled_at", None), ("state", "open")),
                            models.Q(("settled_at__isnull", False), ("state__in", ["kept", "removed"])),
                            _connector="OR",
                        ),
                        name="a_settled_flag_says_when",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("check_key", "annotator"), ("raised_by__isnull", False)),
                            models.Q(
                                models.Q(("check_key", "annotator"), _negated=True),
                                ("raised_by", None),
                                ("rules_version__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="a_flag_says_who_raised_it",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("raised_by", None), ("response__isnull", False)),
                        fields=("response", "check_key"),
                        name="a_check_flags_a_response_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("prompt__isnull", False), ("raised_by", None)),
                        fields=("prompt", "check_key"),
                        name="a_check_flags_a_prompt_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("raised_by__isnull", False), ("state", "open")),
                        fields=("response", "raised_by"),
                        name="one_open_flag_per_annotator_and_response",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("raised_by__isnull", False), ("state", "open")),
                        fields=("prompt", "raised_by"),
                        name="one_open_flag_per_annotator_and_prompt",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Reflection",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reflections",
                        to="annotation.round",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reflections",
                        to="annotation.response",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reflections",
                        to="annotation.membership",
                    ),
                ),
                ("text", models.TextField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["round", "response", "annotator"], name="reflections_of_an_item")
                ],
            },
        ),
        migrations.CreateModel(
            name="CaseJudgement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgements",
                        to="annotation.adjudicationcase",
                    ),
                ),
                (
                    "adjudicator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="case_judgements",
                        to="annotation.membership",
                    ),
                ),
                (
                    "step",
                    models.CharField(
                        choices=[("own", "Own judgement"), ("decision", "Decision")], max_length=8
                    ),
                ),
                ("value", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("preferred", models.CharField(blank=True, max_length=3)),
                (
                    "category",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.genre",
                    ),
                ),
                ("justification", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("step", "own")),
                        fields=("case", "adjudicator", "step"),
                        name="one_own_judgement_per_adjudicator",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("step", "decision")),
                        fields=("case",),
                        name="one_decision_per_case",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("step__in", ["own", "decision"])), name="a_known_step"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("category", None), ("preferred", ""), ("value__isnull", False)),
                            models.Q(
                                ("category", None), ("preferred__in", ["a", "b", "tie"]), ("value", None)
                            ),
                            models.Q(("category__isnull", False), ("preferred", ""), ("value", None)),
                            _connector="OR",
                        ),
                        name="a_case_is_judged_in_one_way",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("value", None), ("value__lte", 3), _connector="OR"),
                        name="case_score_from_0_to_3",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("step", "own"), models.Q(("justification", ""), _negated=True), _connector="OR"
                        ),
                        name="a_decision_has_a_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CategoryVote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="category_votes",
                        to="annotation.round",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="category_votes",
                        to="annotation.prompt",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="category_votes",
                        to="annotation.membership",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="category_votes",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "category",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.genre"
                    ),
                ),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                ("justification", models.TextField(blank=True)),
                (
                    "standing",
                    models.CharField(
                        choices=[("counted", "Counted"), ("surplus", "Surplus")],
                        default="counted",
                        max_length=8,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("recorded_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "prompt", "annotator", "revision"),
                        name="one_category_vote_per_revision",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("revision__gte", 1)), name="category_vote_revisions_start_at_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("standing__in", ["counted", "surplus"])),
                        name="a_known_standing_of_a_category_vote",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Lease",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.CharField(max_length=32, unique=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="leases",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="leases",
                        to="annotation.membership",
                    ),
                ),
                ("leased_at", models.DateTimeField()),
                ("position", models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("assignment", "annotator"), name="one_address_per_hand_out"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Preference",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preferences",
                        to="annotation.round",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preferences",
                        to="annotation.prompt",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preferences",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preferences",
                        to="annotation.membership",
                    ),
                ),
                (
                    "response_a",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                (
                    "response_b",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                (
                    "preferred",
                    models.CharField(
                        choices=[("a", "The first"), ("b", "The second"), ("tie", "Neither")], max_length=3
                    ),
                ),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                ("justification", models.TextField(blank=True)),
                (
                    "standing",
                    models.CharField(
                        choices=[("counted", "Counted"), ("surplus", "Surplus")],
                        default="counted",
                        max_length=8,
                    ),
                ),
                ("at", models.DateTimeField(blank=True, null=True)),
                ("recorded_at", models.DateTimeField()),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preferences",
                        to="annotation.import",
                    ),
                ),
                ("source_place", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        models.F("round"),
                        django.db.models.functions.comparison.Least("response_a", "response_b"),
                        django.db.models.functions.comparison.Greatest("response_a", "response_b"),
                        models.F("annotator"),
                        models.F("revision"),
                        name="one_preference_per_pair_and_revision",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("response_a", models.F("response_b")), _negated=True),
                        name="a_pair_has_two_responses",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("preferred__in", ["a", "b", "tie"])), name="a_known_preference"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("revision__gte", 1)), name="preference_revisions_start_at_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("standing__in", ["counted", "surplus"])),
                        name="a_known_standing_of_a_preference",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Ranking",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="annotation.round",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="annotation.prompt",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="annotation.membership",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="annotation.assignment",
                    ),
                ),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                ("justification", models.TextField(blank=True)),
                (
                    "standing",
                    models.CharField(
                        choices=[("counted", "Counted"), ("surplus", "Surplus")],
                        default="counted",
                        max_length=8,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("recorded_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "prompt", "annotator", "revision"), name="one_ranking_per_revision"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("revision__gte", 1)), name="ranking_revisions_start_at_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("standing__in", ["counted", "surplus"])),
                        name="a_known_standing_of_a_ranking",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "comment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ruling",
                        to="annotation.comment",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="annotation.round",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="annotation.response",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="annotation.membership",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="annotation.rubric",
                    ),
                ),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                ("value", models.PositiveSmallIntegerField()),
                ("justification", models.TextField(blank=True)),
                (
                    "standing",
                    models.CharField(
                        choices=[("counted", "Counted"), ("surplus", "Surplus")],
                        default="counted",
                        max_length=8,
                    ),
                ),
                ("at", models.DateTimeField(blank=True, null=True)),
                ("recorded_at", models.DateTimeField()),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="annotation.import",
                    ),
                ),
                ("source_place", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "response", "annotator", "revision"), name="one_score_per_revision"
                    ),
                    models.CheckConstraint(condition=models.Q(("value__lte", 3)), name="score_from_0_to_3"),
                    models.CheckConstraint(
                        condition=models.Q(("revision__gte", 1)), name="revisions_start_at_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("standing__in", ["counted", "surplus"])), name="a_known_standing"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "lease",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="draft",
                        to="annotation.lease",
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("content", models.JSONField(default=dict)),
                ("saved_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Mark",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "score",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="marks",
                        to="annotation.score",
                    ),
                ),
                ("genre_key", models.SlugField(blank=True, max_length=60)),
                ("criterion_key", models.SlugField(max_length=60)),
                ("value", models.PositiveSmallIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("score", "genre_key", "criterion_key"), name="one_mark_per_criterion"
                    ),
                    models.CheckConstraint(condition=models.Q(("value__lte", 3)), name="mark_from_0_to_3"),
                ],
            },
        ),
        migrations.CreateModel(
            name="RankedResponse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "ranking",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="annotation.ranking",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                ("tier", models.PositiveSmallIntegerField()),
                ("shown", models.PositiveSmallIntegerField()),
                ("was_read", models.BooleanField(default=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("ranking", "response"), name="response_once_per_ranking"),
                    models.UniqueConstraint(fields=("ranking", "shown"), name="letter_once_per_ranking"),
                    models.CheckConstraint(
                        condition=models.Q(("shown__gte", 1), ("tier__gte", 1)),
                        name="tiers_and_letters_start_at_1",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Skip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "lease",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="skip",
                        to="annotation.lease",
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="skips",
                        to="annotation.membership",
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.RunPython(make_triggers),
        migrations.RunPython(make_cache),
    ]
