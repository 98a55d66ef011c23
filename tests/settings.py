"""The settings under which the suite runs: the product's own, with cheap passwords and databases of its own."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("SECRET_KEY", "a key for the tests alone, which sign nothing of worth")
if "DATA_DIR" not in os.environ:
    os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="plumb-tests-")
os.environ.setdefault("HTTPS", "False")  # the test client speaks plain HTTP
os.environ.setdefault("LEADS_NEED_TOTP", "False")  # on PostgreSQL as in the demo; its own tests switch it on

from config.settings import *
from config.settings import DATA_DIR, DATABASES, MIDDLEWARE, STORAGES

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
MIDDLEWARE = [name for name in MIDDLEWARE if "whitenoise" not in name]
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: workers and browsers are other processes and threads.
    DATABASES["default"]["TEST"] = {"NAME": str(Path(DATA_DIR) / "test.sqlite3")}
