from argparse import ArgumentParser

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.utils import timezone

from annotation.domain import names, shipped
from annotation.errors import DomainError
from annotation.services import projects

OWN = "own"


class Command(BaseCommand):
    help = "Makes a project with the shipped rubric, and with a shipped taxonomy or none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT", help="short name: letters, digits, hyphens")
        parser.add_argument("--name", help="the name people read")
        parser.add_argument(
            "--taxonomy",
            choices=(*shipped.taxonomy_names(), OWN),
            default=shipped.taxonomy_names()[0],
            help="the genres to begin with: %(choices)s; with own there are none yet",
        )
        parser.add_argument(
            "--language",
            action="append",
            default=[],
            metavar="TAG",
            help="a language of the material, such as en or zh; may be given several times, without it any",
        )

    def handle(
        self, *, project: str, name: str | None, taxonomy: str, language: list[str], **options: object
    ) -> None:
        try:
            validate_slug(project)
        except ValidationError as error:
            raise CommandError(
                f"{project!r} will not do as PROJECT: use letters, digits and hyphens."
            ) from error
        try:
            made = projects.create(
                project,
                name=names.tidy(name or project),
                taxonomy="" if taxonomy == OWN else taxonomy,
                languages=[_tag(written) for written in language],
                by=None,
                now=timezone.now(),
            )
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"Project {made.slug}: {made.name}.")


def _tag(written: str) -> str:
    tag = names.language_tag(written)
    if tag is None:
        raise CommandError(f"{written!r} is no language tag: use one such as en, zh or pt-BR.")
    return tag
