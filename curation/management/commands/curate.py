"""From files to a verified release, for people who have no database and want none."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError

from annotation.domain.records import InputError
from annotation.errors import DomainError
from annotation.management.finding import project_named
from curation.domain.manifest import ReleaseError
from curation.domain.ranked import CurationError
from curation.domain.recipes import RECIPES, AnyRecipe, Recipe, RecipeError, Weval
from curation.domain.rejected import MOST, SAMPLE
from curation.management.bar import Bar
from curation.management.parameters import changed, file_of, name_or_file, parameters, recipe_in
from curation.services import directory, from_files, from_project, verification
from curation.services.directory import DirectoryError
from curation.services.from_files import Label, Outcome
from curation.services.watching import Watcher

N_NAMED = 8
FILES = (
    "responses",
    "scores",
    "rankings",
)  # options that name a file; each recipe needs some and refuses the others
USAGE = 2  # exit code of a command that was called wrongly, as argparse has it
STOPPED = 130  # as shells have it
REFUSALS = (InputError, RecipeError, CurationError, ReleaseError, DirectoryError, DomainError)


class Command(BaseCommand):
    help = (
        "Makes a release from files of responses and scores, rankings or upvotes, for which it needs no database and "
        "no settings; or from the rankings of a project."
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> ArgumentParser:
        # Here --version is the release's, not Django's.
        # Nothing is abbreviated: whether settings are needed must be plain before options are read.
        return super().create_parser(
            prog_name, subcommand, conflict_handler="resolve", allow_abbrev=False, **kwargs
        )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--recipe",
            type=name_or_file,
            required=True,
            metavar="NAME|FILE.json",
            help=f"{', '.join(sorted(RECIPES))}, or a file of JSON such as a page of recipes gives",
        )
        parser.add_argument(
            "--responses",
            type=Path,
            metavar="FILE",
            help="for litbench stories with their upvotes, for weval with what they kept; every FILE is JSONL, CSV or "
            "Parquet, by its name",
        )
        parser.add_argument("--scores", type=Path, metavar="FILE", help="for writing-preference")
        parser.add_argument("--rankings", type=Path, metavar="FILE", help="for weval, where people ranked")
        parser.add_argument("--project", metavar="SLUG", help="for weval, in place of files")
        parser.add_argument(
            "--round",
            action="append",
            default=[],
            metavar="NAME",
            help="of the project's rankings; may be repeated; default: all live ones",
        )
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the release")
        parser.add_argument(
            "--param",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="of the recipe; may be repeated",
        )
        parser.add_argument("--name", default="", help="of the release; default: that of the recipe")
        parser.add_argument("--version", default="0.1.0", help="of the release, MAJOR.MINOR.PATCH")
        parser.add_argument("--licence", default="", metavar="ID", help="such as odc-by or cc-by-4.0")
        parser.add_argument(
            "--rejected",
            choices=("all", "sample", "none"),
            help="what to write into rejected.jsonl; "
            f"default: all up to {MOST:,}, a sample of {SAMPLE:,} where there are more",
        )
        parser.add_argument(
            "--no-copies",
            action="store_true",
            help="leave out what trainers, harnesses and spreadsheets read beside the pairs: three times their texts",
        )
        parser.add_argument("--force", action="store_true", help="replace what DIR holds")
        parser.add_argument("--json", action="store_true", help="print a summary in JSON and nothing else")

    def handle(self, *, out: Path, **options: Any) -> None:
        if options["force"]:
            self._name_what_goes(out)
        try:
            recipe = _recipe(options["recipe"], options["param"], out, force=options["force"])
            label = Label(options["name"] or recipe.name, options["version"], options["licence"])
            outcome = self._release(out, recipe, label, options)
        except REFUSALS as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt as error:
            raise CommandError("Stopped. Nothing was written.", returncode=STOPPED) from error
        if options["json"]:
            self.stdout.write(orjson.dumps(_summary(out, label, outcome)).decode())
        else:
            place = verification.printable(str(out))
            self.stdout.write(f"{label.name} {label.version} in {place}: {outcome.sentence}")

    def _release(self, out: Path, recipe: AnyRecipe, label: Label, options: dict[str, Any]) -> Outcome:
        with self._watcher(is_quiet=options["json"]) as watcher:
            how = {
                "label": label,
                "keep": options["rejected"],
                "force": options["force"],
                "copies": not options["no_copies"],
                "watcher": watcher,
            }
            if options["project"] is None:
                return from_files.release(_files(recipe, options), out, recipe=recipe, **how)
            if not isinstance(recipe, Weval) or any(options[name] is not None for name in FILES):
                raise CommandError(
                    "--project takes the place of files, with the recipe weval; leave one out.",
                    returncode=USAGE,
                )
            project = project_named(options["project"])
            return from_project.release(project, out, rounds=options["round"], recipe=recipe, **how)

    @contextmanager
    def _watcher(self, *, is_quiet: bool) -> Iterator[Watcher]:
        """A bar on a terminal that is not told to be quiet."""
        if is_quiet or not self.stderr.isatty():
            yield Watcher()
            return
        bar = Bar(lambda text: self.stderr.write(text, lambda as_it_is: as_it_is, ""), monotonic)
        try:
            yield bar
        finally:
            bar.clear()

    def _name_what_goes(self, out: Path) -> None:
        held = sorted(entry.name for entry in out.iterdir()) if out.is_dir() else []
        if held:
            more = f" and {len(held) - N_NAMED} more" if len(held) > N_NAMED else ""
            names = ", ".join(verification.printable(name) for name in held[:N_NAMED])
            place = verification.printable(str(out))
            self.stderr.write(f"If all goes well, what {place} holds is replaced: {names}{more}.")


def _recipe(given: str, param: Sequence[str], out: Path, *, force: bool) -> AnyRecipe:
    """The recipe by its name or of its file, with the parameters; --force must not delete the file."""
    path = file_of(given)
    if path is not None and force:
        directory.check(out, force=True, inputs=[path])
    recipe = RECIPES[given]() if path is None else recipe_in(path)
    return changed(recipe, parameters(param))


def _files(recipe: Recipe, options: dict[str, Any]) -> dict[str, Path]:
    """The files that the recipe needs, each of them given, those that it takes besides, and no other one."""
    kind = from_files.kind_of(recipe)
    needed, taken = kind.files, (*kind.files, *kind.besides)
    for name in FILES:
        if name in needed and options[name] is None:
            raise CommandError(f"The recipe {recipe.name} needs --{name} FILE.", returncode=USAGE)
        if name not in taken and options[name] is not None:
            others = " and ".join(f"--{other}" for other in taken)
            raise CommandError(
                f"The recipe {recipe.name} takes no --{name}, but {others} alone; leave it out.",
                returncode=USAGE,
            )
    return {name: options[name] for name in taken if options[name] is not None}


def _summary(out: Path, label: Label, outcome: Outcome) -> dict[str, object]:
    return {
        "name": label.name,
        "version": label.version,
        "out": verification.printable(str(out)),
        **outcome.facts,
        "files": {path: facts.as_dict() for path, facts in outcome.files.items()},
    }
