"""What is said of a release in the formats by which catalogues know it: the facts, once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curation.domain.release.tables import Table
from curation.domain.terms import Statements


@dataclass(frozen=True, slots=True)
class Licence:
    """`spdx` is its id there, "" where there is none."""

    title: str
    url: str
    spdx: str


LICENCES: Mapping[str, Licence] = {
    "odc-by": Licence(
        "Open Data Commons Attribution License v1.0",
        "https://opendatacommons.org/licenses/by/1-0/",
        "ODC-By-1.0",
    ),
    "odbl": Licence(
        "Open Data Commons Open Database License v1.0",
        "https://opendatacommons.org/licenses/odbl/1-0/",
        "ODbL-1.0",
    ),
    "cc0-1.0": Licence(
        "Creative Commons Zero v1.0 Universal",
        "https://creativecommons.org/publicdomain/zero/1.0/",
        "CC0-1.0",
    ),
    "cc-by-4.0": Licence(
        "Creative Commons Attribution 4.0 International",
        "https://creativecommons.org/licenses/by/4.0/",
        "CC-BY-4.0",
    ),
    "cc-by-sa-4.0": Licence(
        "Creative Commons Attribution Share Alike 4.0 International",
        "https://creativecommons.org/licenses/by-sa/4.0/",
        "CC-BY-SA-4.0",
    ),
    "cc-by-nc-4.0": Licence(
        "Creative Commons Attribution Non Commercial 4.0 International",
        "https://creativecommons.org/licenses/by-nc/4.0/",
        "CC-BY-NC-4.0",
    ),
    "mit": Licence("MIT License", "https://opensource.org/license/mit", "MIT"),
    "apache-2.0": Licence("Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0", "Apache-2.0"),
}


@dataclass(frozen=True, slots=True)
class Described:
    """`date` is the day of the release, "" where it has none; `tables` have the canary among their columns; `recipe` is
    as the manifest has it; `alpha` is ordinal alpha, None where it is undefined; `languages` are tags; `statements`
    is None where the team was not asked."""

    name: str
    version: str
    licence: str
    date: str
    canary: str
    note: str
    previous: str
    code_version: str
    recipe: Mapping[str, object]
    tables: Sequence[Table]
    pairs: int
    prompts: int
    responses: int
    annotators: int
    judgements: int
    alpha: float | None
    languages: Sequence[str]
    snapshot: str = ""
    statements: Statements | None = None

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def about(self) -> str:
        return (
            f"{self.pairs:,} preferences between responses to the same prompt, over {self.prompts:,} prompts, made "
            "from human judgement of writing and frozen."
        )
