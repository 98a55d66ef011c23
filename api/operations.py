"""What each address takes and gives, as api/schema.py describes it; one line for each that there is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from api.resources import bodies, outcomes, shapes
from api.resources.shapes import Of

LINES = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Operation:
    """`takes` is a body, or one for each type; `gives` what stands behind each status that is no refusal."""

    name: str
    tag: str
    gives: Mapping[Any, Any]
    takes: Any = None
    parameters: Sequence[OpenApiParameter] = ()
    refuses: Mapping[int, str] = field(default_factory=dict)
    is_file: bool = False  # may be asked for in part


def _page(shape: type[Of]) -> type[Of]:
    """A page of a list, under a name of its own."""
    url = serializers.URLField(allow_null=True)
    parts = {"next": url, "previous": serializers.URLField(allow_null=True), "results": shape(many=True)}
    return type(f"{shape.__name__}Page", (Of,), parts)


def _list(tag: str, name: str, shape: type[Of], parameters: Sequence[OpenApiParameter] = ()) -> Operation:
    return Operation(name, tag, {200: _page(shape)}, parameters=parameters)


def _one(tag: str, name: str, shape: type[Of]) -> Operation:
    return Operation(name, tag, {200: shape})


def _new(tag: str, name: str, takes: Any, shape: type[Of], status: int = 201) -> Operation:
    return Operation(name, tag, {status: shape}, takes=takes)


def _change(tag: str, name: str, takes: Any, shape: type[Of]) -> Operation:
    return Operation(name, tag, {200: shape}, takes=takes)


def _gone(tag: str, name: str) -> Operation:
    return Operation(name, tag, {204: None})


def _file(tag: str, name: str, media_type: str, **more: Any) -> Operation:
    gives = {(200, media_type): OpenApiTypes.BINARY, (206, media_type): OpenApiTypes.BINARY, 304: HELD}
    return Operation(name, tag, gives, is_file=True, **more)


def pages(*orders: str) -> list[OpenApiParameter]:
    """How a list is cut into pages."""
    size = {"type": "integer", "minimum": 1, "maximum": 500}
    return [
        OpenApiParameter("ordering", enum=[order for name in orders for order in (name, f"-{name}")]),
        OpenApiParameter("page_size", size),
        OpenApiParameter("cursor", description="As `next` or `previous` of another page has it."),
    ]


P = "projects/{slug}/"
CHOICE = [OpenApiParameter(name) for name in ("genre", "language", "annotator", "round", "since", "until")]
HELD = OpenApiResponse(None, description="It is what If-None-Match names.")
IF_NONE_MATCH = OpenApiParameter("If-None-Match", location=OpenApiParameter.HEADER)
OPERATIONS: Mapping[str, Operation] = {
    "GET schema/": Operation("get_schema", "schema", {200: OpenApiTypes.OBJECT}),
    "GET problems/{code}/": _one("schema", "get_problem", outcomes.ProblemInWords),
    "GET me/": _one("me", "get_me", shapes.Me),
    "GET me/rounds/": Operation("list_own_rounds", "me", {200: shapes.OwnRounds}),
    # --- Projects ---
    "GET projects/": _list("projects", "list_projects", shapes.ProjectShape),
    "POST projects/": _new("projects", "create_project", bodies.NewProject, shapes.ProjectShape),
    f"GET {P}": _one("projects", "get_project", shapes.ProjectShape),
    f"PATCH {P}": _change("projects", "change_project", bodies.ProjectChange, shapes.ProjectShape),
    f"GET {P}genres/": _list("projects", "list_genres", shapes.GenreShape),
    f"POST {P}genres/": _new("projects", "add_genre", bodies.NewGenre, shapes.GenreShape),
    f"GET {P}genres/{{key}}/": _one("projects", "get_genre", shapes.GenreShape),
    f"DELETE {P}genres/{{key}}/": _gone("projects", "remove_genre"),
    f"GET {P}rubrics/": _list("projects", "list_rubrics", shapes.RubricLine),
    f"GET {P}rubrics/{{number}}/": _one("projects", "get_rubric", shapes.RubricShape),
    # --- Material ---
    f"GET {P}prompts/": _list("material", "list_prompts", shapes.PromptShape),
    f"GET {P}prompts/{{id}}/": _one("material", "get_prompt", shapes.PromptShape),
    f"GET {P}responses/": _list("material", "list_responses", shapes.ResponseShape),
    f"GET {P}responses/{{id}}/": _one("material", "get_response", shapes.ResponseShape),
    # --- People ---
    f"GET {P}authored/": _list("authoring", "list_authored_prompts", shapes.AuthoredLine),
    f"GET {P}authored/{{key}}/": _one("authoring", "get_authored_prompt", shapes.AuthoredShape),
    f"GET {P}plans/": _list("authoring", "list_plans", shapes.PlanLineShape),
    f"GET {P}plans/{{id}}/": _one("authoring", "get_plan", shapes.PlanShape),
    f"GET {P}plans/{{id}}/requests/": _list("authoring", "list_requests", shapes.ModelRequestShape),
    f"GET {P}members/": _list("people", "list_members", shapes.MemberLine),
    f"POST {P}members/": _new("people", "add_member", bodies.NewMemberBody, shapes.NewMember),
    f"GET {P}members/{{username}}/": _one("people", "get_member", shapes.MemberShape),
    f"PATCH {P}members/{{username}}/": _change(
        "people", "change_member", bodies.MemberChange, shapes.MemberShape
    ),
    # --- Work ---
    f"GET {P}rounds/": _list("work", "list_rounds", shapes.RoundLine),
    f"POST {P}rounds/": _new("work", "create_round", bodies.NewRound, shapes.RoundShape),
    f"GET {P}rounds/{{name}}/": _one("work", "get_round", shapes.RoundShape),
    f"PATCH {P}rounds/{{name}}/": _change("work", "change_round", bodies.RoundChange, shapes.RoundShape),
    f"DELETE {P}rounds/{{name}}/": _gone("work", "delete_round"),
    **{
        f"POST {P}rounds/{{name}}/{action}/": _change("work", f"{action}_round", None, shapes.RoundShape)
        for action in ("open", "pause", "resume", "lock")
    },
    f"GET {P}assignments/": _list("work", "list_assignments", shapes.AssignmentRow),
    f"GET {P}scores/": _list("work", "list_scores", shapes.ScoreRow),
    f"GET {P}rankings/": _list("work", "list_rankings", shapes.RankingRow),
    # --- Imports ---
    f"GET {P}imports/": _list("imports", "list_imports", outcomes.ImportLine, pages("created")),
    f"POST {P}imports/": Operation(
        "upload_files",
        "imports",
        {201: outcomes.ImportShape},
        takes={"multipart/form-data": bodies.Upload, LINES: OpenApiTypes.BINARY},
        parameters=[
            OpenApiParameter("name", description="Of application/x-ndjson: what the file is called.")
        ],
    ),
    f"GET {P}imports/{{id}}/": _one("imports", "get_import", outcomes.ImportShape),
    f"DELETE {P}imports/{{id}}/": _gone("imports", "discard_import"),
    f"PUT {P}imports/{{id}}/field_map/": _change(
        "imports", "set_field_map", bodies.ImportColumns, outcomes.ImportShape
    ),
    f"POST {P}imports/{{id}}/check/": _new("imports", "check_import", None, outcomes.ImportShape, 202),
    f"POST {P}imports/{{id}}/store/": _new(
        "imports", "store_import", bodies.StoreImport, outcomes.ImportShape, 202
    ),
    f"POST {P}imports/{{id}}/undo/": _new("imports", "undo_import", None, outcomes.ImportShape, 202),
    # --- Exports ---
    f"GET {P}exports/{{kind}}.jsonl": _file("exports", "export", LINES),
    f"GET {P}runs/{{id}}/pairs.jsonl": _file("exports", "export_pairs", LINES),
    # --- Curation ---
    f"GET {P}recipes/": _list("curation", "list_recipes", outcomes.RecipeShape),
    f"POST {P}recipes/": _new("curation", "save_recipe", bodies.NewRecipe, outcomes.RecipeShape),
    f"GET {P}recipes/{{name}}/{{number}}/": _one("curation", "get_recipe", outcomes.RecipeShape),
    f"GET {P}recipes/{{name}}/{{number}}/recipe.json": Operation(
        "get_recipe_file", "curation", {200: OpenApiTypes.OBJECT}
    ),
    f"GET {P}runs/": _list("curation", "list_runs", outcomes.RunLine),
    f"POST {P}runs/": _new("curation", "start_run", bodies.NewRun, outcomes.RunShape, 202),
    f"GET {P}runs/{{id}}/": _one("curation", "get_run", outcomes.RunShape),
    f"POST {P}runs/{{id}}/cancel/": _change("curation", "cancel_run", None, outcomes.RunShape),
    f"GET {P}runs/{{id}}/checks/": Operation(
        "get_checks",
        "curation",
        {200: outcomes.RunChecks},
        parameters=[
            OpenApiParameter("name", description="Of the release; left out, as the page proposes it.")
        ],
        refuses={409: "The run is not done."},
    ),
    f"GET {P}runs/{{id}}/pairs/": _list("curation", "list_pairs", outcomes.PairRow),
    # --- Agreement and progress ---
    f"GET {P}agreement/": Operation(
        "get_agreement", "agreement", {200: outcomes.Report, 304: HELD}, parameters=[*CHOICE, IF_NONE_MATCH]
    ),
    f"POST {P}agreement/": Operation(
        "compute_agreement", "agreement", {202: outcomes.ReportHead}, takes=bodies.Choice, parameters=CHOICE
    ),
    f"GET {P}agreement/tables/{{name}}.csv": Operation(
        "get_agreement_table",
        "agreement",
        {(200, "text/csv"): OpenApiTypes.STR, 304: HELD},
        parameters=[*CHOICE, IF_NONE_MATCH],
    ),
    f"GET {P}progress/": Operation(
        "get_progress", "agreement", {200: outcomes.ProgressReport, 304: HELD}, parameters=[IF_NONE_MATCH]
    ),
    # --- Releases ---
    f"GET {P}releases/": _list("releases", "list_project_releases", outcomes.ReleaseState),
    f"POST {P}releases/": _new("releases", "freeze_release", bodies.NewRelease, outcomes.ReleaseState, 202),
    f"GET {P}releases/{{name}}/{{version}}/": _one("releases", "get_project_release", outcomes.ReleaseState),
    "GET releases/": _list("releases", "list_releases", outcomes.ReleaseLine, pages("frozen", "name")),
    "GET releases/{name}/{version}/": _one("releases", "get_release", outcomes.ReleaseShape),
    "GET releases/{name}/{version}/archive.zip": Operation(
        "get_release_archive", "releases", {(200, "application/octet-stream"): OpenApiTypes.BINARY}
    ),
    "GET releases/{name}/{version}/files/{path}": _file(
        "releases", "get_release_file", "application/octet-stream"
    ),
}
