#!/usr/bin/env python
"""Runs Plumb's commands."""

import os
import secrets
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from config import demo_key

# These read and write files alone: they need no database and sign nothing, so a key that dies with the
# process serves, and a person who only has files need not set anything up. Given a --project they read that instead.
FILE_COMMANDS = {"curate", "agreement", "evaluate", "parquet", "rank_metrics", "verify_release"}
# What config/settings.py reads, which is nothing to them, whatever it says.
SETTINGS = (
    "SECRET_KEY SECRET_KEY_FILE DATABASE_URL DATABASE_URL_FILE REDIS_URL REDIS_URL_FILE ALLOWED_HOSTS HTTPS "
    "CSRF_TRUSTED_ORIGINS HSTS_SECONDS BEHIND_TLS_PROXY DATA_DIR RELEASES_DIR RELEASES_BUCKET RUNS_BUCKET "
    "RELEASE_SIGNING_KEY RELEASE_SIGNING_KEY_FILE JOB_LEASE_SECONDS JOB_SWEEP_SECONDS LOG_LEVEL DEBUG"
)


def reads_files_alone(command: str, options: list[str]) -> bool:
    of_project = any(option == "--project" or option.startswith("--project=") for option in options)
    return command in FILE_COMMANDS and not of_project


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        if reads_files_alone(command, sys.argv[2:]):
            for name in SETTINGS.split():
                os.environ.pop(name, None)
            os.environ["SECRET_KEY"] = secrets.token_urlsafe(50)
            sys.dont_write_bytecode = True  # they write where they are told to and nowhere else
        elif command == "demo":
            demo_key.ensure()
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Plumb cannot start: {error}")
    except OSError as error:
        sys.exit(f"Plumb cannot go on: {error.strerror or error} ({error.filename or 'no file named'}).")


if __name__ == "__main__":
    main()
