"""Finds the translatable texts of Django's templates for Babel, so that no gettext programs are needed.

Used by 'make messages' alone; config/babel.cfg names it.
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from typing import BinaryIO

from django.utils.translation.template import templatize

TEXT = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
CALL = re.compile(rf"\b(_|n?p?gettext)\(\s*({TEXT}(?:\s*,\s*{TEXT})*)")


def templates(
    file: BinaryIO, keywords: Mapping[str, object], comment_tags: Collection[str], options: Mapping[str, str]
) -> Iterator[tuple[int, str, tuple[str, ...], list[str]]]:
    """Babel's interface: yields (line, function, texts, comments).

    Django turns a template into calls of gettext between which stands filling that is no Python, so the
    calls are looked for rather than parsed.
    """
    source = templatize(file.read().decode("utf-8"), origin=file.name)
    for call in CALL.finditer(source):
        texts = ast.literal_eval(f"({call[2]},)")
        yield source.count("\n", 0, call.start()) + 1, call[1], texts, []
