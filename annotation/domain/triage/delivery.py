"""Whether a text arrived at all: finish reason, error of the provider, nothing in it, a prompt that asks nothing."""

import regex

from annotation.domain.sentences import say
from annotation.domain.strict_json import shown
from annotation.domain.triage.findings import Case, Finding, place, quote

# How providers say that a model ended by itself; "" where the file does not say anything.
ENDED = frozenset(
    {"", "stop", "end_turn", "eos", "eos_token", "stop_sequence", "complete", "completed", "finished"}
    | {"succeeded", "success", "null", "none", "nan"}
)
CUT_OFF = frozenset(
    {"length", "max_tokens", "max_length", "max_new_tokens", "max_output_tokens", "model_length"}
    | {"token_limit", "model_context_window_exceeded", "incomplete"}
)
FILTERED = frozenset(
    {"content_filter", "content_filtered", "safety", "recitation", "blocklist", "prohibited_content"}
    | {"spii", "sensitive", "refusal"}
)
NO_ERROR = frozenset({"", "none", "null", "nan", "false", "0", "{}", "[]", '""'})

LONGEST_MESSAGE = 1_000  # characters of an error message in plain words
LONGEST_SHORT_MESSAGE = 160  # characters of one that a story might start with
LONGEST_CUT_OBJECT = 300  # characters of a JSON error whose end is missing
LONGEST_PAGE = 20_000  # characters of an error page

ERROR_OBJECT = regex.compile(
    r"""\s*\{\s*"(?:
        (?:errors?|error_?(?:code|msg|message|type))"\s*:
        | (?:type|object|status)"\s*:\s*"(?:error|failed)"
        | (?:code|status|status_?code)"\s*:\s*"?-?\d{3,6}"?\s*,\s*"(?:message|msg|error|detail)"\s*:
    )""",
    regex.X | regex.I,
)
ERROR_PAGE = regex.compile(
    r"\s*<(?:!doctype\s+)?html.{0,500}?"
    r"(?:[45]\d\d\s+\p{Lu}|bad gateway|service unavailable|internal server error|gateway time-?out|forbidden)",
    regex.I | regex.S,
)
# Messages that nothing but a machine starts with, and those that a story of a few lines might start with as
# well: these must be short, and end with a mark.
ERROR_MESSAGE = regex.compile(
    r"""\s*(?:(?:api\s+)?(?:error|exception)\s*[:：]\s*|错误\s*[:：]\s*)?(?:
        (?:input|output)\s+(?:data|text|content)\s+may\s+contain\s+inappropriate\s+content
        | rate\s+limits?\s+(?:reached|exceeded|hit)\s+for
        | you\s+(?:have\s+)?exceeded\s+your\s+(?:current\s+)?quota | insufficient_quota
        | (?:http\s+)?error\s+code\s*:?\s*[45]\d\d | http\s+(?:error\s+|status\s+)[45]\d\d
        | traceback\s+\(most\s+recent\s+call\s+last\)
        | (?:openai|anthropic|requests|httpx|urllib3?)\.[\w.]{0,60}(?:error|exception|timeout)\b
        | (?:ratelimit|api|api\w{1,30}|timeout|invalidrequest|internalserver|permissiondenied)error\b
        | this\s+model's\s+maximum\s+context\s+length
        | (?:the\s+|that\s+)?(?:server|engine|model)\s+is\s+(?:currently\s+)?overloaded
    )""",
    regex.X | regex.I,
)
SHORT_MESSAGE = regex.compile(
    r"""\s*(?:(?:api\s+)?(?:error|exception)\s*[:：]\s*|错误\s*[:：]\s*)?(?:
        request\s?time(?:-?out|d\s?out) | (?:the\s+)?read(?:\s+operation)?\s+timed\s+out
        | connection\s+(?:error|aborted|refused|timed\s+out|reset\s+by\s+peer)
        | rate\s+limits?\s+(?:reached|exceeded|hit) | too\s+many\s+requests | quota\s+exceeded
        | (?:http\s+)?[45]\d\d\s+(?:bad\s+request|unauthorized|forbidden|not\s+found|too\s+many\s+requests
            |internal\s+server\s+error|bad\s+gateway|service\s+unavailable|gateway\s+time-?out)
        | internal\s+server\s+error | service\s+(?:temporarily\s+)?unavailable | bad\s+gateway
        | gateway\s+time-?out | the\s+response\s+was\s+(?:filtered|blocked)
        | 请求(?:超时|失败|频率超限|过于频繁)
        | (?:服务器?|系统)(?:繁忙|内部错误|不可用|异常|超时)
        | 接口(?:调用)?(?:失败|错误|异常|超时)
        | (?:输入|输出|生成)?(?:内容|数据)(?:可能)?(?:包含|含有|涉及)(?:敏感|不当|违规)(?:内容|信息|词)
    )\s*(?:[\p{P}\p{S}]|\Z)""",
    regex.X | regex.I,
)

SOMETHING = regex.compile(r"[\p{L}\p{N}]")
BLANKS = regex.compile(r"\s+")
FEWEST_BLANKS = 200  # characters of white space before its share is looked at

PLACEHOLDERS = frozenset(
    {"na", "test", "testing", "todo", "tbd", "tba", "null", "none", "nil", "nan", "undefined", "xxx", "xx"}
    | {"asdf", "foo", "bar", "prompt", "placeholder", "lorem ipsum", "empty", "blank", "hello world"}
    | {"测试", "无", "空", "待定", "暂无", "占位", "占位符", "题目", "提示词"}
)
LETTERS_ONLY = regex.compile(r"[^\p{L}\p{N} ]+")


def finish_reason(case: Case) -> Finding | None:
    reason = case.finish_reason.strip().casefold().removeprefix("finishreason.")
    if reason in ENDED:
        return None
    if reason in CUT_OFF:
        detail = say("it was cut off at a limit of length (finish reason {reason})", reason=_short(case))
    elif reason in FILTERED:
        detail = say("a filter of the provider stopped it (finish reason {reason})", reason=_short(case))
    else:
        detail = say("it did not end by itself (finish reason {reason})", reason=_short(case))
    return Finding("finish_reason", detail)


def provider_error(case: Case) -> Finding | None:
    """An error beside the text, or a text that is one. A story that quotes an error starts otherwise."""
    if is_error_message(case.text):
        evidence = quote(case.text, 0, len(case.text))
        return Finding("provider_error", say("the text is an error message: {evidence}", evidence=evidence))
    if case.error.strip().casefold() not in NO_ERROR:
        return Finding(
            "provider_error", say("the file has the error {error}", error=shown(case.error.strip()))
        )
    return None


def is_error_message(text: str) -> bool:
    """Whether the whole text is a JSON error object, an error page, or an error in plain words."""
    body = text.strip()
    if ERROR_OBJECT.match(body):
        return body.endswith("}") or len(body) < LONGEST_CUT_OBJECT
    if len(body) < LONGEST_MESSAGE and ERROR_MESSAGE.match(body):
        return True
    if len(body) < LONGEST_SHORT_MESSAGE and SHORT_MESSAGE.match(body):
        return True
    return len(body) < LONGEST_PAGE and ERROR_PAGE.match(body) is not None


def empty(case: Case) -> Finding | None:
    text = case.text
    if not SOMETHING.search(text):
        if not text.strip():
            return Finding("empty", say("the text is empty"))
        evidence = quote(text.strip(), 0, len(text))
        return Finding("empty", say("no letters and no digits: {evidence}", evidence=evidence))
    visible = sum(map(len, text.split()))
    blanks = len(text) - visible
    if blanks < FEWEST_BLANKS or 2 * visible >= blanks:
        return None
    start = _longest_blank(text)
    return Finding(
        "empty",
        say(
            "{percent} percent of the text is white space, the longest stretch from character {place} on",
            percent=100 * blanks // len(text),
            place=place(start),
        ),
    )


def placeholder_prompt(text: str) -> Finding | None:
    """A prompt that is empty, one character, or a word that people put where nothing is known."""
    body = text.strip()
    words = " ".join(LETTERS_ONLY.sub("", body[:100]).casefold().split())
    if not body:
        return Finding("placeholder_prompt", say("the prompt is empty"))
    if len(body) > 1 and SOMETHING.search(body) and words not in PLACEHOLDERS:
        return None
    evidence = quote(body, 0, len(body))
    return Finding("placeholder_prompt", say("the whole prompt is: {evidence}", evidence=evidence))


def _short(case: Case) -> str:
    return shown(case.finish_reason.strip())


def _longest_blank(text: str) -> int:
    longest = max(BLANKS.finditer(text), key=lambda match: match.end() - match.start())
    return int(longest.start())
