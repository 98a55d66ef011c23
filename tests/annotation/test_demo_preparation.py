"""The demo's preparation as it is loaded: people at every stage, the same once more, and nothing said too early."""

import re
from collections import Counter, deque
from datetime import timedelta

import pytest
from django.apps import apps
from django.urls import reverse

from annotation.domain import shipped
from annotation.domain.shipped_preparation import preparation
from annotation.models import (
    Attempt,
    CalibrationResult,
    ConsensusItem,
    Membership,
    Preparation,
    Qualification,
    Ruling,
    Stage,
    User,
)
from annotation.queries import training
from annotation.services import demo, demo_people, exams
from annotation.services import demo_preparation as loading
from curation.models import Run
from curation.services import demo_preparation, recipes, runs
from tests.factories import NOW, make_member, make_user

pytestmark = pytest.mark.django_db

PAGES_EACH = 60  # that a person is followed to
HREF = re.compile(r'href="(/[^"#]*)')
PLAIN = re.compile(r"[A-Za-z ,;:.]{30,}")
NOT_FOLLOWED = re.compile(r"^/(static|accounts|api|healthz)")


@pytest.fixture
def demo_project():
    return demo.load(now=NOW)


@pytest.fixture
def prepared(demo_project):
    assert demo_preparation.prepare(demo_project, now=NOW)
    return demo_project


def stands(username):
    return Qualification.objects.get(annotator__user__username=username)


def rows():
    """How many there are of everything, and every row of what changes in place."""
    counts = {
        model.__name__: model.objects.count() for model in apps.get_app_config("annotation").get_models()
    }
    return counts, list(Qualification.objects.order_by("pk").values_list("pk", "stage", "since"))


def test_somebody_stands_at_every_stage_with_something_to_decide(prepared):
    found = Counter(prepared.qualifications.values_list("stage", flat=True))
    assert set(found) == set(Stage.values)
    invited = prepared.invitations.get(state="open")
    assert (invited.invited_by.username, invited.expires_at > NOW) == ("lead", True)
    instructor = prepared.memberships.get(role=Membership.Role.INSTRUCTOR)
    assert instructor.user.username in preparation().logins

    # Screening: one has not answered, one waits for the lead.
    assert not stands("amara").screening_answers.exists()
    assert (stands("jonas").stage, stands("jonas").screening_answers.count()) == ("screening", 1)
    # Exam: not begun, in the middle, waiting for the critiques, and to be taken again.
    assert not stands("priya").attempts.exists()
    states = {name: stands(name).attempts.get().state for name in ("luca", "hana", "oskar")}
    assert states == {"luca": "open", "hana": "finished", "oskar": "failed"}
    assert Attempt.objects.get(state="open").round.name == preparation().forms[0].name
    again = exams.start(stands("oskar"), now=NOW)
    assert (again.number, again.round.name) == (2, preparation().forms[1].name)
    # Training: in the middle with a thread and a ruling, and finished.
    assert not training.progress(stands("elif")).is_finished
    assert training.progress(stands("samuel")).is_finished
    assert stands("elif").annotator.user.comments.exists()
    assert Ruling.objects.get().by == instructor.user
    # Who was stopped knows why.
    for name in ("nadia", "victor"):
        assert stands(name).passages.order_by("-pk")[0].reason


def test_the_closed_calibration_has_somebody_on_either_side_of_the_gate(prepared):
    work = prepared.rounds.get(purpose="calibration")
    assert (work.state, work.locked_at) == ("locked", NOW - loading.CLOSED)
    results = {
        each.annotator.user.username: each.numbers["gate"]
        for each in CalibrationResult.objects.filter(annotator__isnull=False)
    }
    met = {name: gate["met"] for name, gate in results.items()}
    assert met == {"kwame": True, "ingrid": True, "mateo": False, "zoe": False}
    assert 0.3 < results["mateo"]["value"] < 0.4
    assert {stands(name).stage for name in ("ingrid", "mateo", "zoe")} == {Stage.CALIBRATION}
    assert stands("kwame").stage == Stage.ACTIVE
    assert stands("kwame").passages.order_by("-pk")[0].by.username == "lead"
    group = CalibrationResult.objects.get(annotator=None).numbers
    assert (group["n_texts"], group["n_annotators"], group["icc_texts"]) == (6, 4, 6)
    assert 0 < group["alpha"]["value"] < 1
    assert work.comments.count() == len(preparation().calibration.posts)


def test_loading_twice_changes_nothing(prepared):
    before = rows()
    assert demo_preparation.prepare(prepared, now=NOW + timedelta(days=1))
    assert rows() == before


def test_a_load_that_was_broken_off_is_taken_up_where_it_stopped(demo_project, monkeypatch):
    walk = demo_people.walk

    def breaks_off(project, person, **how):
        if person.username == "elif":
            raise KeyboardInterrupt
        walk(project, person, **how)

    monkeypatch.setattr(demo_people, "walk", breaks_off)
    with pytest.raises(KeyboardInterrupt):
        demo_preparation.prepare(demo_project, now=NOW)
    monkeypatch.undo()
    assert demo_preparation.prepare(demo_project, now=NOW)
    names = demo_project.memberships.values_list("user__username", flat=True)
    assert Counter(names).most_common(1)[0][1] == 1
    assert {person.username for person in preparation().people} < set(names)
    assert demo_project.rounds.get(purpose="calibration").state == "locked"


def test_every_moment_lies_before_the_load(prepared):
    assert prepared.journal.filter(at__gt=NOW).count() == 0
    assert not User.objects.filter(date_joined__gt=NOW, memberships__project=prepared, email__gt="").exists()


def test_every_page_of_the_way_opens_for_whom_it_is(prepared, browser_of):
    for member in prepared.memberships.filter(role=Membership.Role.ANNOTATOR):
        page = browser_of(member).get(reverse("standing", args=[prepared.slug]))
        assert page.status_code == 200, member.user.username
    lead = browser_of(prepared.memberships.get(role=Membership.Role.LEAD))
    pages = [reverse(name, args=[prepared.slug]) for name in ("preparation_people", "preparation_settings")]
    held = prepared.qualifications.values_list("pk", flat=True)
    pages += [reverse("preparation_record", args=[prepared.slug, pk]) for pk in held]
    for url in pages:
        assert lead.get(url).status_code == 200, url


def test_nobody_reads_a_rationale_before_they_have_scored(prepared, browser_of):
    """Whatever page links lead to, of one person at each stage."""
    secrets = {
        item.pk: (item, PLAIN.search(item.rationale)[0].strip()) for item in ConsensusItem.objects.all()
    }
    assert len({secret for _, secret in secrets.values()}) == len(preparation().items)
    reads = 0
    for username in (*preparation().logins[1:], "samuel", "hana"):
        member = demo_people.member(prepared, username)
        own = set(member.scores.filter(round__purpose="training").values_list("response", flat=True))
        for url, page in followed(browser_of(member)):
            for item, secret in secrets.values():
                if secret in page:
                    assert item.kind == "worked" or item.response_id in own, (username, url)
                    reads += 1
    assert reads > 0  # what they have scored, they do read


def followed(client):
    """(address, text) of the pages to which links lead a person from the home page."""
    waiting, seen = deque(["/"]), {"/"}
    for _ in range(PAGES_EACH):
        if not waiting:
            return
        url = waiting.popleft()
        response = client.get(url, follow=True)
        page = (
            response.getvalue().decode(errors="replace") if response.streaming else response.content.decode()
        )
        yield url, page
        for found in HREF.findall(page):
            if found not in seen and not NOT_FOLLOWED.match(found):
                seen.add(found)
                waiting.append(found)


def test_a_run_after_the_preparation_finds_the_same_material(demo_project):
    recipe = recipes.save(demo_project, parameters=demo.RECIPE, by=None, now=NOW)

    def run():
        made = runs.request(demo_project, recipe=recipe, by=None, now=NOW)
        runs.execute(made.pk, clock=lambda: NOW)
        return Run.objects.get(pk=made.pk)

    before = run()
    assert demo_preparation.prepare(demo_project, now=NOW)
    after = run()
    assert (after.funnel, after.snapshot_id) == (before.funnel, before.snapshot_id)
    assert before.snapshot.n_responses == len(shipped.demo_responses())


def test_a_preparation_of_the_leads_own_is_left_alone(project, lead):
    Preparation.objects.create(project=project)
    assert not demo_preparation.prepare(project, now=NOW)
    assert not project.rounds.exists()


def test_nothing_is_loaded_where_somebody_else_has_one_of_the_names(project, lead):
    make_user(preparation().people[0].username)
    assert not demo_preparation.prepare(project, now=NOW)
    assert not Preparation.objects.filter(project=project).exists()


def test_nothing_is_loaded_where_nobody_leads(project):
    make_member(project, "annotator", "ann")
    assert not demo_preparation.prepare(project, now=NOW)


def test_the_logins_are_the_people_at_work_and_one_of_each_stage(prepared, tmp_path):
    path = tmp_path / "logins.json"
    found = demo.logins(path)
    assert [login.username for login in found[:4]] == ["lead", "annotator1", "annotator2", "annotator3"]
    assert [login.username for login in found[4:]] == list(preparation().logins)
    assert set(demo.stages_of(found).values()) == set(Stage.values) - {Stage.INVITED, Stage.ACTIVE}
    assert demo.logins(path) == found


def test_people_who_came_later_get_a_login_and_the_others_keep_theirs(demo_project, tmp_path):
    path = tmp_path / "logins.json"
    before = demo.logins(path)
    demo_people.come(
        demo_project,
        preparation().instructor,
        role="instructor",
        lead=User.objects.get(username="lead"),
        now=NOW,
    )
    after = demo.logins(path)
    assert after[:4] == before
    assert [(login.role, login.username) for login in after[4:]] == [("instructor", "ruth")]
