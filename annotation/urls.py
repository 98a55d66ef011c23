from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.urls import path
from django.views.i18n import set_language

from annotation.views import (
    genres,
    home,
    imports,
    journal,
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
    # --- Rubric and guideline ---
    path("projects/<slug:slug>/rubric/", rubric.rubric, name="rubric"),
    # --- Material: imports ---
    path("projects/<slug:slug>/imports/", imports.imports, name="imports"),
    # --- Triage ---
    path("projects/<slug:slug>/triage/", triage.triage, name="triage"),
    # --- Rounds ---
    path("projects/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    # --- People and journal ---
    path("projects/<slug:slug>/people/", people.people, name="people"),
    path("projects/<slug:slug>/journal/", journal.journal, name="journal"),
]
