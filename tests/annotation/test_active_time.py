"""Active time: what a page reports is kept once, as far as the clock allows."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import ActiveTime
from annotation.queries import work_time as queries
from annotation.services import training, work_time
from tests.courses import make_course, make_trainee
from tests.factories import NOW, make_project

pytestmark = pytest.mark.django_db


def note(person, load, seconds, after, activity="training", project=None):
    work_time.note(
        person.user,
        project or person.project,
        activity=activity,
        load=load,
        seconds=seconds,
        now=NOW + timedelta(seconds=after),
    )


def kept(load):
    return ActiveTime.objects.get(load=load).seconds


def test_the_largest_report_of_a_page_is_kept(annotator):
    load = uuid4()
    for seconds, after in ((0, 0), (30, 30), (30, 31), (20, 40), (55, 60)):
        note(annotator, load, seconds, after)
    assert kept(load) == 55
    assert ActiveTime.objects.count() == 1


def test_no_more_is_kept_than_has_passed(annotator):
    load = uuid4()
    note(annotator, load, 900, 0)
    assert kept(load) == 0
    note(annotator, load, 900, 60)
    assert kept(load) == 60


def test_the_same_page_of_two_people_is_two_rows(annotator, lead):
    load = uuid4()
    for person in (annotator, lead):
        note(person, load, 0, 0)
        note(person, load, 10, 10)
    assert ActiveTime.objects.filter(load=load, seconds=10).count() == 2


def test_times_are_added_up_by_activity(annotator, project):
    for activity, seconds in (("lesson", 60), ("training", 120), ("thread", 30), ("exam", 500)):
        load = uuid4()
        note(annotator, load, 0, 0, activity)
        note(annotator, load, seconds, seconds, activity)
    spent = queries.of_person(project, annotator.user)
    assert (spent.course, spent.total) == (210, 710)
    assert queries.of_project(project)[annotator.user_id] == spent
    assert queries.of_person(make_project("elsewhere"), annotator.user).total == 0


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 min"), (119, "1 min"), (15000, "4 h 10 min")])
def test_time_is_said_in_words(seconds, words):
    assert queries.in_words(seconds) == words


# --- The address ---------------------------------------------------------------------------------


def report(where, **changes):
    return {"project": where.slug, "activity": "lesson", "load": str(uuid4()), "seconds": "0", **changes}


def test_a_report_is_taken_and_nothing_is_answered(annotator, project, browser_of):
    answer = browser_of(annotator).post(reverse("active_time"), report(project))
    assert (answer.status_code, answer.content) == (204, b"")
    found = ActiveTime.objects.get()
    assert (found.user, found.project, found.activity, found.seconds) == (
        annotator.user,
        project,
        "lesson",
        0,
    )


@pytest.mark.parametrize(
    "changes",
    [{"activity": "sleeping"}, {"load": "1"}, {"seconds": "-1"}, {"seconds": "x"}, {"project": "no slug"}],
)
def test_a_report_that_makes_no_sense_is_refused(annotator, project, browser_of, changes):
    assert browser_of(annotator).post(reverse("active_time"), report(project, **changes)).status_code == 422
    assert not ActiveTime.objects.exists()


def test_strangers_report_nothing(project, stranger, browser_of):
    assert browser_of(stranger).post(reverse("active_time"), report(project)).status_code == 404
    assert Client().post(reverse("active_time"), report(project)).status_code == 302
    assert not ActiveTime.objects.exists()


def test_a_report_without_the_csrf_token_is_refused(annotator, project):
    client = Client(enforce_csrf_checks=True)
    client.force_login(annotator.user)
    assert client.post(reverse("active_time"), report(project)).status_code == 403
    assert not ActiveTime.objects.exists()


def test_it_cannot_be_read(annotator, browser_of):
    assert browser_of(annotator).get(reverse("active_time")).status_code == 405


def test_the_trainee_sees_the_hours_and_so_do_those_who_teach(project, lead, browser_of):
    held = make_trainee(project, "tina")
    make_course(project)
    load = uuid4()
    note(held.annotator, load, 0, 0)
    note(held.annotator, load, 3900, 3900)
    page = reverse("training", args=[project.slug, "en"])
    assert "1 h 5 min" in browser_of(held.annotator).get(page).content.decode()
    assert "1 h 5 min" in browser_of(lead).get(reverse("course", args=[project.slug])).content.decode()


def test_pages_say_what_somebody_does_on_them(project, browser_of):
    held = make_trainee(project, "tina")
    make_course(project)
    lease = training.next_item(held, now=NOW)
    page = browser_of(held.annotator).get(reverse("score", args=[lease.token])).content.decode()
    assert 'data-activity="training"' in page
    assert f'data-project="{project.slug}"' in page
