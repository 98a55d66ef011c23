"""A trainee's way through the course: order, the first attempt, extra items, the end."""

from datetime import timedelta

import pytest
from django.urls import reverse

from annotation.domain import stages
from annotation.errors import DomainError, NotAllowed
from annotation.models import Assignment, ConsensusItem, LessonRead, Passage, Reflection, Round, Score
from annotation.queries import training as queries
from annotation.services import assignments, courses, lessons, scoring, training
from tests.courses import RATIONALE, lock, lock_all, make_course, make_trainee, standing
from tests.factories import NOW, make_member, make_project

pytestmark = pytest.mark.django_db
JUSTIFICATION = {"value": "1", "justification": "It runs on a template."}


@pytest.fixture
def held(project):
    return make_trainee(project, "tina")


@pytest.fixture
def work(project):
    return make_course(project)


def kinds(work, leases):
    kind_of = dict(work.consensus_items.values_list("response", "kind"))
    return [kind_of[lease.assignment.response_id] for lease in leases]


# --- Order and slots -----------------------------------------------------------------------------


def test_practice_comes_before_the_check_each_in_the_order_of_the_course(held, work):
    leases = lock_all(held, [2, 2, 2, 2, 2])
    assert kinds(work, leases) == ["practice"] * 3 + ["check"] * 2
    positions = dict(work.consensus_items.values_list("response", "position"))
    assert sorted(taken := [positions[lease.assignment.response_id] for lease in leases]) == taken
    assert training.next_item(held, now=NOW) is None


def test_beginning_twice_makes_the_slots_once(held, work):
    for _ in range(2):
        training.begin(held, now=NOW)
    assert work.assignments.filter(reserved_for=held.annotator).count() == 5


def test_each_trainee_has_slots_of_their_own(held, work, project):
    other = make_trainee(project, "otto")
    first, second = training.next_item(held, now=NOW), training.next_item(other, now=NOW)
    assert first.assignment.response_id == second.assignment.response_id
    assert first.assignment_id != second.assignment_id
    lock_all(held, [2] * 5)
    assert work.assignments.filter(reserved_for=other.annotator, state=Assignment.State.DONE).count() == 0


def test_two_tabs_get_the_same_item(held, work):
    assert training.next_item(held, now=NOW) == training.next_item(held, now=NOW + timedelta(minutes=1))


def test_pausing_loses_nothing(held, work):
    lock(held, 2)
    lease = training.next_item(held, now=NOW)
    again = training.next_item(held, now=NOW + timedelta(days=9))
    assert again.assignment.response_id == lease.assignment.response_id
    assert queries.progress(held).items.done == 1


@pytest.mark.parametrize("stage", ["screening", "exam", "calibration", "active", "paused", "declined"])
def test_at_no_other_stage_is_an_item_given(held, work, stage):
    standing(held.annotator, stage=stage)
    with pytest.raises(NotAllowed) as refused:
        training.next_item(held, now=NOW)
    assert refused.value.code == "not_in_training"
    assert not work.assignments.exists()


def test_the_course_of_another_language_is_not_theirs(project, work):
    stranger = make_trainee(project, "zoe", language="zh")
    with pytest.raises(DomainError) as refused:
        training.next_item(stranger, now=NOW)
    assert refused.value.code == "no_course"


def test_a_retired_course_gives_nothing_more_and_keeps_what_was_done(held, work):
    lock(held, 2)
    lease = training.next_item(held, now=NOW)
    courses.retire(work, by=None, now=NOW)
    with pytest.raises(DomainError):
        training.next_item(held, now=NOW)
    with pytest.raises(DomainError) as refused:
        scoring.submit(lease, value=2, justification="Too late.", now=NOW)
    assert refused.value.code == "round_not_open"
    assert queries.progress(held).items.done == 1


def test_other_rounds_keep_their_shuffled_order(project, annotator, work):
    """The order of a course is its own matter."""
    assert queries.order_of(work)
    live = Round(project=project, purpose="live")
    assert queries.order_of(live) == {}


# --- Mastery and extra items ---------------------------------------------------------------------


def test_whoever_is_weak_in_a_genre_gets_unseen_items_of_it_before_the_check(project, held):
    fiction, poetry = project.genres.order_by("position")
    work = make_course(project, texts={"practice": 6, "extra": 6, "check": 1}, genres=(fiction, poetry))
    genre_of = dict(work.consensus_items.values_list("response", "response__prompt__genre__key"))
    values = {"fiction": 2, "poetry": 0}  # the consensus is 2

    def score() -> str | None:
        lease = training.next_item(held, now=NOW)
        if lease is None:
            return None
        genre = genre_of[lease.assignment.response_id]
        scoring.submit(lease, value=values[genre], justification="So.", now=NOW)
        return f"{kinds(work, [lease])[0]} {genre}"

    assert [score() for _ in range(6)] == ["practice fiction", "practice poetry"] * 3
    assert [score() for _ in range(2)] == ["extra poetry"] * 2
    values["poetry"] = 2
    assert score() == "extra poetry"  # the last there is; fiction has three more, and is not weak
    assert score() == "check fiction"
    assert score() is None
    found = queries.progress(held)
    assert (found.extra.done, found.extra.total) == (3, 3)
    assert not found.is_finished
    assert not found.has_next


def test_nobody_who_masters_all_gets_extra_items(project, held):
    work = make_course(project, texts={"practice": 3, "extra": 3, "check": 1})
    assert kinds(work, lock_all(held, [2] * 4)) == ["practice"] * 3 + ["check"]


def test_the_first_attempt_counts(held, work):
    lease = lock(held, 0)
    Score.objects.create(
        round=work,
        response=lease.assignment.response,
        annotator=held.annotator,
        assignment=lease.assignment,
        rubric=work.rubric,
        revision=2,
        value=2,
        at=NOW,
        recorded_at=NOW,
    )
    assert [(row.own, row.consensus) for row in queries.progress(held).done] == [(0, 2)]
    assert queries.progress(held).overall.exact == 0


def test_only_the_genres_that_the_trainee_may_score_have_to_be_mastered(project, held):
    fiction, poetry = project.genres.order_by("position")
    make_course(project, texts={"practice": 6, "check": 2}, genres=(fiction, poetry))
    held.genres.set([fiction])
    for number in range(8):
        lock(held, 2 if number % 2 == 0 else 0)
    assert queries.progress(held).is_finished
    held.genres.clear()
    assert not queries.progress(held).is_finished


# --- The end -------------------------------------------------------------------------------------


def test_the_course_is_finished_when_all_is_done_and_mastered(held, work, project):
    lesson = lessons.write(project, language="en", genre=None, title="Scale", body="0 to 3", by=None, now=NOW)
    lessons.publish(lesson, by=None, now=NOW)
    lock_all(held, [2, 2, 2, 2])
    for _ in range(2):
        with pytest.raises(DomainError) as refused:
            training.finish(held, by=held.annotator.user, now=NOW)
        assert refused.value.code == "course_not_finished"
    lessons.read(lesson, held.annotator, now=NOW)
    with pytest.raises(DomainError):
        training.finish(held, by=held.annotator.user, now=NOW)
    lock(held, 2)
    after = training.finish(held, by=held.annotator.user, now=NOW)
    assert after.stage == stages.CALIBRATION
    assert Passage.objects.filter(qualification=held, from_stage="training").get().to_stage == "calibration"
    with pytest.raises(NotAllowed):
        training.finish(held, by=held.annotator.user, now=NOW)


def test_without_mastery_it_is_not_finished(held, work):
    lock_all(held, [0] * 5)
    with pytest.raises(DomainError) as refused:
        training.finish(held, by=held.annotator.user, now=NOW)
    assert "exact" in refused.value.message


def test_without_a_course_it_is_not_finished(held):
    with pytest.raises(DomainError):
        training.finish(held, by=held.annotator.user, now=NOW)


# --- Pages: doors --------------------------------------------------------------------------------

PAGES = ["training", "training_next", "training_finish", "training_lesson", "training_example"]


def address(name, slug, language="en"):
    args = [slug, language] + ([1] if name in ("training_lesson", "training_example") else [])
    return reverse(name, args=args)


WAYS = ({}, {"HX-Request": "true"})  # by page and by htmx


def answers(client, slug):
    """Of every page of the course, opened and sent, by page and by htmx."""
    for name in PAGES:
        for headers in WAYS:
            for method in ("get", "post"):
                yield getattr(client, method)(address(name, slug), headers=headers)


def test_the_course_is_for_its_trainee_alone(project, held, work, lead, stranger, browser_of):
    elsewhere = make_trainee(make_project("elsewhere"), "else")
    teacher = make_member(project, "instructor", "ines")
    for person in (
        lead,
        stranger,
        teacher,
        elsewhere.annotator,
        make_trainee(project, "bob", language="zh").annotator,
    ):
        for answer in answers(browser_of(person), project.slug):
            assert answer.status_code in (404, 405), person
            assert b"MARKER" not in answer.content
    assert not Assignment.objects.exists()


@pytest.mark.parametrize("stage", ["screening", "exam", "paused", "declined"])
def test_the_course_is_closed_at_other_stages(project, held, work, browser_of, stage):
    standing(held.annotator, stage=stage)
    for answer in answers(browser_of(held.annotator), project.slug):
        assert answer.status_code in (403, 405)
        assert b"MARKER" not in answer.content
    assert not Assignment.objects.exists()
    standing(held.annotator)
    assert browser_of(held.annotator).get(address("training", project.slug)).status_code == 200


def test_the_course_can_be_read_again_when_it_lies_behind(project, held, work, browser_of):
    lease = lock(held, 2)
    standing(held.annotator, stage="active")
    client = browser_of(held.annotator)
    assert client.get(address("training", project.slug)).status_code == 200
    assert client.get(reverse("consensus", args=[lease.token])).status_code == 200
    assert client.post(address("training_next", project.slug)).status_code == 403
    assert client.post(address("training_finish", project.slug)).status_code == 403


def test_another_language_of_the_project_is_no_course_of_theirs(project, held, work, browser_of):
    assert browser_of(held.annotator).get(address("training", project.slug, "zh")).status_code == 404


def test_worked_examples_show_what_is_agreed(project, held, work, browser_of):
    page = browser_of(held.annotator).get(address("training_example", project.slug)).content.decode()
    assert "MARKER-RATIONALE" in page
    assert '<a href="#p2">¶2</a>' in page
    assert 'id="p2"' in page
    assert "3 of 5 said 2" in page
    missing = reverse("training_example", args=[project.slug, "en", 2])
    assert browser_of(held.annotator).get(missing).status_code == 404


def test_lessons_are_read_one_after_the_other(project, held, work, browser_of):
    made = lessons.add_starters(project, language="en", by=None, now=NOW)
    client = browser_of(held.annotator)
    assert client.get(address("training_lesson", project.slug)).status_code == 404
    for lesson in made:
        lessons.publish(lesson, by=None, now=NOW)
    for number in (1, 2, 3):
        page = reverse("training_lesson", args=[project.slug, "en", number])
        assert made[number - 1].title in client.get(page).content.decode()
        for _ in range(2):
            assert client.post(page).status_code == 302
    assert LessonRead.objects.count() == 3
    assert all(row.is_read for row in queries.progress(held).lessons)
    lessons.change(made[0], genre=None, title="New", body="Other", version=1, by=None, now=NOW)
    assert "changed since you read it" in client.get(address("training", project.slug)).content.decode()


# --- Score, lock, see ----------------------------------------------------------------------------

SECRETS = ("MARKER-RATIONALE", "said 2", "MARKER-POST", 'class="versus"')


def locked_pages(token):
    return [reverse(name, args=[token]) for name in ("consensus", "reflection", "consensus_thread")]


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "htmx"])
def test_nothing_is_seen_before_ones_own_lock(project, held, work, browser_of, headers):
    teacher = make_member(project, "instructor", "ines")
    lease = training.next_item(held, now=NOW)
    item = work.consensus_items.get(response=lease.assignment.response)
    browser_of(teacher).post(reverse("course_item", args=[project.slug, item.pk]), {"body": "MARKER-POST"})
    client = browser_of(held.annotator)
    for page in locked_pages(lease.token):
        for data in (None, {"text": "Early", "body": "Early"}):
            answer = (
                client.get(page, headers=headers)
                if data is None
                else client.post(page, data, headers=headers)
            )
            assert answer.status_code in (403, 405)
            assert seen(answer) == []
    everywhere = [
        reverse("home"),
        address("training", project.slug),
        reverse("score", args=[lease.token]),
        reverse("flag", args=[lease.token]),
        reverse("guideline", args=[project.slug]),
        reverse("round_guideline", args=[work.token]),
        reverse("finished", args=[work.token]),
    ]
    for page in everywhere:
        answer = client.get(page, headers=headers)
        assert answer.status_code == 200, page
        assert seen(answer) == [], page
    for page in (
        reverse("course", args=[project.slug]),
        reverse("course_items", args=[project.slug, work.pk]),
        reverse("course_item", args=[project.slug, item.pk]),
    ):
        answer = client.get(page, headers=headers)
        assert answer.status_code == 403
        assert seen(answer) == []
    assert not Reflection.objects.exists()
    scoring.submit(lease, value=1, justification="Mine.", now=NOW)
    page = client.get(reverse("consensus", args=[lease.token]))
    assert len(seen(page)) == len(SECRETS)


def seen(answer):
    text = answer.content.decode() + str(answer.headers) + str(answer.cookies)
    return [secret for secret in SECRETS if secret in text]


def test_a_lease_is_nobody_elses(project, held, work, lead, stranger, browser_of):
    lease = lock(held, 2)
    for person in (lead, stranger, make_trainee(project, "otto").annotator):
        for page in locked_pages(lease.token):
            assert browser_of(person).get(page).status_code == 404
            assert browser_of(person).post(page, {"text": "x", "body": "x"}).status_code in (404, 405)
    assert not Reflection.objects.exists()


def test_texts_of_other_rounds_have_no_consensus_page(project, annotator, browser_of):
    from tests.factories import make_prompt, make_response, make_round

    make_response(make_prompt(project))
    lease = assignments.claim(annotator, make_round(project), now=NOW)
    scoring.submit(lease, value=2, justification="", now=NOW)
    for page in locked_pages(lease.token):
        assert browser_of(annotator).get(page).status_code == 404


def test_after_the_lock_the_consensus_follows(project, held, work, browser_of):
    client = browser_of(held.annotator)
    begun = client.post(address("training_next", project.slug))
    token = begun.url.split("/")[-2]
    page = reverse("score", args=[token])
    assert "Lock my score" in client.get(page).content.decode()
    assert client.post(page, JUSTIFICATION).url == reverse("consensus", args=[token])
    shown = client.get(reverse("consensus", args=[token])).content.decode()
    assert "one off" in shown
    assert "◐" in shown
    assert "MARKER-RATIONALE" in shown
    assert "en description 2" in shown
    assert "2 of 5 said 1" in shown
    assert client.get(page).url == reverse("consensus", args=[token])
    assert client.post(page, JUSTIFICATION).status_code == 302  # sent twice
    other = client.post(page, {"value": "2", "justification": "Now that I know."})
    assert other.status_code == 409
    assert Score.objects.get().value == 1


def test_the_address_of_the_round_leads_to_the_course(project, held, work, browser_of):
    """It knows nothing of extra items, so it gives no texts of a course."""
    training.begin(held, now=NOW)
    answer = browser_of(held.annotator).post(reverse("next_text", args=[work.token]))
    assert answer.url == address("training", project.slug)


@pytest.mark.parametrize(("value", "words"), [(2, "exact"), (3, "one off"), (0, "two or more off")])
def test_closeness_is_said_in_words(held, work, browser_of, value, words):
    lease = lock(held, value)
    page = browser_of(held.annotator).get(reverse("consensus", args=[lease.token])).content.decode()
    assert words in page


def test_what_one_will_do_differently_is_kept_and_shown_again(held, work, browser_of):
    lease = lock(held, 2)
    client, page = browser_of(held.annotator), reverse("reflection", args=[lease.token])
    for _ in range(2):
        assert client.post(page, {"text": "Read the ending twice."}).status_code == 302
    assert Reflection.objects.get().text == "Read the ending twice."
    assert client.post(page, {"text": "Read it thrice."}).status_code == 302
    assert "Read it thrice." in client.get(reverse("consensus", args=[lease.token])).content.decode()
    assert client.post(page, {"text": "  "}).status_code == 422
    assert Reflection.objects.count() == 2


def test_finishing_early_is_refused_by_page_htmx_and_service(project, held, work, browser_of):
    lock_all(held, [2] * 4)
    page = address("training_finish", project.slug)
    for headers in ({}, {"HX-Request": "true"}):
        answer = browser_of(held.annotator).post(page, headers=headers)
        assert answer.status_code == 409
        assert "1 item is to be scored" in answer.content.decode()
    assert (
        "Finish the course"
        not in browser_of(held.annotator).get(address("training", project.slug)).content.decode()
    )
    held.refresh_from_db()
    assert held.stage == "training"


def test_finishing_sent_twice_is_once(project, held, work, browser_of):
    lock_all(held, [2] * 5)
    client = browser_of(held.annotator)
    assert "Finish the course" in client.get(address("training", project.slug)).content.decode()
    assert client.post(address("training_finish", project.slug)).status_code == 302
    assert client.post(address("training_finish", project.slug)).status_code == 403
    assert Passage.objects.filter(qualification=held, from_stage="training").count() == 1


def test_the_rationale_of_no_item_is_empty(work):
    assert set(ConsensusItem.objects.values_list("rationale", flat=True)) == {RATIONALE}


def test_a_round_without_items_is_no_course(project, held):
    legacy = make_course(project, texts={"worked": 0}, is_open=False)
    Round.objects.filter(pk=legacy.pk).update(state="open", opened_at=NOW)
    with pytest.raises(DomainError) as refusal:
        training.begin(held, now=NOW)
    assert refusal.value.code == "no_course"
