from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.errors import DomainError
from annotation.management.finding import account_named, project_named
from annotation.services import tokens


class Command(BaseCommand):
    help = "Makes a bearer token for the REST interface and prints it, this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER", help="the name the person signs in with")
        parser.add_argument("--name", default="made by create_token", help="what the token is for")
        parser.add_argument(
            "--scope",
            action="append",
            choices=tokens.EVERYTHING,
            help="what it may do, once for each; without it, all three",
        )
        parser.add_argument("--project", metavar="SLUG", help="the one project it is for; without it, all")
        parser.add_argument("--days", type=int, help="days until it expires; without it, it does not")

    def handle(
        self,
        *,
        user: str,
        name: str,
        scope: list[str] | None,
        project: str | None,
        days: int | None,
        **options: object,
    ) -> None:
        if days is not None and not 1 <= days <= tokens.MOST_DAYS:
            raise CommandError(f"--days must be from 1 to {tokens.MOST_DAYS}.")
        try:
            token = tokens.create(
                account_named(user),
                name=name,
                scopes=scope or tokens.EVERYTHING,
                project=project_named(project) if project else None,
                days=days,
                now=timezone.now(),
            )
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(token)
