"""Snapshots, recipes, runs, pairs, releases and reports. What points down to annotation has no name there."""

from curation.models.audits import Audit, AuditFigure, AuditLimits, ReleasedTexts
from curation.models.releases import Download, Release, ReleaseFile, ReleaseReader, Yank
from curation.models.reports import ColumnSnapshot, Figure, Report
from curation.models.runs import Pair, Recipe, Run, Snapshot
from curation.models.shards import Shard, SnapshotPart
from curation.models.submissions import Comparison, Publication, Submission
from curation.models.what_if import WhatIf, WhatIfBar, WhatIfFigure

__all__ = [
    "Audit",
    "AuditFigure",
    "AuditLimits",
    "ColumnSnapshot",
    "Comparison",
    "Download",
    "Figure",
    "Pair",
    "Publication",
    "Recipe",
    "Release",
    "ReleaseFile",
    "ReleaseReader",
    "ReleasedTexts",
    "Report",
    "Run",
    "Shard",
    "Snapshot",
    "SnapshotPart",
    "Submission",
    "WhatIf",
    "WhatIfBar",
    "WhatIfFigure",
    "Yank",
]
