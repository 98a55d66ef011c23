from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.urls import path
from django.views.i18n import set_language

from annotation.views import home, scoring

urlpatterns = [
    path("", home.home, name="home"),
    path("sign-in/", auth.LoginView.as_view(redirect_authenticated_user=True), name="sign_in"),
    path("sign-out/", auth.LogoutView.as_view(), name="sign_out"),
    path("theme/", home.theme, name="theme"),
    path("language/", login_not_required(set_language), name="set_language"),
    path("rounds/<int:pk>/next/", scoring.next_text, name="next_text"),
    path("rounds/<int:pk>/finished/", scoring.finished, name="finished"),
    path("score/<str:token>/", scoring.score, name="score"),
]
