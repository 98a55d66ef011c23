"""The text of a response as the rules see it: when two are the same, and how long one is.

Length is counted here and nowhere else, because counts that others bring follow rules they do not publish.
"""

import unicodedata
from functools import cache
from typing import Literal

import numpy as np
import regex
from numpy.typing import NDArray

Unit = Literal["words", "characters"]

WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*")
RUN = regex.compile(r"[\p{L}\p{M}\p{N}]+")
JOINERS = "'’-"
CODE_POINTS = 0x110000
# Where letters, marks and digits can stand: planes 0 to 3 and the beginning of plane 14; the others hold none.
WRITTEN = (range(0x40000), range(0xE0000, 0xE1000))
LONG = 1000  # code points from which a table counts words about ten times faster than the expression
LETTER = regex.compile(r"\p{L}")
HAN_LETTER = regex.compile(r"[\p{L}&&\p{Han}]", regex.V1)

# Languages written without spaces between words, where a run of letters is a clause and no word: the
# Chinese languages, Japanese, Thai, Lao, Khmer and Burmese. Korean and Vietnamese put spaces. By primary
# subtag (ISO 639-1, -2 and -3), and by the names that people write into such a column.
CHINESE = frozenset(
    {"zh", "zho", "chi", "cmn", "yue", "wuu", "lzh", "nan", "hak", "gan", "hsn", "cdo", "cjy", "cpx"}
    | {"czh", "czo", "mnp", "chinese", "mandarin", "cantonese", "中文", "汉语", "漢語"}
)
LIKE_CHINESE = frozenset(
    {"ja", "jpn", "th", "tha", "lo", "lao", "km", "khm", "my", "mya", "bur"}
    | {"japanese", "thai", "khmer", "burmese", "日本語"}
)
WITHOUT_SPACES = CHINESE | LIKE_CHINESE
UNDETERMINED = frozenset({"", "und"})


def same_text_key(text: str) -> str:
    """Equal for two texts that are the same after NFC, trimming and collapsing of white space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def length(text: str, unit: Unit) -> int:
    """Words are runs of letters, marks and digits, joined by ', ’ or -; characters are code points after NFC
    that are no white space."""
    if unit == "words":
        return len(WORD.findall(text)) if len(text) < LONG else _words_of_long(text)
    return sum(map(len, unicodedata.normalize("NFC", text).split()))


@cache
def _kinds() -> NDArray[np.uint8]:
    """By code point: 1 for what runs are made of, 2 for what joins two of them."""
    kinds = np.zeros(CODE_POINTS, dtype=np.uint8)
    for block in WRITTEN:
        for run in RUN.finditer("".join(map(chr, block))):
            kinds[block.start + run.start() : block.start + run.end()] = 1
    kinds[[ord(joiner) for joiner in JOINERS]] = 2
    return kinds


def _words_of_long(text: str) -> int:
    """What WORD finds: the runs, less one for each joiner with a run at either side."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds = _kinds().take(codes)
    in_run = kinds == 1
    begun = int(np.count_nonzero(in_run[1:] & ~in_run[:-1])) + int(in_run[0])
    joined = int(np.count_nonzero(in_run[:-2] & (kinds[1:-1] == 2) & in_run[2:]))
    return begun - joined


def unit_for(setting: str, language: str, prompt: str, response: str) -> Unit:
    """The unit in which a response is measured. `setting` is auto, words or characters.

    auto goes by the language; where that is missing, by the letters of the prompt, or of the response where
    there is no prompt text: characters if more than half of them are Han.
    """
    if setting == "words":
        return "words"
    if setting == "characters":
        return "characters"
    subtag = language.strip().lower().replace("_", "-").partition("-")[0]
    if subtag not in UNDETERMINED:
        return "characters" if subtag in WITHOUT_SPACES else "words"
    text = prompt if prompt.strip() else response
    return "characters" if 2 * len(HAN_LETTER.findall(text)) > len(LETTER.findall(text)) else "words"
