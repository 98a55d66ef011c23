"""docs/rest.md, run block by block against a live server with a worker behind it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.models import Assignment, Membership
from api.operations import OPERATIONS
from curation.models import Release
from curation.services import releases, verification
from tests.workers import database_url, environment, running_worker

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rest.md"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]


def blocks(language):
    found = [code for kind, code in BLOCK.findall(PAGE.read_text(encoding="utf-8")) if kind == language]
    assert found
    return found


@pytest.fixture
def site(live_server, settings, tmp_path):
    """The variables of somebody who works on the site's own machine, with what they have in their shell."""
    for name in ("RELEASES_DIR", "IMPORTS_DIR", "RUNS_DIR"):
        setattr(settings, name, tmp_path / name.lower())
    with running_worker():
        yield {**environment(tmp_path), "SITE": live_server.url, "DATABASE_URL": database_url()}


def run(command, site, tmp_path):
    temporary = tmp_path / "work"
    temporary.mkdir(exist_ok=True)
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**site, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_the_page_leads_from_nothing_to_verified_releases(site, tmp_path):
    shell = "\n".join(["set -euo pipefail", *blocks("sh"), 'printf "\\nTOKEN %s\\n" "$TOKEN"'])
    done = run(["bash", "-c", shell], site, tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    token = done.stdout.rpartition("TOKEN ")[2].strip()
    script = "\n".join(blocks("python"))
    done = run([sys.executable, "-c", script], {**site, "TOKEN": token}, tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "16 slots wait for somebody" in done.stdout
    assert "4 of 4 candidates became pairs" in done.stdout

    frozen = Release.objects.filter(state=Release.State.DONE).order_by("name")
    assert list(frozen.values_list("name", "version")) == [("bridges", "1.0.0"), ("tunnels", "1.0.0")]
    for release in frozen:
        assert release.run.funnel["accepted"] == 4
        assert verification.verify(releases.folder(release)).ok
    # What was fetched is what verifies.
    fetched = sorted(path.parent for path in (tmp_path / "work").rglob("SHA256SUMS"))
    assert len(fetched) == 2
    assert all(verification.verify(folder).ok for folder in fetched)
    assert Membership.objects.filter(user__username__in=["dora", "emil", "fritz", "grete"]).count() == 4
    assert Assignment.objects.filter(round__name="Round 1", state="open").count() == 32


def test_the_page_names_every_address_and_no_other():
    """The table is kept by hand; what it says of a list is what there is."""
    written = PAGE.read_text(encoding="utf-8")
    lists = {
        key.split()[1].split("/")[2] for key in OPERATIONS if re.match(r"GET projects/\{slug\}/\w+/$", key)
    }
    assert [name for name in sorted(lists) if f"{name}/`" not in written] == []
