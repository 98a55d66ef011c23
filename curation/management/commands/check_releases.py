"""Whether the storage still holds every frozen release as it was frozen."""

from django.core.management.base import BaseCommand, CommandError

from curation.models import Release
from curation.services import rehash


class Command(BaseCommand):
    help = "Reads every file of every frozen release anew. Exit code 0: all as frozen, 1: some are not; they are named."

    def handle(self, **options: object) -> None:
        damaged = [f"{file.release.name} {file.release.version}: {file.path}" for file in rehash.damaged()]
        if damaged:
            raise CommandError("Not what was frozen: " + "; ".join(damaged))
        number = Release.objects.filter(state=Release.State.DONE).count()
        self.stdout.write(f"{number} releases, every file as it was frozen")
