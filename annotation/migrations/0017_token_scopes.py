import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

# What every token could do before there were scopes.
EVERYTHING = "read write submit"
SCOPES = [
    *("read", "write", "submit", "read write", "read submit", "write submit"),
    EVERYTHING,
]


def name_those_without(apps, schema_editor):
    """A list of tokens is read by their names, so the ones without are told apart by their numbers."""
    ApiToken = apps.get_model("annotation", "ApiToken")
    for pk in ApiToken.objects.filter(name="").values_list("pk", flat=True):
        ApiToken.objects.filter(pk=pk).update(name=f"token {pk}")


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0016_time_at_other_work"),
    ]

    operations = [
        migrations.RunPython(name_those_without, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="apitoken",
            name="name",
            field=models.CharField(max_length=100),
        ),
        migrations.AddField(
            model_name="apitoken",
            name="scopes",
            field=models.CharField(max_length=32, default=EVERYTHING),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="apitoken",
            name="project",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="api_tokens",
                to="annotation.project",
            ),
        ),
        migrations.AddField(
            model_name="apitoken",
            name="last_used_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="apitoken",
            constraint=models.CheckConstraint(condition=~Q(name=""), name="tokens_have_a_name"),
        ),
        migrations.AddConstraint(
            model_name="apitoken",
            constraint=models.CheckConstraint(condition=Q(scopes__in=SCOPES), name="known_scopes_of_a_token"),
        ),
    ]
