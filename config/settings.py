"""All settings, from the environment; README.md lists them.

Where DATABASE_URL and REDIS_URL are unset the embedded default runs: SQLite, and Celery over the file
system, all under DATA_DIR.
"""

import os
import sqlite3
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from config import environment

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("DATA_DIR") or BASE_DIR / ".data")
DEBUG = environment.flag("DEBUG")

# --- Secrets and hosts ---------------------------------------------------------------------------

DEMO_KEY_FILE = DATA_DIR / "secret_key"  # written by the demo, readable by its owner alone
EMBEDDED = not environment.secret("DATABASE_URL")
SECRET_KEY = environment.secret("SECRET_KEY")
if not SECRET_KEY and EMBEDDED and DEMO_KEY_FILE.exists():
    SECRET_KEY = DEMO_KEY_FILE.read_text(encoding="ascii").strip()
if not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is not set. Set it (or SECRET_KEY_FILE) to a long random string, "
        "or run 'make demo', which writes one for itself."
    )
if len(SECRET_KEY) < 32:
    raise ImproperlyConfigured("SECRET_KEY is shorter than 32 characters; use a long random string.")

ALLOWED_HOSTS = environment.words("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS is '*'; name the hosts this site is served under.")
CSRF_TRUSTED_ORIGINS = environment.origins("CSRF_TRUSTED_ORIGINS")

# --- Applications --------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "annotation",
    "authoring",
    "curation",
    "api",
    "drf_spectacular",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.ContentPolicy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.upload.BodyLimit",
    "config.middleware.Scripts",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.middleware.SignedIn",
    "config.middleware.SessionAge",
    "config.middleware.SignInRequired",
    "allauth.account.middleware.AccountMiddleware",
    "config.middleware.ReadersLanguage",
    "config.middleware.SecondFactor",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.PrivatePages",
    "config.middleware.Refusals",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "builtins": ["config.kept"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "config.readers.reader",
            ],
        },
    },
]

# --- Database ------------------------------------------------------------------------------------

# IMMEDIATE keeps concurrent writers from failing, FULL keeps an acknowledged score through a power cut,
# recursive_triggers keeps REPLACE from walking past the append-only triggers.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON;"
    ),
}


# A new connection reads the whole schema, which took longer than all that a page asks for.
SQLITE = {"ENGINE": "django.db.backends.sqlite3", "OPTIONS": SQLITE_OPTIONS, "CONN_MAX_AGE": None}


def _database() -> dict:
    url = environment.secret("DATABASE_URL")
    if not url:
        return {**SQLITE, "NAME": DATA_DIR / "plumb.sqlite3"}
    try:
        database = dict(dj_database_url.parse(url))
    except (ValueError, KeyError) as error:
        raise ImproperlyConfigured(
            "DATABASE_URL cannot be read; write postgresql://USER:PASSWORD@HOST:PORT/NAME."
        ) from error
    if not database["NAME"]:
        raise ImproperlyConfigured(
            "DATABASE_URL names no database; write postgresql://USER:PASSWORD@HOST:PORT/NAME."
        )
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database |= SQLITE
    elif database["ENGINE"] == "django.db.backends.postgresql":
        # The threshold lets annotation.models.prepared prepare; other queries are never sent in that way.
        kept = {
            "pool": {"min_size": 1, "max_size": 16},
            "prepare_threshold": 1,
            "options": "-c plan_cache_mode=force_generic_plan",
        }
        database["OPTIONS"] = {**database.get("OPTIONS", {}), **kept}
    else:
        raise ImproperlyConfigured("DATABASE_URL names an engine that is neither postgresql nor sqlite.")
    return database


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
if sqlite3.sqlite_version_info < (3, 35):
    raise ImproperlyConfigured("This Python carries a SQLite older than 3.35; use a newer Python.")

# --- People --------------------------------------------------------------------------------------

AUTH_USER_MODEL = "annotation.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "config.passwords.LongEnough"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign_in"

# --- Signing in ----------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = ["config.sessions.Accounts"]
ACCOUNT_ADAPTER = "config.accounts.AccountAdapter"
ACCOUNT_FORMS = {"reset_password": "config.accounts.ResetForm"}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*"]  # checked by allauth; sign-up itself is closed
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # config/accounts.py writes to them itself
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "django.contrib.auth.tokens.PasswordResetTokenGenerator"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
ACCOUNT_RATE_LIMITS = {"login": "60/m/ip", "login_failed": "30/5m/ip,5/5m/key"}
MFA_ADAPTER = "config.accounts.SecondFactors"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Plumb"
MFA_TOTP_TOLERANCE = 1
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
LEADS_NEED_TOTP = environment.flag("LEADS_NEED_TOTP", default=not EMBEDDED)
SESSION_COOKIE_AGE = SESSION_SECONDS = 7 * 24 * 3600  # then a person signs in again, whatever they do
SESSION_IDLE_SECONDS = 12 * 3600

# --- E-mail --------------------------------------------------------------------------------------

MAIL_SERVER = environment.mail_server("EMAIL_URL")
if MAIL_SERVER:
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST, EMAIL_PORT = MAIL_SERVER.host, MAIL_SERVER.port
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL_SERVER.user, MAIL_SERVER.password
    EMAIL_USE_TLS, EMAIL_USE_SSL = MAIL_SERVER.starts_tls, MAIL_SERVER.is_tls
else:
    EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = os.environ.get("EMAIL_FROM") or "Plumb <plumb@localhost>"

# --- Language and time ---------------------------------------------------------------------------

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = ["config.formats"]
LANGUAGES = [("en", _("English")), ("zh-hans", _("Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

# --- Static files --------------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
RUNS_DIR = Path(os.environ.get("RUNS_DIR") or DATA_DIR / "runs")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    # Parts of runs, from their shards to their merge.
    "runs": environment.bucket("RUNS_BUCKET", location="runs")
    or {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": RUNS_DIR, "allow_overwrite": True, "directory_permissions_mode": 0o700},
    },
}
RELEASES_DIR = Path(os.environ.get("RELEASES_DIR") or DATA_DIR / "releases")
# Files of releases by their SHA-256; without a bucket they lie below RELEASES_DIR.
RELEASES_BUCKET = environment.bucket("RELEASES_BUCKET", location="releases")
if RELEASES_BUCKET is not None:
    STORAGES["releases"] = RELEASES_BUCKET
# Signs releases; without it a key is made below RELEASES_DIR.
RELEASE_SIGNING_KEY = environment.signing_key("RELEASE_SIGNING_KEY")
IMPORTS_DIR = Path(os.environ.get("IMPORTS_DIR") or DATA_DIR / "imports")

# --- Files that people send ----------------------------------------------------------------------

FILE_UPLOAD_HANDLERS = ["config.upload.BoundedFiles"]
DATA_UPLOAD_MAX_NUMBER_FILES = 1000  # an import takes fewer, and says so itself

# --- Security ------------------------------------------------------------------------------------

# HTTPS=False is for the demo on this machine and for development; production leaves it alone.
HTTPS = environment.flag("HTTPS", default=not EMBEDDED)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_NAME = "__Host-sessionid" if HTTPS else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if HTTPS else "csrftoken"
SESSION_ENGINE = "config.sessions"
HSTS_SECONDS = environment.number("HSTS_SECONDS", 63_072_000)
SECURE_HSTS_SECONDS = HSTS_SECONDS if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
BEHIND_TLS_PROXY = environment.flag("BEHIND_TLS_PROXY")
if BEHIND_TLS_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# How many proxies in front add to X-Forwarded-For; what stands there before theirs is anybody's word.
ALLAUTH_TRUSTED_PROXY_COUNT = environment.number("TRUSTED_PROXIES", 1 if BEHIND_TLS_PROXY else 0)
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
    }
}

# --- Jobs ----------------------------------------------------------------------------------------

QUEUE_DIR = DATA_DIR / "queue"
JOB_LEASE_SECONDS = environment.number("JOB_LEASE_SECONDS", 600, least=10)
JOB_SWEEP_SECONDS = environment.number("JOB_SWEEP_SECONDS", 15, least=1)
RUN_SHARD_RESPONSES = environment.number("RUN_SHARD_RESPONSES", 20_000, least=1)
REDIS_URL = environment.redis_url("REDIS_URL")
# Counts failed sign-ins and used codes: one for all processes, or each would count for itself.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "plumb",
    }
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "plumb_cache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # What never changes, or may be a minute old, and is asked for on every page of work.
    "process": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}
CELERY_BROKER_URL = REDIS_URL or "folder://localhost/"  # config/folder_transport.py
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"visibility_timeout": 6 * 3600}
    if REDIS_URL
    else {
        "data_folder_in": str(QUEUE_DIR / "messages"),
        "data_folder_out": str(QUEUE_DIR / "messages"),
        "control_folder": str(QUEUE_DIR / "control"),
        "polling_interval": 0.1,
    }
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = 2 * 3600
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "curation.tasks.sweep", "schedule": float(JOB_SWEEP_SECONDS)},
    "recheck": {"task": "curation.tasks.recheck_releases", "schedule": 86_400.0},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(QUEUE_DIR / "beat-schedule")

# --- Models that may be asked ---------------------------------------------------------------------

# The only servers that are ever asked, such as https://models.example.org or http://10.0.0.5:8000.
# None is where it is empty.
MODEL_ORIGINS = environment.origins("MODEL_ORIGINS")

# --- REST ----------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["api.authentication.BearerToken"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["api.parsers.StrictJSON"],
    "DEFAULT_THROTTLE_CLASSES": ["api.throttling.PerToken"],
    "EXCEPTION_HANDLER": "api.errors.handle",
    "DEFAULT_SCHEMA_CLASS": "api.schema.Described",
    "URL_FORMAT_OVERRIDE": None,  # `format` is a parameter like any other that no address knows
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Plumb",
    "DESCRIPTION": "Turns human judgement of writing into benchmarks. Refusals are problems (RFC 9457).",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [],  # which would give values of like names one list in common
}
API_REQUESTS_PER_MINUTE = environment.number("API_REQUESTS_PER_MINUTE", 600, least=1)  # of a token
SUBMISSIONS_A_DAY = environment.number(
    "SUBMISSIONS_A_DAY", 10, least=1
)  # of a person, where labels are kept back
API_FAILURES_PER_MINUTE = environment.number("API_FAILURES_PER_MINUTE", 30, least=1)  # of an address

LOG_LEVEL = environment.choice("LOG_LEVEL", "INFO", allowed=("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {"httpx": {"level": "WARNING"}},  # a line for each request to a model
}
