"""What a model is asked for when a blueprint is to become a prompt."""

from dataclasses import dataclass

# Blueprints are written in the language of the prompt as a rule; what is asked around them is too, as far as we can.
ENGLISH = (
    "Write a writing prompt from the blueprint below. A writer who has read nothing but your prompt must know what "
    "to write, for whom, and within which limits. Say what is asked for; do not write the piece itself, and do not "
    "explain how it will be judged.",
    "Genre",
    "Language of the prompt",
    "Blueprint",
    "Constraints, all of which the prompt must state",
    "Length of what will be written",
    "about {number} words",
    "Answer with the prompt alone, without a heading and without a word about it.",
)
CHINESE = (
    "请根据下面的蓝图写一道写作题目。只读到这道题目的人，必须清楚要写什么、写给谁、受哪些限制。只提出写作要求，不要写出作品本身，也不要说明如何评判。",
    "体裁",
    "题目所用的语言",
    "蓝图",
    "限制条件（题目必须全部写明）",
    "所要写的篇幅",
    "约 {number} 字",
    "只回答题目本身，不要标题，也不要任何说明。",
)


@dataclass(frozen=True, slots=True)
class Blueprint:
    """`genre` is a name, "" for none; `language` a BCP 47 tag; `length` words, or characters of Chinese."""

    text: str
    genre: str
    language: str
    constraints: str = ""
    length: int | None = None


def asked(blueprint: Blueprint) -> str:
    """What the model reads, whole: the task, what is known of the prompt line by line, and how to answer."""
    is_chinese = blueprint.language.lower().split("-")[0] == "zh"
    task, genre, language, plan, constraints, length, amount, form = CHINESE if is_chinese else ENGLISH
    colon = "：" if is_chinese else ": "
    lines = [
        (genre, blueprint.genre),
        (language, blueprint.language),
        (length, amount.format(number=blueprint.length) if blueprint.length else ""),
    ]
    blocks = [(plan, blueprint.text), (constraints, blueprint.constraints)]
    return "\n\n".join(
        part
        for part in (
            task,
            "\n".join(f"{name}{colon}{said}" for name, said in lines if said),
            *(f"{name}{colon.strip()}\n{said.strip()}" for name, said in blocks if said.strip()),
            form,
        )
        if part
    )
