"""What models answered, and what was said of pairs of answers: no file of these holds scores of people."""

import pytest

from annotation.domain import layouts
from annotation.domain.field_map import Source, apply
from annotation.domain.layouts import rating_columns
from annotation.domain.voting import vote as vote_of
from annotation.domain.voting import vote_row
from tests.domain.layout_samples import (
    PANDALM,
    SAMPLES,
    columns,
    flat,
    needs_pandalm,
    needs_samples,
    of,
    reasons,
    sample,
    suggestion,
    taken,
)

pytestmark = pytest.mark.files

ASKED = {"role": "user", "content": "Write a story."}
SAID = {"role": "assistant", "content": "Once upon a time."}
OTHER = {"role": "assistant", "content": "It was a dark night."}


# --- batches -----------------------------------------------------------------------------------------------


def answered(custom_id: str, *choices: dict[str, object], model: str = "gpt") -> dict[str, object]:
    body = {"model": model, "choices": list(choices), "usage": {"prompt_tokens": 5, "completion_tokens": 7}}
    return {"id": "b", "custom_id": custom_id, "response": {"status_code": 200, "body": body}, "error": None}


def choice(content: object, why: str = "stop", index: int = 0, **more: object) -> dict[str, object]:
    return {
        "index": index,
        "message": {"role": "assistant", "content": content, **more},
        "finish_reason": why,
    }


def test_a_batch_has_a_response_for_each_choice():
    records = of(
        answered("p1", choice("One."), choice([{"type": "text", "text": "Two."}], "length", 1)),
        answered("p2", choice("Three.")),
    )
    layout, field_map = suggestion(records, key="openai_batch")
    responses, scores, refused = taken(layout, field_map, records)
    assert (scores, refused) == ([], [])
    assert [(one.id, one.prompt_id, one.model, one.text) for one in responses] == [
        ("p1|gpt|0", "p1", "gpt", "One."),
        ("p1|gpt|1", "p1", "gpt", "Two."),
        ("p2|gpt|0", "p2", "gpt", "Three."),
    ]
    assert responses[1].parameters == {
        "prompt_tokens": 5, "completion_tokens": 7, "sample": "1", "finish_reason": "length",
    }  # fmt: skip


def test_the_pieces_of_an_id_name_prompt_and_model_also_where_a_request_failed():
    failed = {
        "custom_id": "p1|gpt|0",
        "response": {"status_code": 500, "body": {"error": {"code": "server_error", "message": "Oops."}}},
        "error": None,
    }
    records = of(answered("p2|gpt|0", choice("Once.")), failed)
    layout, field_map = suggestion(records, key="openai_batch")
    responses, _, refused = taken(layout, field_map, records)
    assert refused == []
    assert [(one.id, one.text) for one in responses] == [("p2|gpt", "Once."), ("p1|gpt", "")]
    assert responses[1].parameters == {"error": "server_error: Oops."}


def test_pieces_that_name_no_model_are_not_taken_for_it():
    _, field_map = suggestion(of(answered("p1|a", choice("Once."))), key="openai_batch")
    assert columns(field_map)["model"] == "model"
    assert field_map.fields["prompt_id"] == Source(("custom_id",), part=1)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        (answered("p", choice(None, refusal="I cannot.")), "refusal: I cannot."),
        (answered("p", choice(None, "content_filter")), "no answer"),
        (answered("p"), "no answer"),
        ({"custom_id": "p", "response": None, "error": {"code": "expired", "message": "Late."}}, "expired: Late."),
        ({"custom_id": "p", "response": {"status_code": 429, "body": {}}, "error": None}, "status 429"),
        ({"custom_id": "p", "response": "odd", "error": "odd"}, "odd"),
    ],
)  # fmt: skip
def test_a_request_without_an_answer_is_a_row_with_an_error(values, error):
    (row,) = flat(layouts.by_key("openai_batch"), of(values))
    assert (row.values["text"], row.values["error"]) == ("", error)


def test_the_newer_answers_of_openai_are_read_too():
    output = [
        {"type": "reasoning"},
        {"type": "message", "content": [{"type": "output_text", "text": "Once."}]},
    ]
    body = {
        "model": "gpt",
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": output,
    }
    values = {"custom_id": "p", "response": {"status_code": 200, "body": body}, "error": None}
    (row,) = flat(layouts.by_key("openai_batch"), of(values))
    assert (row.values["text"], row.values["finish_reason"]) == ("Once.", "max_output_tokens")


def test_the_blocks_of_an_answer_of_anthropic_are_joined():
    message = {
        "model": "claude",
        "content": [{"type": "text", "text": "Once "}, {"type": "text", "text": "more."}],
        "stop_reason": "max_tokens",
        "usage": {"output_tokens": 3},
    }
    records = of(
        {"custom_id": "p1", "result": {"type": "succeeded", "message": message}},
        {"custom_id": "p2", "result": {"type": "errored", "error": {"error": {"type": "busy", "message": "Busy."}}}},
        {"custom_id": "p3", "result": {"type": "expired"}},
    )  # fmt: skip
    layout, field_map = suggestion(records, key="anthropic_batch")
    responses, _, refused = taken(layout, field_map, records)
    assert refused == []
    assert [(one.prompt_id, one.text, one.parameters.get("error")) for one in responses] == [
        ("p1", "Once more.", None),
        ("p2", "", "errored: busy: Busy."),
        ("p3", "", "expired"),
    ]
    assert responses[0].parameters == {"output_tokens": 3, "finish_reason": "max_tokens"}


@needs_samples
def test_a_real_batch_meets_scores_by_prompt_and_model():
    records = sample(SAMPLES / "openai_batch_output.jsonl")
    layout, field_map = suggestion(records, languages=("en", "zh"), key="openai_batch")
    responses, _, refused = taken(layout, field_map, records)
    assert (len(responses), refused, field_map.gaps()) == (12, [], ())
    prompt = "65fca3a9-6621-4162-a477-33083c83b1f4"
    assert {one.prompt_id for one in responses} == {prompt}
    assert responses[0].id == f"{prompt}|claude-4-opus-nothinking"
    assert {one.language for one in responses} == {"zh"}
    cut = {one.model for one in responses if one.parameters["finish_reason"] == "length"}
    assert cut == {"doubao-1.5-pro-thinking", "gemini-2.0-flash"}
    scored = {row.values["模型"] for row in sample(SAMPLES / "zh_scores.gb18030.csv", encoding="gb18030")}
    assert scored == {one.model for one in responses}


# --- MT-bench ----------------------------------------------------------------------------------------------


def vote(**more: object) -> dict[str, object]:
    return {
        "question_id": 81,
        "model_a": "a",
        "model_b": "b",
        "winner": "model_a",
        "judge": "author_1",
        "conversation_a": [ASKED, SAID, {"role": "user", "content": "Go on."}, OTHER],
        "conversation_b": [ASKED, OTHER],
        "turn": 1,
        **more,
    }


def test_a_vote_has_two_responses_and_no_score():
    records = of(vote(), vote(judge=["gpt-4", "pair-v2"], winner="tie (bothbad)"))
    layout, field_map = suggestion(records, key="mtbench_votes")
    responses, scores, refused = taken(layout, field_map, records)
    assert (scores, refused) == ([], [])
    assert [(one.id, one.prompt, one.text) for one in responses] == [
        ("81|a|turn 1", "Write a story.", "Once upon a time."),
        ("81|b", "Write a story.", "It was a dark night."),
    ]
    rows = [row for row in flat(layout, records) if row.pair is None]
    assert [(row.values["judge"], row.values["winner"]) for row in rows[1:3]] == [
        ("author_1", "model_a"),
        ("gpt-4, pair-v2", "tie (bothbad)"),
    ]
    assert rating_columns(rows) == ()
    assert any("kept apart from scores" in note for note in layout.notes)


def test_a_vote_on_the_last_turn_is_about_the_whole_conversation():
    layout, field_map = suggestion(of(vote(turn=2)), key="mtbench_votes")
    responses = taken(layout, field_map, of(vote(turn=2)))[0]
    assert responses[0].id == "81|a"
    assert responses[0].text == "Once upon a time.\n\nIt was a dark night."


def test_a_vote_is_of_a_person_on_the_responses_of_two_rows():
    records = of(vote(), vote(judge=["gpt-4", "pair-v2"]))
    layout, field_map = suggestion(records, key="mtbench_votes")
    assert field_map.votes
    (found,) = [row for row in flat(layout, records) if row.pair]
    assert vote_row(apply(field_map, found).vote) == vote_of(
        "81|a|turn 1", "81|b", annotator="author_1", preferred="a"
    )
    assert reasons(layout, records) == [
        "a model gave this vote; votes of models are never taken for those of people"
    ]


def test_a_judge_who_changes_sides_saw_a_tie():
    pair = {
        "question_id": 81,
        "model_1": "a",
        "model_2": "b",
        "g1_winner": "model_1",
        "g2_winner": "model_1",
        "turn": 1,
    }
    records = of(pair, {**pair, "g2_winner": "model_2"})
    layout, field_map = suggestion(records, key="mtbench_pairs")
    assert [row.values["winner"] for row in flat(layout, records)] == ["model_1", "model_1", "tie", "tie"]
    assert field_map.gaps() == ("text", "score")


def test_what_a_model_said_of_an_answer_is_no_score():
    records = of(
        {"question_id": 81, "model": "a", "score": 2, "judgment": "Good.", "judge": ["gpt-4"], "turn": 1}
    )
    layout, field_map = suggestion(records, key="mtbench_single")
    rows = flat(layout, records)
    assert rows[0].values["machine_score"] == 2
    assert rating_columns(rows) == ()
    assert {"score", "annotator"}.isdisjoint(field_map.fields)


def test_answers_are_joined_from_their_turns():
    one = {
        "question_id": 81,
        "answer_id": "x",
        "model_id": "a",
        "choices": [{"index": 0, "turns": ["One.", "Two."]}],
    }
    layout, field_map = suggestion(of(one), key="mtbench_answers")
    assert [(r.id, r.text) for r in taken(layout, field_map, of(one))[0]] == [("81|a", "One.\n\nTwo.")]
    several = {**one, "choices": [{"index": 0, "turns": ["One."]}, {"index": 1, "turns": ["Other."]}]}
    layout, field_map = suggestion(of(several))
    assert [r.id for r in taken(layout, field_map, of(several))[0]] == ["81|a|0", "81|a|1"]


@needs_samples
def test_real_votes_hold_the_responses_of_all_models():
    records = sample(SAMPLES / "mtbench_human_votes.jsonl")
    layout, field_map = suggestion(records, key="mtbench_votes")
    responses, scores, refused = taken(layout, field_map, records)
    assert len([row for row in flat(layout, records) if row.pair is None]) == 120
    assert len([row for row in flat(layout, records) if row.pair]) == 60
    assert scores == []
    assert (responses[0].id, responses[1].id) == ("0|bloom-7b", "0|llama-7b")
    assert responses[1].text == "If you have any questions, please let me know."
    empty = {
        row.line
        for row in records
        for side in ("conversation_a", "conversation_b")
        if not row.values[side][1]["content"].strip()
    }
    assert {(error.line, error.column) for error in refused} == {(line, "text") for line in empty}


# --- preferences and conversations ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        {"prompt": "Write a story.", "chosen": SAID["content"], "rejected": OTHER["content"]},
        {"prompt": [ASKED], "chosen": [SAID], "rejected": [OTHER]},
        {"chosen": [ASKED, SAID], "rejected": [ASKED, OTHER]},
        {"prompt": "Write a story.", "chosen": [ASKED, SAID], "rejected": [ASKED, OTHER]},
        {
            "question": "Write a story.",
            "response_A": SAID["content"],
            "response_B": OTHER["content"],
            "label": "A>B",
        },
        {
            "instruction": "Write a story.",
            "output_1": SAID["content"],
            "output_2": OTHER["content"],
            "preference": 1,
        },
        {"prompt": "Write a story.", "response_1": [SAID], "response_2": [OTHER], "strength": 3},
    ],
)
def test_a_preference_is_two_responses_to_one_prompt(values):
    layout, field_map = suggestion(of(values))
    assert layout.key in ("preferences", "two_answers")
    responses, scores, refused = taken(layout, field_map, of(values))
    assert (scores, refused, field_map.gaps()) == ([], [], ())
    assert [(one.prompt, one.text) for one in responses] == [
        ("Write a story.", "Once upon a time."),
        ("Write a story.", "It was a dark night."),
    ]
    assert len({one.prompt_id for one in responses}) == 1
    assert len({one.id for one in responses}) == 2


def test_what_is_told_of_a_side_stays_with_it_and_its_score_is_a_machines():
    values = {
        "id": 1, "prompt": "Write.", "chosen": "One.", "chosen_model": "a", "rejected": "Two.", "rejected_model": "b",
        "score_chosen": 3, "score_rejected": 1, "subset": "poetry",
    }  # fmt: skip
    layout, field_map = suggestion(of(values), key="preferences")
    rows = [row.values for row in flat(layout, of(values))]
    assert [(row["model"], row["machine_score"], row["side"]) for row in rows] == [
        ("a", 3, "chosen"),
        ("b", 1, "rejected"),
    ]
    responses = taken(layout, field_map, of(values))[0]
    assert [(one.model, one.genre) for one in responses] == [("a", "poetry"), ("b", "poetry")]
    assert [one.id for one in responses] == [f"{responses[0].prompt_id}|a", f"{responses[0].prompt_id}|b"]
    assert rating_columns(flat(layout, of(values))) == ()


BRIEF = {"role": "system", "content": "Be brief."}
IN_PARTS = {"role": "user", "content": [{"type": "text", "text": "Write a story."}]}
OF_SHARE_GPT = [
    {"from": "system", "value": "Be brief."},
    {"from": "human", "value": "Write a story."},
    {"from": "gpt", "value": "Once upon a time."},
]


@pytest.mark.parametrize(
    "values",
    [
        {"messages": [BRIEF, ASKED, SAID]},
        {"messages": [BRIEF, IN_PARTS, SAID]},
        {"conversations": OF_SHARE_GPT},
    ],
)
def test_a_conversation_is_a_prompt_and_a_response(values):
    records = of({"id": 9, "model": "m", **values})
    layout, field_map = suggestion(records, key="conversations")
    (response,) = taken(layout, field_map, records)[0]
    assert (response.id, response.model, response.prompt, response.text) == (
        "9",
        "m",
        "Write a story.",
        "Once upon a time.",
    )
    assert flat(layout, records)[0].values["system_prompt"] == "Be brief."


def test_an_instruction_is_asked_with_its_input():
    records = of({"instruction": "Rewrite it.", "input": "A b c.", "output": "C b a.", "generator": "m"})
    layout, field_map = suggestion(records, key="instructions")
    (response,) = taken(layout, field_map, records)[0]
    assert (response.prompt, response.text, response.model) == ("Rewrite it.\n\nA b c.", "C b a.", "m")


def pandalm(**more: object) -> dict[str, object]:
    return {
        "idx": 1, "cmp_key": "bloom-7b_llama-7b", "instruction": "Rewrite it.", "input": "", "response1": "One.",
        "response2": "Two.", "annotator1": 2, "annotator2": 0, "annotator3": 1, **more,
    }  # fmt: skip


def test_preferences_of_pandalm_are_neither_raters_nor_scores():
    layout, field_map = suggestion(of(pandalm()), key="pandalm")
    responses, scores, refused = taken(layout, field_map, of(pandalm()))
    assert (scores, refused, field_map.raters) == ([], [], ())
    assert [(one.model, one.text, one.prompt) for one in responses] == [
        ("bloom-7b", "One.", "Rewrite it."),
        ("llama-7b", "Two.", "Rewrite it."),
    ]
    assert rating_columns([row for row in flat(layout, of(pandalm())) if row.pair is None]) == ()


def test_a_boolean_of_pandalm_is_refused_with_its_place():
    records = of(pandalm(), pandalm(response1=True))
    layout, field_map = suggestion(records)
    (error,) = taken(layout, field_map, records)[2]
    assert (error.line, error.column) == (2, "text")
    assert error.reason.startswith("true is not a text")


@needs_pandalm
def test_the_test_set_of_pandalm_is_taken_but_for_booleans_and_empty_texts():
    records = sample(PANDALM)
    layout, field_map = suggestion(records, languages=("en",), key="pandalm")
    assert field_map.gaps() == ()
    _, scores, refused = taken(layout, field_map, records)
    assert len([row for row in flat(layout, records) if row.pair is None]) == 1998
    assert len([row for row in flat(layout, records) if row.pair]) == 2997
    assert scores == []
    assert [error.line for error in refused if "true" in error.reason] == [158, 159, 160, 162, 163, 165]
    empty = [error for error in refused if "the text is empty" in error.reason]
    assert (
        len(empty)
        == len(refused) - 6
        == sum(
            not text.strip()
            for row in records
            for text in (row.values["response1"], row.values["response2"])
            if isinstance(text, str)
        )
    )


@needs_samples
def test_a_release_of_preferences_is_read_back():
    release = SAMPLES.with_name("example_release") / "data"
    found = []
    for folder in ("trl", "implicit"):
        records = sample(release / folder / "test.jsonl")
        layout, field_map = suggestion(records, languages=("zh",), key="preferences")
        responses, _, refused = taken(layout, field_map, records)
        assert refused == []
        found.append({(one.prompt, one.text) for one in responses})
    assert found[0] == found[1]
