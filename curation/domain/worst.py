"""The responses on which annotators are furthest apart: where a lead looks first."""

import numpy as np

from curation.domain.columns import Columns, Scores

MOST = 50


def worst(columns: Columns, scores: Scores, most: int = MOST) -> list[dict[str, object]]:
    """Widest spread first, then largest variance, then the most scores, then by name; only where two scores differ.

    `scores` stand in the order of their responses. Who gave what stands by pseudonym.
    """
    names = columns.names
    size = np.bincount(scores.response, minlength=len(names.responses))
    value = scores.value.astype(np.int64)
    total = np.bincount(scores.response, weights=value, minlength=len(size)).astype(np.int64)
    squares = np.bincount(scores.response, weights=value**2, minlength=len(size)).astype(np.int64)
    low, high = np.full(len(size), 255), np.zeros(len(size), dtype=np.int64)
    np.minimum.at(low, scores.response, value)
    np.maximum.at(high, scores.response, value)
    spread = np.where(size > 1, high - low, 0)
    variance = (size * squares - total**2) / np.maximum(size, 1) ** 2
    order = np.lexsort((np.arange(len(size)), -size, -variance, -spread))[:most]
    found = order[spread[order] > 0]
    first = np.searchsorted(scores.response, found)
    return [
        {
            "response": names.responses[text],
            "prompt": names.prompts[columns.prompt_of[text]],
            "genre": _genre(columns, text),
            "language": names.languages[columns.language_of[columns.prompt_of[text]]],
            "spread": int(spread[text]),
            "scores": {
                names.annotators[scores.annotator[row]]: int(scores.value[row])
                for row in range(start, start + int(size[text]))
            },
        }
        for text, start in zip(found.tolist(), first.tolist(), strict=True)
    ]


def _genre(columns: Columns, text: int) -> str:
    code = int(columns.genre_of[columns.prompt_of[text]])
    return columns.names.genres[code] if code >= 0 else ""
