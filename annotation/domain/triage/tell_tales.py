"""What gives the author away as a machine: words about itself, tags of reasoning, labels of a chat format.

What the prompt itself has is no tell-tale, for then the text was asked for it.
"""

import regex

from annotation.domain.sentences import say
from annotation.domain.triage.findings import Case, Finding, place, quote

NEAR_START = 400  # characters

KIND_EN = (
    r"(?:(?:large\s+|big\s+)?language\s+model|LLM|chat\s?bot|virtual\s+assistant"
    r"|(?:AI|artificial[\s-]intelligence)(?:[\s-]+(?:powered|based))?"
    r"(?:\s+(?:language\s+)?(?:model|assistant|chat\s?bot|bot|system|program|tool))?)"
)
MAKERS = (
    r"(?:OpenAI|Anthropic|Google(?:\s+DeepMind)?|DeepMind|Meta(?:\s+AI)?|Microsoft|Mistral(?:\s+AI)?|xAI"
    r"|DeepSeek|Alibaba(?:\s+Cloud)?|ByteDance|Baidu|Tencent|Moonshot(?:\s+AI)?|Zhipu(?:\s+AI)?)"
)
AS_AI_EN = regex.compile(
    rf"\bas\s+an?\s+{KIND_EN}(?:\s+(?:developed|trained|created|made)\s+by\s+[\w\s]{{1,30}})?"
    r"\s*[,;:—–-]*\s*I(?:'m|'ve|'d)?\b",
    regex.I,
)
I_AM_EN = regex.compile(
    rf"\bI(?:'m|\s+am)\s+(?:just\s+|only\s+|merely\s+|simply\s+)?an?\s+{KIND_EN}"
    r"(?=\s*[,.;:!—–-]|\s+(?:and|so|but|that|which|designed|trained|developed|created|without|here)\b)",
    regex.I,
)
MADE_BY_EN = regex.compile(
    rf"\bI(?:'m|\s+am|\s+was)\s[^.!?\n]{{0,60}}\b(?:developed|trained|created|made|built)\s+by\s+{MAKERS}\b",
    regex.I,
)
KIND_ZH = (
    r"(?:(?:大型|大)?语言模型|大模型|聊天机器人|智能助手"
    r"|(?:AI|人工智能)(?:语言)?(?:大?模型|助手|助理|程序|系统|机器人)?)"
)
ONE_ZH = r"(?:一(?:个|款|名|位|种)|个)?"
MAKERS_ZH = (
    r"(?:OpenAI|Anthropic|谷歌|Google|Meta|微软|字节跳动|字节|阿里(?:巴巴|云)?|百度|腾讯|科大讯飞|深度求索"
    r"|DeepSeek|月之暗面|智谱|商汤)"
)
AS_AI_ZH = regex.compile(rf"(?:作为|身为){ONE_ZH}{KIND_ZH}\s*[，,、]?\s*我", regex.I)
I_AM_ZH = regex.compile(
    rf"我(?:只|仅仅)?是{ONE_ZH}(?:由[^，。,\n]{{1,20}}的)?{KIND_ZH}(?=[，,。.！!、；;\s]|\Z)", regex.I
)
MADE_BY_ZH = regex.compile(
    rf"我是(?:由|来自)?[^。！？\n]{{0,12}}{MAKERS_ZH}[^。！？\n]{{0,8}}(?:开发|研发|训练|推出|创造|打造)",
    regex.I,
)
BY_ITSELF = (MADE_BY_EN, MADE_BY_ZH)
UNLESS_ASKED = (AS_AI_EN, I_AM_EN, AS_AI_ZH, I_AM_ZH)
# A prompt about machines may ask for one that speaks.
ABOUT_MACHINES = regex.compile(
    r"\bA\.?I\b|\bLLMs?\b|artificial\s+intelligence|language\s+model|robot|android|chat\s?bot|人工智能|机器人|智能|模型|机器",
    regex.I,
)

THINK = regex.compile(
    r"</?(?:think|thinking|thoughts?|reasoning|scratchpad|inner_monologue|seed:think)\s{0,3}>"
    r"|◁/?think▷|<\|(?:begin|end)_of_(?:thought|solution)\|>|<\|(?:channel|message)\|>",
    regex.I,
)

CHAT_TOKEN = regex.compile(
    r"<\|(?:im_start|im_end|im_sep|endoftext|eot_id|eom_id|start_header_id|end_header_id|begin_of_text|end_of_text"
    r"|user|assistant|system|end|endofprompt)\|>|<｜[^｜\n]{1,40}｜>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
)
END_OF_SEQUENCE = regex.compile(r"</s>\s*\Z")
LABEL = regex.compile(
    r"\W{0,4}(?P<word>assistant|user|human|chatgpt|助手|用户|人类)\s{0,2}\W{0,3}?[:：]", regex.I
)
HEADING = regex.compile(
    r"\s*#{2,4}\s{0,2}(?P<word>response|instruction|input|output|answer|assistant|human|user|回答|回复|指令|输出)"
    r"\s{0,2}[:：]",
    regex.I,
)


def self_reference(case: Case) -> Finding | None:
    head = case.text[:NEAR_START].replace("’", "'")
    rules = BY_ITSELF if ABOUT_MACHINES.search(case.prompt) else BY_ITSELF + UNLESS_ASKED
    found = [match for match in (rule.search(head) for rule in rules) if match]
    if not found:
        return None
    start, end = min(match.span() for match in found)
    return Finding(
        "tell_tale.self_reference",
        say(
            "it speaks of itself as a machine at character {place}: {evidence}",
            place=place(start),
            evidence=quote(case.text, start, end),
        ),
    )


def think_tag(case: Case) -> Finding | None:
    prompt = case.prompt.casefold()
    for match in THINK.finditer(case.text):
        if match.group().casefold() not in prompt:
            return _tag("tell_tale.think_tag", case.text, match.start(), match.end())
    return None


def role_label(case: Case) -> Finding | None:
    text, prompt = case.text, case.prompt.casefold()
    for match in (LABEL.match(text), HEADING.match(text)):
        if match and match.group("word").casefold() not in prompt:
            start, end = match.span()
            return Finding(
                "tell_tale.role_label",
                say("it starts with the label {evidence}", evidence=quote(text, start, end)),
            )
    for match in CHAT_TOKEN.finditer(text):
        if match.group().casefold() not in prompt:
            return _tag("tell_tale.role_label", text, match.start(), match.end())
    last = END_OF_SEQUENCE.search(text, max(0, len(text) - 40))
    if last and "<s>" not in text:
        return _tag("tell_tale.role_label", text, last.start(), last.end())
    return None


def _tag(check: str, text: str, start: int, end: int) -> Finding:
    return Finding(
        check,
        say(
            "the mark {tag} stands at character {place}: {evidence}",
            tag=text[start:end],
            place=place(start),
            evidence=quote(text, start, end),
        ),
    )
