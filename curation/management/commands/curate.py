"""From two files to a verified release, for people who have no database and want none."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError

from annotation.domain.records import InputError
from curation.domain import recipes
from curation.domain.manifest import ReleaseError
from curation.domain.pairing import CurationError
from curation.domain.recipes import RECIPES, RecipeError, WritingPreference
from curation.management.parameters import parameters
from curation.services import from_files, verification
from curation.services.directory import DirectoryError
from curation.services.from_files import Label, Outcome

N_NAMED = 8
REFUSALS = (InputError, RecipeError, CurationError, ReleaseError, DirectoryError)


class Command(BaseCommand):
    help = "Makes a release from a file of responses and a file of scores. Needs no database and no settings."
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> ArgumentParser:
        # Here --version is the release's, not Django's.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--recipe", choices=sorted(RECIPES), required=True)
        parser.add_argument("--responses", type=Path, required=True, metavar="FILE", help="JSONL or CSV")
        parser.add_argument("--scores", type=Path, required=True, metavar="FILE", help="JSONL or CSV")
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
            outcome = self._release(out, recipe, label, options)
        except REFUSALS as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(orjson.dumps(_summary(out, label, outcome)).decode())
        else:
            self.stdout.write(_sentence(out, label, outcome))

    def _name_what_goes(self, out: Path) -> None:
        held = sorted(entry.name for entry in out.iterdir()) if out.is_dir() else []
        if held:
            more = f" and {len(held) - N_NAMED} more" if len(held) > N_NAMED else ""
            names = ", ".join(verification.printable(name) for name in held[:N_NAMED])
            place = verification.printable(str(out))
            self.stderr.write(f"If all goes well, what {place} holds is replaced: {names}{more}.")

    def _release(
        self, out: Path, recipe: WritingPreference, label: Label, options: dict[str, Any]
    ) -> Outcome:
        return from_files.release(
            options["responses"],
            options["scores"],
            out,
            recipe=recipe,
            label=label,
            with_rejected=options["rejected"] == "all",
            force=options["force"],
        )


def _summary(out: Path, label: Label, outcome: Outcome) -> dict[str, object]:
    return {
        "name": label.name,
        "version": label.version,
        "out": verification.printable(str(out)),
        "funnel": outcome.curation.funnel.as_dict(),
        "agreement": outcome.agreement.as_dict(),
        "files": {path: facts.as_dict() for path, facts in outcome.files.items()},
    }


def _sentence(out: Path, label: Label, outcome: Outcome) -> str:
    funnel = outcome.curation.funnel
    alpha = outcome.agreement.alpha["ordinal"]
    agreement = f"undefined ({alpha.reason})" if alpha.value is None else f"{alpha.value:.3f}"
    return (
        f"{label.name} {label.version} in {verification.printable(str(out))}: {funnel.accepted} of "
        f"{funnel.candidates} candidates accepted; ordinal alpha {agreement}."
    )
