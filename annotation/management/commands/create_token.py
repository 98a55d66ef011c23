from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.errors import DomainError
from annotation.management.finding import account_named
from annotation.services import accounts


class Command(BaseCommand):
    help = "Makes a bearer token for the REST interface and prints it, this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER", help="the name the person signs in with")
        parser.add_argument("--name", default="", help="what the token is for")
        parser.add_argument("--days", type=int, help="days until it expires; without it, it does not")

    def handle(self, *, user: str, name: str, days: int | None, **options: object) -> None:
        if days is not None and days < 1:
            raise CommandError("--days must be 1 or more.")
        try:
            token = accounts.create_token(account_named(user), name=name, now=timezone.now(), days=days)
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(token)
