"""The pages of requirements: who may open them, the editor with and without a script, and the golden order."""

import re

import pytest
from django.urls import reverse

from annotation.models import Requirement
from authoring import tasks
from authoring.domain.chat import Answer
from authoring.domain.countable import Check
from authoring.models import Endpoint, ModelRequest, Plan
from authoring.queries import requirements as queries
from authoring.services import answers, plans, requirements
from tests.authoring.plans_under_way import make_plan
from tests.factories import NOW, make_import, make_member, make_project, make_prompt
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db

ROWS = [
    ("content", "Name a bridge.", None),
    ("length", "Write at least 4 words.", Check("words", least=4)),
    ("style", "Say “so be it”.", Check("string", string="so be it")),
]
HTMX = {"HX-Request": "true"}


@pytest.fixture
def ines(project):
    return make_member(project, "instructor", "ines")


@pytest.fixture
def prompt(project):
    return make_prompt(project, "p0", text="MARKER of a prompt")


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


def at(name, prompt):
    return reverse(f"requirements_{name}", args=[prompt.project.slug, prompt.pk])


def addresses(prompt):
    names = ("edit", "proposal", "propose", "golden")
    return [reverse("requirements", args=[prompt.project.slug]), *(at(name, prompt) for name in names)]


def put(prompt, rows=ROWS):
    seen = requirements.mark(queries.rows_of(prompt))
    return requirements.put(prompt, rows, seen=seen, by=None, now=NOW)


def told(prompt):
    return [(row.kind, row.text, row.check) for row in queries.rows_of(prompt)]


def form_of(answer) -> dict[str, str]:
    return {
        name: values[-1] for name, values in sent_by(answer.content.decode(), "requirements-form").items()
    }


def text_of(answer) -> str:
    """What stands on the page, without its marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


# --- Who -----------------------------------------------------------------------------------------


def test_annotators_adjudicators_and_strangers_see_nothing_of_it(
    project, prompt, annotator, stranger, browser_of
):
    put(prompt)
    outsider = make_member(make_project("elsewhere"), "lead", "olaf")
    adjudicator = make_member(project, "adjudicator", "ada")
    for person, status in ((annotator, 403), (adjudicator, 403), (stranger, 404), (outsider, 404)):
        for page in addresses(prompt):
            for method in ("get", "post"):
                answer = getattr(browser_of(person), method)(page)
                assert answer.status_code in (status, 405), (person, page)
                assert b"MARKER" not in answer.content
    assert told(prompt) == ROWS


def test_an_instructor_who_annotates_as_well_sees_nothing_of_it(project, prompt, annotator, browser_of):
    annotator.user.memberships.create(project=project, role="instructor", joined_at=NOW)
    for page in addresses(prompt):
        assert browser_of(annotator).get(page).status_code in (403, 405)


def test_instructors_and_leads_open_every_page(prompt, ines, lead, browser_of):
    put(prompt)
    for person in (ines, lead):
        for page in addresses(prompt):
            assert browser_of(person).get(page).status_code in (200, 405), page


def test_a_prompt_of_another_project_is_not_there(prompt, browser_of):
    other = make_project("elsewhere")
    client = browser_of(make_member(other, "lead"))
    for page in addresses(prompt)[1:]:
        there = page.replace(f"/{prompt.project.slug}/", f"/{other.slug}/")
        assert client.get(there).status_code in (404, 405)
        assert client.post(there).status_code in (404, 405)


# --- The list ------------------------------------------------------------------------------------


def test_the_list_is_filtered_and_paged(project, ines, browser_of, prompt):
    put(prompt)
    for number in range(60):
        make_prompt(project, f"bare-{number:02}", genre=project.genres.first())
    make_prompt(project, "incoming", source=make_import(project, state="storing"))
    client, page = browser_of(ines), reverse("requirements", args=[project.slug])
    whole = client.get(page)
    assert "61 prompts" in text_of(whole)
    assert b"bare-49" in whole.content
    assert b"bare-50" not in whole.content
    assert b"bare-50" in client.get(page + "?page=2").content
    assert "Content 1 · Style 1 · Length 1" in text_of(client.get(page + "?having=with"))
    without = client.get(page + "?having=without&genre=fiction")
    assert "60 prompts" in text_of(without)
    assert b"having=without&amp;page=2" in without.content
    assert "No prompt is like that." in text_of(client.get(page + "?genre=poetry"))
    assert "61 prompts" in text_of(client.get(page + "?genre=nonsense&page=x"))


# --- The editor ----------------------------------------------------------------------------------


def test_what_is_written_is_saved_and_shown_again(prompt, ines, browser_of):
    client = browser_of(ines)
    given = form_of(client.get(at("edit", prompt)))
    given |= {"r0-kind": "content", "r0-text": "Name a bridge."}
    given |= {"r2-text": "Write 3 paragraphs.", "r2-measure": "paragraphs", "r2-least": "3", "r2-most": "3"}
    saved = client.post(at("edit", prompt), {**given, "do": "save"}, follow=True)
    assert "The requirements are saved." in text_of(saved)
    assert told(prompt) == [
        ("content", "Name a bridge.", None),
        ("", "Write 3 paragraphs.", Check("paragraphs", 3, 3)),
    ]
    again = client.post(at("edit", prompt), {**form_of(saved), "do": "save"})
    assert again.status_code == 302
    assert len(told(prompt)) == 2


def test_without_a_word_of_what_is_to_be_done_it_saves(prompt, ines, browser_of):
    client = browser_of(ines)
    client.post(at("edit", prompt), {**form_of(client.get(at("edit", prompt))), "r0-text": "Rhyme."})
    assert [text for _kind, text, _check in told(prompt)] == ["Rhyme."]


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_rows_are_added_moved_and_taken_out_before_anything_is_stored(prompt, ines, browser_of, headers):
    put(prompt)
    client = browser_of(ines)
    given = form_of(client.get(at("edit", prompt)))
    assert given["rows"] == "5"
    more = client.post(at("edit", prompt), {**given, "do": "more"}, headers=headers)
    assert (b"<main" in more.content) is (not headers)
    assert form_of(more)["rows"] == "7"
    up = form_of(client.post(at("edit", prompt), {**given, "do": "up:1"}, headers=headers))
    assert (up["r0-text"], up["r0-measure"], up["r0-least"]) == ("Write at least 4 words.", "words", "4")
    assert (up["r1-text"], up["r1-measure"]) == ("Name a bridge.", "")
    out = client.post(at("edit", prompt), {**given, "do": "remove:0"}, headers=headers)
    assert form_of(out)["r1-string"] == "so be it"
    assert b'data-guard="unsaved"' in out.content
    assert told(prompt) == ROWS
    client.post(at("edit", prompt), {**form_of(out), "do": "save"})
    assert told(prompt) == ROWS[1:]


@pytest.mark.parametrize(
    "action", ["up:0", "up:99", "remove:99", "check:99", "check:0", "up:x", "stay", "proposals", ""]
)
def test_what_cannot_be_done_changes_nothing(prompt, ines, browser_of, action):
    put(prompt)
    client = browser_of(ines)
    given = form_of(client.get(at("edit", prompt)))
    after = form_of(client.post(at("edit", prompt), {**given, "do": action}))
    assert after["r1-text"] == "Write at least 4 words."
    assert told(prompt) == ROWS


def test_a_check_is_suggested_and_taken_over_by_a_person(prompt, ines, browser_of):
    put(prompt, [("length", "At least 300 words.", None), ("style", "Be vivid.", None)])
    client = browser_of(ines)
    page = client.get(at("edit", prompt))
    assert "By its words a program could check: Words: at least 300" in text_of(page)
    assert page.content.count(b'value="check:') == 1
    given = form_of(client.post(at("edit", prompt), {**form_of(page), "do": "check:0"}))
    assert (given["r0-measure"], given["r0-least"], given["r0-most"]) == ("words", "300", "")
    client.post(at("edit", prompt), {**given, "do": "save"})
    assert told(prompt)[0] == ("length", "At least 300 words.", Check("words", least=300))


def test_faults_are_named_at_their_rows_also_behind_empty_ones(prompt, ines, browser_of):
    client = browser_of(ines)
    given = form_of(client.get(at("edit", prompt)))
    given |= {"r0-text": "", "r1-text": "Rhyme.", "r2-text": "Rhyme.", "r2-measure": "words"}
    answer = client.post(at("edit", prompt), {**given, "do": "save"})
    assert answer.status_code == 422
    assert "Row 3, Requirement : This stands above already. Keep one." in text_of(answer)
    assert "Row 3, At least : Write at least how many, at most how many, or both." in text_of(answer)
    assert form_of(answer)["r1-text"] == "Rhyme."
    answer = client.post(at("edit", prompt), {**given, "r1-least": "many", "r1-kind": "mood", "do": "save"})
    assert "Row 2, At least : Write a whole number, or leave it open." in text_of(answer)
    assert "Choose a kind of the list." in text_of(answer)
    assert not Requirement.objects.exists()


@pytest.mark.parametrize("rows", ["", "x", "-1", "999999999"])
def test_a_form_that_no_page_sends_is_refused(prompt, ines, browser_of, rows):
    answer = browser_of(ines).post(at("edit", prompt), {"rows": rows, "r0-text": "Rhyme.", "do": "save"})
    assert answer.status_code == 422
    assert not Requirement.objects.exists()


def test_of_two_people_the_second_reads_what_the_first_saved(prompt, ines, lead, browser_of):
    client = browser_of(ines)
    given = {**form_of(client.get(at("edit", prompt))), "r0-text": "Mine.", "do": "save"}
    put(prompt, ROWS[:1])
    answer = client.post(at("edit", prompt), given)
    assert answer.status_code == 409
    assert "What somebody else has saved" in text_of(answer)
    assert "Name a bridge." in text_of(answer)
    assert client.post(at("edit", prompt), {**form_of(answer), "do": "save"}).status_code == 302
    assert [text for _kind, text, _check in told(prompt)] == ["Mine."]


def test_requirements_in_use_are_read_and_not_written(project, prompt, ines, endpoint, browser_of):
    put(prompt)
    client = browser_of(ines)
    given = {**form_of(client.get(at("edit", prompt))), "r0-text": "Another.", "do": "save"}
    make_plan(project, endpoint, kind=Plan.Kind.DROPOUT)
    page = client.get(at("edit", prompt))
    assert "They stand as they are" in text_of(page)
    assert b"requirements-form" not in page.content
    answer = client.post(at("edit", prompt), given)
    assert answer.status_code == 409
    assert told(prompt) == ROWS


# --- A model proposes ----------------------------------------------------------------------------


def test_a_model_is_asked_and_its_proposals_fill_the_form_alone(prompt, ines, endpoint, sent, browser_of):
    client = browser_of(ines)
    answer = client.post(at("propose", prompt), {"model": "writer"})
    assert answer.url == at("edit", prompt) + "#model"
    plan = Plan.objects.get()
    assert sent == [plan.pk]
    assert "MARKER of a prompt" in plan.requests.get().asked
    waiting = client.get(at("proposal", prompt))
    assert "Writer is writing." in text_of(waiting)
    assert b"hx-get" in waiting.content
    ModelRequest.objects.update(
        state="done",
        ended_at=NOW,
        text='[{"kind": "style", "text": "Rhyme."}, {"kind": "length", "text": "At most 9 sentences."}]',
    )
    page = client.get(at("edit", prompt))
    assert "Writer proposes 2 requirements." in text_of(page)
    given = {**form_of(page), "r0-text": "Rhyme.", "do": "proposals"}
    filled = client.post(at("edit", prompt), given)
    assert not Requirement.objects.exists()
    given = form_of(filled)
    assert [given[f"r{row}-text"] for row in range(3)] == ["Rhyme.", "At most 9 sentences.", ""]
    assert given["r1-kind"] == "length"
    assert "Sentences: at most 9" in text_of(filled)
    client.post(at("edit", prompt), {**given, "do": "save"})
    assert [text for _kind, text, _check in told(prompt)] == ["Rhyme.", "At most 9 sentences."]


def test_an_answer_that_is_no_list_is_shown_as_it_came(prompt, ines, endpoint, sent, browser_of):
    requirements.propose(prompt, endpoint, by=None, now=NOW)
    ModelRequest.objects.update(state="done", ended_at=NOW, text="I would <b>rather</b> not.")
    page = browser_of(ines).get(at("edit", prompt))
    assert "No list of requirements was found" in text_of(page)
    assert b"I would &lt;b&gt;rather&lt;/b&gt; not." in page.content
    assert b'value="proposals"' not in page.content


def test_a_failure_and_a_pause_are_said(prompt, ines, endpoint, browser_of):
    plan = requirements.propose(prompt, endpoint, by=None, now=NOW)
    client = browser_of(ines)
    plans.pause(plan, by=None, now=NOW)
    assert "Writer is not asked at the moment." in text_of(client.get(at("edit", prompt)))
    ModelRequest.objects.update(state="failed", ended_at=NOW, error_kind="timed_out")
    page = text_of(client.get(at("edit", prompt)))
    assert "Writer has not answered." in page
    assert "did not answer in time" in page


def test_a_model_that_is_not_offered_is_not_asked(prompt, ines, endpoint, sent, browser_of):
    Endpoint.objects.update(retired_at=NOW)
    client = browser_of(ines)
    assert client.post(at("propose", prompt), {"model": "writer"}).status_code == 422
    assert "No model is set up" in text_of(client.get(at("edit", prompt)))
    assert sent == []


# --- The golden order ----------------------------------------------------------------------------


@pytest.fixture
def dropout(project, prompt, endpoint):
    """Answers to each variant, in which less and less of what was asked for holds."""
    put(prompt)
    plan = make_plan(project, endpoint, kind=Plan.Kind.DROPOUT, samples=1, seed="seed")
    texts = ["We cross, so be it.", "So we cross.", "Cross."]
    for request, text in zip(plan.requests.order_by("variant"), texts, strict=True):
        answers.store(request.pk, Answer(text, "stop"), sent_at=NOW, now=NOW)
    return plan


def test_before_a_dropout_there_is_no_order(prompt, ines, browser_of):
    assert "There is no order yet." in text_of(browser_of(ines).get(at("golden", prompt)))


def test_responses_stand_best_first_with_what_was_kept_and_what_holds(dropout, prompt, ines, browser_of):
    client = browser_of(ines)
    page = client.get(at("golden", prompt))
    shown = text_of(page)
    assert shown.index("3 requirements kept") < shown.index("2 requirements kept")
    assert shown.index("2 requirements kept") < shown.index("1 requirement kept")
    assert page.content.count(b"<del>") == 3
    assert shown.index("5 words") < shown.index("3 words") < shown.index("1 word ")
    order = page.context["order"]
    assert [[each.holds for each in variant.checks] for variant in order.variants] == [
        [True, True],
        [False, False],
        [False, False],
    ]
    assert [[each.counted for each in variant.checks] for variant in order.variants] == [
        [5, 1],
        [3, 0],
        [1, 0],
    ]
    assert [(mean.texts, mean.of_all) for mean in order.means] == [(1, 1.0), (1, 0.0), (1, 0.0)]
    assert order.is_complete
    listed = client.get(reverse("requirements", args=[prompt.project.slug]))
    assert at("golden", prompt).encode() in listed.content


def test_a_removed_or_missing_response_leaves_it_incomplete(dropout, prompt, ines, browser_of):
    prompt.responses.filter(text="Cross.").update(state="removed", removed_at=NOW)
    page = browser_of(ines).get(at("golden", prompt))
    assert "The order is not complete" in text_of(page)
    assert [mean.variant for mean in page.context["order"].means] == [1, 2]


def test_one_of_several_orders_is_chosen(project, dropout, prompt, endpoint, ines, browser_of):
    later = make_plan(project, endpoint, kind=Plan.Kind.DROPOUT, samples=2, seed="other", name="Later")
    for request in later.requests.filter(sample=2):
        answers.store(request.pk, Answer("Text.", "stop"), sent_at=NOW, now=NOW)
    client = browser_of(ines)
    page = client.get(at("golden", prompt))
    assert page.context["order"].choice.plan == "Later", "the newest"
    first = page.context["choices"][1]
    chosen = client.get(at("golden", prompt), {"order": first.key})
    assert chosen.context["order"].choice.plan == dropout.name
    assert client.get(at("golden", prompt), {"order": "1-2-x"}).context["order"].choice.plan == "Later"
