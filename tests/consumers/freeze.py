"""Curates the demo again, now that rankings are there, and freezes it with a split that is held out and the contested
candidates; prints the folder.

Run by the Python of Plumb, after `manage.py demo --no-serve` over the same DATA_DIR: python -m tests.consumers.freeze
"""

import os
import sys

import django
from django.utils import timezone

TERMS = {
    "name": "demo",
    "version": "1.0.0",
    "reason": "It is read by loaders and by nobody else.",
    "note": "Held out: a third of the *prompts*.",
    "licence": "cc-by-4.0",
    "contested": True,
    "heldout": "labels",
    "heldout_percent": 34,
}


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from curation.models import Run
    from curation.services import releases, runs

    first = Run.objects.order_by("pk").first()
    run = runs.request(first.project, recipe=first.recipe, by=None, now=timezone.now())
    runs.execute(run.pk, clock=timezone.now)
    run.refresh_from_db()
    release = releases.request(run, **TERMS, by=None, now=timezone.now())
    releases.execute(release.pk, clock=timezone.now)
    release.refresh_from_db()
    if release.state != "done":
        sys.exit(str(release.error))
    sys.stdout.write(f"{releases.folder(release)}\n")


if __name__ == "__main__":
    main()
