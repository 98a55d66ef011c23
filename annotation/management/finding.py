"""What commands name: a project by its slug, an account by its name; and, where there is none, which there are."""

from django.core.management.base import CommandError

from annotation.domain.records import nearest
from annotation.models import Project, User

SHOWN = 20


def project_named(slug: str) -> Project:
    found = Project.objects.filter(slug=slug).first()
    if found is None:
        slugs = list(Project.objects.order_by("slug").values_list("slug", flat=True))
        existing = f"the projects are: {', '.join(slugs[:SHOWN])}" if slugs else "there is no project yet"
        raise CommandError(f"There is no project '{slug}'{nearest(slug, slugs)}; {existing}.")
    return found


def account_named(username: str) -> User:
    found = User.objects.filter(username=username).first()
    if found is None:
        active = User.objects.filter(is_active=True).order_by("username")
        names = list(active.values_list("username", flat=True))
        existing = f"the accounts are: {', '.join(names[:SHOWN])}" if names else "there is no account yet"
        raise CommandError(f"There is no account '{username}'{nearest(username, names)}; {existing}.")
    return found
