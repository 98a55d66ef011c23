from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from annotation.errors import DomainError
from annotation.management.finding import project_named
from annotation.models import Membership
from annotation.services import accounts, membership


class Command(BaseCommand):
    help = "Gives a person a role in a project. A new account's password is printed, this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("user", metavar="USER", help="the name the person signs in with")
        parser.add_argument("role", metavar="ROLE", choices=Membership.Role.values, help="%(choices)s")

    def handle(self, *, project: str, user: str, role: str, **options: object) -> None:
        found = project_named(project)
        try:
            with transaction.atomic():  # no account without its membership
                account, password = accounts.get_or_create(user, now=timezone.now())
                membership.add(found, account, role=role, by=None, now=timezone.now())
        except DomainError as error:
            raise CommandError(error.message) from error
        if password:
            self.stdout.write(f"login {role} {user} {password}")
        else:
            self.stdout.write(f"{user} is {role} of {project}.")
