"""What was handed in, said, accepted and answered never changes."""

from django.db import migrations

TABLES = (
    "authoring_promptversion",
    "authoring_promptreview",
    "authoring_fieldcomment",
    "authoring_acceptedversion",
    "authoring_requestattempt",
)
REFUSAL = "append-only: rows of this table are never changed or removed"
ANSWERED = "a request never changes once it is answered"
REQUESTS = "authoring_modelrequest"

POSTGRESQL = f"""
CREATE FUNCTION plumb_answered_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'done' THEN RAISE EXCEPTION '{ANSWERED}' USING ERRCODE = 'restrict_violation'; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$
"""


def of_postgresql():
    yield POSTGRESQL
    yield (
        f"CREATE TRIGGER {REQUESTS}_is_answered BEFORE UPDATE OR DELETE ON {REQUESTS} "
        "FOR EACH ROW EXECUTE FUNCTION plumb_answered_request()"
    )
    for table in TABLES:
        yield (
            f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
        )
    for table in (*TABLES, REQUESTS):
        yield (
            f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"
        )


def of_sqlite():
    for event in ("UPDATE", "DELETE"):
        for table in TABLES:
            yield (
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            )
        yield (
            f"CREATE TRIGGER {REQUESTS}_no_{event.lower()} BEFORE {event} ON {REQUESTS} "
            f"WHEN OLD.state = 'done' BEGIN SELECT RAISE(ABORT, '{ANSWERED}'); END"
        )


def dropped_from_postgresql():
    yield f"DROP TRIGGER {REQUESTS}_is_answered ON {REQUESTS}"
    yield "DROP FUNCTION plumb_answered_request()"
    for table in TABLES:
        yield f"DROP TRIGGER {table}_only_grows ON {table}"
    for table in (*TABLES, REQUESTS):
        yield f"DROP TRIGGER {table}_is_never_emptied ON {table}"


def dropped_from_sqlite():
    for event in ("update", "delete"):
        for table in (*TABLES, REQUESTS):
            yield f"DROP TRIGGER {table}_no_{event}"


def make_triggers(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in of_postgresql() if is_postgresql else of_sqlite():
        schema_editor.execute(statement, params=None)


def drop_triggers(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in dropped_from_postgresql() if is_postgresql else dropped_from_sqlite():
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("authoring", "0001_prompts_and_plans")]

    operations = [migrations.RunPython(make_triggers, drop_triggers)]
