"""Texts and judgements such as loaders stumble over, as files for `manage.py curate`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

# Each stands at the beginning of some text: formulas, line ends that are none in JSON Lines, emoji, quotes, dates.
OPENINGS = (
    "=1+1 was on the board. ",
    "+49 30 was all he said. ",
    "@night, she wrote. ",
    "One line\u2028and the next\u2029and another. ",
    "👩‍👩‍👧 walked 🌊 home. ",
    'She said "no", twice,\r\nand left.\n\n',
    "2024-01-15",
    "",
    "{{ braces }} and {% tags %} ",
    "\ufeffIt began before it began. ",
    "'an apostrophe, ",
    "null",
)
ENGLISH = (
    "harbour",
    "boats",
    "morning",
    "slowly",
    "told",
    "light",
    "gulls",
    "rope",
    "salt",
    "wind",
    "stone",
    "letter",
)
CHINESE = "港口的早晨很安静，船一只只醒来，没有人说话。"
GENRES = ("poetry", "story", "")
ANNOTATORS = ("Zoë", "Ann", "王芳")
REQUIREMENTS = ["200 words", "a harbour", "in the past", "没有名字", "=as a letter"]

Rows = Sequence[Mapping[str, object]]
Files = Mapping[str, Rows]


def of_scores(*, bare: bool = False) -> Files:
    """Responses that four of five differ in by clear scores. `bare`: no prompt, genre, language or model at all."""
    chance = Random(11)
    responses: list[dict[str, object]] = []
    scores: list[dict[str, object]] = []
    for number in range(30):
        for letter, given in zip("abcde", chance.sample(_SCORES, 5), strict=True):
            row = _text(number, letter, chance)
            responses.append({name: row[name] for name in ("id", "prompt_id", "text")} if bare else row)
            scores += [
                {
                    "response_id": row["id"],
                    "annotator": who,
                    "score": score,
                    "at": f"2026-03-0{1 + at}T10:00:00Z",
                }
                for at, (who, score) in enumerate(zip(ANNOTATORS, given, strict=True))
            ]
    return {"responses": responses, "scores": scores}


_SCORES = ((3, 3, 3), (3, 3, 2), (1, 1, 1), (0, 0, 1), (0, 2, 3), (2, 1, 2), (0, 0, 0))


def of_upvotes() -> Files:
    chance = Random(12)
    stories: list[dict[str, object]] = []
    for number in range(30):
        for place, letter in enumerate("abcde"):
            row = _text(number, letter, chance, least=60)
            posted = f"2023-01-{1 + number % 28:02}T{place + 1:02}:00:00Z"
            stories.append({**row, "upvotes": 10 + chance.randrange(200), "posted_at": posted})
    return {"responses": stories}


def of_rankings() -> Files:
    chance = Random(13)
    responses: list[dict[str, object]] = []
    rankings: list[dict[str, object]] = []
    for number in range(12):
        ids = []
        for place, letter in enumerate("abcde"):
            row = _text(number, letter, chance)
            ids.append(row["id"])
            kept = list(range(1, 6 - place))
            responses.append({**row, "requirements": REQUIREMENTS, "kept_requirements": kept})
        for who in ANNOTATORS:
            order = chance.sample(ids, 5)
            tiers = [order[:2], *([name] for name in order[2:])] if number % 3 else [[name] for name in order]
            rankings.append({"prompt_id": row["prompt_id"], "annotator": who, "tiers": tiers})
    return {"responses": responses, "rankings": rankings}


def _text(number: int, letter: str, chance: Random, least: int = 1) -> dict[str, object]:
    chinese = number % 2 == 1
    words = chance.randrange(least, least + 40)
    body = CHINESE * (words // 4 + least // 10 + 1) if chinese else " ".join(chance.choices(ENGLISH, k=words))
    prompt = f"写一写港口 {number}。" if chinese else f"=Write of harbour {number}.\u2028Slowly 🌊."
    return {
        "id": f"p{number:02}{letter}",
        "prompt_id": f"p{number:02}",
        "text": f"{chance.choice(OPENINGS)}{body} {number}{letter}",
        "prompt": "" if number % 5 == 4 else prompt,
        "language": "zh" if chinese else "en",
        "genre": GENRES[number % 3],
        "model": f"model-{letter}" if number % 2 else "",
    }


def written(files: Files, folder: Path) -> Iterator[str]:
    """Writes the files; what names each on a command line."""
    folder.mkdir(parents=True)
    for kind, rows in files.items():
        path = folder / f"{kind}.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        yield f"--{kind}={path}"
