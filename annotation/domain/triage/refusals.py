"""Whether a text declines the task instead of doing it.

Only at the very start, and only in a short text: a character who says sorry in a letter or a scene has an
addressee, a quotation mark or a stage direction before it, or goes on to tell something.
"""

import regex

from annotation.domain.sentences import say
from annotation.domain.triage.findings import Case, Finding, quote
from annotation.domain.triage.prompts import WIDE

SHORT = 400  # width below which a text can be a mere refusal: 200 Han characters, or 400 others

SORRY_EN = r"""(?:(?:i'm|i\s+am|we're|we\s+are)\s+(?:(?:really|very|so|truly|deeply)\s+)?(?:sorry|afraid)
    |sorry|my\s+apologies|(?:i\s+|we\s+)?(?:sincerely\s+)?apologi[sz]e|unfortunately|regrettably)
    [,.!;:—–-]*\s*(?:but|that|for\s+(?:the|any)\s+\w+|however)?[,.!]?\s*"""
UNABLE_EN = r"""(?:i\s*|we\s*)?(?:can't|cannot|can\s+not|could\s+not|couldn't|won't|will\s+not|am\s+unable\s+to
    |'m\s+unable\s+to|'m\s+not\s+able\s+to|am\s+not\s+able\s+to|unable\s+to|not\s+able\s+to|must\s+decline
    |have\s+to\s+decline|'m\s+not\s+comfortable|am\s+not\s+comfortable|don't\s+feel\s+comfortable
    |(?:won't|will\s+not)\s+be\s+able\s+to|'d\s+rather\s+not|would\s+prefer\s+not\s+to)\s*"""
SERVICE_EN = r"""(?:to\s+)?(?:(?:help|assist)(?:ing)?\s+(?:you\s+)?with|(?:help|assist)(?:ing)?\s*(?:you)?\s*[.!]
    |(?:write|writing|creat(?:e|ing)|generat(?:e|ing)|produc(?:e|ing)|provid(?:e|ing))
        \s+(?:(?:you|that|this|the|a|an|any|such|sexual|explicit|violent|harmful|graphic|creative)\s+)*
        [\w'-]*\s*(?:content|stor(?:y|ies)|text|material|request|piece|poem|essay|that|this|it|fiction|scene|article)
    |fulfil(?:l|ling)?\s+(?:this|that|your|the)|comply(?:ing)?\s+with|continue\s+with\s+(?:this|that|the|your)
    |complet(?:e|ing)\s+(?:this|that|your|the)\s+(?:request|task|prompt)|engage\s+(?:in|with)|respond\s+to\s+(?:this|that)
    |process\s+(?:this|that|your)|discuss\s+(?:this|that)\s+(?:topic|subject)|do\s+that\s+request)"""
REFUSES_EN = regex.compile(
    rf"[#*\s>]{{0,6}}(?:as\s+an?\s+[\w\s-]{{1,40}},\s*)?(?:{SORRY_EN}{UNABLE_EN}|(?:i|we)\s*{UNABLE_EN}){SERVICE_EN}",
    regex.X | regex.I,
)

SORRY_ZH = (
    r"(?:我?(?:非常|十分|很|真的?|实在|深感)?(?:抱歉|对不起|不好意思|遗憾|歉意)[，,。.！!：:\s]*"
    r"(?:但是?|不过|因为)?[，,]?)"
)
UNABLE_ZH = (
    r"(?:我|本助手|暂时|目前|恐怕|还|也|是|都|并){0,4}(?:无法|不能|没法|没有办法|不便|难以|不可以|不会|拒绝)"
)
SERVICE_ZH = (
    r"[^。！？!?\n]{0,16}?"
    r"(?:满足|提供|回答|协助|生成|创作|撰写|编写|处理|完成|继续|讨论|参与|帮助|执行|回应|支持|写)"
    r"[^。！？!?\n]{0,24}?"
    r"(?:请求|要求|内容|问题|任务|话题|指令|信息|服务|作品|文章|故事|小说|文本|创作|帮助|文案|主题|需求)"
)
# What only the one who was asked says: rules that forbid it, other subjects instead.
RULES_ZH = (
    r"[^\n]{0,80}?(?:违反[^。\n]{0,16}(?:政策|规定|法律|法规|准则|规范|原则)"
    r"|不(?:应该?|能|宜|适合)[^。\n]{0,16}(?:创作|传播|生成|讨论|描写)"
    r"|(?:其他|别的|其它)[^。\n]{0,16}(?:问题|需求|主题|话题|想法|创作|帮助)|换(?:一)?个(?:话题|主题|问题)"
    r"|我?(?:很|会|非常)?(?:乐意|愿意)(?:为|帮助|协助))"
)
BY_THE_RULES_ZH = (
    r"(?:根据|由于|按照)[^。\n]{0,20}(?:法律法规|内容政策|使用政策|安全政策|安全准则)"
    r"[^。\n]{0,12}(?:无法|不能|不予)"
)
REFUSES_ZH = regex.compile(
    rf"[#*\s>]{{0,6}}(?:作为[^，。\n]{{1,16}}[，,])?"
    rf"(?:{SORRY_ZH}(?:{UNABLE_ZH}{SERVICE_ZH}|{RULES_ZH})|我{UNABLE_ZH}{SERVICE_ZH}|{BY_THE_RULES_ZH})"
)

APOSTROPHES = str.maketrans("’‘ʼ", "'''")


def refusal(case: Case) -> Finding | None:
    text = case.text.strip()
    if not text or len(text) > SHORT or len(text) + len(WIDE.findall(text)) >= SHORT:
        return None
    plain = text.translate(APOSTROPHES)
    match = REFUSES_ZH.match(plain) or REFUSES_EN.match(plain)
    if match is None:
        return None
    evidence = quote(text, 0, match.end())
    return Finding("refusal", say("it declines at the very start: {evidence}", evidence=evidence))
