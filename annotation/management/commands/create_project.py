from argparse import ArgumentParser

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.utils import timezone

from annotation.domain import shipped
from annotation.errors import DomainError
from annotation.services import projects


class Command(BaseCommand):
    help = "Makes a project with a shipped taxonomy and the shipped rubric."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT", help="short name: letters, digits, hyphens")
        parser.add_argument("--name", help="the name people read")
        parser.add_argument(
            "--taxonomy", choices=shipped.taxonomy_names(), default=shipped.taxonomy_names()[0]
        )

    def handle(self, *, project: str, name: str | None, taxonomy: str, **options: object) -> None:
        try:
            validate_slug(project)
        except ValidationError as error:
            raise CommandError(
                f"{project!r} will not do as PROJECT: use letters, digits and hyphens."
            ) from error
        try:
            made = projects.create(
                project, name=name or project, taxonomy=taxonomy, by=None, now=timezone.now()
            )
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"Project {made.slug}: {made.name}.")
