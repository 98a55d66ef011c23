"""The demo's exam, course and calibration: fresh texts of every level, and people who did what they are said to."""

from collections import Counter

import pytest

from annotation.domain import shipped, stages, text
from annotation.domain.citations import pieces
from annotation.domain.exams import LEAST_WORDS, Answer, PassMarks, decimal, grade, judge
from annotation.domain.material import read_responses
from annotation.domain.scoring import SCALE
from annotation.domain.shipped_preparation import CALIBRATION_TEXTS, Item, preparation

pytestmark = pytest.mark.files

MARKS = PassMarks(
    kappa=decimal("0.55"),
    exact_percent=50,
    within_one_percent=95,
    critique_percent=60,
    critiques_graded=2,
    graders=1,
)


def words(written: str) -> int:
    return text.length(written, "words")


def paragraphs(item: Item) -> int:
    return len(item.response.split("\n\n"))


def test_every_text_has_60_to_140_words_in_two_to_four_paragraphs() -> None:
    texts = [item.response for item in preparation().items]
    texts += [row.text for row in read_responses(CALIBRATION_TEXTS)]
    assert len(texts) == 34
    for each in texts:
        assert 60 <= words(each) <= 140, each
        assert 2 <= len(each.split("\n\n")) <= 4, each


def test_no_text_and_no_prompt_stands_twice_in_the_demo() -> None:
    rows = [*shipped.demo_responses(), *read_responses(CALIBRATION_TEXTS)]
    texts = Counter(text.same_text_key(item.response) for item in preparation().items)
    texts += Counter(text.same_text_key(row.text) for row in read_responses(CALIBRATION_TEXTS))
    assert max(texts.values()) == 1
    assert not texts.keys() & {text.same_text_key(row.text) for row in shipped.demo_responses()}
    prompts = [item.prompt for item in preparation().items]
    assert len(set(prompts)) == len(prompts)
    assert not set(prompts) & {row.prompt for row in rows}
    ids = [row.id for row in rows]
    assert len(set(ids)) == len(ids)


def test_each_form_and_the_course_have_texts_of_every_level() -> None:
    groups = [form.items for form in preparation().forms]
    for items in [*groups, preparation().course]:
        assert {item.value for item in items} == set(SCALE)


def test_each_form_has_a_text_of_every_macro_category() -> None:
    genres = {genre.key for genre in shipped.taxonomy("writing-preference").genres}
    for form in preparation().forms:
        assert {item.genre for item in form.items} == genres
    assert {item.genre for item in preparation().course} < genres


def test_the_split_is_of_five_experts_and_most_gave_the_consensus_score() -> None:
    for item in preparation().items:
        assert sum(item.split) == 5, item.prompt
        assert 2 * item.split[item.value] > 5, item.prompt


def test_every_rationale_points_to_paragraphs_that_the_text_has() -> None:
    for item in preparation().items:
        cited = [piece.paragraph for piece in pieces(item.rationale, paragraphs=paragraphs(item))]
        assert any(cited), item.prompt
        assert item.rationale.count("¶") == sum(map(bool, cited)), item.rationale


def test_the_course_has_as_many_items_of_each_kind_as_the_settings_ask_for() -> None:
    kinds = Counter(item.kind for item in preparation().course)
    settings = preparation().settings
    assert kinds == {
        "worked": settings["worked_items"],
        "practice": settings["practice_items"],
        "check": settings["check_items"],
        "extra": 2,
    }
    assert all(len(form.items) >= settings["exam_items_minimum"] for form in preparation().forms)


def test_critiques_say_enough_for_an_exam() -> None:
    said = [phrase for phrases in preparation().phrases.values() for phrase in phrases]
    said += [item.critique for item in preparation().forms[0].items]
    assert len(set(said)) == len(said)
    assert all(words(each) >= LEAST_WORDS for each in said)
    assert tuple(preparation().phrases) == SCALE


def test_whoever_went_on_to_the_course_passed_the_exam_and_nobody_else_did() -> None:
    items = preparation().forms[0].items
    for person in preparation().people:
        if person.exam is None or not person.exam.points:
            continue
        answers = {
            number: Answer(given, item.value)
            for number, (given, item) in enumerate(zip(person.exam.scores, items, strict=True))
        }
        assert judge(grade(answers)["*"], MARKS).passed == bool(person.course), person.name


def test_people_have_names_of_their_own_and_addresses_that_reach_nobody() -> None:
    found = preparation()
    people = [found.instructor, found.invited, *found.people]
    assert len({person.username for person in people}) == len(people)
    assert all(person.email.endswith("@example.org") for person in people)
    assert set(found.logins) <= {person.username for person in people} - {found.invited.username}
    moved = [person.moved for person in found.people if person.moved]
    assert {one.to for one in moved} == {stages.PAUSED, stages.DECLINED}
    assert all(one.reason for one in moved)


def test_posts_are_by_people_who_scored_the_text() -> None:
    found = preparation()
    trained = {person.username for person in found.people if person.course}
    assert {post.by for post in found.thread.posts} <= trained | {found.instructor.username}
    assert sum(post.ruling for post in found.thread.posts) == 1
    calibrated = {person.username for person in found.people if person.calibration}
    assert {post.by for post in found.calibration.posts} <= calibrated
    assert {post.text for post in found.calibration.posts} <= set(found.calibration.texts)
