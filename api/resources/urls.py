"""Addresses of what a project holds. Names that people chose may have a slash in them, so where one stands nothing
else is told apart by what comes after it, but for the four things that become of a round."""

from django.urls import path, register_converter
from django.urls.converters import PathConverter, StringConverter

from api import exports
from api.resources import authoring, curation, imports, material, people, projects, work
from api.schema import Schema


class Name(StringConverter):
    """Without a NUL, for which PostgreSQL cannot be asked."""

    regex = "[^/\\0]+"


class LongName(PathConverter):
    """The same, with slashes."""

    regex = "[^\\0]+"


register_converter(Name, "name")
register_converter(LongName, "longname")
P = "projects/<slug:slug>/"

urlpatterns = [
    path("schema/", Schema.as_view(), name="api_schema"),
    path("me/", projects.Me.as_view(), name="api_me"),
    path("me/rounds/", projects.OwnRounds.as_view(), name="api_own_rounds"),
    path("projects/", projects.Projects.as_view(), name="api_projects"),
    path(P, projects.OneProject.as_view(), name="api_project"),
    path(f"{P}genres/", projects.Genres.as_view(), name="api_genres"),
    path(f"{P}genres/<name:key>/", projects.OneGenre.as_view(), name="api_genre"),
    path(f"{P}rubrics/", projects.Rubrics.as_view(), name="api_rubrics"),
    path(f"{P}rubrics/<int:number>/", projects.OneRubric.as_view(), name="api_rubric"),
    path(f"{P}prompts/", material.Prompts.as_view(), name="api_prompts"),
    path(f"{P}prompts/<longname:id>/", material.OnePrompt.as_view(), name="api_prompt"),
    path(f"{P}responses/", material.Responses.as_view(), name="api_responses"),
    path(f"{P}responses/<longname:id>/", material.OneResponse.as_view(), name="api_response"),
    path(f"{P}authored/", authoring.AuthoredPrompts.as_view(), name="api_authored_prompts"),
    path(f"{P}authored/<name:key>/", authoring.OneAuthoredPrompt.as_view(), name="api_authored_prompt"),
    path(f"{P}plans/", authoring.Plans.as_view(), name="api_plans"),
    path(f"{P}plans/<int:pk>/", authoring.OnePlan.as_view(), name="api_plan"),
    path(f"{P}plans/<int:pk>/requests/", authoring.Requests.as_view(), name="api_requests"),
    path(f"{P}members/", people.Members.as_view(), name="api_members"),
    path(f"{P}members/<name:username>/", people.OneMember.as_view(), name="api_member"),
    path(f"{P}rounds/", work.Rounds.as_view(), name="api_rounds"),
    *(
        path(
            f"{P}rounds/<longname:name>/{action}/",
            work.RoundAction.as_view(action=action),
            name=f"api_round_{action}",
        )
        for action in work.ACTIONS
    ),
    path(f"{P}rounds/<longname:name>/", work.OneRound.as_view(), name="api_round"),
    path(f"{P}assignments/", work.Assignments.as_view(), name="api_assignments"),
    path(f"{P}scores/", work.Scores.as_view(), name="api_scores"),
    path(f"{P}rankings/", work.Rankings.as_view(), name="api_rankings"),
    path(f"{P}imports/", imports.Imports.as_view(), name="api_imports"),
    path(f"{P}exports/<slug:kind>.jsonl", exports.Export.as_view(), name="api_export"),
    path(f"{P}recipes/", curation.Recipes.as_view(), name="api_recipes"),
    path(f"{P}recipes/<name:name>/<int:number>/", curation.OneRecipe.as_view(), name="api_recipe"),
    path(
        f"{P}recipes/<name:name>/<int:number>/recipe.json",
        curation.RecipeFile.as_view(),
        name="api_recipe_file",
    ),
    path(f"{P}runs/", curation.Runs.as_view(), name="api_runs"),
    path(f"{P}runs/<int:pk>/", curation.OneRun.as_view(), name="api_run"),
    path(f"{P}runs/<int:pk>/cancel/", curation.CancelRun.as_view(), name="api_run_cancel"),
    path(f"{P}runs/<int:pk>/checks/", curation.RunChecks.as_view(), name="api_run_checks"),
    path(f"{P}runs/<int:pk>/pairs/", curation.Pairs.as_view(), name="api_pairs"),
    path(f"{P}runs/<int:pk>/pairs.jsonl", exports.PairsExport.as_view(), name="api_pairs_export"),
    path(f"{P}releases/", curation.ProjectReleases.as_view(), name="api_project_releases"),
    path(
        f"{P}releases/<name:name>/<name:version>/",
        curation.OneProjectRelease.as_view(),
        name="api_project_release",
    ),
]
