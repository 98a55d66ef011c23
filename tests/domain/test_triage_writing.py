"""Another language, loops, and characters that nobody sees."""

import pytest

from annotation.domain.triage import of_text

pytestmark = pytest.mark.files

EN = (
    "The harbour master kept two clocks, one for the tide and one for his wife, and he was late by both. "
    "On Sundays he rowed out to the buoy and told it what he had not told anyone at the table."
)
ES = (
    "El guardián del puerto tenía dos relojes, uno para la marea y otro para su mujer, y llegaba tarde según "
    "ambos. Los domingos remaba hasta la boya y le contaba lo que no había contado a nadie en la mesa."
)
DE = "Der Hafenmeister hatte zwei Uhren, eine für die Flut und eine für seine Frau, und nach beiden kam er zu spät."
ZH = (
    "港务长有两只钟，一只给潮水，一只给妻子，而他在两只钟面前都迟到。"
    "每逢星期天，他划到浮标旁边，把没对人说过的话告诉它。"
)
JA = "港の主人は時計を二つ持っていた。一つは潮のため、もう一つは妻のためだったが、どちらにも遅れていた。"
RU = "Смотритель гавани держал двое часов: одни для прилива, другие для жены, и опаздывал по обоим."


def checks_of(text: str, **known: str) -> set[str]:
    return {finding.check for finding in of_text(text, **{"prompt": "", "language": "", **known})}


# --- language --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (EN, "zh"), (EN, "zh-Hans"), (EN, "es"), (EN, "ru"), (EN, "ja"),
        (ZH, "en"), (ZH, "en_GB"), (ZH, "ja"), (ZH, "English"), (ZH, "ko"),
        (JA, "zh"), (JA, "en"), (RU, "en"), (RU, "中文"), (ES, "en"), (ES, "zh"), (DE, "en"), (DE, "fr"),
    ],
)  # fmt: skip
def test_a_text_in_another_language_is_flagged(text, expected):
    assert checks_of(text, language=expected) == {"language"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (EN, "en"),
        (EN, "en-US"),
        (EN, "English"),
        (ES, "es"),
        (DE, "de"),
        (ZH, "zh"),
        (ZH, "zh-Hant"),
        (ZH, "中文"),
        (JA, "ja"),
        (RU, "ru"),
        (RU, "uk"),
        (ES, "gl"),
    ],
)
def test_a_text_in_its_own_language_is_not_flagged(text, expected):
    assert checks_of(text, language=expected) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello there, friend", "zh"),
        ("好的", "en"),
        (EN, ""),
        (EN, "und"),
        (ZH, "tlh"),
        (
            "while(true){ 改代码(); } // 第十六个小时，git merge 把我也合并进去了，Bug 在唱歌，bug 在跳舞",
            "zh",
        ),
        (ZH + " (The Harbour Master, a story in two clocks)", "zh"),
        ("¿Quién mató al faro?\n\n" + EN, "en"),
        (
            "“你好，”he said, “你好吗？” and the parrot answered in English, as it always did before supper.",
            "en",
        ),
        ("Tra la la, tra la la, hey nonny nonny, tra la la la la, fol de rol de riddle", "en"),
    ],
)
def test_short_mixed_and_unknown_ones_are_not_judged(text, expected):
    assert "language" not in checks_of(text, language=expected)


# --- repetition ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        EN + "✨" * 500,
        EN + "✨💖" * 300,
        ZH + "！" * 400,
        ZH + "冲呀 " * 100,
        "冲呀" * 40,
        "哈" * 300,
        "I love you. " * 20,
        EN + "\n" + "and the tide came in and the tide went out, and then, once more, " * 6,
        "\n".join(["Row the boat", "Row the boat on"] * 10),
        "".join(f"{n}. What is the name of the harbour in this story?\n" for n in range(1, 30)),
        "第一天：冲呀，去海边。"
        + "".join(f"第{n}天：我们去海边，冲呀冲呀，永远不回家。" for n in range(2, 60)),
        "<div>" * 200,
        ZH * 6,
    ],
)
def test_loops_and_walls_are_flagged(text):
    assert "repetition" in checks_of(text)


def test_a_long_passage_that_stands_twice_is_flagged():
    long_en = (
        EN + " " + EN.replace("harbour", "lighthouse").replace("wife", "brother") + " He never said why."
    )
    long_zh = "".join(chr(0x4E00 + 37 * n) for n in range(260))
    assert "repetition" in checks_of(long_en + "\n\n</answer>\n\n" + long_en)
    assert "repetition" in checks_of(long_zh + "\n\n以下是正文。\n\n" + long_zh)


VILLANELLE = """The tide that took the pier will bring it back,
The gulls have gone and nobody knows where,
And somebody has left a lantern, black.

We walked the shingle on the winter track,
You said that loss is nothing but the air,
The tide that took the pier will bring it back.

The fishermen have patched another sack,
A child is drawing circles on a chair,
And somebody has left a lantern, black.

My father taught me how to tie the slack,
He tied it well, and then he was not there;
The tide that took the pier will bring it back.

So count the boats, and never mind the lack,
The moon has more than moonlight yet to spare;
The tide that took the pier will bring it back,
And somebody has left a lantern, black."""
PANTOUM_LINES = (
    "The river took the letter from my hand",
    "And nobody upstream had ever heard",
    "Of somebody who writes to sinking sand",
    "Or keeps a lamp alight for just one word",
    "I asked the heron, standing in the cold",
    "Who looked at me as if I were the stone",
    "That every flood has carried and has rolled",
    "And every summer leaves there on its own",
)
PANTOUM = "\n".join(PANTOUM_LINES[n] for n in (0, 1, 2, 3, 1, 4, 3, 5, 4, 6, 5, 7, 6, 2, 7, 0))
REFRAIN_ZH = "\n\n".join(
    f"{verse}\n回来吧，风，回来吧，\n把旧船吹进新的河。"
    for verse in (
        "春天的渡口没有人，\n只有柳絮数着门。",
        "夏天的蝉声满屋檐，\n母亲把药煎了三遍。",
        "秋天的月亮缺一边，\n信写好了又没有钱。",
    )
)
MINUTES = "| item | who | when |\n|------|------|------|\n" + "|      |      |      |\n" * 40 + EN


@pytest.mark.parametrize(
    "text",
    [
        EN,
        ZH,
        VILLANELLE,
        PANTOUM,
        REFRAIN_ZH,
        MINUTES,
        EN + "\n" + "-" * 600 + "\n" + ZH,
        EN + "\n" + "=" * 120 + "\n" + ZH,
        "啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊！！！！！！！！！！！！！" + ZH,
        ZH + "😭" * 30,
        "Ho ho ho! Ho ho ho! " + EN,
        "Bug！Bug！Bug！" + ZH,
        EN + " " + "tick tock " * 12,
    ],
)
def test_poems_with_refrains_dividers_and_tables_are_not_flagged(text):
    assert "repetition" not in checks_of(text)


# --- odd characters --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("caf\ufffd on the corner", "U+FFFD"),
        ("雨\ufffd\ufffd停了", "U+FFFD"),
        ("a\u202etxet neddih", "U+202E"),
        ("hid\u2066den\u2069", "U+2066"),
        ("zero\u200bwidth", "U+200B"),
        ("港\u200b务长", "U+200B"),
        ("join\u200der", "U+200D"),
        ("soft\u00adhyphen", "U+00AD"),
        ("word\ufeffjoiner", "U+FEFF"),
        ("bell\x07", "U+0007"),
        ("esc\x1b[31mred", "U+001B"),
        ("private\ue000use", "U+E000"),
        ("tag\U000e0041\U000e0042", "U+E0041"),
        ("left\u200eto right", "U+200E"),
    ],
)
def test_invisible_and_lost_characters_are_flagged_by_name(text, code):
    (finding,) = of_text(text, prompt="", language="")
    assert finding.check == "odd_characters"
    assert code in finding.detail
    assert finding.detail.isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "plain, “curly” — and naïve",
        "全角　空格与省略号……",
        "tab\tand\r\nline\u2028break\xa0here",
        "family 👨\u200d👩\u200d👧 and heart ❤\ufe0f\u200d🔥 and 👩🏽\u200d💻",
        "Scotland 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f wins",
        "می\u200cخواهم",
        "क्\u200dष",
        "שלום\u200f (hello)",
        "\ufeffBOM at the start",
        "mathematical 𝓐𝓷 and ancient 𓀀",
    ],
)
def test_characters_that_do_their_work_are_not_flagged(text):
    assert checks_of(text) == set()


def test_all_of_them_are_counted_and_the_first_is_placed():
    (finding,) = of_text("ab\u200bcd\u200bef\u200b", prompt="", language="")
    assert finding.detail.startswith(
        "odd characters (3); the first, at character 3, is U+200B ZERO WIDTH SPACE"
    )
