"""What holds for every check: its key, its evidence, its cost, and that it never takes anything away."""

import dataclasses
import json
import random
import time
from collections.abc import Callable

import pytest

from annotation.domain.sentences import Said
from annotation.domain.triage import CHECKS, TRIAGE_VERSION, Finding, duplicates, of_prompt, of_text
from annotation.domain.triage.findings import MAX_EVIDENCE, quote

pytestmark = pytest.mark.files

PROSE_EN = (
    "The harbour master kept two clocks, one for the tide and one for his wife, and he was late by both. "
    "On Sundays he rowed out to the buoy and told it what he had not told anyone at the table. "
)
PROSE_ZH = "港务长有两只钟，一只给潮水，一只给妻子，而他在两只钟面前都迟到。每逢星期天，他划到浮标旁边。"

# One text for each check that reads texts, with what is known about it.
FLAGGED: dict[str, tuple[str, dict[str, str]]] = {
    "finish_reason": (PROSE_EN, {"finish_reason": "length"}),
    "provider_error": ("429 Too Many Requests", {}),
    "empty": ("\u202e...\x07", {}),
    "refusal": ("I'm sorry, but I can't help with that.", {}),
    "tell_tale.self_reference": ("As an AI language model, I\u200b have no sea.", {}),
    "tell_tale.model_name": ("ChatGPT\u202e wrote it.", {}),
    "tell_tale.think_tag": ("a</think>\nb", {}),
    "tell_tale.role_label": ("Assistant:\tOnce", {}),
    "language": (PROSE_EN, {"language": "zh"}),
    "repetition": ("冲呀\u200d" * 200, {}),
    "prompt_echo": (PROSE_EN + PROSE_ZH, {"prompt": PROSE_EN}),
    "odd_characters": ("a\u202eb" * 50, {}),
}


def found_in(text: str, **known: str) -> list[Finding]:
    return of_text(text, **{"prompt": "", "language": "", **known})


def test_every_check_has_a_key_a_name_and_a_meaning_of_its_own():
    assert TRIAGE_VERSION == 1
    assert len({check.key for check in CHECKS}) == len({check.name for check in CHECKS}) == len(CHECKS) == 15
    assert all(isinstance(said, Said) and said for check in CHECKS for said in (check.name, check.meaning))


def test_every_check_can_say_something():
    of_others = {"exact_duplicate", "near_duplicate", "placeholder_prompt"}
    assert {check.key for check in CHECKS} == FLAGGED.keys() | of_others
    same = [
        duplicate.check for duplicate in duplicates([("a", PROSE_EN), ("b", PROSE_EN), ("c", PROSE_EN + ".")])
    ]
    assert {*same, of_prompt("/")[0].check} == of_others


@pytest.mark.parametrize("key", FLAGGED)
def test_a_finding_is_one_printable_line_that_json_can_keep(key):
    text, known = FLAGGED[key]
    finding = next(finding for finding in found_in(text, **known) if finding.check == key)
    assert finding.detail.isprintable()
    assert len(str(finding.detail.values.get("evidence", ""))) <= MAX_EVIDENCE
    assert json.loads(json.dumps(finding.detail.as_dict())) == finding.detail.as_dict()
    assert finding.detail == finding.detail.template.format(**finding.detail.values)


def test_findings_come_in_the_order_of_the_checks_and_once_each():
    text = "Assistant: As an AI, I am ChatGPT.</think>\u200b" + "冲呀" * 200
    keys = [finding.check for finding in found_in(text, language="en", finish_reason="length", error="x")]
    order = [check.key for check in CHECKS]
    assert len(keys) == 9
    assert keys == sorted(set(keys), key=order.index)


def test_a_finding_cannot_be_changed():
    (finding,) = found_in("429 Too Many Requests")
    with pytest.raises(dataclasses.FrozenInstanceError):
        finding.check = "none"


@pytest.mark.parametrize("width", [1, 40, 79, 80, 81, 500])
def test_evidence_fits_and_shows_where_it_was_cut(width):
    text = "前" * 100 + "x" * width + "后" * 100
    evidence = quote(text, 100, 100 + width)
    assert len(evidence) <= MAX_EVIDENCE
    assert evidence.startswith("…")
    assert evidence.endswith("…")
    assert "x" * min(width, 60) in evidence


def test_evidence_of_a_short_text_is_the_text():
    assert quote("a\n\tb\x07", 0, 1) == r"a b\x07"


# --- cost ------------------------------------------------------------------------------------------------
# The limits are several times what was measured, so that a busy machine passes and a quadratic rule does not.


def seconds(of: Callable[[], object], tries: int = 3) -> float:
    """The quickest of a few runs."""
    taken = []
    for _ in range(tries):
        start = time.perf_counter()
        of()
        taken.append(time.perf_counter() - start)
    return min(taken)


@pytest.fixture(scope="module", autouse=True)
def _model() -> None:
    """The model of languages is loaded once in a process, which is no cost of a text."""
    found_in(PROSE_EN, language="en")


def prose(of: str, length: int) -> str:
    """Words of a text in a new order each time, so that it does not run in a loop."""
    chance = random.Random(3)
    pieces = of.split() if " " in of else list(of)
    joint = " " if " " in of else ""
    return joint.join(chance.choice(pieces) for _ in range(length))[:length]


@pytest.mark.parametrize(("text", "language"), [(PROSE_EN, "en"), (PROSE_ZH, "zh")])
def test_a_text_of_2000_characters_takes_a_few_thousandths_of_a_second(text, language):
    body = prose(text, 2_000)
    many = 20
    taken = seconds(
        lambda: [found_in(body, prompt=text, language=language, model="gpt-4.1") for _ in range(many)]
    )
    assert taken / many < 0.009


@pytest.mark.parametrize("text", ["<div>" * 100_000, " " * 76_000, PROSE_EN + " " * 76_000 + "x"])
def test_half_a_megabyte_of_nothing_is_not_slow(text):
    assert seconds(lambda: found_in(text, language="zh")) < 0.6


SIZE = 100_000
UNITS = {
    "one letter": "a",
    "two letters": "ab",
    "broken runs": "a" * 49 + "b",
    "open tags": "<",
    "half tags": "<think",
    "half marks": "<|im_start|",
    "full-width marks": "<｜",
    "joiners": "\u200d",
    "marks on letters": "e\u0301",
    "marks": "\u0301",
    "flags": "\U0001f3f4\U000e0067\U000e007f",
    "emoji": "👩\u200d💻",
    "lost": "\ufffd",
    "halves": "\ud83d",
    "names": "Claude ",
    "names in one": "Claude",
    "openings": "As an AI ",
    "I am": "I am a ",
    "sorry": "I'm sorry, but I ",
    "sorry in Chinese": "对不起，我无法",
    "made by": "I was made by ",
    "lines": "\nx",
    "blank lines": "\n",
    "dashes": "- ",
    "dots": "…",
    "loop": "冲呀",
    "mixed": "a冲",
    "headings": "#",
    "objects": '{"',
    "digits": "4 0 4 ",
    "versions": "gpt-",
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_pattern_runs_away(unit, language):
    text = (UNITS[unit] * SIZE)[:SIZE]
    known = {"prompt": text, "language": language, "model": "claude-4-opus", "finish_reason": text[:200]}
    assert seconds(lambda: found_in(text, **known), tries=2) < 1.5
    assert seconds(lambda: of_prompt(text), tries=1) < 0.1


@pytest.mark.parametrize(
    "opening", ["user", "I'm sorry, but I can't write ", "<html>", '{"error', "Error: ", "# "]
)
def test_no_opening_runs_away(opening):
    for filler in (" ", "a ", "you that ", "\n", "4"):
        text = (opening + filler * SIZE)[:SIZE]
        assert seconds(lambda body=text: found_in(body, language="en"), tries=2) < 1.5
        assert seconds(lambda body=text[:390]: found_in(body, language="en"), tries=2) < 0.1


def test_a_thousand_responses_of_one_prompt_are_compared_in_seconds():
    chance = random.Random(5)
    base = ["".join(chr(0x4E00 + chance.randrange(3_000)) for _ in range(1_000)) for _ in range(500)]
    named = [(str(at), base[at % 500] + str(at)) for at in range(1_000)]
    assert len(duplicates(named)) == 500
    assert seconds(lambda: duplicates(named), tries=1) < 15
