from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.errors import DomainError
from annotation.management.finding import project_named
from annotation.services import rounds


class Command(BaseCommand):
    help = "Opens a live round over all active responses of a project, as a pool."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("name", metavar="NAME", help="what annotators call the round")

    def handle(self, *, project: str, name: str, **options: object) -> None:
        try:
            opened = rounds.open_round(project_named(project), name, by=None, now=timezone.now())
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{name} is open: {opened.assignments.count()} slots.")
