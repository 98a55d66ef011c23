"""The front matter of a dataset card, by which the `datasets` library and the hub know what to load.

Columns are declared rather than left to inference, which takes a column of dates for timestamps and a column that is
empty throughout for null.
"""

import re
from collections.abc import Mapping, Sequence

from curation.domain.release.tables import Table

LANGUAGE = re.compile(r"[a-z]{2,3}")
SIZES = ("1K", "10K", "100K", "1M", "10M", "100M")


def configurations(tables: Sequence[Table], *, default: str, canary: str) -> list[str]:
    """The part of the front matter by which `datasets` loads them; of what is withheld it says nothing.

    Its cache knows a folder by its name and this part: without the canary the rows of another release in a folder of
    the same name, such as 1.0.0, would be given out.
    """
    there = [table for table in tables if table.open_splits()]
    lines = ["configs:"]
    for table in there:
        lines += config(table.config, table.open_splits(), default=table.config == default, about=canary)
    lines.append("dataset_info:")
    for table in there:
        lines += features(table.config, table.columns)
    return lines


def config(
    name: str, splits: Sequence[str], default: bool = False, about: str = "", suffix: str = "jsonl"
) -> list[str]:
    lines = [f"- config_name: {name}", *(["  default: true"] if default else [])]
    lines += [f'  description: "Canary {about}"'] if about else []
    lines.append("  data_files:")
    for split in splits:
        lines += [f"  - split: {split}", f"    path: data/{name}/{split}.{suffix}"]
    return lines


def features(name: str, columns: Mapping[str, str]) -> list[str]:
    lines = [f"- config_name: {name}", "  features:"]
    for column, kind in columns.items():
        lines += [f"  - name: {column}", f"    {kind}"]
    return lines


def primary(language: str) -> str:
    """The primary subtag; "" for what is no language tag and would not be understood."""
    subtag = language.strip().lower().replace("_", "-").partition("-")[0]
    return subtag if LANGUAGE.fullmatch(subtag) else ""


def size_category(rows: int) -> str:
    """The hub's name for a number of rows."""
    bounds = [1000 * 10**power for power in range(len(SIZES))]
    reached = sum(rows >= bound for bound in bounds)
    if reached == 0:
        return "n<1K"
    return f"{SIZES[reached - 1]}<n<{SIZES[reached]}" if reached < len(SIZES) else f"n>{SIZES[-1]}"
