from argparse import ArgumentParser

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.management.finding import account_named
from annotation.services import accounts


class Command(BaseCommand):
    help = "Takes the second factor off an account, for a person who lost the phone and the recovery codes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *, username: str, **options: object) -> None:
        user = account_named(username)
        if accounts.remove_second_factor(user, by=None, now=timezone.now()):
            self.stdout.write(
                f"{user.username} signs in by the password alone now, and is signed out everywhere."
            )
        else:
            self.stdout.write(f"{user.username} has no second factor.")
