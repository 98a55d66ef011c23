"""What ARCHITECTURE.md promises, held by reading the code."""

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.template import engines

from config import bootstrap
from tests import check_locks, check_templates

ROOT = Path(__file__).resolve().parent.parent
APPS = ("annotation", "authoring", "curation", "api")
PACKAGES = ("config", *APPS)
LONGEST_FILE = 400
LONGEST_MAP = 150
WRITES = {
    "save",
    "create",
    "get_or_create",
    "update_or_create",
    "bulk_create",
    "bulk_update",
    "create_user",
    "create_superuser",
    "set_password",
}
WRITING_SQL = re.compile(r"\s*(insert|update|delete|replace|truncate)\b", re.IGNORECASE)

pytestmark = pytest.mark.files


def sources(*packages: str) -> list[Path]:
    """The product's own modules: no migrations, which write by their nature."""
    found = [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]
    return [path for path in found if "migrations" not in path.parts]


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def place(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{node.lineno}"


# --- Imports -------------------------------------------------------------------------------------


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [program, "--config", "pyproject.toml", "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_import_contracts_are_kept():
    kept = lint_imports(ROOT)
    assert kept.returncode == 0, kept.stdout


def test_every_import_contract_catches_a_planted_violation(tmp_path):
    planted = {
        "annotation/services/planted.py": "import curation.models\n",
        "annotation/utils.py": "",
        "curation/domain/planted.py": "import django\n",
        "curation/services/planted.py": "import celery\nimport rest_framework\n",
    }
    hidden = shutil.ignore_patterns("__pycache__")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=hidden)
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    for name, text in planted.items():
        (tmp_path / name).write_text(text)
    broken = lint_imports(tmp_path)
    assert broken.returncode == 1
    assert "Contracts: 0 kept, 5 broken" in broken.stdout


def test_nothing_is_imported_inside_a_function():
    late = [
        place(path, node)
        for path in sources(*PACKAGES)
        for function in ast.walk(parsed(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert late == []


def test_there_are_no_signals_as_a_second_way_to_write():
    imported = [
        place(path, node)
        for path in sources(*PACKAGES)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("django")
        and (
            "signals" in node.module.split(".")
            or any(name.name in ("signals", "receiver") for name in node.names)
        )
    ]
    assert imported == []


# --- Only services write -------------------------------------------------------------------------


def writes(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls that change rows. `scoring.save(...)` of a service module is a call of the service."""
    services = _service_modules(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        receiver = node.func.value
        if isinstance(receiver, ast.Name) and receiver.id in services:
            continue
        if _is_write(node.func.attr, node):
            yield node


def _service_modules(tree: ast.Module) -> set[str]:
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(".services")
        for alias in node.names
    }


def _is_write(name: str, call: ast.Call) -> bool:
    """A queryset's update takes keywords alone and its delete nothing: a dictionary's or a hash's differ."""
    if name == "update":
        return bool(call.keywords) and not call.args
    if name == "delete":
        return not call.args
    if name == "execute":
        sql = call.args[0] if call.args else None
        return isinstance(sql, ast.Constant) and bool(WRITING_SQL.match(str(sql.value)))
    return name in WRITES


def test_only_services_write():
    found = [
        place(path, call)
        for path in sources(*APPS)
        if "services" not in path.parts
        for call in writes(parsed(path))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "writing"),
    [
        ("score.save(update_fields=['state'])", True),
        ("Score.objects.filter(pk=1).update(state='done')", True),
        ("Score.objects.all().delete()", True),
        ("Score.objects.bulk_create(rows)", True),
        ("cursor.execute('update annotation_score set value = 1')", True),
        ("cursor.execute('SELECT 1')", False),
        ("digest.update(text)", False),
        ("from curation.services import recipes\nrecipes.save(project)", False),
        ("from curation import services_of_old as recipes\nrecipes.save(project)", True),
    ],
)
def test_a_write_is_told_from_what_only_looks_like_one(line, writing):
    assert bool([*writes(ast.parse(line))]) is writing


# --- Templates, assets, lock files ---------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        '<button hx-on:click="go()">Go</button>',
        '<button onclick="go()">Go</button>',
        '<p style="color: red">Red</p>',
        '<a href="javascript:go()">Go</a>',
        "<script>go()</script>",
        '<p hx-trigger="click[ctrlKey]">Go</p>',
        "{{ text|safe }}",
        "{% nothing %}",
        '{% include "nowhere.html" %}',
        '<p hx-disabled-elt="this">Go</p>',
    ],
)
def test_a_template_that_the_policy_or_htmx_4_would_break_is_found(tmp_path, fault):
    (tmp_path / "sound.html").write_text('<p class="note" hx-get="/" hx-trigger="click">Sound</p>')
    assert check_templates.findings(tmp_path, engines["django"]) == []
    (tmp_path / "faulty.html").write_text(fault)
    assert len(check_templates.findings(tmp_path, engines["django"])) == 1


def test_the_lock_files_answer_their_lists():
    assert check_locks.findings() == []


def test_a_list_that_was_not_locked_again_is_found(tmp_path):
    names = [f"{name}{kind}" for name in check_locks.LISTS for kind in (".in", ".txt")]
    for name in (*names, "package.json", "package-lock.json"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    with (tmp_path / "requirements.in").open("a") as file:
        file.write("flask\n")
    package = json.loads((tmp_path / "package.json").read_text())
    package["dependencies"]["htmx.org"] = "2.0.0"
    (tmp_path / "package.json").write_text(json.dumps(package))
    faults = check_locks.findings(tmp_path)
    assert [fault.split()[0] for fault in faults] == ["requirements.txt", "package-lock.json"]


def test_assets_are_those_of_the_lock_file_and_never_committed():
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    assert sorted(bootstrap.ASSETS.values()) == [
        str(path.relative_to(ROOT)) for path in sorted((ROOT / "static" / "vendor").iterdir())
    ]
    for source, served in bootstrap.ASSETS.items():
        assert (ROOT / served).read_bytes() == (ROOT / source).read_bytes()
        package = "/".join(source.split("/")[:2])
        installed = json.loads((ROOT / package / "package.json").read_text())["version"]
        assert installed == packages[package]["version"]
    assert "static/vendor/" in (ROOT / ".gitignore").read_text().splitlines()


def test_the_image_holds_every_asset():
    recipe = (ROOT / "Dockerfile").read_text()
    missing = [
        served
        for source, served in bootstrap.ASSETS.items()
        if f"COPY --from=assets /assets/{source} {served}\n" not in recipe
    ]
    assert missing == []


# --- Size and manners ----------------------------------------------------------------------------


def test_no_file_grows_past_its_alarm_length():
    files = [
        *sources(*PACKAGES),
        *(ROOT / "templates").rglob("*.html"),
        *(ROOT / "static").rglob("*.js"),
    ]
    long = {
        str(path.relative_to(ROOT)): lines
        for path in files
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    }
    assert long == {}


def test_the_map_fits_on_a_few_screens():
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= LONGEST_MAP


def test_jobs_are_never_run_in_the_process_that_asks_for_them():
    word = "always" + "_eager"
    texts = [
        *sources(*PACKAGES),
        ROOT / "pyproject.toml",
        ROOT / "Makefile",
        ROOT / "docker-compose.yml",
    ]
    assert [str(path) for path in texts if word in path.read_text(encoding="utf-8").lower()] == []


def test_no_warning_is_silenced_and_nothing_is_left_to_do():
    marks = re.compile(r"#\s*(noqa|type:\s*ignore|TODO|FIXME|XXX)")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sources(*PACKAGES)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if marks.search(line)
    ]
    assert found == []
