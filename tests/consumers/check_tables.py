"""Libraries that read the records as tables: datasets, pandas, polars, duckdb."""

import csv
import io
import shutil

import datasets
import duckdb
import pandas as pd
import polars as pl
import yaml

from tests.consumers.folders import Folder

BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def test_datasets_loads_every_configuration_with_the_features_that_the_card_declares(release):
    card = yaml.safe_load(release.card)
    declared = {info["config_name"]: info["features"] for info in card["dataset_info"]}
    names = [config["config_name"] for config in card["configs"]]
    assert datasets.get_dataset_config_names(str(release.path)) == names == list(declared)
    for config in card["configs"]:
        name = config["config_name"]
        loaded = datasets.load_dataset(str(release.path), name)
        assert list(loaded) == [file["split"] for file in config["data_files"]]
        for file in config["data_files"]:
            split = loaded[file["split"]]
            assert split.features == _features(declared[name]), name
            assert split.num_rows == release.manifest["files"][file["path"]]["rows"] > 0
            assert split.to_list() == release.rows(file["path"]), name


def test_datasets_takes_the_default_and_nothing_that_is_withheld(release):
    loaded = datasets.load_dataset(str(release.path))
    default = next(config for config in yaml.safe_load(release.card)["configs"] if config.get("default"))
    assert list(loaded) == [file["split"] for file in default["data_files"]]
    assert "heldout" not in loaded


def test_datasets_tells_releases_apart_whose_folders_have_one_name(made, tmp_path):
    for name in ("scores", "bare"):
        folder = Folder(shutil.copytree(made / name, tmp_path / name / "1.0.0"))
        loaded = datasets.load_dataset(str(folder.path), "pairs", split="test")
        assert loaded.to_list() == folder.rows("data/pairs/test.jsonl")


def _features(declared: object) -> object:
    """As the library has them, of what the card says in YAML."""
    if isinstance(declared, str):
        return datasets.Value(declared)
    if isinstance(declared, list):
        return datasets.Features({part["name"]: _feature(part) for part in declared})
    return _feature(declared)


def _feature(part: dict) -> object:
    if "list" not in part:
        return datasets.Value(part["dtype"])
    inner = part["list"]
    if isinstance(inner, list):
        return datasets.List({field["name"]: _feature(field) for field in inner})
    return datasets.List(_features(inner))


def test_pandas_reads_every_file_of_records(release):
    for path in release.tables():
        found = pd.read_json(release.path / path, lines=True, dtype=False, precise_float=True)
        assert found.to_dict("records") == release.rows(path), path


def test_polars_reads_every_file_of_records(release):
    for path in release.tables():
        assert pl.read_ndjson(release.path / path).to_dicts() == release.rows(path), path


def test_duckdb_reads_every_file_of_records(release):
    for path in release.tables():
        relation = duckdb.read_json(str(release.path / path), format="newline_delimited")
        expected = release.rows(path)
        assert relation.columns == list(expected[0]), path
        assert len(relation.fetchall()) == len(expected), path
        texts = [name for name, value in expected[0].items() if isinstance(value, str) and "at" not in name]
        for name in texts:
            found = [value for (value,) in relation.select(duckdb.ColumnExpression(name)).fetchall()]
            assert list(map(str, found)) == [row[name] for row in expected], (path, name)


def test_spreadsheet_copies_read_alike_everywhere_and_hold_no_formula(release):
    for path in release.tables("csv/*.csv"):
        text = (release.path / path).read_bytes().decode()
        expected = list(csv.DictReader(io.StringIO(text, newline="")))
        config, split = path.removeprefix("csv/").removesuffix(".csv").split("-")
        rows = release.rows(f"data/{config}/{split}.jsonl")
        assert len(expected) == len(rows)
        assert not [cell for row in expected for cell in row.values() if cell.startswith(BEGINNINGS)]
        for row, record in zip(expected, rows, strict=True):
            for name, cell in row.items():
                if isinstance(record[name], str):
                    assert cell in (record[name], "'" + record[name]), (path, name)
        readers = {
            "pandas": pd.read_csv(release.path / path, dtype=str, keep_default_na=False).to_dict("records"),
            "polars": pl.read_csv(release.path / path, infer_schema=False).fill_null("").to_dicts(),
            "duckdb": _by_duckdb(release.path / path),
        }
        for reader, found in readers.items():
            assert found == expected, (path, reader)


def _by_duckdb(path: object) -> list[dict[str, str]]:
    relation = duckdb.read_csv(str(path), all_varchar=True, header=True, delimiter=",", quotechar='"')
    return [
        dict(zip(relation.columns, ("" if cell is None else cell for cell in row), strict=True))
        for row in relation.fetchall()
    ]
