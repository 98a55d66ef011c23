"""The pages on which prompts are written and reviewed, and who may open them."""

import json
import re

import pytest
from django.urls import reverse

from annotation.models import Genre
from authoring import tasks
from authoring.models import AuthoredPrompt, Endpoint, ModelRequest, PromptReview
from authoring.services import prompts, reviews
from tests.authoring.writing import CHANGES, TEXT, accepted, begun, handed_in, reviewed, written
from tests.factories import NOW, make_member, make_project
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(project):
    return make_member(project, "instructor", "ines")


@pytest.fixture
def ivan(project):
    return make_member(project, "instructor", "ivan")


@pytest.fixture
def authored(project, ines):
    return begun(project, ines)


@pytest.fixture
def endpoint(db):
    return Endpoint.objects.create(
        name="writer", base_url="http://127.0.0.1:1/v1", model="m", public_name="Writer", created_at=NOW
    )


@pytest.fixture
def sent(monkeypatch):
    """Plans of which a worker was told."""
    found: list[int] = []
    monkeypatch.setattr(tasks.work_on_plan, "delay_on_commit", found.append)
    return found


def at(name, authored, *more):
    return reverse(f"authored_{name}", args=[authored.project.slug, authored.key, *more])


def addresses(authored):
    listed = [reverse(f"authored_{name}", args=[authored.project.slug]) for name in ("prompts", "new")]
    names = ("prompt", "edit", "hand_in", "expansion", "expand", "take", "retire", "reopen", "link", "unlink")
    versions = [at(name, authored, 1) for name in ("version", "remark")]
    return [*listed, *(at(name, authored) for name in names), at("draft", authored, authored.pk), *versions]


def text_of(answer) -> str:
    """What stands on the page, without its marks."""
    return " ".join(re.sub(r"<[^>]+>", "", answer.content.decode()).split())


# --- Who -----------------------------------------------------------------------------------------


def test_annotators_adjudicators_and_strangers_see_nothing_of_it(
    project, authored, annotator, stranger, browser_of
):
    handed_in(authored, "MARKER of a text")
    outsider = make_member(make_project("elsewhere"), "lead", "olaf")
    adjudicator = make_member(project, "adjudicator", "ada")
    for person, status in ((annotator, 403), (adjudicator, 403), (stranger, 404), (outsider, 404)):
        for page in addresses(authored):
            for method in ("get", "post"):
                answer = getattr(browser_of(person), method)(page)
                assert answer.status_code in (status, 405), (person, page)
                assert b"MARKER" not in answer.content
    authored.refresh_from_db()
    assert authored.state == "in_review"


def test_an_instructor_who_annotates_as_well_sees_nothing_of_it(project, authored, annotator, browser_of):
    annotator.user.memberships.create(project=project, role="instructor", joined_at=NOW)
    for page in addresses(authored):
        assert browser_of(annotator).get(page).status_code in (403, 405)


def test_authors_other_instructors_and_leads_open_every_page(project, authored, ines, ivan, lead, browser_of):
    version = handed_in(authored)
    for state in ("in_review", "accepted"):
        for person in (ines, ivan, lead):
            for page in addresses(authored):
                assert browser_of(person).get(page).status_code in (200, 302, 405), page
        if state == "in_review":
            reviewed(version, ines)
            reviewed(version, ivan)


def test_a_prompt_of_another_project_is_not_there(authored, browser_of):
    other = make_project("elsewhere")
    client = browser_of(make_member(other, "lead"))
    for page in addresses(authored)[2:]:
        there = page.replace(f"/{authored.project.slug}/", f"/{other.slug}/")
        assert client.get(there).status_code in (404, 405)
        assert client.post(there).status_code in (404, 405)


def test_a_version_that_is_not_there_is_not_found(authored, ines, browser_of):
    assert browser_of(ines).get(at("version", authored, 1)).status_code == 404


# --- Beginning -----------------------------------------------------------------------------------


def test_a_blueprint_is_begun_and_leads_to_its_editor(project, ines, browser_of):
    client = browser_of(ines)
    given = {
        "key": "bridge",
        "genre": "fiction",
        "language": "en",
        "blueprint": "Somebody crosses.",
        "intended_length": "800",
    }
    answer = client.post(reverse("authored_new", args=[project.slug]), given)
    made = AuthoredPrompt.objects.get()
    assert answer.url == at("edit", made)
    assert (made.key, made.genre.key, made.intended_length, made.author) == ("bridge", "fiction", 800, ines)


def test_what_is_refused_stands_at_its_field(project, ines, authored, browser_of):
    client, page = browser_of(ines), reverse("authored_new", args=[project.slug])
    taken = client.post(page, {"key": "bridge", "language": "en", "blueprint": "B"})
    assert taken.status_code == 422
    assert "Another prompt of the project has this id" in text_of(taken)
    assert "Use small letters" in text_of(
        client.post(page, {"key": "A b", "language": "en", "blueprint": "B"})
    )
    assert AuthoredPrompt.objects.count() == 1


def test_a_parallel_prompt_takes_over_the_plan_and_not_the_language(project, ines, authored, browser_of):
    client = browser_of(ines)
    page = reverse("authored_new", args=[project.slug]) + "?parallel_to=bridge"
    shown = client.get(page).content.decode()
    assert authored.blueprint in shown
    assert '<option value="en"' not in shown
    assert 'value="bridge-zh"' in shown
    client.post(page, {"key": "bridge-zh", "language": "zh", "blueprint": "有人过桥。"})
    assert AuthoredPrompt.objects.get(key="bridge-zh").parallel_to == authored
    assert "bridge-zh" in client.get(at("prompt", authored)).content.decode()


# --- Writing -------------------------------------------------------------------------------------


def form_of(client, authored, **changed):
    page = client.get(at("edit", authored)).content.decode()
    return {name: values[-1] for name, values in sent_by(page, "editor").items()} | changed


def test_without_a_script_the_prompt_is_saved_by_its_button(authored, ines, browser_of):
    client = browser_of(ines)
    answer = client.post(
        at("edit", authored), form_of(client, authored, text="Write.\r\n\r\nNow.", title="Bridge")
    )
    assert answer.url == at("edit", authored)
    authored.refresh_from_db()
    assert (authored.text, authored.title, authored.state) == ("Write.\n\nNow.", "Bridge", "draft")
    shown = client.get(at("edit", authored)).content.decode()
    assert "<p>Write.</p>" in shown  # the preview


def test_another_instructor_may_write_too(authored, ivan, browser_of):
    client = browser_of(ivan)
    client.post(at("edit", authored), form_of(client, authored, text="Mine."))
    authored.refresh_from_db()
    assert authored.text == "Mine."


def test_a_stale_form_comes_back_with_what_stands_there_and_can_be_sent_again(authored, ines, browser_of):
    client = browser_of(ines)
    stale = form_of(client, authored, text="Mine.", title="T")
    written(authored, "Another's.", title="T")
    answer = client.post(at("edit", authored), stale)
    assert answer.status_code == 409
    shown = answer.content.decode()
    assert "Another&#x27;s." in shown
    assert "Mine." in shown
    authored.refresh_from_db()
    assert authored.text == "Another's."
    again = {name: values[-1] for name, values in sent_by(shown, "editor").items()}
    assert client.post(at("edit", authored), again).status_code == 302
    authored.refresh_from_db()
    assert authored.text == "Mine."


def test_what_was_written_meanwhile_stays_on_the_page_where_it_is_not_taken(authored, ines, browser_of):
    client = browser_of(ines)
    sent = form_of(client, authored, text="Mine, for an hour.")
    handed_in(authored)
    answer = client.post(at("edit", authored), sent)
    assert answer.status_code == 409
    assert "Mine, for an hour." in answer.content.decode()
    assert "This prompt is in review." in text_of(answer)


def test_what_is_no_length_is_said_at_its_field(authored, ines, browser_of):
    client = browser_of(ines)
    answer = client.post(at("edit", authored), form_of(client, authored, intended_length="some"))
    assert answer.status_code == 422
    assert "Write the length as a whole number" in text_of(answer)


def keep(client, authored, version, **content):
    values = {
        **dict.fromkeys(("title", "constraints", "intended_length", "genre"), ""),
        "language": "en",
        "blueprint": authored.blueprint,
        "text": "",
        **content,
    }
    body = json.dumps({"version": version, "content": values})
    return client.post(at("draft", authored, authored.pk), body, content_type="application/json")


def test_a_draft_is_kept_as_it_is_typed(authored, ines, browser_of):
    client = browser_of(ines)
    answer = keep(client, authored, 1, text="Write ", genre="poetry")
    assert answer.status_code == 200
    assert answer.json()["version"] == 2
    authored.refresh_from_db()
    assert (authored.text, authored.genre.key) == ("Write ", "poetry")


def test_a_stale_draft_is_answered_with_what_stands_there(authored, ines, browser_of):
    client = browser_of(ines)
    keep(client, authored, 1, text="First.")
    answer = keep(client, authored, 1, text="Second.")
    assert answer.status_code == 409
    told = answer.json()
    assert (told["version"], told["content"]["text"]) == (2, "First.")
    assert set(told["content"]) == {
        *("title", "genre", "language", "blueprint", "constraints", "intended_length", "text"),
    }
    assert keep(client, authored, 1, text="First.").status_code == 200  # whose answer was lost


def test_a_draft_that_cannot_be_kept_yet_does_not_end_the_writing(authored, ines, browser_of):
    answer = keep(browser_of(ines), authored, 1, intended_length="8oo", text="Write.")
    assert answer.status_code == 413
    assert "whole number" in answer.json()["message"]
    authored.refresh_from_db()
    assert authored.text == ""


def test_a_draft_of_what_is_in_review_is_refused(authored, ines, browser_of):
    handed_in(authored)
    answer = keep(browser_of(ines), authored, 9, text="Later.")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_open")


def test_what_is_in_review_has_no_editor(authored, ines, browser_of):
    handed_in(authored)
    for name in ("edit", "hand_in"):
        assert browser_of(ines).get(at(name, authored)).url == at("prompt", authored)


# --- Handing in ----------------------------------------------------------------------------------


def test_saving_leads_on_to_handing_in(authored, ines, browser_of):
    client = browser_of(ines)
    answer = client.post(at("edit", authored), form_of(client, authored, text=TEXT, title="B", do="hand_in"))
    assert answer.url == at("hand_in", authored)
    authored.refresh_from_db()
    answer = client.post(at("hand_in", authored), {"note": "First.", "after": authored.edits})
    assert answer.url == at("prompt", authored)
    assert authored.versions.get().note == "First."
    shown = text_of(client.get(at("prompt", authored)))
    assert "It waits for your review" in shown
    assert "0 of 2 reviews given" in shown


def test_what_is_incomplete_or_stale_is_not_handed_in(authored, ines, browser_of):
    client = browser_of(ines)
    answer = client.post(at("hand_in", authored), {"after": 1})
    assert answer.status_code == 422
    assert "Give the prompt a title." in text_of(answer)
    written(authored)
    assert "Somebody else has changed the prompt" in text_of(
        client.post(at("hand_in", authored), {"after": 1})
    )
    assert not authored.versions.exists()


def test_the_second_version_is_shown_beside_the_first(authored, ines, ivan, browser_of):
    version = handed_in(authored)
    reviewed(version, ines, CHANGES)
    reviewed(version, ivan, CHANGES)
    written(authored, TEXT.replace("twice", "thrice"))
    for page in (at("hand_in", authored),):
        shown = browser_of(ines).get(page).content.decode()
        assert "<ins>thrice</ins>" in shown
        assert "<del>twice</del>" in shown


# --- Reviews -------------------------------------------------------------------------------------

ALL_THREE = {"creative_intent": "on", "difficulty": "on", "granularity": "on"}


def test_what_the_other_says_is_hidden_until_ones_own_is_given(authored, ines, ivan, browser_of):
    version = handed_in(authored)
    reviewed(version, ines, {**CHANGES, "reason": "MARKER reason"})
    reviews.comment(version, field="text", text="MARKER remark", author=ines, now=NOW)
    client = browser_of(ivan)
    for page in (at("version", authored, 1), at("prompt", authored)):
        shown = client.get(page).content.decode()
        assert "MARKER" not in shown
        assert "1 review is given" in shown
    answer = client.post(at("version", authored, 1), {"verdict": "accept", **ALL_THREE})
    assert answer.url == at("version", authored, 1)
    for page in (at("version", authored, 1), at("prompt", authored)):
        assert "MARKER reason" in client.get(page).content.decode()
    assert "MARKER remark" in client.get(at("version", authored, 1)).content.decode()


def test_ones_own_remarks_are_never_hidden(authored, ines, browser_of):
    handed_in(authored)
    client = browser_of(ines)
    answer = client.post(at("remark", authored, 1), {"field": "title", "text": "Which bridge?"})
    assert answer.url == at("version", authored, 1) + "#field-title"
    assert "Which bridge?" in client.get(at("version", authored, 1)).content.decode()
    assert client.post(at("remark", authored, 1), {"field": "title", "text": ""}).status_code == 422


def test_two_people_accept_it_on_their_own_pages(project, authored, ines, ivan, browser_of):
    handed_in(authored)
    for person in (ines, ivan):
        client = browser_of(person)
        assert "Your review" in client.get(at("version", authored, 1)).content.decode()
        client.post(at("version", authored, 1), {"verdict": "accept", **ALL_THREE})
        assert "Ask for changes</button>" not in client.get(at("version", authored, 1)).content.decode()
    authored.refresh_from_db()
    assert authored.state == "accepted"
    assert [each.reviewer for each in PromptReview.objects.order_by("pk")] == [ines, ivan]
    assert project.prompts.get().external_id == "bridge"
    shown = text_of(browser_of(ines).get(at("prompt", authored)))
    assert "Version 1 is in the material as bridge" in shown


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"verdict": "accept", "difficulty": "on"}, "A version is accepted with all three ticked"),
        ({"verdict": "changes", "reason": " "}, "Write what should change"),
        ({}, "Accept the version, or ask for changes"),
    ],
)
def test_a_review_that_says_too_little_comes_back(authored, ines, browser_of, given, says):
    handed_in(authored)
    answer = browser_of(ines).post(at("version", authored, 1), given)
    assert answer.status_code == 422
    assert says in text_of(answer)
    assert not PromptReview.objects.exists()


def test_a_third_finds_the_version_settled(authored, ines, ivan, lead, browser_of):
    accepted(authored, ines, ivan)
    client = browser_of(lead)
    assert "Your review" not in client.get(at("version", authored, 1)).content.decode()
    answer = client.post(at("version", authored, 1), {"verdict": "accept", **ALL_THREE})
    assert answer.status_code == 409


def test_changes_that_are_asked_for_stand_above_the_editor(authored, ines, ivan, browser_of):
    version = handed_in(authored)
    reviewed(version, ines)
    reviewed(version, ivan, CHANGES)
    shown = text_of(browser_of(ines).get(at("edit", authored)))
    assert "Too easy." in shown
    assert "Asked for changes" in shown


# --- The prompt as a whole -----------------------------------------------------------------------


def test_a_prompt_is_retired_with_a_reason_and_taken_up_again(authored, ines, browser_of):
    client = browser_of(ines)
    assert client.post(at("retire", authored), {"reason": ""}).status_code == 422
    client.post(at("retire", authored), {"reason": "Too near to another."})
    assert "Too near to another." in text_of(client.get(at("prompt", authored)))
    assert client.post(at("reopen", authored)).url == at("edit", authored)
    authored.refresh_from_db()
    assert authored.state == "blueprint"


def test_prompts_are_linked_and_unlinked(project, authored, ines, browser_of):
    chinese = begun(project, ines, "bridge-zh", language="zh")
    client = browser_of(ines)
    client.post(at("link", authored), {"other": "bridge-zh"})
    assert "bridge-zh" in client.get(at("prompt", authored)).content.decode()
    authored.refresh_from_db()
    assert authored.parallel_to == chinese
    client.post(at("unlink", authored))
    authored.refresh_from_db()
    assert authored.parallel_to is None
    assert client.post(at("link", authored), {"other": "nothing"}).status_code == 404


# --- The list ------------------------------------------------------------------------------------


def lines(answer) -> set[str]:
    return set(re.findall(r"/prompts/([^/]+)/\">", answer.content.decode())) - {"new"}


def test_the_list_is_filtered_by_state_genre_and_language(project, ines, ivan, lead, browser_of):
    fiction, poetry = project.genres.order_by("position")
    ballad = Genre.objects.create(project=project, parent=poetry, key="ballad", name_en="Ballad", position=0)
    begun(project, ines, "one", genre=fiction)
    begun(project, ines, "two", genre=ballad, language="zh")
    handed_in(begun(project, ines, "three", genre=poetry))
    accepted(begun(project, ines, "four", genre=fiction), ines, ivan)
    client, page = browser_of(ines), reverse("authored_prompts", args=[project.slug])
    assert lines(client.get(page)) == {"one", "two", "three", "four"}
    for query, found in (
        ("state=blueprint", {"one", "two"}),
        ("state=mine", {"three"}),
        ("genre=poetry", {"two", "three"}),
        ("genre=ballad", {"two"}),
        ("language=zh", {"two"}),
        ("state=accepted&genre=fiction", {"four"}),
        ("state=nonsense&genre=none", {"one", "two", "three", "four"}),
    ):
        assert lines(client.get(f"{page}?{query}")) == found, query
    assert "1 prompt waits for your review" in text_of(client.get(page))
    reviewed(AuthoredPrompt.objects.get(key="three").versions.get(), ines)
    assert lines(client.get(f"{page}?state=mine")) == set()
    assert lines(browser_of(lead).get(f"{page}?state=mine")) == {"three"}


def test_what_is_missing_of_each_genre_and_language_is_reckoned(project, ines, ivan, browser_of):
    fiction = project.genres.get(key="fiction")
    accepted(begun(project, ines, "one", genre=fiction), ines, ivan)
    begun(project, ines, "two", genre=fiction)
    retired = begun(project, ines, "three", genre=fiction)
    prompts.retire(retired, reason="R", by=None, now=NOW)
    page = reverse("authored_prompts", args=[project.slug])
    shown = browser_of(ines).get(f"{page}?target=3").content.decode()
    row = re.search(r"<tr>\s*<th scope=\"row\"><a href=\"\?genre=fiction.*?</tr>", shown, re.DOTALL)[0]
    assert re.findall(r"<td[^>]*>(\d+)</td>", row) == ["1", "1", "2", "0", "0", "3"]
    assert "11 accepted prompts are missing" in shown  # of 3 x 2 genres x 2 languages


def test_an_accepted_prompt_that_is_taken_up_again_still_counts(project, ines, ivan, browser_of):
    authored = begun(project, ines)
    accepted(authored, ines, ivan)
    prompts.reopen(authored, by=None, now=NOW)
    shown = browser_of(ines).get(reverse("authored_prompts", args=[project.slug]) + "?target=1")
    assert "3 accepted prompts are missing" in shown.content.decode()


@pytest.mark.parametrize("target", ["-1", "x", "99999999999999", "²"])
def test_a_target_that_is_none_is_left_out(project, ines, browser_of, target):
    page = reverse("authored_prompts", args=[project.slug])
    begun(project, ines)
    assert "What there is" in text_of(browser_of(ines).get(page, {"target": target}))


def test_the_rounds_until_a_prompt_was_accepted_are_told(project, ines, ivan, browser_of):
    accepted(begun(project, ines, "one"), ines, ivan)
    two = begun(project, ines, "two")
    version = handed_in(two)
    reviewed(version, ines, CHANGES)
    reviewed(version, ivan)
    accepted(two, ines, ivan, text=TEXT + " At night.")
    shown = text_of(browser_of(ines).get(reverse("authored_prompts", args=[project.slug])))
    assert "on average: 1.5" in shown


def test_a_long_list_has_pages_and_few_queries(project, ines, browser_of, django_assert_max_num_queries):
    for number in range(60):
        begun(project, ines, f"p{number}")
    client, page = browser_of(ines), reverse("authored_prompts", args=[project.slug])
    with django_assert_max_num_queries(25):
        assert len(lines(client.get(page))) == 50
    assert len(lines(client.get(f"{page}?page=2"))) == 10


# --- A model -------------------------------------------------------------------------------------


def test_a_model_is_asked_by_a_worker_and_its_text_taken_over(authored, ines, endpoint, sent, browser_of):
    client = browser_of(ines)
    assert "writer" in client.get(at("edit", authored)).content.decode()
    answer = client.post(at("expand", authored), {"model": "writer"})
    assert answer.url == at("edit", authored) + "#model"
    request = ModelRequest.objects.get()
    assert sent == [request.plan_id]
    assert "Writer is writing" in text_of(client.get(at("expansion", authored)))
    ModelRequest.objects.update(state="done", ended_at=NOW, text="Write of a bridge.")
    assert "Write of a bridge." in client.get(at("expansion", authored)).content.decode()
    client.post(at("take", authored), {"request": request.pk})
    authored.refresh_from_db()
    assert (authored.text, authored.expansion) == ("Write of a bridge.", request)
    assert "The text began with this answer" in text_of(client.get(at("edit", authored)))


def test_a_text_of_ones_own_gives_way_only_when_ticked(authored, ines, endpoint, sent, browser_of):
    client = browser_of(ines)
    client.post(at("expand", authored), {"model": "writer"})
    ModelRequest.objects.update(state="done", ended_at=NOW, text="Write of a bridge.")
    written(authored, "Mine.")
    request = {"request": ModelRequest.objects.get().pk}
    assert "It may take the place" in client.get(at("edit", authored)).content.decode()
    assert client.post(at("take", authored), request).status_code == 422
    client.post(at("take", authored), {**request, "replacing": "on"})
    authored.refresh_from_db()
    assert authored.text == "Write of a bridge."


def test_a_model_that_is_not_offered_is_not_asked(authored, ines, endpoint, sent, browser_of):
    Endpoint.objects.update(retired_at=NOW)
    client = browser_of(ines)
    assert client.post(at("expand", authored), {"model": "writer"}).status_code == 422
    assert sent == []
    assert "No model is set up on this site" in text_of(client.get(at("edit", authored)))


def test_a_failure_says_why_and_not_what_the_server_said(authored, ines, endpoint, sent, browser_of):
    client = browser_of(ines)
    client.post(at("expand", authored), {"model": "writer"})
    ModelRequest.objects.update(state="failed", ended_at=NOW, error_kind="timed_out", error="MARKER")
    shown = client.get(at("edit", authored)).content.decode()
    assert "The server did not answer in time." in shown
    assert "MARKER" not in shown


def test_an_older_answer_is_not_taken_for_the_newest(authored, ines, endpoint, sent, browser_of):
    client = browser_of(ines)
    client.post(at("expand", authored), {"model": "writer"})
    old = ModelRequest.objects.get()
    ModelRequest.objects.update(state="done", ended_at=NOW, text="Old.")
    client.post(at("expand", authored), {"model": "writer"})
    assert client.post(at("take", authored), {"request": old.pk}).status_code == 409
