"""Names of models in a text: they tell an annotator what the source may be.

Names that mean nothing else count as they stand. Claude, Gemini, 豆包 and their like are also people, stars
and food, so they count with a version, or beside a word about models in the same sentence. A name that the
prompt has is no tell-tale, for then the text was asked for it.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import regex

from annotation.domain.sentences import say
from annotation.domain.triage.findings import Case, Finding, place, quote

SENTENCE = 200  # characters, at most, to each side of a name, in which its context is looked for
MOST_LOOKED_AT = 20  # places of a name whose context is read


@dataclass(frozen=True, slots=True)
class Name:
    """`sign` is a lower-case part of every spelling, so that most texts need no pattern at all."""

    sign: str
    pattern: regex.Pattern[str]
    needs_context: bool = False
    own: bool = False


def _name(sign: str, pattern: str, *, needs_context: bool = False, own: bool = False) -> Name:
    bounded = rf"(?<![\p{{Latin}}\d])(?:{pattern})(?!\p{{Latin}})"
    return Name(sign, regex.compile(bounded, regex.I), needs_context, own)


VERSION = r"[\s-]?v?\d(?:\.\d+)?(?![\d,])"
NAMES = (
    _name("chatgpt", r"chatgpt"),
    _name("gpt", r"gpt[\s-]?(?:\d[\d.]*o?|neo|j)"),
    _name("openai", r"openai"),
    _name("anthropic", r"(?-i:Anthropic)"),
    _name("deepseek", r"deepseek"),
    _name("深度求索", r"深度求索"),
    _name("qwen", r"qwen\d?|qwq"),
    _name("通义", r"通义(?:千问)?"),
    _name("文心", r"文心(?:一言|大模型)"),
    _name("chatglm", r"chatglm\d?"),
    _name("glm", r"glm-?\d"),
    _name("智谱", r"智谱(?:清言|ai)?"),
    _name("星火", r"讯飞星火|星火(?:认知)?大模型"),
    _name("混元", r"(?:腾讯)?混元大模型|腾讯混元"),
    _name("百川", r"百川(?:智能|大模型)"),
    _name("internlm", r"internlm\d?"),
    _name("mixtral", r"mixtral"),
    _name("llama", rf"llama{VERSION}"),
    _name("claude", rf"claude(?:{VERSION}|[\s-](?:opus|sonnet|haiku|instant|\d))"),
    _name("gemini", r"gemini[\s-]?(?:\d\.\d|pro|ultra|flash|nano|advanced)"),
    _name("mistral", r"mistral[\s-]?(?:\d+b|large|medium|small|ai)"),
    _name("gemma", r"gemma[\s-]?\d"),
    _name("grok", r"grok[\s-]?\d"),
    _name("phi-", r"phi-\d"),
    _name("豆包", r"豆包[\s-]?(?:\d\.\d|大模型|pro|lite)"),
    _name("doubao", r"doubao"),
    _name("hunyuan", r"hunyuan"),
    _name("ernie", r"ernie\s?bot|ernie[\s-]?\d"),
    _name("baichuan", r"baichuan\d?"),
    _name("claude", r"(?-i:Claude)", needs_context=True),
    _name("gemini", r"gemini", needs_context=True),
    _name("llama", r"llama", needs_context=True),
    _name("mistral", r"mistral", needs_context=True),
    _name("vicuna", r"vicuna", needs_context=True),
    _name("alpaca", r"alpaca", needs_context=True),
    _name("gemma", r"gemma", needs_context=True),
    _name("grok", r"grok", needs_context=True),
    _name("bard", r"(?-i:Bard)", needs_context=True),
    _name("copilot", r"copilot", needs_context=True),
    _name("kimi", r"kimi", needs_context=True),
    _name("minimax", r"minimax", needs_context=True),
    _name("gpt", r"gpt", needs_context=True),
    _name("豆包", r"豆包", needs_context=True),
    _name("千问", r"千问", needs_context=True),
    _name("星火", r"星火", needs_context=True),
    _name("混元", r"混元", needs_context=True),
    _name("月之暗面", r"月之暗面", needs_context=True),
)
CONTEXT = regex.compile(
    r"(?<![\p{Latin}])(?:A\.?I\.?|LLMs?)(?!\p{Latin})|artificial\s+intelligence|language\s+models?|chat\s?bots?"
    r"|large\s+models?|foundation\s+models?|neural\s+net|(?:trained|developed)\s+by\s+(?:google|meta|mistral)"
    r"|人工智能|语言模型|大模型|聊天机器人|智能助手|(?:字节跳动|阿里云?|百度|腾讯)[^。\n]{0,8}(?:开发|研发|训练|推出)",
    regex.I,
)
# Right beside the name these words are enough.
BESIDE = regex.compile(r"[\s「」“”\"'’]{0,2}(?:models?(?!\p{Latin})|api(?!\p{Latin})|模型)", regex.I)
STOP = regex.compile(r"[。！？!?\n]|\.(?=\s|\Z)")

# Words in names of sources that say nothing about which source it is.
GENERAL = frozenset(
    {"human", "writer", "expert", "novelist", "author", "person", "people", "model", "models", "huggingface"}
    | {"baseline", "test", "system", "machine", "assistant", "chat", "instruct", "base", "large", "small"}
    | {"reference", "gold", "student", "teacher", "open", "source", "local", "generated", "edited", "story"}
)
PARTS = regex.compile(r"[\p{L}]+|\p{N}+")
SHORTEST_OWN = 4  # characters of a source's name that is looked for


def model_name(case: Case) -> Finding | None:
    lowered = case.text.lower()
    prompt = case.prompt.lower()
    for name in (*own_names(case.model), *NAMES):
        if name.sign not in lowered or _asked_for(name, prompt):
            continue
        for match in islice(name.pattern.finditer(case.text), MOST_LOOKED_AT):
            if not name.needs_context or _has_context(case.text, match.start(), match.end()):
                return _finding(case.text, match.start(), match.end())
    return None


@lru_cache(maxsize=512)
def own_names(model: str) -> tuple[Name, ...]:
    """The name of the source, where it is one of its own, and its family, which needs context."""
    parts = PARTS.findall(model.lower())
    if not parts or sum(map(len, parts)) < SHORTEST_OWN or GENERAL.issuperset(parts):
        return ()
    found = []
    if len(parts) > 1:
        whole = r"[\s._/:-]{0,2}".join(map(regex.escape, parts))
        found.append(_name(max(parts, key=len), whole, own=True))
    family = next((part for part in parts if part.isalpha() and part not in GENERAL), "")
    if len(family) >= SHORTEST_OWN:
        found.append(_name(family, regex.escape(family), needs_context=True, own=True))
    return tuple(found)


def _asked_for(name: Name, prompt: str) -> bool:
    """A part of a source's own name may be an ordinary word, so that the prompt must have the name itself."""
    return name.pattern.search(prompt) is not None if name.own else name.sign in prompt


def _has_context(text: str, start: int, end: int) -> bool:
    """A word about models in the sentence of a name, or right beside it."""
    if BESIDE.match(text, end):
        return True
    before = text[max(0, start - SENTENCE) : start]
    stops = [match.end() for match in STOP.finditer(before)]
    after = text[end : end + SENTENCE]
    stop = STOP.search(after)
    sentence = before[stops[-1] if stops else 0 :] + " " + (after[: stop.start()] if stop else after)
    return CONTEXT.search(sentence) is not None


def _finding(text: str, start: int, end: int) -> Finding:
    return Finding(
        "tell_tale.model_name",
        say(
            "it names {name} at character {place}: {evidence}",
            name=text[start:end],
            place=place(start),
            evidence=quote(text, start, end),
        ),
    )
