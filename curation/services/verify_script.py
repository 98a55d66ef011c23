"""The program that a release takes along to be verified by: verification.py and what it needs, as one file.

It is made of the sources themselves, so that it decides as `manage.py verify_release` does.
"""

from functools import cache
from pathlib import Path

from curation.domain.release import merkle
from curation.services import verification

IMPORT = "from curation.domain.release.merkle import Tree, root_of_roots\n"
HEAD = '''\
#!/usr/bin/env python3
"""Verifies the release in whose folder it lies, or the one that is named: python verify_release.py [FOLDER]

Exit code 0: as released, 1: differs, 2: bad signature, 3: cannot be read. With --public-key KEY the release has to be
signed by that key, which whoever released it publishes. Python 3.11 or newer, no package; the signature is checked
where `cryptography` is installed.
"""

'''
TAIL = """

# --- as a program ----------------------------------------------------------------------------------------

EXIT_CODES = {"ok": 0, "differs": 1, "bad signature": 2, "unreadable": 3}


def main() -> int:
    parser = argparse.ArgumentParser(description="Verifies a release, byte by byte.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent)
    parser.add_argument("--public-key", default="", metavar="KEY", help="base64 of Ed25519, as its makers publish it")
    given = parser.parse_args()
    verdict = verify(given.folder, public_key=given.public_key)
    print(f"{printable(str(given.folder))}: {verdict}" if verdict.ok else f"{verdict.outcome}: {verdict}")
    return EXIT_CODES[verdict.outcome]


if __name__ == "__main__":
    sys.exit(main())
"""


@cache
def script() -> bytes:
    """The program, in UTF-8."""
    tree = _code(Path(merkle.__file__))
    tree = tree[tree.index("LEAF, NODE") :].rstrip()
    body = _code(Path(verification.__file__))
    before, after = body.split(IMPORT)
    start = before.index("import base64")
    imports = (
        "import argparse\n"
        + before[start:]
        .replace("import stat\n", "import stat\nimport sys\n")
        .replace("import Iterator", "import Iterable, Iterator")
        .rstrip()
    )
    return f"{HEAD}{imports}\n{after.rstrip()}\n\n\n{tree}\n{TAIL}".encode()


def _code(path: Path) -> str:
    """The source without its docstring."""
    source = path.read_text(encoding="utf-8")
    return source[source.index('"""', 3) + 3 :].lstrip()
