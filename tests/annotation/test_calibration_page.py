"""Pages of calibrations: who may open which, what is seen before and after the close, and what is refused."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from annotation.models import CalibrationResult, Comment, Qualification, Round
from annotation.queries.calibration_results import two_decimals
from annotation.services import assignments, calibration, threads
from tests.calibrations import begun, close, drafted, make_texts, score_texts, stage_of, take_part
from tests.factories import NOW, make_member, make_project

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
LED = ("calibration_open", "calibration_delete", "calibration_add", "calibration_second", "calibration_pass")


@pytest.fixture
def people(project):
    return take_part(project, "ann", "ben", "cat")


@pytest.fixture
def texts(project):
    return make_texts(project)


@pytest.fixture
def instructor(project):
    return make_member(project, "instructor", "ida")


@pytest.fixture
def work(project, people, texts, lead):
    return begun(project, people, texts, by=lead.user)


@pytest.fixture
def closed(work, people, lead):
    """Ann gave 0 throughout, Ben 1, Cat 3."""
    values = {"ann": 0, "ben": 1, "cat": 3}
    score_texts(work, people, lambda member, _response: values[member.user.username])
    close(work, by=lead.user)
    return work


def own(project, *rest: object, name: str = "calibration") -> str:
    return reverse(name, args=[project.slug, "en", *rest])


def seen(response) -> str:
    return response.content.decode() + str(response.headers) + str(response.cookies)


def written_by(name: str) -> str:
    """What marks a reason that score_texts wrote."""
    return f"Reason of {name}"


# --- Doors ---------------------------------------------------------------------------------------


def test_a_lead_and_an_instructor_read_and_others_do_not(
    work, project, people, lead, instructor, stranger, browser_of
):
    outsider = make_member(make_project(), "lead", "leo")
    adjudicator = make_member(project, "adjudicator", "ada")
    pages = [
        reverse("calibrations", args=[project.slug]),
        reverse("calibration_round", args=[project.slug, work.pk]),
    ]
    statuses = {lead: 200, instructor: 200, people[0]: 403, adjudicator: 403, stranger: 404, outsider: 404}
    for page in pages:
        for person, status in statuses.items():
            assert browser_of(person).get(page).status_code == status, (page, person)


@pytest.mark.parametrize("headers", [{}, HTMX])
@pytest.mark.parametrize("name", [*LED, "calibration_close"])
def test_nobody_but_a_lead_acts(work, project, people, instructor, stranger, browser_of, name, headers):
    outsider = make_member(make_project(), "lead", "leo")
    page = reverse(name, args=[project.slug, work.pk])
    for person, status in {instructor: 403, people[0]: 403, stranger: 404, outsider: 404}.items():
        assert browser_of(person).post(page, {"reason": "x"}, headers=headers).status_code == status
    work.refresh_from_db()
    assert work.state == "open"


def test_a_round_of_another_project_or_purpose_does_not_exist(work, project, lead, browser_of):
    other = make_project()
    other_lead = make_member(other, "lead", "leo")
    live = Round.objects.create(project=project, name="Live", rubric=project.rubrics.get(), created_at=NOW)
    for name in ("calibration_round", *LED, "calibration_close"):
        for slug, pk, person in ((other.slug, work.pk, other_lead), (project.slug, live.pk, lead)):
            response = browser_of(person).post(reverse(name, args=[slug, pk]))
            assert response.status_code in (404, 405)
            assert browser_of(person).get(reverse(name, args=[slug, pk])).status_code in (302, 404)
    work.refresh_from_db()
    assert work.state == "open"


def test_an_annotator_opens_their_own_page_and_nobody_else_does(
    work, project, people, lead, instructor, stranger, browser_of
):
    assert browser_of(people[0]).get(own(project)).status_code == 200
    for person in (lead, instructor, stranger, make_member(make_project(), "annotator", "olga")):
        assert browser_of(person).get(own(project)).status_code == 404
    assert browser_of(people[0]).get(reverse("calibration", args=[project.slug, "zh"])).status_code == 404
    assert browser_of(people[0]).get(own(project, 2, name="calibration_number")).status_code == 404


def test_whoever_does_not_take_part_learns_nothing_of_a_closed_round(closed, project, browser_of):
    dan = take_part(project, "dan")[0]
    response = browser_of(dan).get(own(project))
    assert response.status_code == 200
    assert closed.name not in seen(response)
    assert browser_of(dan).get(own(project, 1, 1, name="calibration_own_text")).status_code == 404


# --- Before the close ----------------------------------------------------------------------------


def test_before_the_close_counts_are_all_that_anybody_sees(
    work, project, people, lead, instructor, browser_of
):
    ann, ben, cat = people
    score_texts(work, [ben, cat], lambda *_: 3)
    lease = assignments.claim(ann, work, now=NOW)
    pages = {
        ann: [own(project), own(project, 1, name="calibration_number"), reverse("score", args=[lease.token])],
        lead: [
            reverse("calibrations", args=[project.slug]),
            reverse("calibration_round", args=[project.slug, work.pk]),
            reverse("journal", args=[project.slug]),
        ],
        instructor: [reverse("calibration_round", args=[project.slug, work.pk])],
    }
    for person, addresses in pages.items():
        for address in addresses:
            for headers in ({}, HTMX):
                response = browser_of(person).get(address, headers=headers)
                assert response.status_code == 200, address
                for name in ("ben", "cat"):
                    assert written_by(name) not in seen(response), address
                assert "dots" not in seen(response)
    assert "2 of 3 have submitted" in seen(browser_of(ann).get(own(project)))
    assert "2 of 3 have submitted" in seen(
        browser_of(lead).get(reverse("calibration_round", args=[project.slug, work.pk]))
    )


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_before_the_close_no_text_and_no_thread_is_opened(
    work, project, people, texts, lead, browser_of, headers
):
    score_texts(work, people, lambda *_: 3)
    threads.post(work, texts[0], by=lead.user, body="MARKER-POST", now=NOW)
    ann = browser_of(people[0])
    for place in range(4):
        page = own(project, 1, place, name="calibration_own_text")
        for response in (ann.get(page, headers=headers), ann.post(page, {"body": "hello"}, headers=headers)):
            assert response.status_code == 404
            assert "MARKER-POST" not in seen(response)
            assert written_by("ben") not in seen(response)
    assert (
        browser_of(lead).get(reverse("calibration_text", args=[project.slug, work.pk, 1])).status_code == 404
    )
    assert Comment.objects.count() == 1


def test_an_annotators_page_carries_no_id_of_the_material_and_no_name(
    closed, project, people, texts, browser_of
):
    ann = browser_of(people[0])
    for page in (own(project), own(project, 1, 1, name="calibration_own_text")):
        said = seen(ann.get(page))
        for name in ("ben", "cat", people[1].pseudonym, people[2].pseudonym):
            assert not re.search(rf"\b{name}\b", re.sub(r"Reason of \w+ for \d+ in \d+", "", said))
        for text in texts:
            assert text.external_id not in said
            assert text.source_model not in said


# --- Scoring -------------------------------------------------------------------------------------


def test_the_last_text_leads_back_to_the_calibration(work, project, people, browser_of):
    client = browser_of(people[0])
    page = client.post(reverse("next_text", args=[work.token])).url
    for _ in range(3):
        page = client.post(page, {"value": "1", "justification": "x"}).url
    assert page == reverse("finished", args=[work.token])
    assert client.get(page).url == own(project)
    assert "You are done" in seen(client.get(own(project)))


def test_a_score_after_the_close_is_refused_and_its_text_kept_on_the_page(work, people, lead, browser_of):
    lease = assignments.claim(people[0], work, now=NOW)
    close(work, reason="enough", by=lead.user)
    for headers in ({}, HTMX):
        response = browser_of(people[0]).post(
            reverse("score", args=[lease.token]),
            {"value": "1", "justification": "What I wrote late."},
            headers=headers,
        )
        assert response.status_code == 423
        assert "What I wrote late." in seen(response)
    assert not work.scores.exists()


def test_a_second_round_shows_ones_own_first_score_and_nobody_elses(closed, people, lead, browser_of):
    second = calibration.second_round(closed, by=lead.user, now=NOW)
    ben = people[1]
    score_texts(second, [people[2]], lambda *_: 2)
    lease = assignments.claim(ben, second, now=NOW)
    page = reverse("score", args=[lease.token])
    said = seen(browser_of(ben).get(page))
    assert "You gave <b>1</b>" in said
    assert written_by("ben") in said
    assert written_by("ann") not in said
    assert written_by("cat") not in said
    refused = browser_of(ben).post(page, {"value": "2", "justification": " "})
    assert refused.status_code == 422
    assert "You gave <b>1</b>" in seen(refused)
    assert browser_of(ben).post(page, {"value": "2", "justification": "Changed."}).status_code == 302


def test_before_the_second_close_nothing_of_the_second_round_is_seen(
    closed, project, people, lead, browser_of
):
    second = calibration.second_round(closed, by=lead.user, now=NOW)
    score_texts(second, people[1:], lambda *_: 2)
    marker = f"in {second.pk}."
    pages = {
        people[0]: [own(project), *(own(project, 1, n, name="calibration_own_text") for n in (1, 2, 3))],
        lead: [
            reverse("calibration_round", args=[project.slug, closed.pk]),
            reverse("calibration_round", args=[project.slug, second.pk]),
            reverse("calibration_text", args=[project.slug, second.pk, 1]),
        ],
    }
    for person, addresses in pages.items():
        for address in addresses:
            response = browser_of(person).get(address)
            assert response.status_code == 200
            assert marker not in seen(response)
            assert "Second round</td>" not in seen(response)
    close(second, reason="enough", by=lead.user)
    assert marker in seen(browser_of(people[1]).get(own(project, 1, 1, name="calibration_own_text")))


# --- After the close -----------------------------------------------------------------------------


def test_after_the_close_an_annotator_sees_the_scores_by_letters_and_the_own_ones_as_theirs(
    closed, project, people, browser_of
):
    said = seen(browser_of(people[0]).get(own(project)))
    assert "Agreement of the group: 0.50" in said
    assert "How you used the scale: 0 (never), 1 (3 times), 2 (never), 3 (never)" in said
    assert said.count('<li class="dot is-own">You</li>') == 3
    text = seen(browser_of(people[0]).get(own(project, 1, 1, name="calibration_own_text")))
    assert written_by("ben") in text
    assert len(re.findall(r"<h3>(You|Rater [ABC])</h3>", text)) == 3


def test_a_text_that_somebody_did_not_score_stays_closed_to_them(work, project, people, lead, browser_of):
    score_texts(work, people[1:], lambda *_: 1)
    score_texts(work, people[:1], lambda *_: 1, least=2)
    close(work, reason="enough", by=lead.user)
    ann = browser_of(people[0])
    statuses = [ann.get(own(project, 1, n, name="calibration_own_text")).status_code for n in (1, 2, 3)]
    assert sorted(statuses) == [200, 404, 404]


def test_people_talk_under_letters_and_a_lead_rules(closed, project, people, lead, browser_of):
    page = own(project, 1, 2, name="calibration_own_text")
    ann, ben = browser_of(people[0]), browser_of(people[1])
    for _ in range(2):
        assert ann.post(page, {"body": "I read ¶2 otherwise."}).status_code == 302
    assert Comment.objects.count() == 1
    said = seen(ben.get(page))
    assert "I read" in said
    assert re.search(r"<b>Rater [ABC]</b>", said)
    assert people[0].user.username not in re.sub(r"Reason of \w+ for", "", said)
    led = reverse("calibration_text", args=[project.slug, closed.pk, 2])
    assert browser_of(lead).post(led, {"body": "Level 2 it is."}).status_code == 302
    comment = Comment.objects.latest("pk")
    assert browser_of(lead).post(led, {"rule": str(comment.pk)}).status_code == 302
    assert "Ruling" in seen(ben.get(page))
    assert ben.post(page, {"body": " "}).status_code == 422
    assert ben.post(page, {"rule": str(Comment.objects.earliest("pk").pk)}).status_code == 403


def test_before_and_after_stand_side_by_side(closed, project, people, lead, browser_of):
    second = calibration.second_round(closed, by=lead.user, now=NOW)
    score_texts(second, people, lambda *_: 2)
    close(second, by=lead.user)
    said = seen(browser_of(people[0]).get(own(project)))
    assert said.count('<td class="round-name">First round</td>') == 3
    assert said.count('<td class="round-name">Second round</td>') == 3
    led = seen(browser_of(lead).get(reverse("calibration_round", args=[project.slug, second.pk])))
    assert "Alpha in the first round" in led
    assert "First round: 0.50" in led


def test_a_lead_sees_the_results_the_most_severe_first_and_too_few_texts_greyed(
    closed, project, lead, browser_of
):
    said = seen(browser_of(lead).get(reverse("calibration_round", args=[project.slug, closed.pk])))
    assert said.count('<tr class="few">') == 3
    assert "too few" in said
    assert "Gate: Alpha against the rest, at least 0.40." in said


def test_a_page_of_a_closed_round_measures_nothing(
    closed, project, people, lead, browser_of, django_assert_max_num_queries
):
    for person, page in (
        (lead, reverse("calibration_round", args=[project.slug, closed.pk])),
        (people[0], own(project)),
    ):
        client = browser_of(person)
        with django_assert_max_num_queries(60):
            assert client.get(page).status_code == 200
    assert CalibrationResult.objects.count() == 4


# --- A lead's forms ------------------------------------------------------------------------------


def test_a_lead_drafts_opens_and_deletes(project, people, texts, lead, browser_of):
    client = browser_of(lead)
    page = reverse("calibration_new", args=[project.slug])
    assert client.get(page).status_code == 200
    sent = {
        "language": "en",
        "texts": "30",
        "seed": "1",
        "name": "March",
        "closes_at": (NOW + timedelta(days=3650)).strftime("%Y-%m-%dT%H:%M"),
        "participants": [member.pk for member in people],
        "responses": [text.pk for text in texts],
    }
    response = client.post(page, sent)
    work = Round.objects.get(name="March")
    assert response.url == reverse("calibration_round", args=[project.slug, work.pk])
    assert client.post(page, sent).status_code == 422  # the name is taken
    assert client.get(response.url).status_code == 200
    opened = client.post(reverse("calibration_open", args=[project.slug, work.pk]))
    assert opened.status_code == 302
    assert client.post(reverse("calibration_open", args=[project.slug, work.pk])).status_code == 409
    work.refresh_from_db()
    assert work.state == "open"
    assert client.post(reverse("calibration_delete", args=[project.slug, work.pk])).status_code == 409


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"participants": []},
        {"responses": []},
        {"closes_at": "tomorrow"},
        {"closes_at": "2020-01-01T00:00"},
        {"texts": "0"},
        {"language": "xx"},
        {"participants": ["999"]},
        {"responses": ["999"]},
    ],
)
def test_a_refused_draft_comes_back_as_it_was_sent(project, people, texts, lead, browser_of, change):
    sent = {
        "language": "en",
        "texts": "30",
        "seed": "1",
        "name": "March",
        "participants": [member.pk for member in people],
        "responses": [text.pk for text in texts],
        **change,
    }
    response = browser_of(lead).post(reverse("calibration_new", args=[project.slug]), sent)
    assert response.status_code == 422
    assert not Round.objects.exists()
    if "name" not in change:
        assert 'value="March"' in seen(response)


def test_a_deadline_is_read_as_the_projects_clocks_show_it(project, people, texts, lead, browser_of):
    project.time_zone = "Asia/Shanghai"
    project.save()
    sent = {
        "language": "en",
        "texts": "30",
        "name": "March",
        "closes_at": "2090-03-31T18:00",
        "participants": [member.pk for member in people],
        "responses": [text.pk for text in texts],
    }
    browser_of(lead).post(reverse("calibration_new", args=[project.slug]), sent)
    work = Round.objects.get(name="March")
    assert work.closes_at.isoformat() == "2090-03-31T10:00:00+00:00"
    assert "31 Mar 2090, 18:00" in seen(
        browser_of(lead).get(reverse("calibration_round", args=[project.slug, work.pk]))
    )


def test_a_lead_adds_somebody_and_opens_a_second_round(closed, project, people, texts, lead, browser_of):
    client = browser_of(lead)
    dan = take_part(project, "dan")[0]
    other = begun(project, [people[0], people[1]], make_texts(project, 2), name="Other", by=lead.user)
    page = reverse("calibration_add", args=[project.slug, other.pk])
    assert client.post(page, {"participant": "x"}).status_code == 422
    assert client.post(page, {"participant": dan.pk}).status_code == 302
    assert client.post(page, {"participant": dan.pk}).status_code == 409
    second = reverse("calibration_second", args=[project.slug, closed.pk])
    assert client.post(second, {"closes_at": "2020-01-01T00:00"}).status_code == 422
    assert client.post(second).status_code == 302
    assert client.post(second).status_code == 409
    assert Round.objects.filter(follows=closed).count() == 1


def test_the_gate_by_its_buttons(closed, project, people, lead, browser_of):
    client = browser_of(lead)
    decide = reverse("calibration_decide", args=[project.slug, closed.pk, people[0].pk])
    assert client.post(decide, {"to": "training"}).status_code == 422
    assert client.post(decide, {"to": "exam", "reason": "x"}).status_code == 422
    assert client.post(decide, {"to": "training", "reason": "Too severe."}).status_code == 302
    assert client.post(decide, {"to": "training", "reason": "Too severe."}).status_code == 409
    outsider = make_member(make_project(), "annotator", "olga")
    foreign = reverse("calibration_decide", args=[project.slug, closed.pk, outsider.pk])
    assert client.post(foreign, {"to": "active", "reason": "x"}).status_code == 404
    gate = reverse("calibration_pass", args=[project.slug, closed.pk])
    assert client.post(gate).status_code == 302
    assert client.post(gate).status_code == 409
    assert [stage_of(member) for member in people] == ["training", "active", "active"]


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_an_annotator_does_not_pass_themselves(closed, project, people, browser_of, headers):
    ann = browser_of(people[0])
    decide = reverse("calibration_decide", args=[project.slug, closed.pk, people[0].pk])
    for page in (decide, reverse("calibration_pass", args=[project.slug, closed.pk])):
        assert ann.post(page, {"to": "active", "reason": "Me."}, headers=headers).status_code == 403
    assert set(Qualification.objects.values_list("stage", flat=True)) == {"calibration"}


def test_pages_without_anything_say_so(project, lead, browser_of):
    client = browser_of(lead)
    assert "No calibration yet" in seen(client.get(reverse("calibrations", args=[project.slug])))
    assert "Nobody to calibrate" in seen(client.get(reverse("calibration_new", args=[project.slug])))
    ann = take_part(project, "ann")[0]
    assert "No calibration has been opened for you yet" in seen(browser_of(ann).get(own(project)))
    Qualification.objects.filter(annotator=ann).update(stage="training")
    assert "Nothing to calibrate now" in seen(browser_of(ann).get(own(project)))


def test_a_draft_is_nothing_to_an_annotator(project, people, texts, lead, browser_of):
    work = drafted(project, people, texts, by=lead.user)
    assert work.name not in seen(browser_of(people[0]).get(own(project)))


# --- What a press comes to, and what stands beside it --------------------------------------------


def test_the_gate_says_how_many_it_moves_and_what_came_of_it(closed, project, people, lead, browser_of):
    client = browser_of(lead)
    page = reverse("calibration_round", args=[project.slug, closed.pk])
    assert "Make active those who meet the gate (3)" in seen(client.get(page))
    decide = reverse("calibration_decide", args=[project.slug, closed.pk, people[0].pk])
    said = client.post(decide, {"to": "training", "reason": "Too severe."}, follow=True)
    assert "ann stands here now: Training" in seen(said)
    said = client.post(reverse("calibration_pass", args=[project.slug, closed.pk]), follow=True)
    assert "2 annotators are active now." in seen(said)
    assert "Make active" not in seen(said)
    assert "Nobody who meets the gate still waits for it." in seen(said)


@pytest.mark.parametrize(
    "asked", ["?passed=x", "?passed=²", "?decided=999", "?decided=<b>", "?passed=99999999999"]
)
def test_a_notice_is_only_of_what_can_have_happened(closed, project, lead, browser_of, asked):
    page = reverse("calibration_round", args=[project.slug, closed.pk])
    response = browser_of(lead).get(page + asked)
    assert response.status_code == 200
    assert 'role="status"' not in seen(response)


def test_names_lead_a_lead_to_the_record_and_nobody_else(
    project, people, texts, lead, instructor, browser_of
):
    work = begun(project, people, texts, by=lead.user)
    page = reverse("calibration_round", args=[project.slug, work.pk])
    held = Qualification.objects.get(annotator=people[0])
    record = reverse("preparation_record", args=[project.slug, held.pk])
    for _ in range(2):
        assert record in seen(browser_of(lead).get(page))
        assert record not in seen(browser_of(instructor).get(page))
        if work.state == "open":
            score_texts(work, people, lambda _member, _response: 1)
            close(work, by=lead.user)
            work.refresh_from_db()


def test_a_new_calibration_marks_and_names_who_scored_its_texts(
    closed, project, people, texts, lead, browser_of
):
    dan = take_part(project, "dan")[0]
    sent = {"language": "en", "texts": "30", "seed": "1", "also_worked_on": "on"}
    page = reverse("calibration_new", args=[project.slug])
    said = seen(browser_of(lead).get(page, sent))
    assert said.count("has scored one of these texts before") == len(people)
    assert 'lang="en" translate="no">The text of number' in said
    chosen = {
        "name": "Again",
        "participants": [people[0].pk, dan.pk],
        "responses": [text.pk for text in texts],
    }
    refused = browser_of(lead).post(page, {**sent, **chosen})
    assert refused.status_code == 422
    assert "Scored before: 3 of these texts, by ann." in seen(refused)


def test_where_nothing_is_left_to_draw_the_page_says_why(closed, project, lead, browser_of):
    client, page = browser_of(lead), reverse("calibration_new", args=[project.slug])
    assert "3 of them are of rounds that are over" in seen(client.get(page))
    project.responses.update(state="removed", removed_at=NOW)
    assert "the project has none yet" in seen(client.get(page))


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "–"), (-0.194, "−0.19"), (0.5, "0.50"), (-0.001, "0.00"), (-1.0, "−1.00")]
)
def test_numbers_have_the_minus_sign_of_the_exam(value, shown):
    assert two_decimals(value) == shown
