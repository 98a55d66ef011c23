"""The audit as a whole: planted signals are found, noise is not, and nothing hangs on how the pairs come."""

import json
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from curation.domain.audit import families as of_families
from curation.domain.audit import fingerprints
from curation.domain.audit.fingerprints import Fingerprint
from curation.domain.audit.found import BASELINES
from curation.domain.audit.limits import Limits, exceeded
from curation.domain.audit.report import Audit, audit
from curation.domain.audit.rows import Joined, PairRow
from curation.domain.audit.surface import FEATURES
from curation.domain.pairing import curate
from curation.domain.recipes import WritingPreference
from tests.domain.audit_samples import GENRES, noise, pair, turned

pytestmark = pytest.mark.files

OF_THE_SURFACE = [name for name in BASELINES if name != "source_model"]
FEW_DRAWS = 200


def audited(rows: list[PairRow], **options: object) -> Audit:
    return audit(rows, replicates=FEW_DRAWS, **options)


@pytest.fixture(scope="module")
def of_noise() -> Audit:
    return audited(noise(1200))


def ordered_by(rows: list[PairRow], key) -> list[PairRow]:
    """Each pair turned so that the side with more is chosen."""
    return [turned(row) if key(row.chosen_text) < key(row.rejected_text) else row for row in rows]


# --- signals ---------------------------------------------------------------------------------------------


def test_in_noise_every_interval_holds_one_half(of_noise):
    for name, share in of_noise.signals.shares().items():
        assert share.n == 1200
        assert share.low < 0.5 < share.high, name
    assert not of_noise.signals.few
    assert (of_noise.signals.pairs, of_noise.signals.prompts) == (1200, 100)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("longer", lambda text: len(text.split())),
        ("quotation_marks", lambda text: text.count('"')),
        ("markdown", lambda text: text.count("**")),
        ("paragraphs", lambda text: text.count("\n\n")),
    ],
)
def test_a_side_that_always_has_more_is_always_guessed(name, key):
    share = audited(ordered_by(noise(300), key)).signals.baselines[name]
    assert share.k == share.n - share.ties
    assert share.rate > 0.5


def test_if_the_longer_always_wins_the_rate_is_1():
    rows = [row for row in noise(300) if len(row.chosen_text.split()) != len(row.rejected_text.split())]
    found = audited(ordered_by(rows, lambda text: len(text.split())))
    longer = found.signals.baselines["longer"]
    assert (longer.rate, longer.low, longer.high) == (1.0, 1.0, 1.0)
    assert found.signals.logistic.accuracy.rate > 0.95
    assert found.signals.logistic.weights["words"] > 1


def test_a_planted_feature_raises_the_accuracy_and_bears_the_weight(of_noise):
    rows = ordered_by(noise(1200), lambda text: text.count('"'))
    learnt = audited(rows).signals.logistic
    assert learnt.accuracy.low > of_noise.signals.logistic.accuracy.high
    assert tuple(learnt.weights) == FEATURES
    assert learnt.weights["quotation_marks"] > 0


def test_a_model_that_always_wins_is_found_by_its_record():
    rows = ordered_by(noise(600), len)
    best = [
        turned(row)
        if row.rejected_model == "model-a"
        or (row.chosen_model != "model-a" and row.rejected_model == "model-b")
        else row
        for row in rows
    ]
    found = audited(best)
    assert found.signals.baselines["source_model"].low > 0.6
    assert "source_model" not in names_of(found)  # off by default: better models do win more
    assert "source_model" in names_of(found, Limits(source_model=Decimal("0.6")))


def test_chinese_texts_are_compared_by_their_characters():
    chance = np.random.default_rng(2)
    rows = []
    for number in range(60):
        short, long = ("".join(chance.choice(list("潮水钟门灯盐冬"), n)) for n in (10, 30))
        rows.append(pair(f"q{number:02}", long, "，".join(short), language="zh"))
    found = audited(rows).signals
    # 30 characters against 19; by runs of characters, which are no words, the other one would be the longer.
    assert found.baselines["longer"].rate == 1.0
    assert found.logistic.accuracy.rate == 1.0


def test_pairs_without_models_have_no_record():
    rows = [replace(row, chosen_model="", rejected_model="") for row in noise(60)]
    found = audited(rows)
    assert found.signals.baselines["source_model"].reason == "empty"
    assert found.families.as_dict() == {"families": (), "unknown_chosen": 60, "unknown_rejected": 60}


# --- genres and small groups -----------------------------------------------------------------------------


def test_each_genre_has_the_numbers_that_it_has_alone(of_noise):
    assert tuple(of_noise.genres) == tuple(sorted(GENRES))
    rows = [row for row in noise(1200) if row.genre == "poetry"]
    alone = audited(rows)
    for name, share in alone.signals.shares().items():
        other = of_noise.genres["poetry"].shares()[name]
        assert (share.k, share.ties, share.n) == (other.k, other.ties, other.n)
    assert of_noise.genres["poetry"] == alone.genres["poetry"]


def test_a_small_group_says_so_and_teaches_no_model():
    rows = [*noise(60), *(pair(f"w{at}", genre="song") for at in range(29))]
    song = audited(rows).genres["song"]
    assert (song.few, song.pairs) == (True, 29)
    assert (song.logistic.accuracy.rate, song.logistic.accuracy.reason) == (None, "too_few")
    assert dict(song.logistic.weights) == {}
    assert song.baselines["longer"].n == 29


def test_one_prompt_alone_teaches_no_model():
    rows = [replace(row, prompt_id="q") for row in noise(40)]
    found = audited(rows).signals
    assert found.logistic.accuracy.reason == "one_prompt"
    assert found.baselines["longer"].low is None


def test_no_pair_at_all_is_an_audit_too():
    found = audited([])
    assert (found.signals.pairs, found.signals.few, dict(found.genres)) == (0, True, {})
    assert {share.rate for share in found.signals.shares().values()} == {None}
    assert json.dumps(found.as_dict())
    assert exceeded(found, Limits()) == []


# --- what must not matter --------------------------------------------------------------------------------


@given(st.randoms(use_true_random=False))
@settings(max_examples=5, deadline=None)
def test_the_order_of_rows_does_not_matter(random):
    rows = noise(120, prompts=30)
    assert audited(random.sample(rows, len(rows))) == audited(rows)


@given(st.integers(0, 2**32 - 1), st.integers(1, 80))
@settings(max_examples=15, deadline=None)
def test_turning_all_pairs_around_turns_the_rates_of_the_surface(seed, pairs):
    rows = noise(pairs, prompts=10, seed=seed)
    there, back = audited(rows), audited([turned(row) for row in rows])
    for name, share in there.signals.shares().items():
        other = back.signals.shares()[name]
        assert (share.n, share.ties) == (other.n, other.ties)
        if name in OF_THE_SURFACE:
            assert other.k == share.n - share.ties - share.k
            assert other.rate == pytest.approx(1 - share.rate)
            if share.low is not None:
                assert (other.low, other.high) == pytest.approx((1 - share.high, 1 - share.low))
        else:  # what is learnt from the pairs is turned with them
            assert other.k == share.k
    for name, weight in there.signals.logistic.weights.items():
        assert back.signals.logistic.weights[name] == pytest.approx(-weight, abs=1e-9)
    assert back.families.unknown_chosen == there.families.unknown_rejected
    assert (back.copies, back.leaks.responses) == (there.copies, there.leaks.responses)


def test_the_seed_decides_folds_and_draws():
    rows = noise(300)
    assert audited(rows, seed="other") != audited(rows)
    assert audited(rows, seed="other") == audited(rows, seed="other")


# --- rows ------------------------------------------------------------------------------------------------


def test_pairs_that_can_be_read_once_only_are_refused():
    with pytest.raises(ValueError, match="read twice"):
        audit(iter(noise(3)))


def test_a_pair_that_occurs_twice_is_refused():
    with pytest.raises(ValueError, match="the pair 'q:q-c:q-r' occurs twice"):
        audited([pair(), pair()])


@pytest.mark.parametrize("change", [{"chosen_text": "three"}, {"chosen_model": "m"}, {"prompt_id": "p"}])
def test_a_response_that_contradicts_itself_is_refused(change):
    with pytest.raises(ValueError, match="the response 'q-c' with another text, model or prompt"):
        audited([pair(), replace(pair(), id="other", **change)])


def test_outcomes_of_curation_are_joined_with_what_is_known_of_their_responses():
    responses = [
        ResponseRow(
            id=name, prompt_id="q", text=text, prompt="Write", language="en", genre="essay", model=model
        )
        for name, text, model in (("r1", "one two", "gpt-4o"), ("r2", "three", ""))
    ]
    scores = [
        CurrentScore(name, annotator, score)
        for name, score in (("r1", 3), ("r2", 1))
        for annotator in ("a", "b")
    ]
    found = curate(responses, scores, WritingPreference(length_symmetry=False))
    joined = Joined(found.pairs, responses)
    expected = PairRow(
        id="q:r1:r2",
        prompt_id="q",
        chosen="r1",
        rejected="r2",
        chosen_text="one two",
        rejected_text="three",
        prompt="Write",
        genre="essay",
        language="en",
        chosen_model="gpt-4o",
    )
    assert list(joined) == list(joined) == [expected]
    bare = PairRow(
        **{name: getattr(expected, name) for name in ("id", "prompt_id", "chosen", "rejected", "prompt")},
        chosen_text="one two",
        rejected_text="three",
    )
    assert list(Joined(found.pairs, ())) == [bare]
    assert audit(joined).signals.baselines["longer"].k == 1


# --- families --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o-mini", "gpt"),
        ("openai/GPT-3.5", "gpt"),
        ("Claude_3", "claude"),
        ("claude-4-opus-nothinking", "claude"),
        ("Qwen2.5-72B-Instruct", "qwen"),
        ("豆包1.5", "豆包"),
        ("meta-llama/Llama-3-8b/", "llama"),
        ("chat-glm", "glm"),
        ("human", "human"),
        ("7", "7"),
        ("", ""),
    ],
)
def test_a_family_is_the_first_word_that_says_something(model, name):
    assert of_families.family(model) == name


def test_families_are_counted_on_both_sides():
    rows = [
        pair("q1", chosen_model="gpt-4o", rejected_model="claude-3"),
        pair("q2", chosen_model="gpt-3.5", rejected_model="gpt-4o"),
        pair("q3", chosen_model="", rejected_model="gpt-4o"),
    ]
    found = audited(rows).families
    claude, gpt = found.families
    assert (claude.name, claude.chosen, claude.rejected, claude.wins.value) == ("claude", 0, 1, 0.0)
    assert (gpt.name, gpt.chosen, gpt.rejected, gpt.wins.value) == ("gpt", 2, 2, 0.5)
    assert (gpt.share_chosen, gpt.share_rejected) == (1.0, 2 / 3)
    assert (found.unknown_chosen, found.unknown_rejected) == (1, 0)
    assert gpt.few


# --- leaks -----------------------------------------------------------------------------------------------


def test_texts_that_name_a_model_are_leaks_and_what_the_prompt_names_is_none():
    rows = [
        pair("q1", "As ChatGPT would say: late.", "two"),
        pair("q2", "one", "我是通义千问。", language="zh"),
        pair("q3", "ChatGPT said so.", "two", prompt="Write about ChatGPT"),
        pair("q4", "I, Mimosa 7, was late.", "two", chosen_model="mimosa-7"),
        pair("q5", "The bell rang.", "two", chosen_model="mimosa-7"),
    ]
    found = audited(rows).leaks
    assert (found.responses, found.pairs, found.chosen, found.rejected) == (3, 3, 2, 1)
    assert [leak.response for leak in found.named] == ["q1-c", "q2-r", "q4-c"]
    assert found.as_dict()["named"][0]["detail"]["values"]["name"] == "ChatGPT"


# --- limits ----------------------------------------------------------------------------------------------


def names_of(found: Audit, limits: Limits | None = None) -> list[str]:
    return [each.key for each in exceeded(found, limits or Limits())]


def test_noise_exceeds_no_limit(of_noise):
    assert names_of(of_noise, Limits(near=None, exact=None)) == []


@pytest.mark.parametrize("turn", [False, True])
def test_lengths_that_tell_either_way_exceed_two_limits(turn):
    rows = ordered_by(noise(600), lambda text: len(text.split()))
    found = audited([turned(row) for row in rows] if turn else rows)
    assert {"longer", "logistic"} <= set(names_of(found))
    first = exceeded(found, Limits())[0]
    assert first.as_dict() == {
        "key": "longer",
        "value": found.signals.baselines["longer"].rate,
        "limit": "0.05",
    }
    logistic = next(each for each in exceeded(found, Limits()) if each.key == "logistic")
    assert logistic.value == found.signals.logistic.accuracy.rate


def test_a_distance_at_the_limit_is_within_it():
    rows = [pair(f"q{at:04}", "one two", "three") for at in range(550)]
    rows += [pair(f"q{at:04}", "one", "two three") for at in range(550, 1000)]
    found = audited(rows)
    assert found.signals.baselines["longer"].rate == 0.55
    assert "longer" not in names_of(found)
    assert "longer" in names_of(found, Limits(longer=Decimal("0.0499")))


def test_a_distance_that_may_be_chance_is_within_the_limit():
    rows = [pair("q1", "one two", "three"), pair("q2", "one two", "three"), pair("q3", "one", "two three")]
    found = audited(rows)
    assert found.signals.baselines["longer"].rate == pytest.approx(2 / 3)
    assert "longer" not in names_of(found)


def test_a_text_of_an_earlier_release_and_a_leak_exceed_limits():
    rows = [pair("q1", "As ChatGPT would say: late.", "two"), pair("q2", "two", "three")]
    earlier = [Fingerprint("old 1.0.0", "x", fingerprints.digest("three"))]
    found = audited(rows, earlier=earlier)
    assert [(each.key, each.value, each.limit) for each in exceeded(found, Limits())] == [
        ("earlier_exact", 1, 0),
        ("leaks", 1, 0),
    ]
    assert names_of(found, Limits(earlier_exact=1, leaks=None)) == []
    assert names_of(found, Limits(exact=0)) == ["exact", "earlier_exact", "leaks"]


def test_limits_that_are_off_are_never_exceeded():
    rows = ordered_by(noise(600), lambda text: len(text.split()))
    off = Limits(**dict.fromkeys(Limits().as_dict()))
    assert exceeded(audited(rows), off) == []


def test_limits_can_be_stored_and_read_back():
    limits = Limits(longer=Decimal("0.125"), near=3, leaks=None)
    assert Limits.from_dict(json.loads(json.dumps(limits.as_dict()))) == limits
    assert Limits.from_dict({"logistic": 0.7}) == Limits(logistic=Decimal("0.7"))


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ({"longest": 1}, "there is no limit 'longest'; known: longer, "),
        ({"longer": "0.6"}, "use None, or a number from 0 to 0.5"),
        ({"logistic": 2}, "use None, or a number from 0 to 1"),
        ({"longer": "nan"}, "use None, or a number from 0 to 0.5"),
        ({"longer": "much"}, "use None, or a number such as 0.05"),
        ({"leaks": -1}, "use None, or a whole number from 0"),
        ({"leaks": 1.5}, "use None, or a whole number from 0"),
        ({"leaks": True}, "use None, or a whole number from 0"),
    ],
)
def test_limits_that_cannot_be_are_refused(kept, words):
    with pytest.raises(ValueError, match=words):
        Limits.from_dict(kept)


# --- storing ---------------------------------------------------------------------------------------------


def test_an_audit_is_json(of_noise):
    kept = json.loads(json.dumps(of_noise.as_dict(), allow_nan=False))
    assert list(kept) == ["signals", "genres", "families", "copies", "earlier", "leaks"]
    assert list(kept["signals"]["baselines"]) == list(BASELINES)
    assert [genre["key"] for genre in kept["genres"]] == sorted(GENRES)
    assert kept["signals"]["baselines"]["longer"]["n"] == 1200
