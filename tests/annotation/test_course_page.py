"""The course as leads and instructors write it, and who may."""

import pytest
from django.urls import reverse

from annotation.domain import starter_lessons
from annotation.errors import DomainError
from annotation.models import JournalEntry, Lesson, Round
from annotation.queries import courses as queries
from annotation.services import consensus, courses, lessons, threads
from tests.courses import lock, lock_all, make_course, make_trainee
from tests.factories import NOW, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def teacher(project):
    return make_member(project, "instructor", "ines")


@pytest.fixture
def work(project):
    return make_course(project)


@pytest.fixture
def lesson(project):
    return lessons.write(
        project, language="en", genre=None, title="Scale", body="From 0 to 3", by=None, now=NOW
    )


def addresses(project, work, lesson):
    item = work.consensus_items.first()
    of_language = [
        reverse(name, args=[project.slug, "en"]) for name in ("course_starters", "new_lesson", "course_draft")
    ]
    of_round = [
        reverse(name, args=[project.slug, work.pk])
        for name in ("course_items", "open_course", "retire_course")
    ]
    return [
        reverse("course", args=[project.slug]),
        *of_language,
        *of_round,
        reverse("lesson", args=[project.slug, lesson.pk]),
        reverse("course_item", args=[project.slug, item.pk]),
    ]


def test_annotators_adjudicators_and_strangers_see_nothing_of_it(
    project, work, lesson, annotator, stranger, browser_of
):
    adjudicator = make_member(project, "adjudicator", "ada")
    outsider = make_member(make_project("elsewhere"), "lead", "olaf")
    ways = ({}, {"HX-Request": "true"})
    for person, status in ((annotator, 403), (adjudicator, 403), (stranger, 404), (outsider, 404)):
        for page in addresses(project, work, lesson):
            for headers in ways:
                for method in ("get", "post"):
                    answer = getattr(browser_of(person), method)(page, headers=headers)
                    assert answer.status_code in (status, 405), (person, page)
                    assert b"MARKER" not in answer.content
    assert Lesson.objects.count() == 1
    work.refresh_from_db()
    assert work.state == "open"


def test_an_instructor_who_annotates_as_well_sees_nothing_of_it(project, work, lesson, browser_of):
    person = make_trainee(project, "tina").annotator
    person.user.memberships.create(project=project, role="instructor", joined_at=NOW)
    for page in addresses(project, work, lesson):
        assert browser_of(person).get(page).status_code in (403, 405)


def test_leads_and_instructors_open_every_page(project, work, lesson, lead, teacher, browser_of):
    for person in (lead, teacher):
        for page in addresses(project, work, lesson):
            assert browser_of(person).get(page).status_code in (200, 405), page
    nav = reverse("rubric", args=[project.slug])
    assert nav in browser_of(lead).get(reverse("course", args=[project.slug])).content.decode()
    assert nav not in browser_of(teacher).get(reverse("course", args=[project.slug])).content.decode()
    home = browser_of(teacher).get("/").content.decode()
    assert reverse("course", args=[project.slug]) in home


def test_things_of_another_project_are_not_there(project, lead, browser_of):
    other = make_project("elsewhere")
    work = make_course(other)
    lesson = lessons.write(other, language="en", genre=None, title="T", body="B", by=None, now=NOW)
    client = browser_of(lead)
    for name, pk in (
        ("course_items", work.pk),
        ("open_course", work.pk),
        ("retire_course", work.pk),
        ("lesson", lesson.pk),
        ("course_item", work.consensus_items.first().pk),
    ):
        assert client.get(reverse(name, args=[project.slug, pk])).status_code in (404, 405)
        assert client.post(reverse(name, args=[project.slug, pk])).status_code in (404, 405)
    work.refresh_from_db()
    assert work.state == "open"


def test_items_of_an_exam_are_none_of_a_course(project, lead, browser_of):
    exam = Round.objects.create(
        project=project, name="Exam", purpose="exam", rubric=project.rubrics.get(), created_at=NOW
    )
    item = consensus.author(
        exam,
        language="en",
        genre=None,
        prompt_text="P",
        response_text="R",
        kind="exam",
        value=1,
        by=None,
        now=NOW,
    )
    assert browser_of(lead).get(reverse("course_item", args=[project.slug, item.pk])).status_code == 404
    assert browser_of(lead).get(reverse("course_items", args=[project.slug, exam.pk])).status_code == 404


def test_a_language_without_a_course_has_no_page(project, lead, browser_of):
    project.languages = ["en"]
    project.save(update_fields=["languages"])
    client = browser_of(lead)
    assert client.get(reverse("new_lesson", args=[project.slug, "en"])).status_code == 200
    for language in ("xx", "any"):
        assert client.get(reverse("new_lesson", args=[project.slug, language])).status_code == 404
        assert client.post(reverse("course_draft", args=[project.slug, language])).status_code == 404


# --- Lessons -------------------------------------------------------------------------------------


def test_the_starter_lessons_are_added_once(project, teacher, browser_of):
    page = reverse("course_starters", args=[project.slug, "any"])
    for _ in range(2):
        assert browser_of(teacher).post(page).status_code == 302
    assert list(project.lessons.values_list("state", flat=True)) == ["draft"] * 3
    assert "starter" not in browser_of(teacher).get(reverse("course", args=[project.slug])).content.decode()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_three_lessons_ship_in_each_language(language):
    shipped = starter_lessons.lessons(language)
    assert [each.key for each in shipped] == ["scale", "dimensions", "justification"]
    assert all(each.title and len(each.body) > 300 for each in shipped)


def test_a_lesson_is_written_previewed_and_published(project, teacher, browser_of):
    client, page = browser_of(teacher), reverse("new_lesson", args=[project.slug, "any"])
    sent = {
        "title": "Scale",
        "body": "# Levels\n\n**Two** is <i>usual</i>.",
        "version": "0",
        "genre": "poetry",
    }
    preview = client.post(page, {**sent, "do": "preview"})
    assert preview.status_code == 200
    assert "<strong>Two</strong> is &lt;i&gt;usual" in preview.content.decode()
    assert not Lesson.objects.exists()
    assert client.post(page, {**sent, "do": "publish"}).status_code == 302
    made = Lesson.objects.get()
    assert (made.state, made.genre.key, made.language, made.version) == ("published", "poetry", "", 1)


def test_a_change_is_a_version_and_an_outdated_one_is_refused(project, lesson, teacher, browser_of):
    client, page = browser_of(teacher), reverse("lesson", args=[project.slug, lesson.pk])
    sent = {"title": "Scale", "body": "Anew", "version": "1", "genre": "", "do": "save"}
    assert client.post(page, sent).status_code == 302
    answer = client.post(page, {**sent, "body": "By another"})
    assert answer.status_code == 409
    assert "By another" in answer.content.decode()
    lesson.refresh_from_db()
    assert (lesson.version, lesson.body) == (2, "Anew")


@pytest.mark.parametrize("lack", ["title", "body"])
def test_a_lesson_needs_title_and_text(project, teacher, browser_of, lack):
    sent = {"title": "Scale", "body": "Text", "version": "0", lack: " "}
    answer = browser_of(teacher).post(reverse("new_lesson", args=[project.slug, "any"]), sent)
    assert answer.status_code == 422
    assert not Lesson.objects.exists()


def test_lessons_change_places_and_are_retired(project, teacher, browser_of):
    first, second, third = lessons.add_starters(project, language="en", by=None, now=NOW)
    client = browser_of(teacher)

    def do(lesson, action):
        assert (
            client.post(reverse("lesson", args=[project.slug, lesson.pk]), {"do": action}).status_code == 302
        )
        return list(project.lessons.values_list("pk", flat=True))

    assert do(third, "up") == [first.pk, third.pk, second.pk]
    assert do(first, "up") == [first.pk, third.pk, second.pk]
    assert do(first, "down") == [third.pk, first.pk, second.pk]
    do(first, "publish")
    do(first, "retire")
    first.refresh_from_db()
    assert first.state == "retired"
    with pytest.raises(DomainError):
        lessons.retire(first, by=None, now=NOW)


# --- The course ----------------------------------------------------------------------------------


def test_a_draft_is_made_once_and_opened(project, teacher, browser_of):
    client = browser_of(teacher)
    for _ in range(2):
        assert client.post(reverse("course_draft", args=[project.slug, "any"])).status_code == 302
    work = queries.drafts(project).get()
    refused = client.post(reverse("open_course", args=[project.slug, work.pk]))
    assert refused.status_code == 409
    assert "no practice item" in refused.content.decode()
    for kind in ("practice", "check"):
        consensus.author(
            work,
            language="en",
            genre=None,
            prompt_text="P",
            response_text=kind,
            kind=kind,
            value=1,
            by=None,
            now=NOW,
        )
    assert (
        "have no rationale"
        in client.post(reverse("open_course", args=[project.slug, work.pk])).content.decode()
    )
    for item in work.consensus_items.all():
        consensus.change(item, kind=item.kind, value=1, split=[], rationale="So.", by=None, now=NOW)
    assert client.post(reverse("open_course", args=[project.slug, work.pk])).status_code == 302
    work.refresh_from_db()
    assert work.state == "open"
    assert JournalEntry.objects.filter(action="course.opened").count() == 1


def test_one_course_of_a_language_is_open_at_most(project, work):
    second = make_course(project, is_open=False)
    with pytest.raises(DomainError) as refused:
        courses.open_course(second, by=None, now=NOW)
    assert refused.value.code == "course_open"
    courses.open_course(make_course(project, language="zh", is_open=False), by=None, now=NOW)
    courses.retire(work, by=None, now=NOW)
    courses.open_course(second, by=None, now=NOW)
    with pytest.raises(DomainError):
        courses.open_course(second, by=None, now=NOW)


def test_items_of_an_open_course_stay_as_they_are(work):
    item = work.consensus_items.first()
    with pytest.raises(DomainError) as refused:
        consensus.change(item, kind="practice", value=0, split=[], rationale="", by=None, now=NOW)
    assert refused.value.code == "has_begun"


def test_results_are_shown_by_item(project, work, teacher, browser_of):
    first, second = make_trainee(project, "tina"), make_trainee(project, "otto")
    lease = lock(first, 2)
    lock_all(second, [0, 2])
    response = lease.assignment.response
    threads.post(work, response, by=first.annotator.user, body="Why?", now=NOW)
    line = next(each for each in queries.item_lines(work, reader="en") if each.comments)
    assert (line.attempts, line.exact, line.split, line.exact_percent) == (2, 1, (1, 0, 1, 0), 50)
    assert line.is_open_question
    page = browser_of(teacher).get(reverse("course_items", args=[project.slug, work.pk])).content.decode()
    assert "1 / 2" in page
    assert "waits for an answer" in page
    threads.post(work, response, by=teacher.user, body="Because.", now=NOW)
    line = next(each for each in queries.item_lines(work, reader="en") if each.comments)
    assert not line.is_open_question


@pytest.mark.parametrize(("exact", "attempts", "percent"), [(4, 6, 67), (1, 3, 33), (1, 8, 13), (0, 2, 0)])
def test_percents_are_rounded_half_up(exact, attempts, percent):
    line = queries.ItemLine(1, 1, "", "", "", "en", 0, attempts, exact, (0, 0, 0, 0), 0, False)
    assert line.exact_percent == percent


def test_names_of_trainees_lead_a_lead_to_the_record(project, work, lead, teacher, browser_of):
    held = make_trainee(project, "tina")
    record = reverse("preparation_record", args=[project.slug, held.pk])
    page = reverse("course", args=[project.slug])
    assert record in browser_of(lead).get(page).content.decode()
    assert record not in browser_of(teacher).get(page).content.decode()
