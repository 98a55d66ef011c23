"""Files of scores for tests, and what `manage.py agreement` says of them."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

ROWS = [
    ("u1", "ann", "3", "p1"),
    ("u1", "ben", "2", "p1"),
    ("u2", "ann", "0", "p1"),
    ("u2", "ben", "0", "p1"),
    ("u3", "ann", "1", "p2"),
    ("u3", "ben", "1", "p2"),
    ("u4", "ann", "2", "p2"),
    ("u4", "ben", "3", "p2"),
    ("u5", "ben", "3", "p3"),
]
UNITS, ANNOTATORS, VALUES, PROMPTS = (list(column) for column in zip(*ROWS, strict=True))

SCORES = "unit,annotator,value\n" + "".join(f"{u},{a},{v}\n" for u, a, v, _ in ROWS)
WITH_PROMPTS = "unit,annotator,value,prompt\n" + "".join(f"{u},{a},{v},{p}\n" for u, a, v, p in ROWS)


def run(path: Path, content: str | bytes = SCORES, **options: object) -> tuple[str, str]:
    """What the command writes on standard output and on standard error."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    out, err = StringIO(), StringIO()
    call_command("agreement", path, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def printed(path: Path, content: str | bytes = SCORES, **options: object) -> dict:
    return json.loads(run(path, content, json=True, **options)[0])


def refusal(path: Path, content: str | bytes, **options: object) -> str:
    with pytest.raises(CommandError) as caught:
        run(path, content, json=True, **options)
    return str(caught.value)
