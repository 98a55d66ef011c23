from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.errors import DomainError
from annotation.management.finding import project_named
from annotation.queries.jobs import error_of
from curation.domain.recipes import RecipeError, WritingPreference
from curation.management.parameters import changed, parameters, recipe_in
from curation.models import Run
from curation.services import recipes, runs


class Command(BaseCommand):
    help = "Runs a project's recipe over its live scores, in this process. Parameters given make a new version of it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument(
            "--recipe", default=recipes.SHIPPED, metavar="NAME", help="of the project's; default: %(default)s"
        )
        parser.add_argument(
            "--recipe-file",
            type=Path,
            metavar="FILE",
            help="a recipe as JSON, such as its page gives: it becomes the newest version of --recipe, or a new recipe "
            "where the project has none of that name",
        )
        parser.add_argument(
            "--param", action="append", default=[], metavar="NAME=VALUE", help="may be repeated"
        )

    def handle(
        self, *, project: str, recipe: str, recipe_file: Path | None, param: list[str], **options: Any
    ) -> None:
        found, now = project_named(project), timezone.now()
        try:
            given = parameters(param)
            if recipe_file is not None:
                written = changed(recipe_in(recipe_file), given)
                taken = recipes.take(found, written, name=recipe, by=None, now=now)
            else:
                newest = recipes.named(found, recipe, by=None, now=now)
                wanted = changed(WritingPreference.from_parameters(newest.parameters), given)
                taken = recipes.save(found, parameters=wanted.parameters(), name=recipe, by=None, now=now)
            run = runs.request(found, recipe=taken, by=None, now=now)
        except (DomainError, RecipeError) as error:
            raise CommandError(str(error)) from error
        runs.execute(run.pk, clock=timezone.now)
        run.refresh_from_db()
        if run.state != Run.State.DONE:
            raise CommandError(f"Run {run.pk} is {run.get_state_display().lower()}. {error_of(run)}")
        rejected = ", ".join(f"{reason} {count}" for reason, count in run.funnel["rejected"].items() if count)
        self.stdout.write(
            f"Run {run.pk} with {taken.name} {taken.version}: {run.funnel['accepted']} pairs of "
            f"{run.funnel['candidates']} candidates. Rejected: {rejected or 'none'}."
        )
