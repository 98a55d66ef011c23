#!/usr/bin/env python
"""Runs Plumb's commands."""

import os
import secrets
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from config import demo_key

# These read and write files alone: they need no database and sign nothing, so a key that dies with the
# process serves, and a person who only has files need not set anything up.
FILE_COMMANDS = {"curate", "agreement", "verify_release"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        if command in FILE_COMMANDS:
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
