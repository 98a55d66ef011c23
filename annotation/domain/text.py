"""The text of a response as the rules see it: when two are the same, and how long one is.

Length is counted here and nowhere else, because counts that others bring follow rules they do not publish.
"""

import unicodedata
from typing import Literal

import regex

Unit = Literal["words", "characters"]

WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*")
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
        return len(WORD.findall(text))
    return sum(map(len, unicodedata.normalize("NFC", text).split()))


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
