from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.urls import path
from django.views.i18n import set_language

from annotation.views import (
    genres,
    home,
    imports,
    journal,
    panels,
    people,
    project_settings,
    rounds,
    rubric,
    scoring,
    triage,
)

urlpatterns = [
    path("", home.home, name="home"),
    path("sign-in/", auth.LoginView.as_view(redirect_authenticated_user=True), name="sign_in"),
    path("sign-out/", auth.LogoutView.as_view(), name="sign_out"),
    path("theme/", home.theme, name="theme"),
    path("language/", login_not_required(set_language), name="set_language"),
    path("rounds/<int:pk>/next/", scoring.next_text, name="next_text"),
    path("rounds/<int:pk>/finished/", scoring.finished, name="finished"),
    path("score/<str:token>/", scoring.score, name="score"),
    # --- A project's set-up: settings and genres ---
    path("projects/new/", project_settings.new_project, name="new_project"),
    path("projects/<slug:slug>/settings/", project_settings.project_settings, name="project_settings"),
    path("projects/<slug:slug>/genres/", genres.genres, name="genres"),
    path("projects/<slug:slug>/genres/add/", genres.add_macro, name="add_macro"),
    path("projects/<slug:slug>/genres/taxonomy/", genres.taxonomy, name="taxonomy"),
    path("projects/<slug:slug>/genres/<int:pk>/", genres.section, name="genre_section"),
    # --- Rubric and guideline ---
    path("projects/<slug:slug>/rubric/", rubric.rubric, name="rubric"),
    path("projects/<slug:slug>/rubric/edit/", rubric.edit, name="rubric_edit"),
    path("projects/<slug:slug>/rubric/differences/", rubric.differences, name="rubric_diff"),
    path("projects/<slug:slug>/rubric/<int:number>/", rubric.version, name="rubric_version"),
    path("projects/<slug:slug>/guideline/", rubric.guideline, name="guideline"),
    path("rounds/<int:pk>/guideline/", rubric.round_guideline, name="round_guideline"),
    # --- Material: imports ---
    path("projects/<slug:slug>/imports/", imports.imports, name="imports"),
    path("projects/<slug:slug>/imports/<int:pk>/", imports.wizard, name="import"),
    path("projects/<slug:slug>/imports/<int:pk>/read/", imports.reread, name="import_shape"),
    path("projects/<slug:slug>/imports/<int:pk>/store/", imports.store, name="import_store"),
    path("projects/<slug:slug>/imports/<int:pk>/again/", imports.again, name="import_again"),
    path("projects/<slug:slug>/imports/<int:pk>/undo/", imports.undo, name="import_undo"),
    path("projects/<slug:slug>/imports/<int:pk>/discard/", imports.discard, name="import_discard"),
    path("projects/<slug:slug>/imports/<int:pk>/mappings/", imports.keep, name="import_keep"),
    path(
        "projects/<slug:slug>/imports/<int:pk>/mappings/<int:saved_pk>/", imports.saved, name="import_saved"
    ),
    # --- Triage ---
    path("projects/<slug:slug>/triage/", triage.triage, name="triage"),
    path("projects/<slug:slug>/triage/several/", triage.several, name="triage_several"),
    path("projects/<slug:slug>/triage/counts/", triage.counts, name="triage_counts"),
    path("projects/<slug:slug>/triage/responses/<int:pk>/", triage.response, name="triage_response"),
    path("projects/<slug:slug>/triage/prompts/<int:pk>/", triage.prompt, name="triage_prompt"),
    path("score/<str:token>/flag/", triage.flag, name="flag"),
    # --- Rounds ---
    path("projects/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    path("projects/<slug:slug>/rounds/new/", rounds.new_round, name="new_round"),
    path("projects/<slug:slug>/rounds/<int:pk>/", rounds.project_round, name="project_round"),
    path("projects/<slug:slug>/rounds/<int:pk>/change/", rounds.change_round, name="change_round"),
    path("projects/<slug:slug>/rounds/<int:pk>/prompts/", rounds.round_prompts_page, name="round_prompts"),
    path("projects/<slug:slug>/rounds/<int:pk>/panels/", panels.panels, name="panels"),
    path("projects/<slug:slug>/rounds/<int:pk>/panels/compose/", panels.compose, name="compose_panels"),
    path("projects/<slug:slug>/rounds/<int:pk>/open/", rounds.open_round, name="open_round"),
    path("projects/<slug:slug>/rounds/<int:pk>/pause/", rounds.pause_round, name="pause_round"),
    path("projects/<slug:slug>/rounds/<int:pk>/resume/", rounds.resume_round, name="resume_round"),
    path("projects/<slug:slug>/rounds/<int:pk>/lock/", rounds.lock_round, name="lock_round"),
    path("projects/<slug:slug>/rounds/<int:pk>/delete/", rounds.delete_round, name="delete_round"),
    # --- People and journal ---
    path("projects/<slug:slug>/people/", people.people, name="people"),
    path("projects/<slug:slug>/people/add/", people.add_member, name="add_member"),
    path("projects/<slug:slug>/people/new/", people.add_account, name="add_account"),
    path("projects/<slug:slug>/people/<int:pk>/", people.person, name="person"),
    path("projects/<slug:slug>/people/<int:pk>/role/", people.change_role, name="change_role"),
    path("projects/<slug:slug>/people/<int:pk>/languages/", people.set_languages, name="set_languages"),
    path("projects/<slug:slug>/journal/", journal.journal, name="journal"),
]
