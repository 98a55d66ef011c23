"""What catalogues, citing people and careful people run on a release."""

import json
import shutil
import traceback

import mlcroissant
import pytest

from tests.consumers.folders import Folder, run, said

PROGRAMS = {
    "mlcroissant": ("mlcroissant", "validate", "--jsonld", "croissant.json"),
    "cffconvert": ("cffconvert", "--validate", "--infile", "CITATION.cff"),
    "frictionless": ("frictionless", "validate", "datapackage.json"),
    "sha256sum": ("sha256sum", "--check", "--strict", "SHA256SUMS"),
    "verify_release": ("python", "verify_release.py"),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_program_finds_it_sound(release, program):
    done = run(*PROGRAMS[program], folder=release.path)
    assert done.returncode == 0, said(done)
    if program == "mlcroissant":
        assert "error" not in said(done)
        dated = bool(release.manifest["terms"].get("date")) if "terms" in release.manifest else False
        assert said(done).count("is recommended, but does not exist") == (not dated) + (
            "license: unknown" in release.card
        )
    if program == "frictionless":
        described = json.loads((release.path / "datapackage.json").read_bytes())["resources"]
        assert said(done).count("VALID") == len(described)


@pytest.mark.parametrize("program", ["sha256sum", "frictionless", "verify_release"])
def test_it_finds_a_changed_byte(made, tmp_path, program):
    """So that the test above says something."""
    folder = Folder(shutil.copytree(made / "scores", tmp_path / "changed"))
    path = folder.path / "data/pairs/test.jsonl"
    path.write_bytes(path.read_bytes().replace(b"harbour", b"Harbour", 1))
    assert run(*PROGRAMS[program], folder=folder.path).returncode == 1


def test_it_is_signed_and_the_signature_is_checked(made):
    for name in ("frozen", "public"):
        folder = Folder(made / name)
        key = folder.manifest["signature"]["public_key"]
        done = run("python", "verify_release.py", "--public-key", key, folder=folder.path)
        assert (done.returncode, f"signed by the key {key}" in done.stdout) == (0, True), said(done)
    assert "withheld" in done.stdout
    assert run("python", "verify_release.py", "--public-key", "AAAA", folder=folder.path).returncode == 2


def test_croissant_loads_every_record_of_every_file(release):
    """All columns that it declares, with the values of the file; its checksums are verified on the way."""
    dataset = mlcroissant.Dataset(jsonld=str(release.path / "croissant.json"))
    declared = json.loads((release.path / "croissant.json").read_bytes())["recordSet"]
    assert declared
    for records in declared:
        name = records["@id"]
        path = records["field"][0]["source"]["fileObject"]["@id"]
        expected = release.rows(path)
        found = list(dataset.records(name))
        assert len(found) == len(expected)
        for row, record in zip(expected, found, strict=True):
            for field in records["field"]:
                column = field["name"]
                assert _plain(record[f"{name}/{column}"], row[column]) == _expected(row[column]), (
                    name,
                    column,
                )


def _expected(value: object) -> object:
    """It reads by pandas, whose fast way with numbers may miss the last bit."""
    return pytest.approx(value, rel=1e-14) if isinstance(value, float) else value


def _plain(value: object, like: object) -> object:
    """Texts come as bytes, empty ones as None, lists as arrays."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(like, list):
        return [] if value is None else [_plain(part, "") for part in value]
    return value


def test_croissant_does_not_load_what_was_changed(made, tmp_path):
    folder = shutil.copytree(made / "scores", tmp_path / "changed")
    path = folder / "data/pairs/test.jsonl"
    path.write_bytes(path.read_bytes().replace(b"harbour", b"Harbour", 1))
    dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    with pytest.raises(mlcroissant.GenerationError) as caught:
        next(iter(dataset.records("pairs")))
    assert "is not identical with the reference" in "".join(traceback.format_exception(caught.value))
