"""Snapshots, recipes and pairs never change; neither do a run and a release, and what belongs to them, once done."""

from django.db import migrations

NEVER_CHANGED = ["curation_snapshot", "curation_pair", "curation_recipe"]
JOBS = ["curation_release", "curation_run"]
# What belongs to a job, and the column that names it.
PARTS = {
    "curation_releasefile": ("curation_release", "release_id"),
    "curation_pair": ("curation_run", "run_id"),
}
REFUSAL = "a release or a run never changes once it is done"

POSTGRESQL_JOB = f"""
CREATE FUNCTION plumb_done_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'done' THEN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'restrict_violation'; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$
"""
POSTGRESQL_PART = f"""
CREATE FUNCTION {{table}}_of_done_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE part {{table}}%ROWTYPE;
BEGIN
  IF TG_OP = 'INSERT' THEN part := NEW; ELSE part := OLD; END IF;
  IF EXISTS (SELECT 1 FROM {{job}} WHERE id = part.{{column}} AND state = 'done') THEN
    RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'restrict_violation';
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$
"""


def postgresql():
    yield POSTGRESQL_JOB
    for table in NEVER_CHANGED:
        yield f"CREATE TRIGGER {table}_stays BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION plumb_append_only()"
    for table in JOBS:
        yield f"CREATE TRIGGER {table}_is_done BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION plumb_done_job()"
    for table, (job, column) in PARTS.items():
        yield POSTGRESQL_PART.format(table=table, job=job, column=column)
        yield (
            f"CREATE TRIGGER {table}_is_part_of_a_done_job BEFORE INSERT OR UPDATE OR DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_of_done_job()"
        )
    for table in {*NEVER_CHANGED, *JOBS, *PARTS}:
        yield f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION plumb_append_only()"


def sqlite():
    for table in NEVER_CHANGED:
        for event in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or removed'); END"
            )
    refusal = f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for table in JOBS:
        for event in ("UPDATE", "DELETE"):
            yield f"CREATE TRIGGER {table}_done_no_{event.lower()} BEFORE {event} ON {table} WHEN OLD.state = 'done' {refusal}"
    for table, (job, column) in PARTS.items():
        for event, row in (("INSERT", "NEW"), ("UPDATE", "OLD"), ("DELETE", "OLD")):
            yield (
                f"CREATE TRIGGER {table}_part_no_{event.lower()} BEFORE {event} ON {table} "
                f"WHEN EXISTS (SELECT 1 FROM {job} WHERE id = {row}.{column} AND state = 'done') {refusal}"
            )


def forwards(apps, schema_editor):
    for statement in postgresql() if schema_editor.connection.vendor == "postgresql" else sqlite():
        schema_editor.execute(statement, params=None)  # a % in it is its own


def backwards(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for table in NEVER_CHANGED:
            schema_editor.execute(f"DROP TRIGGER {table}_stays ON {table}")
        for table in JOBS:
            schema_editor.execute(f"DROP TRIGGER {table}_is_done ON {table}")
        for table in PARTS:
            schema_editor.execute(f"DROP TRIGGER {table}_is_part_of_a_done_job ON {table}")
            schema_editor.execute(f"DROP FUNCTION {table}_of_done_job()")
        for table in {*NEVER_CHANGED, *JOBS, *PARTS}:
            schema_editor.execute(f"DROP TRIGGER {table}_is_never_emptied ON {table}")
        schema_editor.execute("DROP FUNCTION plumb_done_job()")
        return
    names = [f"{table}_no_{event}" for table in NEVER_CHANGED for event in ("update", "delete")]
    names += [f"{table}_done_no_{event}" for table in JOBS for event in ("update", "delete")]
    names += [f"{table}_part_no_{event}" for table in PARTS for event in ("insert", "update", "delete")]
    for name in names:
        schema_editor.execute(f"DROP TRIGGER {name}")


class Migration(migrations.Migration):
    # The function of the append-only tables is used again.
    dependencies = [("annotation", "0002_append_only_tables"), ("curation", "0001_initial")]

    operations = [migrations.RunPython(forwards, backwards)]
