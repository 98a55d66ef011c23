"""Items of exams and courses: added, written, taken from scores, and fixed once their round has begun."""

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from annotation.errors import DomainError
from annotation.models import Assignment, ConsensusItem, Membership, Preparation, Response, Round
from annotation.queries import consensus as queries
from annotation.queries import rounds as round_queries
from annotation.services import consensus, courses, exam_forms, rounds
from tests.factories import (
    NOW,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_round,
    make_slot,
    score_all,
)


def make_draft(project, purpose="exam", language=""):
    return Round.objects.create(
        project=project,
        name=f"{purpose} {project.rounds.count()}",
        purpose=purpose,
        language=language,
        rubric=project.rubrics.get(),
        created_at=NOW,
    )


@pytest.fixture
def form(project):
    return make_draft(project)


@pytest.fixture
def instructor(project):
    return make_member(project, "instructor")


def add(form, response=None, **given):
    response = response or make_response(make_prompt(form.project))
    values = {"kind": "exam", "value": 2, "by": None, "now": NOW, **given}
    return consensus.add(form, response, **values)


def refused(call, *args, **given):
    with pytest.raises(DomainError) as caught, transaction.atomic():
        call(*args, **given)
    return caught.value.code


def test_items_stand_in_the_order_in_which_they_were_added_and_change_places(form):
    one, two, three = add(form), add(form), add(form)

    def order():
        return list(form.consensus_items.order_by("position").values_list("pk", flat=True))

    assert order() == [one.pk, two.pk, three.pk]
    three.refresh_from_db()
    consensus.move(three, earlier=True, by=None, now=NOW)
    assert order() == [one.pk, three.pk, two.pk]
    one.refresh_from_db()
    consensus.move(one, earlier=True, by=None, now=NOW)
    assert order() == [one.pk, three.pk, two.pk]


def test_what_is_no_item_is_refused_and_nothing_is_kept(form, project):
    response = make_response(make_prompt(project))
    elsewhere = make_response(make_prompt(make_project()))
    removed = make_response(make_prompt(project), state=Response.State.REMOVED, removed_at=NOW)
    cases = [
        (elsewhere, {}, "not_an_active_response"),
        (removed, {}, "not_an_active_response"),
        (response, {"value": 4}, "not_a_score"),
        (response, {"kind": "practice"}, "unknown_kind"),
        (response, {"split": [1, 2]}, "bad_split"),
        (response, {"split": [1, 0, 0, 4]}, "bad_split"),  # nobody gave the score that is agreed
    ]
    for which, given, code in cases:
        assert refused(add, form, which, **given) == code
    assert not form.consensus_items.exists()


def test_a_text_is_an_item_of_a_form_once(form):
    item = add(form)
    assert refused(add, form, item.response) == "item_already"


def test_an_item_is_in_the_language_of_its_form(project):
    form = make_draft(project, language="zh")
    assert refused(add, form, make_response(make_prompt(project, language="en"))) == "other_language"
    assert add(form, make_response(make_prompt(project, language="zh-Hans")))


@pytest.mark.parametrize("purpose", ["live", "repeat", "gold", "validation", "adjudication"])
def test_a_text_that_is_being_judged_becomes_no_item(form, project, purpose):
    response = make_response(make_prompt(project))
    work = make_round(project, purpose=purpose)
    assert refused(add, form, response) == "asked_blind"
    rounds.pause(work, by=None, now=NOW)
    assert refused(add, form, response) == "asked_blind"
    rounds.lock(work, by=None, now=NOW)
    assert add(form, response)


def test_a_text_that_is_being_judged_under_another_id_becomes_no_item(form, project):
    make_response(make_prompt(project), text="Rain on the bell.")
    make_round(project)
    twin = make_response(make_prompt(project), text="Rain on the bell.")
    assert refused(add, form, twin) == "asked_blind"


def asked_in(work, response, *, state):
    """The text gets a slot in the round, which is then in that state."""
    make_slot(work, response)
    begun = {"opened_at": NOW} if state != "draft" else {}
    ended = {"locked_at": NOW} if state == "locked" else {}
    Round.objects.filter(pk=work.pk).update(state=state, **begun, **ended)
    return work


def test_a_text_of_a_calibration_is_an_item_of_a_course_when_it_is_closed_and_of_an_exam_never(project):
    course, form = make_draft(project, "training"), make_draft(project)
    response, slots = make_response(make_prompt(project)), make_draft(project, "calibration")
    asked_in(slots, response, state="draft")
    for state in ("draft", "open", "paused"):
        begun = NOW if state != "draft" else None
        Round.objects.filter(pk=slots.pk).update(state=state, opened_at=begun)
        assert refused(add, course, response, kind="practice") == "asked_blind"
        assert refused(add, form, response) == "asked_blind"
    Round.objects.filter(pk=slots.pk).update(state="locked", locked_at=NOW)
    assert refused(add, form, response) == "used_elsewhere"
    assert add(course, response, kind="practice")


def test_a_text_of_an_exam_is_shown_by_no_course(form, project):
    item, course = add(form), make_draft(project, "training")
    moments = {"draft": {}, "open": {"opened_at": NOW}, "locked": {"locked_at": NOW}}
    for state, columns in moments.items():
        Round.objects.filter(pk=form.pk).update(state=state, **columns)
        assert refused(add, course, item.response, kind="worked") == "used_elsewhere"


def test_an_exam_asks_no_text_of_a_course_or_of_a_form_that_was_published(form, project):
    taught = add(make_draft(project, "training"), kind="practice")
    assert refused(add, form, taught.response) == "used_elsewhere"
    other = make_draft(project)
    shared = add(other)
    assert add(form, shared.response)
    Round.objects.filter(pk=other.pk).update(state="locked", opened_at=NOW, locked_at=NOW)
    assert refused(add, make_draft(project), shared.response) == "used_elsewhere"


def test_a_new_course_takes_from_a_retired_one_what_nobody_has_scored_there(project):
    old, new = make_draft(project, "training"), make_draft(project, "training")
    fresh, scored = add(old, kind="practice").response, add(old, kind="check").response
    Round.objects.filter(pk=old.pk).update(state="open", opened_at=NOW)
    assert refused(add, new, fresh, kind="practice") == "used_elsewhere"
    Round.objects.filter(pk=old.pk).update(state="locked", locked_at=NOW)
    give(old, scored, make_member(project))
    assert refused(add, new, scored, kind="practice") == "used_elsewhere"
    assert add(new, fresh, kind="practice")


def give(work, response, member, value=2):
    """A counted score, as it is stored."""
    slot = work.assignments.filter(response=response).count() + 1
    done = make_slot(work, response, slot, annotator=member, state=Assignment.State.DONE)
    work.scores.create(
        response=response,
        annotator=member,
        assignment=done,
        rubric=work.rubric,
        value=value,
        recorded_at=NOW,
    )


def test_what_was_asked_elsewhere_since_it_was_added_keeps_a_course_and_a_form_from_beginning(project):
    Preparation.objects.create(project=project, exam_items_minimum=2, critiques_graded=1)
    course, form = make_draft(project, "training"), make_draft(project)
    for kind in ("practice", "check"):
        add(course, kind=kind, rationale="So.")
    for value in (1, 2):
        add(form, value=value)
    late = make_draft(project, "calibration")
    for slot, work in enumerate((course, form), start=1):
        item = work.consensus_items.first()
        make_slot(late, item.response, slot)
    assert refused(courses.open_course, course, by=None, now=NOW) == "course_not_ready"
    assert courses.obstacles(course) == [
        "1 item has been used or scored elsewhere since it was added. Remove it first."
    ]
    assert refused(exam_forms.publish, form, by=None, now=NOW) == "unfit_items"
    late.assignments.all().delete()
    courses.open_course(course, by=None, now=NOW)
    exam_forms.publish(form, by=None, now=NOW)


def test_an_item_is_not_asked_about_in_a_live_round(form, project):
    item, free = add(form), make_response(make_prompt(project))
    work = make_round(project)
    assert set(round_queries.responses(work)) == {free}
    assert not work.assignments.filter(response=item.response).exists()


def test_the_same_text_under_another_id_is_not_judged_live_either(form, project):
    agreed = make_response(make_prompt(project), text="Rain on the bell.")
    twin = make_response(make_prompt(project), text="Rain on the bell.")
    free = make_response(make_prompt(project))
    add(form, agreed)
    elsewhere = make_response(make_prompt(make_project()), text="Rain on the bell.")
    assert set(queries.set_aside(project)) == {agreed, twin}
    assert not queries.set_aside(elsewhere.project).exists()
    assert set(round_queries.responses(make_round(project))) == {free}


def test_an_author_writes_prompt_and_response(form, project):
    item = consensus.author(
        form,
        language="en",
        genre=project.genres.first(),
        prompt_text="Write about a bell.",
        response_text="It rang.",
        kind="exam",
        value=1,
        rationale="Short.",
        by=None,
        now=NOW,
    )
    assert (item.response.text, item.response.prompt.text) == ("It rang.", "Write about a bell.")
    assert item.response.external_id == item.response.prompt.external_id == "item-1"


def test_items_are_taken_where_most_gave_the_same_score(project):
    people = {name: make_member(project, username=name) for name in ("ann", "bob", "cyn")}
    agreed = make_response(make_prompt(project, "p1"), "agreed")
    split = make_response(make_prompt(project, "p2"), "split")
    work = make_round(project)
    given = {("agreed", "ann"): 2, ("agreed", "bob"): 2, ("agreed", "cyn"): 3}
    given |= {("split", "ann"): 0, ("split", "bob"): 1, ("split", "cyn"): 2}
    score_all(work, given)
    rounds.lock(work, by=None, now=NOW)
    assert len(people) == 3
    form = make_draft(project)
    taken = consensus.from_round(form, work, kind="exam", least=3, by=None, now=NOW)
    assert (taken.items, taken.undecided, taken.unfit) == (1, 1, 0)
    item = form.consensus_items.get()
    assert (item.response, item.value, item.split) == (agreed, 2, [0, 0, 2, 1])
    again = consensus.from_round(form, work, kind="exam", least=3, by=None, now=NOW)
    assert (again.items, again.undecided, again.unfit) == (0, 1, 1)
    assert split not in {each.response for each in form.consensus_items.all()}


def test_scores_that_were_withdrawn_agree_on_nothing(project):
    names = ("ann", "bob", "cyn")
    people = [make_member(project, username=name) for name in names]
    kept = make_response(make_prompt(project, "p1"), "kept")
    alone = make_response(make_prompt(project, "p2"), "alone")
    work = make_draft(project, "live")
    for member, value in zip(people, (1, 2, 2), strict=True):
        give(work, kept, member, value)
    give(work, alone, people[0])
    Round.objects.filter(pk=work.pk).update(state="locked", opened_at=NOW, locked_at=NOW)
    Membership.objects.filter(pk=people[0].pk).update(state=Membership.State.WITHDRAWN)
    form = make_draft(project)
    taken = consensus.from_round(form, work, kind="exam", least=1, by=None, now=NOW)
    assert (taken.items, taken.undecided) == (1, 1)
    assert form.consensus_items.get().split == [0, 0, 2, 0]


@pytest.mark.parametrize("purpose", Round.Purpose.values)
def test_what_candidates_and_trainees_gave_is_never_what_is_agreed(project, purpose):
    work, course = make_draft(project, purpose), make_draft(project, "training")
    give(work, make_response(make_prompt(project)), make_member(project))
    take = {"kind": "practice", "least": 1, "by": None, "now": NOW}
    assert refused(consensus.from_round, course, work, **take) == "not_a_source"  # it is not over
    Round.objects.filter(pk=work.pk).update(state="locked", opened_at=NOW, locked_at=NOW)
    if purpose in ("live", "validation", "adjudication", "gold", "calibration"):
        assert consensus.from_round(course, work, **take).items == 1
    else:
        assert refused(consensus.from_round, course, work, **take) == "not_a_source"


def test_a_calibration_that_is_scored_a_second_time_gives_items_when_that_is_over(project):
    first, second = make_draft(project, "calibration"), make_draft(project, "calibration")
    give(first, make_response(make_prompt(project)), make_member(project))
    Round.objects.filter(pk=first.pk).update(state="locked", opened_at=NOW, locked_at=NOW)
    Round.objects.filter(pk=second.pk).update(state="open", opened_at=NOW, follows=first)
    assert queries.rounds_with_scores(project) == []
    Round.objects.filter(pk=second.pk).update(state="locked", locked_at=NOW)
    assert queries.rounds_with_scores(project) == [(first.pk, first.name)]


def test_items_stay_as_they_are_once_their_round_has_begun(form):
    item = add(form)
    consensus.change(item, kind="exam", value=3, split=[], rationale="Better", by=None, now=NOW)
    Round.objects.filter(pk=form.pk).update(state="open", opened_at=NOW)
    assert refused(
        consensus.change, item, kind="exam", value=0, split=[], rationale="", by=None, now=NOW
    ) == ("has_begun")
    assert refused(consensus.remove, item, by=None, now=NOW) == "has_begun"
    assert refused(add, form) == "has_begun"
    for attempt in (lambda: ConsensusItem.objects.filter(pk=item.pk).update(value=0), item.delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            attempt()
    item.refresh_from_db()
    assert (item.value, item.rationale) == (3, "Better")


# --- The pages -----------------------------------------------------------------------------------


def page(form, name="consensus_items", *args):
    return reverse(name, args=[form.project.slug, form.pk, *args])


def test_authors_alone_open_the_items(form, lead, instructor, annotator, stranger, browser_of):
    item = add(form, rationale="SECRET rationale")
    response = make_response(make_prompt(form.project))
    for address in (
        page(form),
        page(form, "consensus_author"),
        page(form, "consensus_item", item.pk),
        page(form, "consensus_add", response.pk),
    ):
        assert browser_of(lead).get(address).status_code == 200
        assert browser_of(instructor).get(address).status_code == 200
        refusal = browser_of(annotator).get(address)
        assert refusal.status_code == 403
        assert b"SECRET" not in refusal.content
        assert browser_of(stranger).get(address).status_code == 404


def test_items_of_another_project_do_not_exist(form, project, browser_of):
    item = add(form)
    other = make_member(make_project(), "lead")
    assert browser_of(other).get(page(form)).status_code == 404
    address = reverse("consensus_item", args=[other.project.slug, form.pk, item.pk])
    assert browser_of(other).get(address).status_code == 404


def test_a_live_round_has_no_items(project, lead, browser_of):
    make_response(make_prompt(project))
    assert browser_of(lead).get(page(make_round(project))).status_code == 404


def test_a_text_of_the_project_is_found_and_added(form, project, instructor, browser_of):
    response = make_response(make_prompt(project), "wanted", text="An owl in the bell tower.")
    client = browser_of(instructor)
    assert "wanted" in client.get(page(form), {"search": "owl"}).content.decode()
    assert "wanted" not in client.get(page(form), {"search": "penguin"}).content.decode()
    sent = {"kind": "exam", "value": "1", "split_1": "3", "split_2": "1", "rationale": "Flat."}
    assert client.post(page(form, "consensus_add", response.pk), sent).status_code == 302
    item = form.consensus_items.get()
    assert (item.value, item.split, item.rationale, item.created_by) == (
        1,
        [0, 3, 1, 0],
        "Flat.",
        instructor.user,
    )


def test_an_item_without_a_score_comes_back_filled_in(form, project, instructor, browser_of):
    response = make_response(make_prompt(project))
    answer = browser_of(instructor).post(
        page(form, "consensus_add", response.pk), {"kind": "exam", "rationale": "Kept words"}
    )
    assert answer.status_code == 422
    assert "Kept words" in answer.content.decode()
    assert "Choose a score from 0 to 3." in answer.content.decode()
    assert not form.consensus_items.exists()


def test_an_item_is_written_changed_moved_and_removed_on_its_pages(form, instructor, browser_of):
    client = browser_of(instructor)
    sent = {"kind": "exam", "value": "2", "language": "en", "genre": "fiction"}
    texts = {"prompt_text": "Write about a bell.", "response_text": "It rang."}
    assert client.post(page(form, "consensus_author"), {**sent, **texts}).status_code == 302
    item = form.consensus_items.get()
    address = page(form, "consensus_item", item.pk)
    assert client.post(address, {**sent, "value": "3", "do": "save"}).status_code == 302
    item.refresh_from_db()
    assert item.value == 3
    assert client.post(address, {"do": "later"}).status_code == 302
    assert client.post(address, {"do": "remove"}).status_code == 302
    assert not form.consensus_items.exists()


def test_what_was_taken_and_left_out_is_said(form, project, lead, browser_of):
    make_response(make_prompt(project), "r1")
    make_member(project, username="ann")
    work = make_round(project)
    score_all(work, {("r1", "ann"): 2})
    rounds.lock(work, by=None, now=NOW)
    answer = browser_of(lead).post(
        page(form, "consensus_take"), {"take-scored": work.pk, "take-kind": "exam", "take-least": 1}
    )
    assert "1 item was taken." in answer.content.decode()
    refusal = browser_of(lead).post(page(form, "consensus_take"), {"take-scored": 0, "take-kind": "exam"})
    assert refusal.status_code == 422


def test_a_bad_item_is_refused_by_the_service_that_the_page_shows(form, instructor, browser_of):
    item = add(form)
    answer = browser_of(instructor).post(
        page(form, "consensus_item", item.pk), {"kind": "exam", "value": "2", "split_0": "3", "do": "save"}
    )
    assert answer.status_code == 422
    assert "No expert gave the consensus score." in answer.content.decode()
