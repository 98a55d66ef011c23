"""D1: scores out of a database, as columns and as the rows of an ORM, in a process with a database of its own."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import Line
from tests.bench.sizes import Sizes
from tests.children import ROOT

SET_UP = "import django; django.setup(); from tests.bench import stored_scores; stored_scores"
SECRET = "for-the-benchmarks-alone-which-sign-nothing-else-0123456789"


def lines(sizes: Sizes) -> Iterator[Line]:
    with tempfile.TemporaryDirectory(prefix="plumb-bench-") as name:
        environment = {
            **{key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")},
            "DATA_DIR": name,
            "SECRET_KEY": SECRET,
            "HTTPS": "False",
            "DEBUG": "False",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        _run([str(ROOT / "manage.py"), "migrate", "--no-input", "-v0"], environment)
        found = json.loads(_run(["-c", f"{SET_UP}.measured({sizes.stored}, {sizes.runs})"], environment))
    size = f"{found['scores']:,} scores"
    yield Line(
        case="D1",
        what="all columns, with names and order",
        size=size,
        ours=found["columns_ms"],
        peer="the same rows as objects of the ORM",
        peers=found["objects_ms"],
        ratio=found["columns_ms"] / found["objects_ms"],
        target=0.3,
        memory=found["mib"],
        differs=found["differs"],
    )
    yield Line(
        case="D1",
        what="scores read for a second report",
        size=size,
        ours=found["read_again"],
        peer="the first report",
        peers=found["scores"],
        ratio=found["read_again"] / found["scores"],
        target=0,
        differs=found["differs"],
        unit="rows",
    )


def _run(arguments: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=Path(ROOT), check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode()
