"""From files to a verified release, for people who have no database and want none."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError

from annotation.domain.records import InputError
from curation.domain import recipes
from curation.domain.manifest import ReleaseError
from curation.domain.ranked import CurationError
from curation.domain.recipes import RECIPES, Recipe, RecipeError
from curation.management.parameters import parameters
from curation.services import from_files, verification
from curation.services.directory import DirectoryError
from curation.services.from_files import Label, Outcome

N_NAMED = 8
FILES = (
    "responses",
    "scores",
    "rankings",
)  # options that name a file; each recipe needs some and refuses the others
USAGE = 2  # exit code of a command that was called wrongly, as argparse has it
REFUSALS = (InputError, RecipeError, CurationError, ReleaseError, DirectoryError)


class Command(BaseCommand):
    help = "Makes a release from files of responses and scores, rankings or upvotes. Needs no database and no settings."
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> ArgumentParser:
        # Here --version is the release's, not Django's.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--recipe", choices=sorted(RECIPES), required=True)
        parser.add_argument(
            "--responses",
            type=Path,
            required=True,
            metavar="FILE",
            help="JSONL or CSV; for litbench stories with their upvotes, for weval with what they kept, also Parquet",
        )
        parser.add_argument(
            "--scores", type=Path, metavar="FILE", help="JSONL or CSV; for writing-preference"
        )
        parser.add_argument(
            "--rankings",
            type=Path,
            metavar="FILE",
            help="JSONL, CSV or Parquet; for weval, where people ranked",
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
            "--rejected", choices=("all", "none"), default="all", help="whether to write rejected.jsonl"
        )
        parser.add_argument("--force", action="store_true", help="replace what DIR holds")
        parser.add_argument("--json", action="store_true", help="print a summary in JSON and nothing else")

    def handle(self, *, out: Path, **options: Any) -> None:
        if options["force"]:
            self._name_what_goes(out)
        try:
            recipe = recipes.recipe(options["recipe"], parameters(options["param"]))
            label = Label(options["name"] or recipe.name, options["version"], options["licence"])
            outcome = from_files.release(
                _files(recipe, options),
                out,
                recipe=recipe,
                label=label,
                with_rejected=options["rejected"] == "all",
                force=options["force"],
            )
        except REFUSALS as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(orjson.dumps(_summary(out, label, outcome)).decode())
        else:
            place = verification.printable(str(out))
            self.stdout.write(f"{label.name} {label.version} in {place}: {outcome.sentence}")

    def _name_what_goes(self, out: Path) -> None:
        held = sorted(entry.name for entry in out.iterdir()) if out.is_dir() else []
        if held:
            more = f" and {len(held) - N_NAMED} more" if len(held) > N_NAMED else ""
            names = ", ".join(verification.printable(name) for name in held[:N_NAMED])
            place = verification.printable(str(out))
            self.stderr.write(f"If all goes well, what {place} holds is replaced: {names}{more}.")


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
