"""Snapshots, recipes, runs, pairs, releases and reports. What points down to annotation has no name there."""

from curation.models.releases import Release, ReleaseFile
from curation.models.reports import ColumnSnapshot, Figure, Report
from curation.models.runs import Pair, Recipe, Run, Snapshot

__all__ = [
    "ColumnSnapshot",
    "Figure",
    "Pair",
    "Recipe",
    "Release",
    "ReleaseFile",
    "Report",
    "Run",
    "Snapshot",
]
