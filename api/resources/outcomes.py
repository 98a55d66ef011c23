"""What answers look like that come of the work: recipes, runs, releases, imports, reports, and refusals."""

from rest_framework import serializers

from annotation.models import Import, ImportJob
from api.resources.shapes import NULL, Of, anything, moment, number, text, texts
from curation.models import Release, Run

# --- Curation --------------------------------------------------------------------------------------------


class RecipeShape(Of):
    name = text()
    version = number()
    parameters = anything()
    created_at = moment()
    url = serializers.URLField()
    file = serializers.URLField(help_text="The recipe as JSON, which can be posted again.")


class Funnel(Of):
    candidates = number()
    removed = number()
    rejected = anything(child=number(), help_text="By rule.")
    accepted = number()


class Alpha(Of):
    value = serializers.FloatField(**NULL)
    low = serializers.FloatField(**NULL)
    high = serializers.FloatField(**NULL)
    reason = text(**NULL)


class RunAgreement(Of):
    alpha = anything(child=Alpha(), help_text="Krippendorff's, by level.")
    n_units = number()
    n_raters = number()
    n_pairable = number()


class RunLine(Of):
    id = number()
    state = serializers.ChoiceField(Run.State.choices)
    recipe = text()
    recipe_version = number()
    error = text(allow_blank=True)
    code_version = text(allow_blank=True)
    rubric = number(**NULL)
    snapshot = text(**NULL, help_text="The digest of what was judged.")
    accepted = number(**NULL)
    queued_at = moment()
    finished_at = moment(**NULL)
    url = serializers.URLField()


class RunShape(RunLine):
    funnel = Funnel(**NULL)
    agreement = RunAgreement(**NULL)
    symmetry = anything(**NULL)
    audit = text(**NULL, help_text="Where the audit of the run stands; null where none was asked for.")
    pairs = serializers.URLField()
    checks = serializers.URLField()


class CheckShape(Of):
    name = text()
    state = serializers.ChoiceField(["passed", "failed", "unknown"])
    detail = anything()
    takes = text(**NULL, help_text="The field of a new release in which to say why it is made all the same.")


class RunChecks(Of):
    checks = CheckShape(many=True)
    last_version = text(**NULL)
    next_version = text()
    difference = anything(child=number(), **NULL)


class PairRow(Of):
    id = text()
    prompt = text()
    chosen = text()
    rejected = text()
    votes_for = number()
    votes_against = number()
    ties = number()
    annotators = number()
    gap = serializers.ListField(child=number(), min_length=2, max_length=2, help_text="A fraction.")
    mean_chosen = serializers.FloatField()
    mean_rejected = serializers.FloatField()
    length_chosen = number()
    length_rejected = number()
    flags = texts()


class ReleaseState(Of):
    name = text()
    version = text()
    run = number()
    state = serializers.ChoiceField(Release.State.choices)
    error = text(allow_blank=True)
    manifest_sha256 = text(allow_blank=True)
    queued_at = moment()
    finished_at = moment(**NULL)
    url = serializers.URLField()
    frozen = serializers.URLField(**NULL, help_text="Where the frozen release is, with its files.")


class ReleaseLine(Of):
    name = text()
    version = text()
    project = text()
    frozen_at = moment()
    recipe = text()
    pairs = number()
    manifest_sha256 = text()
    url = serializers.URLField()


class ReleaseFileShape(Of):
    path = text()
    sha256 = text()
    size = number()
    url = serializers.URLField()


class ReleaseShape(ReleaseLine):
    files = ReleaseFileShape(many=True)


# --- Imports ---------------------------------------------------------------------------------------------


class ImportFile(Of):
    name = text()
    sha256 = text()
    size = number()


class ImportLine(Of):
    id = number()
    url = serializers.URLField()
    project = text()
    state = serializers.ChoiceField(Import.State.choices)
    files = ImportFile(many=True)
    created_at = moment()
    stored_at = moment(**NULL)


class ImportJobShape(Of):
    id = number()
    action = serializers.ChoiceField(ImportJob.Action.choices)
    state = serializers.ChoiceField(ImportJob.State.choices)
    rows_read = number()
    queued_at = moment()
    finished_at = moment(**NULL)
    error = text(allow_blank=True)


class ImportShape(ImportLine):
    shape = anything()
    layout = text()
    layout_name = text()
    notes = serializers.JSONField()
    columns = texts()
    field_map = anything()
    missing = serializers.JSONField()
    keep_names = serializers.BooleanField()
    leave_out_bad_rows = serializers.BooleanField()
    job = ImportJobShape(**NULL)
    report = anything(**NULL)


# --- Agreement -------------------------------------------------------------------------------------------


class NewestReport(Of):
    state = text()
    percent = number()
    asked_at = moment()
    finished_at = moment(**NULL)
    waits_too_long = serializers.BooleanField()
    error = text(**NULL)


class ProgressHead(Of):
    project = text()
    as_of = moment(**NULL)
    code_version = text(**NULL)
    newest = NewestReport(**NULL)


class ReportHead(ProgressHead):
    choice = anything(child=text(**NULL))
    url = serializers.URLField()
    tables = anything(child=serializers.URLField())


class Report(ReportHead):
    snapshot = text()
    result = anything()


class ProgressReport(ProgressHead):
    snapshot = text()
    progress = anything()


# --- Refusals --------------------------------------------------------------------------------------------


class FieldProblem(Of):
    field = text(allow_blank=True, help_text="Empty where no field is at fault by itself.")
    message = text()


class Problem(Of):
    """RFC 9457; `code` is stable, `detail` is for whoever reads it."""

    type = text()
    title = text()
    status = number()
    code = text()
    detail = text()
    errors = FieldProblem(many=True, required=False, help_text="Of a body: by field.")
    place = anything(required=False, help_text="Of a file or its rows: where.")
    newest = NewestReport(
        required=False, allow_null=True, help_text="Of what a worker computes: where it stands."
    )
    scope = text(required=False, help_text="That the token lacks.")


class ProblemInWords(Of):
    type = text()
    code = text()
    title = text()
    description = text()
