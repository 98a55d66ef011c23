"""What is loaded before the web processes are forked, and what must not be."""

import json
import os
import subprocess
import sys

import pytest

from tests.children import ROOT

pytestmark = pytest.mark.files

LOOK = """
import gc, json, sys, threading
import config.wsgi
from django.db import connections
print(json.dumps({
    "kept": gc.get_freeze_count(),
    "views": [name for name in sys.modules if ".views." in name],
    "threads": threading.active_count(),
    "connected": [each.alias for each in connections.all(initialized_only=True) if each.connection is not None],
}))
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> dict:
    environment = {
        **os.environ,
        "DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "SECRET_KEY": "for-this-test-alone-which-signs-nothing-else-0123456789",
        "HTTPS": "False",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", LOOK], env=environment, cwd=ROOT, check=True, capture_output=True
    )
    return json.loads(done.stdout)


def test_every_view_is_loaded_once_for_all_web_processes(loaded):
    assert {"annotation.views.scoring", "curation.views.agreement"} <= {*loaded["views"]}


def test_what_is_loaded_is_not_looked_through_again(loaded):
    assert loaded["kept"] > 10_000


def test_nothing_is_open_that_processes_must_not_share(loaded):
    assert loaded["connected"] == []
    assert loaded["threads"] == 1
