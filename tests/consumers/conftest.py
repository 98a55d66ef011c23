"""Releases as people have them, made by Plumb's own commands; and no hub to ask."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.consumers import material
from tests.consumers.folders import ROOT, Folder

PLUMB = str(ROOT / ".venv/bin/python")
# Recipe, files and options of each.
FROM_FILES = {
    "scores": ("writing-preference", material.of_scores(), ("--licence=odc-by", "--param=min_gap=1/2")),
    "bare": ("writing-preference", material.of_scores(bare=True), ()),
    "upvotes": (
        "litbench",
        material.of_upvotes(),
        ("--licence=mit", "--param=split_at=2023-01-14T00:00:00Z"),
    ),
    "ranked": (
        "weval",
        material.of_rankings(),
        ("--licence=cc-by-4.0", "--param=pairs=all", "--param=pairs_from=combined"),
    ),
    "gold": ("weval", material.of_rankings(), ()),
}
# The same, frozen from the demo: with all that is held out, and as the public gets it.
FROZEN = ("frozen", "public")
TRAINABLE = tuple(name for name in (*FROM_FILES, *FROZEN) if name != "gold")


def pytest_configure(config: pytest.Config) -> None:
    """Before any consumer is imported. What they keep is kept for this run alone: `datasets` knows a release by the
    name of its folder and its card, and would give out the rows of the run before."""
    kept = TemporaryDirectory()
    config.add_cleanup(kept.cleanup)
    os.environ |= {
        "HF_HOME": kept.name,
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "HF_EVALUATE_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "WANDB_MODE": "disabled",
        "PYTHONDONTWRITEBYTECODE": "1",  # a release with a __pycache__ in it does not verify
        "HTTP_PROXY": "http://127.0.0.1:9",  # nobody is there: whoever asks a host fails
        "HTTPS_PROXY": "http://127.0.0.1:9",
    }


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all releases, each below its name."""
    folder = tmp_path_factory.mktemp("releases")
    for name, (recipe, files, options) in FROM_FILES.items():
        named = material.written(files, folder / f"input-{name}")
        plumb("manage.py", "curate", f"--recipe={recipe}", *named, *options, f"--out={folder / name}")
    _freeze(folder)
    return folder


def _freeze(folder: Path) -> None:
    data = folder / "data"
    plumb("manage.py", "demo", "--no-serve", DATA_DIR=str(data))
    frozen = plumb("-m", "tests.consumers.freeze", DATA_DIR=str(data)).strip()
    for name in FROZEN:
        shutil.copytree(frozen, folder / name)
    public = Folder(folder / "public")
    withheld = [path for path, facts in public.manifest["files"].items() if facts.get("withheld")]
    assert withheld
    for path in withheld:
        (public.path / path).unlink()


def plumb(*arguments: str, **environment: str) -> str:
    """What it prints. In an environment that is empty but for what is given."""
    done = subprocess.run(
        [PLUMB, *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(params=[*FROM_FILES, *FROZEN])
def release(request: pytest.FixtureRequest, made: Path) -> Folder:
    return Folder(made / request.param)


@pytest.fixture(params=TRAINABLE)
def trainable(request: pytest.FixtureRequest, made: Path) -> Folder:
    """A release that has pairs."""
    return Folder(made / request.param)
