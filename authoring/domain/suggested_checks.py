"""Which check the words of a requirement suggest: "at least 300 words", 「不少于300字」, "use the phrase ...".

A suggestion is for a person to confirm; where the words may be of a part of the text, or say what must not stand there,
none is made. A number without a bound is exact, but words and characters are taken for about so many.
"""

import unicodedata
from collections.abc import Iterator, Set

import regex

from authoring.domain.countable import Check, Measure

TOLERANCE = 10  # percent that "about" leaves at either side
MOST_COUNTED = 1_000_000
LONGEST_STRING = 200
LONGEST_READ = 2_000  # characters of a requirement that are looked at

# --- English -------------------------------------------------------------------------------------

TEENS = (
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
SMALL = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    *TEENS,
    "twenty",
)
ENGLISH_NUMBERS = {name: value for value, name in enumerate(SMALL)} | {"single": 1, "thirty": 30, "fifty": 50}
ENGLISH_UNITS: tuple[tuple[str, Measure], ...] = (
    (r"words?", "words"),
    (r"sentences?", "sentences"),
    (r"paragraphs?", "paragraphs"),
    (r"(?:bullet(?:ed)?|numbered|list)[ -]?(?:points?|items?|entries)|bullets?|items?", "list_items"),
)
NUMBER = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d{{1,7}}|{'|'.join(ENGLISH_NUMBERS)})"
UNIT = "(?:" + "|".join(rf"(?P<{measure}>{words})" for words, measure in ENGLISH_UNITS) + ")"
BETWEEN = r"(?:clear |short |full |separate |distinct |complete |numbered |bulleted )?"
RANGE = regex.compile(
    rf"\b(?P<a>{NUMBER})\s*(?:words?\s*)?(?:-|–|—|~|to|and|or)\s*(?P<b>{NUMBER})[ -]{BETWEEN}{UNIT}\b(?! of\b)",
    regex.I,
)
LEAST = r"(?:at least|no fewer than|no less than|not fewer than|not less than|a minimum of|minimum(?: of)?)"
MOST = (
    r"(?:at most|no more than|not more than|up to|a maximum of|maximum(?: of)?|within|(?:not|n['’]t|never|without) "
    r"exceed(?:ing)?|(?:not|n['’]t|never)\b[^.;,]{0,40}?\b(?:more than|over|above|exceed))"
)
BOUND = (
    rf"(?P<most>{MOST})|(?P<least>{LEAST})|(?P<above>more than|over|exceeding|above)"
    r"|(?P<below>fewer than|less than|under|below)|(?P<exact>exactly|precisely)"
    r"|(?P<about>about|around|approximately|roughly|some|circa|nearly)"
)
BEHIND = (
    r"(?P<or_more> or (?:more|longer)| minimum| at (?:the )?least)"
    r"|(?P<or_less> or (?:fewer|less)| maximum| at most)"
)
COUNTED = regex.compile(
    rf"(?:\b(?:{BOUND})\s+)?(?:the |a )?\b(?P<n>{NUMBER})[ -]{BETWEEN}{UNIT}\b(?! of\b)(?:{BEHIND})?", regex.I
)
OF_A_PART = regex.compile(
    r"\b(?:each|every|per|title|heading|headline|first|second|third|last|opening|closing|final|introduction"
    r"|conclusion|ending|summary|begin|start)\b",
    regex.I,
)

# --- Chinese -------------------------------------------------------------------------------------

DIGITS = dict(zip("零一二三四五六七八九", range(10), strict=True)) | {"两": 2, "〇": 0}
STEPS = {"十": 10, "百": 100, "千": 1_000}
CHINESE_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d{1,7}(?:万)?|[零〇一二两三四五六七八九十百千万]{1,9})"
CHINESE_UNITS: tuple[tuple[str, Measure], ...] = (
    (r"个?(?:汉字|字符|字|词)", "words"),
    (r"个?句子|句话?", "sentences"),
    (r"个?(?:自然段落?|段落|段)(?:文字|话)?", "paragraphs"),
    (r"(?:个|条)?(?:列表项|要点|项目符号)|条|项", "list_items"),
)
CHINESE_UNIT = "(?:" + "|".join(rf"(?P<{measure}>{words})" for words, measure in CHINESE_UNITS) + ")"
CHINESE_RANGE = regex.compile(
    rf"(?P<a>{CHINESE_NUMBER})个?[字词句段]?\s*(?:-|–|—|~|到|至|或)+\s*(?P<b>{CHINESE_NUMBER})\s*{CHINESE_UNIT}"
)
CHINESE_BOUND = (
    r"(?P<most>不(?:得|要|能|可|应|许)?(?:超过|多于|超出|大于|高于)|至多|最多|上限为?|控制在(?=[^以]{0,12}以?内))"
    r"|(?P<least>不(?:得|要|能|可|应)?(?:少于|低于|小于|短于)|至少|最少|起码|下限为?)"
    r"|(?P<above>超过|多于|大于)|(?P<below>少于|不到|低于|不足)|(?P<exact>恰好|正好|刚好|恰为|仅|共计?|一共)"
    r"|(?P<about>大约|约为?|左右)"
)
CHINESE_BEHIND = r"(?P<or_more>或?以上|起)|(?P<or_less>或?以下|以?内|之内)|(?P<so>左右|上下)"
CHINESE_COUNTED = regex.compile(
    rf"(?:(?:{CHINESE_BOUND})\p{{Han}}{{0,4}}?)?\s*(?P<n>{CHINESE_NUMBER})\s*{CHINESE_UNIT}(?:{CHINESE_BEHIND})?"
)
CHINESE_PART = regex.compile(r"每|各|题目|标题|第[一二三四五\d]|首段|首句|开头|结尾|末段|末句|开篇|摘要")

# --- Strings -------------------------------------------------------------------------------------

QUOTED = regex.compile(
    r"[“\"「『](?P<said>[^“”\"「」『』\n]{1,200})[”\"」』]|(?<!\w)[‘'](?P<small>[^‘’'\n]{1,200})[’'](?!\w)"
)
ASKED_FOR = regex.compile(
    r"\b(?:use|uses|using|include|includes|including|contain|contains|mention|quote|repeat|insert|feature|incorporate"
    r"|appear|appears|begin|begins|start|starts|end|ends|open|opens|close|closes|phrase|word|words)\b"
    r"|使用|包含|包括|出现|写出|引用|提到|提及|写上|加入|用到|运用|开头|结尾|结束|嵌入",
    regex.I,
)
NOT_WANTED = regex.compile(
    r"\b(?:not|never|avoid|without|no|don['’]t|cannot|instead of|rather than)\b|不|勿|避免|禁止|切忌|别|莫|无需",
    regex.I,
)


def suggested(text: str) -> Check | None:
    """What a program could check of a requirement in English or Chinese; None where its words say nothing of it."""
    read = text[:LONGEST_READ]
    return _string(read) or _counted(unicodedata.normalize("NFKC", read))


def _string(text: str) -> Check | None:
    found = list(QUOTED.finditer(text))
    if len(found) != 1:
        return None
    around = text[: found[0].start()] + " " + text[found[0].end() :]
    if not ASKED_FOR.search(around) or NOT_WANTED.search(around):
        return None
    said = unicodedata.normalize("NFC", found[0]["said"] or found[0]["small"]).strip()
    return Check("string", string=said) if said and len(said) <= LONGEST_STRING else None


def _counted(text: str) -> Check | None:
    if OF_A_PART.search(text) or CHINESE_PART.search(text):
        return None
    checks = list(dict.fromkeys(_checks(text)))
    return checks[0] if len(checks) == 1 else None


def _checks(text: str) -> Iterator[Check]:
    for ranged, counted in ((RANGE, COUNTED), (CHINESE_RANGE, CHINESE_COUNTED)):
        ranges = list(ranged.finditer(text))
        yield from filter(None, map(_between, ranges))
        if not ranges:
            yield from filter(None, map(_bounded, counted.finditer(text)))


def _between(match: regex.Match[str]) -> Check | None:
    a, b = _value(match["a"]), _value(match["b"])
    return Check(_measure(match), a, b) if a is not None and b is not None and a <= b else None


def _bounded(match: regex.Match[str]) -> Check | None:
    n = _value(match["n"])
    if n is None:
        return None
    least, most = _bounds(n, {name for name, said in match.groupdict().items() if said})
    return Check(_measure(match), least, most)


def _bounds(n: int, given: Set[str]) -> tuple[int | None, int | None]:
    """At least and at most, by the names of what was said around the number."""
    if given & {"least", "or_more"}:
        return n, None
    if given & {"most", "or_less"}:
        return None, n
    if "above" in given:
        return n + 1, None
    if "below" in given:
        return None, max(n - 1, 0)
    is_about = given & {"about", "so"} or ("words" in given and "exact" not in given)
    around = n * TOLERANCE // 100 if is_about else 0
    return n - around, n + around


def _measure(match: regex.Match[str]) -> Measure:
    return next(measure for _words, measure in ENGLISH_UNITS if match[measure])


def _value(said: str) -> int | None:
    """0 to a million; None for another number, and for what is none."""
    name = said.lower().replace(",", "")
    if name in ENGLISH_NUMBERS:
        return ENGLISH_NUMBERS[name]
    value = _digits(name)
    return value if value is not None and value <= MOST_COUNTED else None


def _digits(name: str) -> int | None:
    """Of digits, 万 behind them or not, and of Chinese numerals below 10 million."""
    head, wan, tail = name.partition("万")
    if head.isdecimal() and not tail:
        return int(head) * (10_000 if wan else 1)
    high, low = _chinese(head if wan else ""), _chinese(tail if wan else head)
    return None if high is None or low is None or (wan and not high) else high * 10_000 + low


def _chinese(numeral: str) -> int | None:
    total, digit = 0, None
    for place, sign in enumerate(numeral):
        if sign in DIGITS:
            if digit:
                return None
            digit = DIGITS[sign]
        elif sign in STEPS:
            total += STEPS[sign] * (1 if digit is None and not place else digit or 1)
            digit = None
        else:
            return None
    return total + (digit or 0)
