"""Snapshots and pairs never change; a release and its files never change once the release is done."""

from django.db import migrations

NEVER_CHANGED = ["curation_snapshot", "curation_pair", "curation_recipe"]
RELEASES = ["curation_release", "curation_releasefile"]

POSTGRESQL_FUNCTIONS = """
CREATE FUNCTION plumb_frozen_release() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'done' THEN
    RAISE EXCEPTION 'a frozen release never changes' USING ERRCODE = 'restrict_violation';
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION plumb_frozen_release_file() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE owner bigint;
BEGIN
  IF TG_OP = 'INSERT' THEN owner := NEW.release_id; ELSE owner := OLD.release_id; END IF;
  IF EXISTS (SELECT 1 FROM curation_release WHERE id = owner AND state = 'done') THEN
    RAISE EXCEPTION 'a frozen release never changes' USING ERRCODE = 'restrict_violation';
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
"""


def postgresql():
    yield POSTGRESQL_FUNCTIONS
    for table in NEVER_CHANGED:
        yield f"CREATE TRIGGER {table}_stays BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
    yield "CREATE TRIGGER curation_release_stays BEFORE UPDATE OR DELETE ON curation_release FOR EACH ROW EXECUTE FUNCTION plumb_frozen_release()"
    yield (
        "CREATE TRIGGER curation_releasefile_stays BEFORE INSERT OR UPDATE OR DELETE ON curation_releasefile "
        "FOR EACH ROW EXECUTE FUNCTION plumb_frozen_release_file()"
    )
    for table in NEVER_CHANGED + RELEASES:
        yield f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"


def sqlite():
    for table in NEVER_CHANGED:
        for event in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
            )
    refusal = "BEGIN SELECT RAISE(ABORT, 'a frozen release never changes'); END"
    for event in ("UPDATE", "DELETE"):
        yield f"CREATE TRIGGER curation_release_no_{event.lower()} BEFORE {event} ON curation_release WHEN OLD.state = 'done' {refusal}"
    for event, row in (("INSERT", "NEW"), ("UPDATE", "OLD"), ("DELETE", "OLD")):
        yield (
            f"CREATE TRIGGER curation_releasefile_no_{event.lower()} BEFORE {event} ON curation_releasefile "
            f"WHEN EXISTS (SELECT 1 FROM curation_release WHERE id = {row}.release_id AND state = 'done') {refusal}"
        )


def forwards(apps, schema_editor):
    for statement in postgresql() if schema_editor.connection.vendor == "postgresql" else sqlite():
        schema_editor.execute(statement, params=None)  # a % in it is its own


def backwards(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for table in NEVER_CHANGED + RELEASES:
            schema_editor.execute(f"DROP TRIGGER {table}_stays ON {table}")
            schema_editor.execute(f"DROP TRIGGER {table}_is_never_emptied ON {table}")
        schema_editor.execute(
            "DROP FUNCTION plumb_frozen_release(); DROP FUNCTION plumb_frozen_release_file();"
        )
        return
    names = [f"{table}_no_{event}" for table in [*NEVER_CHANGED, *RELEASES] for event in ("update", "delete")]
    for name in [*names, "curation_releasefile_no_insert"]:
        schema_editor.execute(f"DROP TRIGGER {name}")


class Migration(migrations.Migration):
    # The functions of the append-only tables are used again.
    dependencies = [("annotation", "0002_append_only_tables"), ("curation", "0001_initial")]

    operations = [migrations.RunPython(forwards, backwards)]
