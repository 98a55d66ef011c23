"""All addresses. Of allauth only those that Plumb uses, under names and paths of the house; there is no sign-up."""

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from django.urls import include, path, re_path
from django.views.decorators.http import require_POST

from annotation.views.account import settings_page
from api.views import NothingHere
from config.health import healthz

handler400 = "config.errors.bad_request"
handler500 = "config.errors.server_error"

sign_out = require_POST(account.logout)

# allauth goes to its own names, so some pages have two.
signing_in = [
    path("sign-in/", account.login, name="account_login"),
    path("sign-in/", account.login, name="sign_in"),
    path("sign-in/code/", mfa.authenticate, name="mfa_authenticate"),
    path("sign-out/", sign_out, name="account_logout"),
    path("sign-out/", sign_out, name="sign_out"),
    path("password/forgotten/", account.password_reset, name="account_reset_password"),
    path("password/forgotten/sent/", account.password_reset_done, name="account_reset_password_done"),
    path(
        "password/new/<slug:uidb36>/<str:key>/",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/new/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("settings/password/", account.password_change, name="account_change_password"),
    path("settings/confirm/", account.reauthenticate, name="account_reauthenticate"),
    path("settings/confirm/code/", mfa.reauthenticate, name="mfa_reauthenticate"),
    path("settings/second-factor/", totp.activate_totp, name="mfa_activate_totp"),
    path("settings/second-factor/remove/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("settings/recovery-codes/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "settings/recovery-codes/new/",
        recovery_codes.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path("settings/", settings_page, name="mfa_index"),
]

urlpatterns = [
    path("", include("annotation.urls")),
    path("", include(signing_in)),
    path("", include("authoring.urls")),
    path("", include("curation.urls")),
    path("api/v1/", include("api.urls")),
    re_path(r"^api(?:/[\s\S]*)?\Z", NothingHere.as_view(), name="api_elsewhere"),
    path("healthz", healthz, name="healthz"),
]
