"""Declining the task, and saying sorry within it; doing the task, and saying it again."""

import pytest

from annotation.domain.triage import of_text

pytestmark = pytest.mark.files


def checks_of(text: str, **known: str) -> set[str]:
    return {finding.check for finding in of_text(text, **{"prompt": "", "language": "", **known})}


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I cannot assist with this request.",
        "Sorry, but I'm unable to write that story.",
        "I cannot fulfill this request.",
        "I apologize, but I cannot create content of this kind. I would be happy to write about the sea instead.",
        "Unfortunately, I am not able to provide this content.",
        "As an AI language model, I can't write explicit scenes.",
        "I won't be able to continue with this story.",
        "对不起，我无法满足此请求。",
        "对不起，但我无法满足此请求。",
        "很抱歉，我不能生成这类内容。",
        "抱歉，该话题涉及隐私，不应该以玩笑的方式创作。如果你有其他主题，我会很乐意帮助你。",
        "我无法提供相关内容，请换一个话题。",
        "作为一个AI助手，我不能协助完成这个请求。",
        "根据相关法律法规，无法显示该内容。",
    ],
)
def test_a_short_text_that_starts_by_declining_is_flagged(text):
    assert "refusal" in checks_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry I missed your wedding. I was on a train that had stopped believing in stations.",
        "I'm sorry, Dave, the boat has gone.",
        "Sorry, said the fox, but I can't wait for winter.",
        "“I'm sorry, but I can't help with that,” the clerk said, and closed the window.",
        "I can't help you carry the piano, but I can whistle while you do.",
        "I cannot write to you any longer without a stamp from this country.",
        "Unfortunately, the lighthouse had no door.",
        "Dear Ms Okoro, I am sorry, but I cannot provide the keys before Monday.",
        "领导，实在抱歉，今天状态不好，想请一天假调整一下，麻烦批准！",
        "嗯...抱歉，我不是很擅长安慰人，不过我可以陪你坐一会儿。",
        "对不起，我不能再等下去了。车已经开了，雪也停了。",
        "“对不起，我无法回答你的问题。”他把信推了回来。",
        "抱歉，昨天没来得及回你的信，院子里的梅花开了。",
        "我不能忘记那条河，也不能忘记河边的人。",
        "很遗憾，灯塔没有门，我们只好在外面等天亮。",
    ],
)
def test_an_apology_within_fiction_is_not_flagged(text):
    assert "refusal" not in checks_of(text)


def test_a_long_text_that_starts_like_a_refusal_is_not_flagged():
    opening = "I'm sorry, but I can't help with that. "
    assert "refusal" not in checks_of(
        opening + "So began every letter from the ministry, and we kept them all. " * 8
    )
    assert "refusal" not in checks_of(
        "对不起，我无法满足此请求。" + "这是他留下的最后一句话，写在一张车票的背面。" * 12
    )


# --- the prompt again ------------------------------------------------------------------------------------

PROMPT_EN = (
    "Write a short story about a cartographer who draws a country that does not exist, and what happens "
    "when the first traveller comes back from there."
)
PROMPT_ZH = "请写一篇短篇小说，讲述一位绘图师画出了一个并不存在的国家，以及第一个旅人从那里归来时发生的事情。"


@pytest.mark.parametrize(
    "text",
    [
        PROMPT_EN + "\n\nThe ink was not yet dry.",
        "**" + PROMPT_EN.upper() + "**\n\nThe ink was not yet dry.",
        "Write a short story about a cartographer who draws a country that does not exist, and then some ink.",
        "A cartographer who draws a country that does not exist, and what happens when the first traveller",
    ],
)
def test_a_text_that_says_the_prompt_again_is_flagged(text):
    assert "prompt_echo" in checks_of(text, prompt=PROMPT_EN)


@pytest.mark.parametrize(
    "text",
    [PROMPT_ZH + "墨迹未干。", "“" + PROMPT_ZH[:40] + "”\n\n墨迹未干。", "  " + PROMPT_ZH[9:48]],
)
def test_it_is_found_in_chinese(text):
    assert "prompt_echo" in checks_of(text, prompt=PROMPT_ZH)


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("The Cartographer\n\nHe drew a country that does not exist.", PROMPT_EN),
        ("Write a short story, they said, so the clerk wrote one about rain.", PROMPT_EN),
        ("《并不存在的国家》\n\n绘图师把笔放下，窗外是另一片海。", PROMPT_ZH),
        ("Monsters live here\n\nThe corridor was longer at night.", "Monsters live here"),
        ("好的。", PROMPT_ZH),
        ("The sea was calm.", ""),
        ("", PROMPT_EN),
    ],
)
def test_a_title_and_a_phrase_of_the_prompt_are_not_flagged(text, prompt):
    assert "prompt_echo" not in checks_of(text, prompt=prompt)


def test_a_story_that_goes_on_from_the_end_of_its_prompt_is_not_flagged():
    prompt = "Continue the story: The lamp went out, and in the dark somebody began to count the chairs."
    text = (
        "The lamp went out, and in the dark somebody began to count the chairs. "
        + "One was missing by dawn. " * 8
    )
    assert "prompt_echo" not in checks_of(text, prompt=prompt)
