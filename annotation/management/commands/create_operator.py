import sys
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.errors import DomainError
from annotation.services import accounts


class Command(BaseCommand):
    help = (
        "Makes an account that may make projects, or lets one that is there do so. "
        "The password of a new account is printed, this once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="NAME", help="the name the person signs in with")
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="read the password of a new account from the first line of standard input",
        )

    def handle(self, *, user: str, password_stdin: bool, **options: object) -> None:
        password = _first_line() if password_stdin else ""
        try:
            made = accounts.make_operator(user, password=password, now=timezone.now())
        except DomainError as error:
            raise CommandError(error.message) from error
        if made.password:
            self.stdout.write(f"login operator {made.user.username} {made.password}")
        elif made.is_new:
            self.stdout.write(f"{made.user.username} is an operator.")
        else:
            self.stdout.write(f"{made.user.username} is an operator. The account's password is as it was.")


def _first_line() -> str:
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise CommandError("No password came by standard input: pipe it in as the first line.")
    return line
