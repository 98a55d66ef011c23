"""What the checks say about texts that other people published, read one by one when the counts were pinned.

A count that changes means that a rule changed: look at the texts, then raise TRIAGE_VERSION.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from annotation.domain.text import same_text_key
from annotation.domain.triage import Finding, duplicates, of_prompt, of_text

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
WPB = DATA / "wpb_zh"
PRON = DATA / "pron_vs_prompt" / "gpt4_texts.jsonl"
LAMP = DATA / "lamp_rankings"
PANDALM = DATA / "pandalm_testset" / "testset-v1.json"

pytestmark = pytest.mark.files
needs_wpb = pytest.mark.skipif(
    not WPB.exists(), reason=f"the data of WritingPreferenceBench are not at {WPB}"
)
needs_pron = pytest.mark.skipif(not PRON.exists(), reason=f"the data of Pron vs Prompt are not at {PRON}")
needs_lamp = pytest.mark.skipif(not LAMP.exists(), reason=f"the rankings of LAMP are not at {LAMP}")
needs_pandalm = pytest.mark.skipif(
    not PANDALM.exists(), reason=f"the test set of PandaLM is not at {PANDALM}"
)


@dataclass(frozen=True, slots=True)
class Text:
    """A published response, and what its file says about it."""

    prompt_id: str
    prompt: str
    text: str
    model: str
    language: str
    finish_reason: str = ""
    error: str = ""

    def findings(self) -> list[Finding]:
        return of_text(
            self.text,
            prompt=self.prompt,
            language=self.language,
            finish_reason=self.finish_reason,
            error=self.error,
            model=self.model,
        )


@dataclass(frozen=True, slots=True)
class Looked:
    texts: Sequence[Text]
    findings: Sequence[list[Finding]]

    def counts(self) -> Counter[str]:
        return Counter(finding.check for each in self.findings for finding in each)

    def with_check(self, check: str) -> list[Text]:
        both = zip(self.texts, self.findings, strict=True)
        return [text for text, found in both if check in {finding.check for finding in found}]


def looked_at(texts: Iterator[Text]) -> Looked:
    kept = list(texts)
    return Looked(kept, [text.findings() for text in kept])


def jsonl(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def raw() -> Iterator[Text]:
    for path in sorted((WPB / "responses_raw").glob("*.json")):
        for row in json.loads(path.read_text(encoding="utf-8")):
            about = row["response_metadata_list"][0][0]
            reason, error = about["finish_reason"] or "", about["error"] or ""
            yield Text(row["question_id"], row["prompt"], row["predict0"], path.stem, "zh", reason, error)


def subset() -> Iterator[Text]:
    for row in jsonl(WPB / "subset_22prompts_19models.jsonl"):
        reason, error = row["finish_reason"] or "", row["error"] or ""
        yield Text(row["prompt_id"], row["prompt"], row["response"], row["model"], "zh", reason, error)


def pron() -> Iterator[Text]:
    for row in jsonl(PRON):
        yield Text(row["text_id"], row["title"], row["content"], row["writer"], "en")


def lamp() -> Iterator[Text]:
    shown = {}
    for path in sorted(LAMP.glob("batch*/*_items.json")):
        for item in json.loads(path.read_text(encoding="utf-8")):
            shown |= dict.fromkeys(item["responses"], item["instruction"])
    for text, prompt in shown.items():
        yield Text(prompt, prompt, text, "", "en")


def pandalm() -> Iterator[Text]:
    shown = {}
    for item in json.loads(PANDALM.read_text(encoding="utf-8")):
        prompt = f"{item['instruction']}\n{item['input']}"
        models = item["cmp_key"].split("_")
        for text, model in zip((item["response1"], item["response2"]), models, strict=True):
            if isinstance(text, str):
                shown[prompt, text] = model
    for (prompt, text), model in shown.items():
        yield Text(prompt, prompt, text, model, "en")


@pytest.fixture(scope="module")
def wpb() -> Looked:
    return looked_at(raw())


@pytest.fixture(scope="module")
def wpb_subset() -> Looked:
    return looked_at(subset())


# --- Chinese ---------------------------------------------------------------------------------------------


@needs_wpb
def test_the_counts_of_six_models_on_204_prompts(wpb):
    assert len(wpb.texts) == 1_224
    assert wpb.counts() == {
        "finish_reason": 15,
        "provider_error": 15,
        "language": 15,  # all of them English answers to the prompt "/"
        "tell_tale.model_name": 6,  # essays and satire that speak of ChatGPT, OpenAI, 通义 and their like
        "refusal": 1,
        "repetition": 1,
    }
    assert sum(bool(found) for found in wpb.findings) == 37


@needs_wpb
def test_the_counts_of_nineteen_models_on_22_prompts(wpb_subset):
    assert len(wpb_subset.texts) == 418
    assert wpb_subset.counts() == {
        "finish_reason": 11,
        "provider_error": 11,
        "repetition": 5,
        "refusal": 3,
        "tell_tale.think_tag": 2,
        "tell_tale.model_name": 1,
        "language": 1,  # a wall of emoji that goes on as the manual of a program, in English
        "empty": 1,  # three quarters white space
    }
    assert sum(bool(found) for found in wpb_subset.findings) == 19


@needs_wpb
def test_every_text_that_did_not_end_by_itself_is_flagged(wpb):
    unfinished = [text for text in wpb.texts if text.finish_reason != "stop"]
    assert Counter((text.model, text.finish_reason) for text in unfinished) == {
        ("huggingface-model", "length"): 12,
        ("qwen-plus", "api_error"): 2,
        ("gemini-2.0-flash", "length"): 1,
    }
    assert wpb.with_check("finish_reason") == unfinished


@needs_wpb
def test_both_texts_that_are_errors_are_known_by_their_words_alone(wpb):
    errors = [text for text in wpb.texts if text.finish_reason == "api_error"]
    assert {text.model for text in errors} == {"qwen-plus"}
    for text in errors:
        (finding,) = of_text(text.text, prompt=text.prompt, language="zh")
        assert finding.check == "provider_error"
        assert "the text is an error message" in finding.detail


@needs_wpb
def test_the_refusals_are_flagged_and_the_fictional_apologies_are_not(wpb, wpb_subset):
    refused = {
        same_text_key(text.text)[:9] for each in (wpb, wpb_subset) for text in each.with_check("refusal")
    }
    assert refused == {"对不起，我无法满足", "对不起，但我无法满", "很抱歉，“网络视奸"}
    apologies = [
        text
        for text in (*wpb.texts, *wpb_subset.texts)
        if text.text.startswith("领导，实在抱歉") or "抱歉，我不是很擅长安慰人" in text.text
    ]
    assert {text.model for text in apologies} == {"gemini-2.0-flash", "gpt-4.1"}
    assert [text.findings() for text in apologies] == [[]] * len(apologies)


@needs_wpb
def test_the_runaways_are_flagged_and_nothing_else_is_repetition(wpb, wpb_subset):
    assert [text.model for text in wpb.with_check("repetition")] == ["gemini-2.0-flash"]
    assert sorted((text.model, len(text.text)) for text in wpb_subset.with_check("repetition")) == [
        ("doubao-1.5-lite", 12_326),
        ("doubao-1.5-pro-thinking", 1_751),  # the answer, its reasoning, and the answer again
        ("doubao-1.5-pro-thinking", 16_408),
        ("gemini-2.0-flash", 8_251),
        ("gemini-2.5-flash-nothinking", 10_379),
    ]


@needs_wpb
def test_the_prompts_that_ask_for_nothing_are_flagged():
    prompts = [row["prompt"] for row in jsonl(WPB / "prompts_204.jsonl")]
    assert [prompt.strip() for prompt in prompts if of_prompt(prompt)] == ["/", "/", "/"]


@needs_wpb
def test_the_exact_duplicates_are_those_on_the_prompt_that_asks_for_nothing(wpb):
    by_prompt = defaultdict(list)
    for number, text in enumerate(wpb.texts):
        by_prompt[text.prompt.strip()].append((f"{number} {text.model}", text.text))
    found = {prompt: duplicates(texts) for prompt, texts in by_prompt.items() if duplicates(texts)}
    assert found.keys() == {"/"}
    assert Counter((each.check, each.other.split()[1]) for each in found["/"]) == {
        ("exact_duplicate", "gpt-4.1-mini"): 2,
        ("exact_duplicate", "qwen-plus"): 1,
    }


# --- English ---------------------------------------------------------------------------------------------


@needs_pron
def test_of_120_english_synopses_only_the_one_in_spanish_is_flagged():
    looked = looked_at(pron())
    assert len(looked.texts) == 120
    assert looked.counts() == {"language": 1}
    (spanish,) = looked.with_check("language")
    assert (spanish.prompt, spanish.model) == ("¿Quién mató a Patricio Pron?", "gpt4_en")


@needs_lamp
def test_of_607_paragraphs_that_writers_ranked_none_is_flagged():
    looked = looked_at(lamp())
    assert len(looked.texts) == 607
    assert looked.counts() == {}


@needs_pandalm
def test_small_old_models_loop_and_say_the_prompt_again():
    looked = looked_at(pandalm())
    assert len(looked.texts) == 721
    assert looked.counts() == {"prompt_echo": 59, "repetition": 27, "empty": 9, "language": 3}
    french = looked.with_check("language")
    assert all("French" in text.prompt for text in french)
