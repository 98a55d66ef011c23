"""croissant.json (mlcroissant 1.0): files with their checksums, columns, and how the annotation came about (RAI)."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from curation.domain.release.described import LICENCES, Described
from curation.domain.release.tables import NUMBER, TEXT, TEXTS, WHOLE, WHOLES, Table

KINDS = {TEXT: "sc:Text", WHOLE: "sc:Integer", NUMBER: "sc:Float", TEXTS: "sc:Text", WHOLES: "sc:Integer"}
TERMS = (
    "citeAs column conformsTo extract field fileProperty fileObject fileSet format includes isLiveDataset jsonPath key "
    "md5 parentField path recordSet references regex repeated replace samplingRate separator source subField transform "
    "equivalentProperty"
)


class Facts(Protocol):
    """Of a file."""

    @property
    def bytes(self) -> int: ...
    @property
    def sha256(self) -> str: ...


def document(of: Described, files: Mapping[str, Facts]) -> dict[str, object]:
    """`files` are those that anybody has; the others are not described."""
    known = LICENCES.get(of.licence)
    return {
        "@context": _context(),
        "@type": "sc:Dataset",
        "name": of.name,
        "description": of.about,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        **({"license": known.url if known else of.licence} if of.licence else {}),
        "url": f"urn:plumb:{of.name}:{of.version}",
        "version": of.version,
        **({"datePublished": of.date} if of.date else {}),
        "creator": {"@type": "sc:Organization", "name": f"The contributors of {of.name}"},
        "citeAs": f"The contributors of {of.name}. {of.title}.",
        **({"inLanguage": list(of.languages)} if of.languages else {}),
        **_rai(of),
        "distribution": [
            _file(table.path(split), files[table.path(split)])
            for table in of.tables
            for split in table.open_splits()
        ],
        "recordSet": [
            _records(table, split) for table in of.tables for split in table.open_splits() if table.columns
        ],
    }


def _context() -> dict[str, object]:
    context: dict[str, object] = {"@language": "en", "@vocab": "https://schema.org/"}
    context |= {term: f"cr:{term}" for term in TERMS.split()}
    return {
        **context,
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "dct": "http://purl.org/dc/terms/",
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "rai": "http://mlcommons.org/croissant/RAI/",
        "sc": "https://schema.org/",
    }


def _rai(of: Described) -> dict[str, str]:
    alpha = "undefined" if of.alpha is None else f"{of.alpha:.3f}"
    said = {
        "dataCollection": f"{of.responses:,} responses to {of.prompts:,} prompts, judged without their sources.",
        "dataAnnotationProtocol": "Scores 0 to 3 under a rubric, or rankings, given blind; the recipe in manifest.json "
        "makes pairs of them." + _of_training_and_pay(of),
        "dataAnnotationPlatform": f"Plumb {of.code_version}",
        "dataAnnotationAnalysis": f"Krippendorff's alpha (ordinal) over all judgements: {alpha}.",
        "annotationsPerItem": _per_item(of),
        "annotatorDemographics": f"{of.annotators:,} annotators under pseudonyms{_of_annotators(of)}",
        "dataBiases": "Accepted pairs are those on which annotators agreed: close calls are missing.",
        "dataLimitations": "A preference is that of these annotators, under their rubric.",
        "personalSensitiveInformation": "Annotators bear pseudonyms of this release alone.",
        "dataReleaseMaintenancePlan": "A release never changes. Corrections are a new version; one that nobody should "
        "use is yanked with a reason.",
    }
    return {f"rai:{name}": text for name, text in said.items()}


def _of_annotators(of: Described) -> str:
    if of.statements is None:
        return "; DATASHEET.md says what is known."
    said = " ".join(of.statements.annotators.split())
    return f". {said}" if said else "; the team has not stated who they are."


def _of_training_and_pay(of: Described) -> str:
    if of.statements is None:
        return ""
    stated = {"Training": of.statements.training, "Pay": of.statements.pay}
    return "".join(f" {title}: {' '.join(said.split())}" for title, said in stated.items() if said)


def _per_item(of: Described) -> str:
    return f"{of.judgements / of.responses:.1f} on average" if of.responses and of.judgements else "none"


def _file(path: str, facts: Facts) -> dict[str, object]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "encodingFormat": "application/jsonlines",
        "contentSize": f"{facts.bytes} B",
        "sha256": facts.sha256,
    }


def _records(table: Table, split: str) -> dict[str, object]:
    name = table.config if split == "test" else f"{table.config}-{split}"
    fields = list(_fields(name, table.path(split), table.columns))
    key = {"key": {"@id": f"{name}/id"}} if "id" in table.columns else {}
    return {"@type": "cr:RecordSet", "@id": name, "name": name, **key, "field": fields}


def _fields(name: str, path: str, columns: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """Of columns of values, and lists of them; what is nested deeper the loaders of `datasets` know by the card."""
    for column, kind in columns.items():
        if kind not in KINDS:
            continue
        yield {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "dataType": KINDS[kind],
            **({"repeated": True} if kind in (TEXTS, WHOLES) else {}),
            "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
        }
