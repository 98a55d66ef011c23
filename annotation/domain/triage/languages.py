"""Whether a text is in the language that is expected.

The script decides where it can: the share of words and characters in the scripts of the language. Only where
several languages share a script are the words read, by py3langid (Naive Bayes over byte n-grams; Lui and
Baldwin 2012), restricted to the languages that are likely in that script.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import regex
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from annotation.domain.sentences import say
from annotation.domain.text import CHINESE
from annotation.domain.triage.findings import MAX_EVIDENCE, Case, Finding, place, quote

FEWEST_LETTERS = 20  # a shorter text is not judged
FEWEST_TO_READ = 40  # letters below which a script that several languages share is not read
PROBE = 400  # characters that are read
SURE = 90  # percent, at least, of certainty that it is another language

HAN, KANA, LATIN, CYRILLIC = "Han", "Kana", "Latin", "Cyrillic"
ARABIC, DEVANAGARI = "Arabic", "Devanagari"
# Written without spaces, so that each letter counts; of the other scripts each word counts as one.
DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
KANA_SIGN = regex.compile(r"[\p{Hiragana}\p{Katakana}]")

WRITTEN_IN_LATIN = (
    "af ca cs cy da de en eo es et eu fi fr ga gl hr hu id is it la lt lv ms mt nl no pl pt ro sk sl sq sv sw "
    "tl tr vi"
)
SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "zh": (HAN,),
    "ja": (HAN, KANA),
    "ko": ("Hangul",),
    "sr": (CYRILLIC, LATIN),
    **dict.fromkeys(("ru", "uk", "bg", "mk", "be", "kk", "ky", "mn", "tg"), (CYRILLIC,)),
    **dict.fromkeys(("ar", "fa", "ur", "ps", "ug"), (ARABIC,)),
    **dict.fromkeys(("hi", "mr", "ne"), (DEVANAGARI,)),
    **dict.fromkeys(("he", "yi"), ("Hebrew",)),
    **dict.fromkeys(WRITTEN_IN_LATIN.split(), (LATIN,)),
    "el": ("Greek",),
    "th": ("Thai",),
    "lo": ("Lao",),
    "km": ("Khmer",),
    "my": ("Myanmar",),
    "ka": ("Georgian",),
    "hy": ("Armenian",),
    "am": ("Ethiopic",),
    "bn": ("Bengali",),
    "ta": ("Tamil",),
    "te": ("Telugu",),
    "kn": ("Kannada",),
    "ml": ("Malayalam",),
    "gu": ("Gujarati",),
    "pa": ("Gurmukhi",),
    "si": ("Sinhala",),
}
LIKELY: Mapping[str, tuple[str, ...]] = {
    LATIN: ("de", "en", "es", "fr", "id", "it", "nl", "pl", "pt", "ro", "sv", "tr", "vi"),
    CYRILLIC: ("bg", "kk", "ru", "uk"),
    ARABIC: ("ar", "fa", "ur"),
    DEVANAGARI: ("hi", "mr", "ne"),
}
# Too close to be told apart by a few sentences.
RELATED = (
    frozenset({"es", "gl", "ca", "pt"}),
    frozenset({"id", "ms"}),
    frozenset({"cs", "sk", "pl"}),
    frozenset({"da", "no", "sv"}),
    frozenset({"hr", "sl", "sr"}),
    frozenset({"nl", "af"}),
    frozenset({"ru", "uk", "be", "bg", "mk", "sr"}),
    frozenset({"hi", "mr", "ne"}),
)
NAMES: Mapping[str, str] = {
    **dict.fromkeys(CHINESE, "zh"),
    **dict.fromkeys(("eng", "english", "英语", "英文"), "en"),
    **dict.fromkeys(("jpn", "japanese", "日语", "日文", "日本語"), "ja"),
    **dict.fromkeys(("kor", "korean", "韩语"), "ko"),
    **dict.fromkeys(("spa", "spanish", "español"), "es"),
    **dict.fromkeys(("fra", "fre", "french", "français"), "fr"),
    **dict.fromkeys(("deu", "ger", "german", "deutsch"), "de"),
    **dict.fromkeys(("ita", "italian"), "it"),
    **dict.fromkeys(("por", "portuguese"), "pt"),
    **dict.fromkeys(("rus", "russian"), "ru"),
    **dict.fromkeys(("ara", "arabic"), "ar"),
    **dict.fromkeys(("nb", "nn"), "no"),
}


@dataclass(frozen=True, slots=True)
class Count:
    """Of a text: letters, units (letters of dense scripts, words of the others), and units in its own scripts."""

    letters: int
    units: int
    own: int


def language(case: Case) -> Finding | None:
    """Nothing where the language is missing or unknown here, or the text is too short to tell."""
    written = case.language.strip().casefold().replace("_", "-").partition("-")[0]
    expected = NAMES.get(written, written)
    scripts = SCRIPTS.get(expected)
    if scripts is None:
        return None
    count = _count(case.text, scripts)
    if count.letters < FEWEST_LETTERS:
        return None
    found = _by_script(case, count, expected, scripts)
    if found is None and scripts[0] in LIKELY and count.letters >= FEWEST_TO_READ:
        return _by_words(case, expected, scripts[0])
    return found


def _count(text: str, scripts: tuple[str, ...]) -> Count:
    own = _runs(scripts, own=True).findall(text)
    other = _runs(scripts, own=False).findall(text)
    of_own = _units(own)
    return Count(sum(map(len, own)) + sum(map(len, other)), of_own + _units(other), of_own)


def _units(runs: list[str]) -> int:
    return sum(len(run) if DENSE.match(run) else 1 for run in runs)


def _by_script(case: Case, count: Count, expected: str, scripts: tuple[str, ...]) -> Finding | None:
    without_kana = expected == "ja" and 20 * len(KANA_SIGN.findall(case.text)) < count.units
    if 2 * count.own >= count.units and not without_kana:
        return None
    foreign = _runs(scripts, own=False).search(case.text)
    start = foreign.start() if foreign else 0
    return Finding(
        "language",
        say(
            "{percent} percent of the text is in the script of the language {expected}; "
            "other words start at character {place}: {evidence}",
            percent=100 * count.own // count.units,
            expected=case.language.strip(),
            place=place(start),
            evidence=quote(case.text, start, start + MAX_EVIDENCE),
        ),
    )


def _by_words(case: Case, expected: str, script: str) -> Finding | None:
    found = _read(case.text, 0, expected, script)
    middle = max(0, len(case.text) // 2 - PROBE // 2)
    # A text may well start with a foreign title or quotation, so the middle must say the same.
    if found is None or _read(case.text, middle, expected, script) != found:
        return None
    return Finding(
        "language",
        say(
            "it reads as {found}, not {expected}, such as at character {place}: {evidence}",
            found=found,
            expected=case.language.strip(),
            place=place(middle),
            evidence=quote(case.text, middle, middle + PROBE),
        ),
    )


def _read(text: str, start: int, expected: str, script: str) -> str | None:
    """The other language that a probe of the text is surely in, or None."""
    found, certainty = _identifier(script, expected).classify(text[start : start + PROBE])
    related = any({found, expected} <= group for group in RELATED)
    if found == expected or related or 100 * certainty < SURE:
        return None
    return str(found)


@cache
def _model() -> LanguageIdentifier:
    """The model is loaded when it is first needed: it takes a second and 80 MB."""
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@cache
def _identifier(script: str, expected: str) -> LanguageIdentifier:
    """One that knows the likely languages of a script and the expected one only."""
    whole = _model()
    narrow = LanguageIdentifier(
        whole.nb_ptc, whole.nb_pc, whole.nb_classes, whole.tk_nextmove, whole.tk_output,
        norm_probs=True, tk_row=whole.tk_row,
    )  # fmt: skip
    narrow.set_languages(sorted({*LIKELY[script], expected}))
    return narrow


@cache
def _runs(scripts: tuple[str, ...], *, own: bool) -> regex.Pattern[str]:
    """A match for each run of letters in these scripts, or of letters in others."""
    signs = "".join(
        r"\p{Hiragana}\p{Katakana}" if script == KANA else rf"\p{{{script}}}" for script in scripts
    )
    letters = rf"[\p{{L}}&&[{signs}]]" if own else rf"[\p{{L}}--[{signs}]]"
    return regex.compile(rf"{letters}(?:{letters}|\p{{M}})*+", regex.V1)
