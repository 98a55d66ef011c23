"""The lock files answer the lists they were made from, and name no registry: python -m tests.check_locks"""

import json
import re
import sys
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LISTS = (
    "requirements",
    "requirements-dev",
    "requirements-s3",
    "requirements-uv",
    "requirements-node",
    "requirements-consumers",
    "requirements-consumers-rewardbench",
    "requirements-consumers-torch",
)
LOCKED = re.compile(r"^([\w.-]+)==(\S+)(?: ;.*)?(?: \\)?$", re.MULTILINE)
REMEDY = "run 'make lock'"


def findings(root: Path = ROOT) -> list[str]:
    return [found for name in LISTS for found in _of_python(root, name)] + _of_npm(root)


def _of_python(root: Path, name: str) -> list[str]:
    wanted = _wanted((root / f"{name}.in").read_text(encoding="utf-8"))
    text = (root / f"{name}.txt").read_text(encoding="utf-8")
    locked: dict[str, list[str]] = {}
    for package, version in LOCKED.findall(text):
        locked.setdefault(canonicalize_name(package), []).append(version)
    found = [
        f"{name}.txt does not satisfy '{requirement}' of {name}.in; {REMEDY}"
        for package, requirement in wanted.items()
        if not any(requirement.specifier.contains(version) for version in locked.get(package, []))
    ]
    found += [
        f"{name}.txt locks {package} for {name}.in, which lists it no more; {REMEDY}"
        for package in sorted(_asked_for(name, text) - wanted.keys())
    ]
    found += [f"{name}.txt names a registry; {REMEDY}"] if "://" in text or "--index-url" in text else []
    return found


def _wanted(text: str) -> dict[str, Requirement]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    requirements = [Requirement(line) for line in lines if line and not line.startswith("-")]
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


def _asked_for(name: str, text: str) -> set[str]:
    """The locked packages under which a comment says that the list itself asks for them."""
    asked, package = set(), ""
    for line in text.splitlines():
        if found := LOCKED.match(line):
            package = canonicalize_name(found[1])
        elif line.startswith("    #") and line.endswith(f" -r {name}.in"):
            asked.add(package)
    return asked


def _of_npm(root: Path) -> list[str]:
    listed = json.loads((root / "package.json").read_text(encoding="utf-8"))
    packages = json.loads((root / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    found = []
    for kind in ("dependencies", "devDependencies"):
        if packages[""].get(kind, {}) != listed.get(kind, {}):
            found.append(f"package-lock.json does not answer {kind} of package.json; {REMEDY}")
    for path, package in packages.items():
        if "resolved" in package:
            found.append(f"package-lock.json names a registry for {path}; {REMEDY}")
        if path and "integrity" not in package:
            found.append(f"package-lock.json has no hash for {path}; {REMEDY}")
    return found


if __name__ == "__main__":
    sys.exit("\n".join(findings()) or 0)
