"""A first field map for a file, from the names of its columns and from what stands in them.

A suggestion is only ever made where a person would make the same: names in English, Chinese and a little
Spanish; scores that are 0 to 3; the one long text. What programs predicted is never suggested as a score.
"""

from collections.abc import Callable, Mapping, Sequence

import regex

from annotation.domain.field_map import FieldMap, Source, as_key
from annotation.domain.layouts.columns import (
    OWN_IDS,
    ROW_NUMBERS,
    SYNONYMS,
    Table,
    is_rating,
    of_machine,
    rater_columns,
    rating_columns,
    words,
)
from annotation.domain.moments import as_iso
from annotation.domain.records import MAX_IDENTIFIER, Record
from annotation.domain.text import CHINESE, HAN_LETTER, LETTER

KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
ID = regex.compile(r"[\w./|:#-]*\d[\w./|:#-]*", regex.ASCII)  # one word with a digit, such as e12 or a number
LONG_TEXT = 150  # mean characters from which a column is taken for texts; a Han character counts three
SCALE_SIZE = 12  # different values up to which a column may be a scale that has to be mapped
LABEL = 40  # characters of a value on such a scale

FACTS = ("finish_reason", "error", "upvotes", "posted_at", "requirements", "kept_requirements")


def suggested(
    flat: Sequence[Record], *, languages: Sequence[str], known: Mapping[str, Source | None]
) -> FieldMap:
    """The map for rows such as these. `known` are fields that are settled; None settles that there is none."""
    search = _Search(flat, known)
    raters = search.scores()
    search.response(languages)
    search.names()
    if raters or "score" in search.found:
        search.about_scores(wide=bool(raters))
    else:
        search.drop("annotator")
    return FieldMap(fields=search.found, raters=raters)


class _Search:
    """Goes through the fields in turn, so that no column serves twice."""

    def __init__(self, flat: Sequence[Record], known: Mapping[str, Source | None]) -> None:
        self.flat = flat
        self.table = Table(flat)
        self.known = known
        self.found = {name: source for name, source in known.items() if source is not None}
        self.taken = {column for source in self.found.values() for column in source.columns}

    # --- who gave which score ---

    def scores(self) -> tuple[str, ...]:
        """Finds the score and the annotator; the columns of raters where the file is wide."""
        if self._settled("score"):
            self._by_name("annotator", _is_name)
            return ()
        raters = () if "annotator" in self.found else rater_columns(self.flat)
        if raters:
            self.taken |= set(raters)
            return raters
        self._by_name("annotator", _is_name)
        ratings = [name for name in rating_columns(self.flat) if name not in self.taken]
        named = [name for name in self._named("score") if name in ratings]
        other = [name for name in self._named("score") if self._may_be_scale(name)]
        alone = "annotator" in self.found or not self._named("text")
        candidates = (*named, *ratings, *other) if alone else named
        if candidates:
            self._take("score", candidates[0])
        return ()

    def about_scores(self, *, wide: bool) -> None:
        self._by_name("at", lambda values: all(as_iso(value) for value in values))
        if not wide:  # one comment cannot be the reason of several annotators
            self._by_name("justification", _is_text)

    # --- the response ---

    def response(self, languages: Sequence[str]) -> None:
        self._by_name("text", _is_text)
        if not self._settled("text"):
            self._longest_text()
        if "text" not in self.found:
            return
        self._by_name("prompt", _is_text)
        self._by_name("genre", _is_name)
        self._by_name("language", _is_name)
        if not self._settled("language"):
            self._language(languages)
        for name in FACTS:
            self._by_name(name, lambda values: True)
        native = {"text", "prompt_id"} <= set(self.table.columns)
        if native and "length" in self.table.columns and not self._settled("length"):
            self._take("length", "length")

    def names(self) -> None:
        """Which response to which prompt: ids, the model, the sample."""
        for name in ("prompt_id", "model", "sample"):
            self._by_name(name, _is_name)
        self._by_name("response_id", _is_name)
        if "text" not in self.found and "prompt_id" not in self.found:
            self._by_name("prompt", _is_text)
        if not self._settled("response_id"):
            self._response_id()

    def _response_id(self) -> None:
        derived = ("prompt_id" in self.found or "prompt" in self.found) and "model" in self.found
        repeating = self._repeats_across_annotators()
        # A number of the row says less than the prompt and the model; beside a text an id is the text's own.
        weak = (OWN_IDS if "text" in self.found else ()) if derived else (*OWN_IDS, *ROW_NUMBERS)
        for name in self._free(self.table.named(weak)):
            if _is_name(self.table.values(name)) and (repeating is None or name in repeating):
                self._take("response_id", name)
                return
        if not derived and repeating:
            self._take("response_id", repeating[0])
        if not derived and not repeating and "text" not in self.found:
            self._first_unlike()

    def _repeats_across_annotators(self) -> tuple[str, ...] | None:
        """The columns that could be the id of what several annotators scored; None where one cannot tell."""
        source = self.found.get("annotator")
        if source is None or len(source.columns) != 1:
            return None
        who = source.columns[0]
        if len({as_key(value) for value in self.table.values(who)}) < 2:
            return None
        return tuple(name for name in self._free(self.table.columns) if self._is_item(name, who))

    def _is_item(self, name: str, who: str) -> bool:
        values = self.table.values(name)
        if len(values) < len(self.flat) or not _is_name(values) or all(map(is_rating, values)):
            return False
        pairs = {(as_key(row.values[name]), as_key(row.values.get(who))) for row in self.flat}
        return len(pairs) == len(self.flat) > len({as_key(value) for value in values})

    def _first_unlike(self) -> None:
        """Of a wide file: the first column of names that differ in every row."""
        for name in self._free(self.table.columns):
            values = self.table.values(name)
            unlike = len({as_key(value) for value in values}) == len(self.flat)
            if unlike and _is_name(values) and not of_machine(name):
                self._take("response_id", name)
                return

    def _longest_text(self) -> None:
        best, longest = "", float(LONG_TEXT)
        other = set(self.table.named(SYNONYMS["prompt"]))
        comments = frozenset(SYNONYMS["justification"])
        for name in self._free(self.table.columns):
            values = self.table.values(name)
            if name in other or words(name) & comments or not _is_text(values):
                continue
            texts = [value for value in values if isinstance(value, str)]
            mean = sum(len(text) + 2 * len(HAN_LETTER.findall(text)) for text in texts) / len(texts)
            if mean >= longest:
                best, longest = name, mean
        if best:
            self._take("text", best)

    def _language(self, languages: Sequence[str]) -> None:
        texts = [
            value for name in ("text", "prompt") for value in self._values(name) if isinstance(value, str)
        ]
        sample = "".join(texts)
        letters = len(LETTER.findall(sample))
        han = len(HAN_LETTER.findall(sample))
        if 2 * han > letters and 20 * len(KANA.findall(sample)) < letters:
            chinese = [tag for tag in languages if tag.lower().partition("-")[0] in CHINESE]
            self.found["language"] = Source(constant=chinese[0] if chinese else "zh")
        elif len(languages) == 1:
            self.found["language"] = Source(constant=languages[0])

    # --- columns ---

    def drop(self, name: str) -> None:
        if name not in self.known:
            self.found.pop(name, None)

    def _settled(self, name: str) -> bool:
        return name in self.known or name in self.found

    def _free(self, columns: Sequence[str]) -> list[str]:
        return [name for name in columns if name not in self.taken]

    def _named(self, field: str) -> list[str]:
        return [name for name in self._free(self.table.named(SYNONYMS[field])) if self.table.values(name)]

    def _by_name(self, field: str, fits: Callable[[Sequence[object]], bool]) -> None:
        if self._settled(field):
            return
        for name in self._named(field):
            if fits(self.table.values(name)):
                self._take(field, name)
                return

    def _take(self, field: str, name: str) -> None:
        self.found[field] = Source(columns=(name,))
        self.taken.add(name)

    def _values(self, field: str) -> list[object]:
        source = self.found.get(field)
        return [value for name in source.columns for value in self.table.values(name)] if source else []

    def _may_be_scale(self, name: str) -> bool:
        """Whether the values could stand for scores, once somebody says how."""
        values = self.table.values(name)
        scalars = all(
            isinstance(value, str | int | float) and len(as_key(value)) <= LABEL for value in values
        )
        different = len({as_key(value) for value in values})
        return scalars and not of_machine(name) and different <= SCALE_SIZE


def _is_text(values: Sequence[object]) -> bool:
    """Whether most of the values are texts, and not scores or ids."""
    texts = [value for value in values if isinstance(value, str)]
    return bool(texts) and 2 * len(texts) >= len(values) and not all(map(ID.fullmatch, texts))


def _is_name(values: Sequence[object]) -> bool:
    """Whether all values could name something: short, on one line, no fractions."""
    return bool(values) and all(
        isinstance(value, str | int | float)
        and not isinstance(value, bool)
        and not (isinstance(value, float) and not value.is_integer())
        and len(as_key(value)) <= MAX_IDENTIFIER
        and "\n" not in as_key(value)
        for value in values
    )
