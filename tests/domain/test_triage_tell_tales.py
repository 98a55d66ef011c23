"""What gives a machine away, and what only looks like it."""

import pytest

from annotation.domain.triage import of_text

pytestmark = pytest.mark.files

SELF, NAME, TAG, LABEL = (
    "tell_tale.self_reference",
    "tell_tale.model_name",
    "tell_tale.think_tag",
    "tell_tale.role_label",
)


def checks_of(text: str, **known: str) -> set[str]:
    return {finding.check for finding in of_text(text, **{"prompt": "Write.", "language": "", **known})}


# --- speaking of itself ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "As an AI language model, I have no childhood, but here is a story about one.",
        "Sure. As an AI, I don't feel rain, yet I can describe it.",
        "As an AI assistant developed by a company, I cannot taste bread.",
        "I'm an AI language model, so my view of this is limited.",
        "I’m just an AI, but let me try.",
        "I am a large language model trained on text. Here is the poem:",
        "I was created by OpenAI to help with texts like this.",
        "作为一个AI语言模型，我没有童年，不过可以写一个关于童年的故事。",
        "作为人工智能助手，我无法品尝面包。",
        "作为一名AI，我不会做梦。",
        "我是一个人工智能，没有真实的情感。",
        "我是由字节跳动开发的智能助手，下面是你要的诗。",
    ],
)
def test_a_text_that_says_its_author_is_a_machine_is_flagged(text):
    assert SELF in checks_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "As an airline pilot, I have seen more dawns than most.",
        "As an AI researcher, I slept under my desk more often than in my bed.",
        "She treated the radio as an AI that owed her money.",
        "I am a language teacher, and the model in the window never blinks.",
        "I was trained by my grandmother, who had no patience for slow hands.",
        "作为一名AI工程师，我已经三天没有回家了。",
        "作为人工智能专业的学生，他读了很多诗。",
        "我是一个人，人工智能与我无关。",
        "他问我是不是机器人，我说我只是个早起的人。",
        "她说：“作为母亲，我不能不管。”",
    ],
)
def test_people_who_work_with_machines_are_not_flagged(text):
    assert SELF not in checks_of(text)


def test_it_is_looked_for_near_the_start_only():
    assert SELF not in checks_of("Rain. " * 100 + "As an AI, I wrote this.")


def test_a_narrator_who_was_asked_for_is_not_flagged_but_a_maker_still_is():
    prompt = "Tell a story from the view of an AI that runs a lighthouse."
    assert SELF not in checks_of("As an AI, I count the ships and none of them counts me.", prompt=prompt)
    assert SELF in checks_of("I was made by OpenAI, and I count the ships.", prompt=prompt)


# --- names of models -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Ask ChatGPT, they said, and the village asked.",
        "It was written by GPT-4 on a rainy day.",
        "A poem by gpt4o.",
        "Claude 3.5 wrote me a letter.",
        "Claude-3-Opus, signed in blue ink.",
        "The AI called Claude answered first.",
        "My name is Claude, a language model.",
        "Gemini 1.5 Pro has no horoscope.",
        "I asked the Gemini model about the stars.",
        "Llama-2-7b grazes nowhere.",
        "DeepSeek found nothing in the well.",
        "这是通义千问写的一首诗。",
        "我问了文心一言，它也不知道。",
        "豆包大模型回答了他的问题。",
        "她打开豆包，这个AI正等着她说话。",
        "作者：DeepSeek-R1",
    ],
)
def test_the_name_of_a_model_is_flagged(text):
    assert NAME in checks_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "Claude wiped the paint from his hands. The elderly painter of Montmartre had never owned a clock.",
        "“Claude, come in for supper.” The boy stayed on the wall.",
        "Claude worked all night. In the morning an AI drove the bus.",
        "Gemini rose over the orchard, two bright brothers on a string.",
        "Gemini 7 circled the earth for two weeks.",
        "The llama spat, and the bard of the valley laughed.",
        "A cold mistral blew down the Rhône.",
        "Her copilot slept through the landing.",
        "They called it a philanthropic gift, and the anthropic principle had nothing to do with it.",
        "奶奶端来一笼豆包，热气糊住了窗户。",
        "星火在风里散开，像一群迷路的萤火虫。",
        "那唱片叫《月之暗面》，他听了一整夜。",
        "混元珠滚落在地，百川东流入海。",
        "书生把灯拨亮，翻到第七页。",
    ],
)
def test_people_stars_and_food_of_the_same_name_are_not_flagged(text):
    assert NAME not in checks_of(text)


def test_the_name_of_the_text_s_own_source_is_flagged():
    assert NAME in checks_of("Signed, zephyr 7b beta.", model="zephyr-7b-beta")
    assert NAME in checks_of("Zephyr is the AI that wrote this.", model="zephyr-7b-beta")
    assert NAME in checks_of("A tale by Ada Lindqvist.", model="Ada Lindqvist")
    assert NAME not in checks_of("A zephyr moved the curtain.", model="zephyr-7b-beta")


@pytest.mark.parametrize(
    "source", ["human", "Human-edited", "writer", "baseline model", "huggingface-model", "A", ""]
)
def test_a_source_with_an_ordinary_name_is_not_looked_for(source):
    assert checks_of("The human writer edited the baseline model of a sailing ship.", model=source) == set()


def test_a_name_that_the_prompt_has_is_no_tell_tale():
    assert (
        checks_of("ChatGPT changed how pupils cheat.", prompt="Write an essay about ChatGPT in schools.")
        == set()
    )


# --- tags of reasoning -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "<think>The user wants a sonnet.</think>\nShall I compare",
        "雨停了。\n</think>\n雨停了，街上只有一把伞。",
        "<reasoning>plan</reasoning> The door opened.",
        "<THINKING>\nhm\n</THINKING>",
        "◁think▷好的◁/think▷",
    ],
)
def test_a_tag_of_reasoning_is_flagged(text):
    assert TAG in checks_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "I think, therefore I row.",
        "<b>think</b> twice",
        "x < think > y",
        "（想：该走了）",
        "the <thin> man",
        "《思考》",
    ],
)
def test_thinking_without_a_tag_is_not_flagged(text):
    assert TAG not in checks_of(text)


def test_a_tag_that_the_prompt_asks_for_is_not_flagged():
    assert (
        checks_of("<think>a</think> b", prompt="Put the hero's thoughts into <think> and </think>.") == set()
    )


# --- labels of roles -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Assistant: Once upon a time there was a quarry.",
        "**Assistant:** Once upon a time",
        "User: write a poem\nAssistant: Roses",
        "助手：从前有一座采石场。",
        "<|im_start|>assistant\nOnce upon a time",
        "Once upon a time there was a quarry.<|im_end|>",
        "### Response:\nOnce upon a time",
        "[INST] write [/INST] Once",
        "从前有座山。<|endoftext|>",
        "The end.</s>",
    ],
)
def test_a_label_of_a_chat_format_is_flagged(text):
    assert LABEL in checks_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "ASSISTANT MANAGER (entering): The lift is stuck again.",
        "MARA: You came.\nJON: I said I would.",
        "The assistant: a story in four letters.",
        "助手席上放着一只旧手套。",
        "### Response to a Letter Never Sent",
        "He crossed the word out: <s>never</s>",
        "用户手册：第一章",
    ],
)
def test_a_play_and_a_heading_are_not_flagged(text):
    assert LABEL not in checks_of(text)


def test_a_dialogue_that_was_asked_for_is_not_flagged():
    prompt = "写一段用户和助手之间的对话。"
    assert checks_of("用户：你在吗？\n助手：我一直在。", prompt=prompt) == set()
