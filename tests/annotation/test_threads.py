"""Threads and rulings: to whom they are open, under which names, and what is kept."""

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Comment, Membership, Round, Ruling
from annotation.queries import raters, rulings
from annotation.queries import threads as queries
from annotation.services import threads, training
from tests.courses import lock, make_course, make_trainee
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round, score_all

pytestmark = pytest.mark.django_db
BODY = "MARKER-POST: is ¶2 not enough for a 3?"


@pytest.fixture
def held(project):
    return make_trainee(project, "tina")


@pytest.fixture
def teacher(project):
    return make_member(project, "instructor", "ines")


@pytest.fixture
def work(project):
    return make_course(project)


@pytest.fixture
def place(held, work):
    """An item that the trainee has locked, as (round, response)."""
    return work, lock(held, 1).assignment.response


def say(place, person, body=BODY, **about):
    return threads.post(*place, by=person.user, body=body, now=NOW, **about)


def thread(place, person, *, pseudonyms=False):
    return queries.thread(*place, reader=person.user, pseudonyms=pseudonyms)


# --- To whom it is open --------------------------------------------------------------------------


def test_it_opens_with_ones_own_lock_and_not_before(project, held, place):
    other = make_trainee(project, "otto")
    say(place, held.annotator)
    for refused in (lambda: say(place, other.annotator), lambda: thread(place, other.annotator)):
        with pytest.raises(NotAllowed) as error:
            refused()
        assert error.value.code == "not_locked"
    lock(other, 2)
    assert [post.is_own for post in thread(place, other.annotator).posts] == [False]
    say(place, other.annotator, "I think so too.")
    assert Comment.objects.count() == 2


def test_leads_and_instructors_take_part_and_nobody_else(project, held, place, lead, teacher):
    say(place, held.annotator)
    for number, person in enumerate((lead, teacher), start=1):
        assert len(thread(place, person).posts) == number
        say(place, person, f"An answer by {person.role}.")
    adjudicator = make_member(project, "adjudicator", "ada")
    outsider = make_member(make_project("elsewhere"), "lead", "olaf")
    for person in (adjudicator, outsider):
        with pytest.raises(NotAllowed):
            thread(place, person)
        with pytest.raises(NotAllowed):
            say(place, person)


def test_an_instructor_who_annotates_as_well_is_as_blind_as_annotators(project, place, teacher):
    Membership.objects.create(
        project=project, user=teacher.user, role="annotator", pseudonym="annotator-99", joined_at=NOW
    )
    with pytest.raises(NotAllowed):
        thread(place, teacher)


def test_whoever_has_left_reads_nothing_more(held, place):
    say(place, held.annotator)
    Membership.objects.filter(pk=held.annotator_id).update(state="left")
    with pytest.raises(NotAllowed):
        thread(place, held.annotator)


@pytest.mark.parametrize("purpose", ["live", "exam", "gold", "repeat"])
def test_other_rounds_have_no_threads(place, held, lead, purpose):
    Round.objects.filter(pk=place[0].pk).update(purpose=purpose)
    place[0].refresh_from_db()
    for person in (held.annotator, lead):
        with pytest.raises(NotAllowed):
            say(place, person)


@pytest.fixture
def calibration(project):
    """A round in which two annotators have scored a text and a third has not."""
    response = make_response(make_prompt(project))
    for name in ("ann", "ben", "cat"):
        make_member(project, "annotator", name)
    work = make_round(project)
    score_all(work, {(response.external_id, "ann"): 1, (response.external_id, "ben"): 3})
    Round.objects.filter(pk=work.pk).update(purpose="calibration")
    work.refresh_from_db()
    return work, response


def close(work):
    Round.objects.filter(pk=work.pk).update(state="locked", locked_at=NOW)
    work.refresh_from_db()


def test_in_a_calibration_it_opens_at_the_close(project, calibration):
    ann, cat = (project.memberships.get(user__username=name) for name in ("ann", "cat"))
    with pytest.raises(NotAllowed):
        thread(calibration, ann)
    close(calibration[0])
    say(calibration, ann)
    with pytest.raises(NotAllowed):
        thread(calibration, cat)  # who scored nothing there


def test_in_a_calibration_nobody_is_named(project, calibration, lead):
    lead.user.first_name = "Leandra"
    lead.user.save(update_fields=["first_name"])
    ann, ben = (project.memberships.get(user__username=name) for name in ("ann", "ben"))
    close(calibration[0])
    say(calibration, ann)
    comment = say(calibration, lead, "It is a 2.")
    threads.rule(comment, by=lead.user, now=NOW)
    first, second = thread(calibration, ben, pseudonyms=True).posts
    assert first.author in ("Rater A", "Rater B")
    assert (second.author, second.role, second.ruled_by) == ("Lead", "", "Lead")
    names = raters.raters(calibration[0])
    assert len(set(names.values())) == 2
    assert names == raters.raters(calibration[0])
    assert not set(names.values()) & {ann.pseudonym, ben.pseudonym}


# --- What is kept --------------------------------------------------------------------------------


def test_sent_twice_it_is_one_post(held, place):
    assert say(place, held.annotator) == say(place, held.annotator)
    say(place, held.annotator, "Something else.")
    say(place, held.annotator)
    assert Comment.objects.count() == 3


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"body": "  \n "}, "nothing_written"),
        ({"body": "x" * 5001}, "too_long"),
        ({"paragraph": 3}, "no_such_paragraph"),
        ({"paragraph": 0}, "no_such_paragraph"),
        ({"criterion": "nothing"}, "unknown_criterion"),
    ],
)
def test_what_makes_no_sense_is_refused(held, place, sent, code):
    with pytest.raises(Invalid) as refused:
        say(place, held.annotator, **sent)
    assert refused.value.code == code
    assert not Comment.objects.exists()


def test_a_post_says_which_paragraph_and_criterion_it_is_about(held, place):
    say(place, held.annotator, paragraph=2, criterion="voice")
    (post,) = thread(place, held.annotator).posts
    assert (post.paragraph, post.criterion) == (2, "en voice 0")
    assert [(piece.text, piece.paragraph) for piece in post.lines[0]][1] == ("¶2", 2)


def test_posts_and_rulings_are_never_changed_or_removed(held, place, teacher):
    comment = say(place, held.annotator)
    threads.rule(comment, by=teacher.user, now=NOW)
    for change in (
        lambda: Comment.objects.update(body="Other"),
        lambda: Comment.objects.all().delete(),
        lambda: Ruling.objects.update(at=NOW),
        lambda: Ruling.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


# --- Rulings -------------------------------------------------------------------------------------


def test_only_those_who_teach_make_a_ruling_and_twice_is_once(project, held, place, lead, teacher):
    comment = say(place, held.annotator)
    adjudicator = make_member(project, "adjudicator", "ada")
    for person in (held.annotator, adjudicator):
        with pytest.raises(DomainError) as refused:
            threads.rule(comment, by=person.user, now=NOW)
        assert refused.value.code == "not_an_instructor"
    first = threads.rule(comment, by=teacher.user, now=NOW)
    assert threads.rule(comment, by=lead.user, now=NOW) == first
    assert thread(place, held.annotator).posts[0].ruled_by == "ines"


def test_a_trainee_cannot_make_a_ruling_by_the_page(held, place, work, browser_of):
    comment = say(place, held.annotator)
    token = held.annotator.leases.get().token
    client, page = browser_of(held.annotator), reverse("consensus_thread", args=[token])
    assert client.post(page, {"rule": comment.pk}).status_code == 403
    assert "Make this a ruling" not in client.get(reverse("consensus", args=[token])).content.decode()
    assert not Ruling.objects.exists()


def test_an_instructor_makes_one_by_the_page(project, held, place, teacher, browser_of):
    comment = say(place, held.annotator)
    item = place[0].consensus_items.get(response=place[1])
    page = reverse("course_item", args=[project.slug, item.pk])
    client = browser_of(teacher)
    assert "Make this a ruling" in client.get(page).content.decode()
    for number in (str(comment.pk + 999), "x", "9" * 30):
        assert client.post(page, {"rule": number}).status_code == 404
    assert client.post(page, {"rule": comment.pk}).status_code == 302
    assert Ruling.objects.get().by == teacher.user
    shown = client.get(page).content.decode()
    assert "Make this a ruling" not in shown
    assert "Made a ruling by ines" in shown


def test_a_post_of_another_thread_is_not_ruled_from_here(project, held, place, teacher, browser_of):
    comment = say(place, held.annotator)
    other = place[0].consensus_items.exclude(response=place[1]).first()
    page = reverse("course_item", args=[project.slug, other.pk])
    assert browser_of(teacher).post(page, {"rule": comment.pk}).status_code == 404
    assert not Ruling.objects.exists()


def test_rulings_are_on_the_rubric_page_and_for_trainees_after_their_lock(
    project, held, place, lead, teacher, browser_of
):
    threads.rule(say(place, held.annotator), by=teacher.user, now=NOW)
    other = make_trainee(project, "otto")
    training.begin(other, now=NOW)
    rubric = browser_of(lead).get(reverse("rubric", args=[project.slug])).content.decode()
    assert "MARKER-POST" in rubric
    guideline = reverse("guideline", args=[project.slug])
    assert "MARKER-POST" in browser_of(held.annotator).get(guideline).content.decode()
    assert "MARKER-POST" not in browser_of(other.annotator).get(guideline).content.decode()
    lock(other, 1)
    assert "MARKER-POST" in browser_of(other.annotator).get(guideline).content.decode()
    assert rulings.of_annotator(project, lead.user, reader="en") == []


# --- Pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "htmx"])
def test_before_the_lock_nothing_is_posted(held, work, browser_of, headers):
    lease = training.next_item(held, now=NOW)
    page = reverse("consensus_thread", args=[lease.token])
    assert browser_of(held.annotator).post(page, {"body": "Early"}, headers=headers).status_code == 403
    assert not Comment.objects.exists()


def test_a_refused_post_comes_back_as_it_was_written(held, place, browser_of):
    token = held.annotator.leases.get().token
    page = reverse("consensus_thread", args=[token])
    answer = browser_of(held.annotator).post(page, {"body": "Kept words", "paragraph": "9"})
    assert answer.status_code == 422
    shown = answer.content.decode()
    assert "Kept words" in shown
    assert "no such paragraph" in shown
    assert not Comment.objects.exists()


def test_posts_show_names_in_training_and_are_escaped(held, place, teacher, browser_of):
    say(place, teacher, "<b>bold</b>")
    token = held.annotator.leases.get().token
    shown = browser_of(held.annotator).get(reverse("consensus", args=[token])).content.decode()
    assert "&lt;b&gt;bold&lt;/b&gt;" in shown
    assert "ines" in shown
    assert "Instructor" in shown


# --- Messages ------------------------------------------------------------------------------------


def test_the_last_word_of_another_is_a_message_to_those_who_take_part(
    project, held, place, teacher, browser_of
):
    other = make_trainee(project, "otto")
    say(place, held.annotator)
    assert queries.recent(held.annotator.user) == []
    assert [each.author for each in queries.recent(teacher.user)] == ["tina"]
    assert queries.recent(other.annotator.user) == []
    say(place, teacher, "MARKER-ANSWER")
    assert [each.beginning for each in queries.recent(held.annotator.user)] == ["MARKER-ANSWER"]
    assert queries.recent(teacher.user) == []
    lock(other, 1)
    assert queries.recent(other.annotator.user) == []  # they never wrote there
    assert "MARKER-ANSWER" in browser_of(held.annotator).get("/").content.decode()
    assert "MARKER-ANSWER" not in browser_of(other.annotator).get("/").content.decode()
