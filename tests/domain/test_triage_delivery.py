"""Texts that never arrived, and prompts that ask for nothing."""

import pytest

from annotation.domain.triage import of_prompt, of_text

pytestmark = pytest.mark.files

STORY_EN = "The ferry left at six, and nobody on the pier waved except the man who sold the rope."
STORY_ZH = "渡船六点开走了，码头上没有人挥手，只有卖缆绳的老头抬了抬帽子。"


def checks_of(text: str, **known: str) -> set[str]:
    return {finding.check for finding in of_text(text, **{"prompt": "", "language": "", **known})}


def detail_of(check: str, text: str, **known: str) -> str:
    found = of_text(text, **{"prompt": "", "language": "", **known})
    return next(finding.detail for finding in found if finding.check == check)


# --- finish reason ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reason", ["", " ", "stop", "STOP", "end_turn", "eos", "complete", "FinishReason.STOP", "null"]
)
def test_a_text_that_ended_by_itself_is_not_flagged(reason):
    assert checks_of(STORY_EN, finish_reason=reason) == set()


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        ("length", "cut off at a limit"),
        ("max_tokens", "cut off at a limit"),
        ("MAX_TOKENS", "cut off at a limit"),
        ("content_filter", "a filter of the provider"),
        ("SAFETY", "a filter of the provider"),
        ("api_error", "did not end by itself"),
        ("tool_calls", "did not end by itself"),
        ("Ran out of credit.", "did not end by itself"),
    ],
)
def test_any_other_finish_reason_is_flagged_and_quoted(reason, says):
    detail = detail_of("finish_reason", STORY_ZH, finish_reason=reason)
    assert says in detail
    assert reason in detail


# --- error of the provider -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Output data may contain inappropriate content.",
        "Input data may contain inappropriate content.",
        '{"error":{"message":"RequestTimeOut:Request timed out, please try again later.","code":"-4316"}}',
        '{"error":{"message":"RequestTimeOut:Requ',
        '{ "type": "error", "error": {"type": "overloaded_error"} }',
        '{"code": 429, "message": "slow down"}',
        "RequestTimeOut:Request timed out, please try again later.",
        "Rate limit reached for gpt-4 in organization org-1 on tokens per min. Limit: 10000.",
        "Error: Too many requests. Try again in 20s.",
        "Error code: 500 - {'error': {'message': 'upstream'}}",
        "429 Too Many Requests",
        "503 Service Unavailable",
        "openai.APITimeoutError: Request timed out.",
        "APIConnectionError: Connection error.",
        "This model's maximum context length is 8192 tokens.",
        "Traceback (most recent call last):\n  File 'run.py', line 3",
        "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
        "请求超时，请稍后重试。",
        "系统繁忙，请稍后再试",
        "输出内容包含敏感信息。",
    ],
)
def test_a_text_that_is_an_error_message_is_flagged(text):
    assert checks_of(text, language="zh") == {"provider_error"}


@pytest.mark.parametrize(
    "text",
    [
        STORY_EN,
        "The screen blinked: 'Request timed out, please try again later.' She laughed and tried again anyway.",
        "“系统繁忙，请稍后再试。”柜员头也不抬地念着屏幕上的字，窗外的雨却一点也不忙。",
        "系统繁忙的那个下午，他第一次离开工位去看了看真正的云。",
        "Too many requests for encores had worn the old tenor down by midnight.",
        "请求超时的人都坐在走廊里，等着被重新叫到名字。",
        '{"error": true} was all the postcard said, and I kept it on the fridge for years because it was from you.'
        " Some messages need no more than this; others need a lifetime. I have never written back, not once, and"
        " the fridge has been replaced twice since. The magnet, a plastic lemon, is the only thing that stays.",
        "Connection refused. That is what the machine said when I rang the bell of my own house, and it said it "
        "in my father's voice, which was worse than the words, because my father never refused anybody anything.",
    ],
)
def test_a_story_that_quotes_an_error_is_not_flagged(text):
    assert "provider_error" not in checks_of(text)


@pytest.mark.parametrize("error", ["[response_error]", "timeout", '{"code": 500}'])
def test_an_error_in_the_file_is_flagged_whatever_the_text(error):
    detail = detail_of("provider_error", STORY_EN, error=error)
    assert detail.startswith("the file has the error ")


@pytest.mark.parametrize("error", ["", " ", "null", "None", "{}", "false"])
def test_a_field_that_says_there_was_no_error_is_no_error(error):
    assert checks_of(STORY_EN, error=error) == set()


# --- empty -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " \n\t\u3000", "...", "——！！", "🙂🙂", "| | |\n|---|"])
def test_a_text_without_letters_and_digits_is_empty(text):
    assert "empty" in checks_of(text, language="zh")


def test_a_text_that_is_mostly_white_space_is_flagged_with_the_place_of_the_longest_stretch():
    detail = detail_of("empty", STORY_EN + " " * 900 + STORY_EN)
    assert detail.endswith(f"from character {len(STORY_EN) + 1} on")


@pytest.mark.parametrize(
    "text",
    [
        "7",
        "好",
        "a\n\n\n\nb",
        STORY_ZH,
        "sun\n" + " " * 40 + "down\n" + " " * 80 + "dark",
        STORY_EN + " " * 150,
    ],
)
def test_a_short_text_and_a_poem_with_wide_margins_are_not_empty(text):
    assert checks_of(text) == set()


# --- prompts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "  \n",
        "/",
        " / ",
        "x",
        "诗",
        "N/A",
        "n/a.",
        "test",
        "Test!",
        "TODO",
        "null",
        "...",
        "测试",
        "无",
        "[prompt]",
    ],
)
def test_a_prompt_that_asks_for_nothing_is_flagged(prompt):
    assert [finding.check for finding in of_prompt(prompt)] == ["placeholder_prompt"]


@pytest.mark.parametrize(
    "prompt",
    ["Dusk", "写诗", "Test pilots, 1961", "A test", "无题", "写一个关于测试工程师的故事", "1984", "Nothing"],
)
def test_a_short_prompt_that_asks_for_something_is_not_flagged(prompt):
    assert of_prompt(prompt) == []
