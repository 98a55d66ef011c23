"""The pages of rounds: who may open them, what they show, how forms come back."""

import re

import pytest
from django.urls import reverse

from annotation.domain.prompt_selection import Filters
from annotation.models import Flag, Response, Round
from annotation.queries import rounds as queries
from annotation.services import assignments, rounds, scoring
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, reads_only

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(project):
    return [make_member(project, "annotator", name) for name in ("ann", "ben", "cat")]


@pytest.fixture
def material(project):
    fiction, poetry = project.genres.all()
    for name, genre, language in (
        ("p1", fiction, "en"),
        ("p2", fiction, "zh"),
        ("p3", poetry, "en"),
    ):
        prompt = make_prompt(project, name, genre=genre, language=language)
        for number in range(2):
            make_response(prompt, f"{name}-r{number}")
    make_prompt(project, "bare", genre=fiction)
    return project


@pytest.fixture
def draft(material, people):
    return rounds.draft(material, "Main", purpose="live", filters=Filters(), by=None, now=NOW)


@pytest.fixture
def opened(draft):
    rounds.compose(draft, seed="1", keep=True, by=None, now=NOW)
    rounds.open_draft(draft, by=None, now=NOW)
    draft.refresh_from_db()
    return draft


def url(name, work=None):
    return reverse(name, args=["bridges", work.pk] if work else ["bridges"])


def text_of(response):
    plain = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(plain.split())


NEW = {"name": "Main", "purpose": "live"}
SETTINGS = {"name": "Main", "purpose": "live", "annotators_per_response": "2", "assigning": "panel"}
PAGES = [
    "project_round",
    "round_prompts",
    "change_round",
    "panels",
    "compose_panels",
    "open_round",
    "pause_round",
    "resume_round",
    "lock_round",
    "delete_round",
]


# --- Doors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rounds", "new_round", *PAGES])
def test_the_pages_are_for_leads_alone(draft, stranger, people, browser_of, name):
    work = draft if name in PAGES else None
    elsewhere = make_member(make_project(), "lead")
    before = list(Round.objects.values())
    for person, status in (
        (people[0], 403),
        (make_member(draft.project, "instructor"), 403),
        (make_member(draft.project, "adjudicator"), 403),
        (stranger, 404),
        (elsewhere, 404),
    ):
        client = browser_of(person)
        assert client.get(url(name, work)).status_code == status
        if name not in ("rounds", "project_round"):
            assert client.post(url(name, work), SETTINGS).status_code == status
    assert list(Round.objects.values()) == before


@pytest.mark.parametrize("name", ["rounds", "new_round", *PAGES])
def test_a_lead_may_open_them_and_looking_changes_nothing(draft, lead, browser_of, name):
    before = list(Round.objects.values())
    response = browser_of(lead).get(url(name, draft if name in PAGES else None))
    leads_back = {"change_round", "pause_round", "resume_round"}
    if name in leads_back:
        assert response.url == url("project_round", draft)
    else:
        assert response.status_code == 200
    assert list(Round.objects.values()) == before


@pytest.mark.parametrize("name", PAGES)
def test_a_round_of_another_project_is_not_found_under_ones_own(draft, browser_of, name):
    elsewhere = make_member(make_project("elsewhere"), "lead")
    client = browser_of(elsewhere)
    assert client.get(reverse(name, args=["elsewhere", draft.pk])).status_code == 404
    assert client.post(reverse(name, args=["elsewhere", draft.pk]), SETTINGS).status_code in (404, 405)


def test_who_is_not_signed_in_is_asked_to(client, draft):
    assert client.get(url("project_round", draft)).url.startswith(reverse("sign_in"))


# --- The list ------------------------------------------------------------------------------------


def test_the_list_says_what_each_round_is_and_how_far(opened, lead, people, browser_of):
    lease = assignments.claim(people[0], opened, now=NOW)
    scoring.submit(lease, value=2, justification="", now=NOW)
    page = text_of(browser_of(lead).get(url("rounds")))
    assert "Main Live Open 1 3 6 1 / 18 Pause Main" in page


def test_a_project_without_rounds_says_what_a_round_is(project, lead, browser_of):
    assert "No round yet" in text_of(browser_of(lead).get(url("rounds")))


def test_a_draft_does_not_show_among_the_rounds_of_the_overview(draft, lead, browser_of):
    assert "Main" not in text_of(browser_of(lead).get(url("project")))
    assert [line.stage for line in queries.lines(draft.project)] == ["draft"]


# --- A new round ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "3 prompts · 6 responses"),
        ("language=zh", "1 prompt · 2 responses"),
        ("genre=poetry", "1 prompt · 2 responses"),
        ("genre=fiction&language=en", "1 prompt · 2 responses"),
        ("sample=2&seed=7", "2 prompts · 4 responses drawn from 3 prompts by the seed 7"),
        ("language=zh&genre=poetry", "No prompt with an active response passes these filters."),
    ],
)
def test_filters_combine_and_the_page_says_what_they_take(material, lead, browser_of, query, said):
    page = browser_of(lead).get(f"{url('new_round')}?{query}")
    assert said in text_of(page)
    fragment = browser_of(lead).get(f"{url('new_round')}?{query}", headers={"hx-request": "true"})
    assert said in text_of(fragment)
    assert b"<html" not in fragment.content


@pytest.mark.parametrize("sample", ["2", "many"])
def test_what_is_sent_with_the_draft_is_what_the_filters_say(material, lead, browser_of, sample):
    """Also where they cannot be read: a draft of all prompts would be made of a slip of the pen."""
    query = f"{url('new_round')}?language=zh&genre=fiction&new=on&sample={sample}&seed=7"
    html = browser_of(lead).get(query, headers={"hx-request": "true"}).content.decode()
    sent = re.findall(r'<input type="hidden" form="make" name="(\w+)" value="(.*?)">', html)
    expected = [("language", "zh"), ("genre", "fiction"), ("new", "on"), ("sample", sample), ("seed", "7")]
    assert sent == expected


def test_prompts_without_responses_are_named_as_left_out(material, lead, browser_of):
    page = text_of(browser_of(lead).get(f"{url('new_round')}?genre=fiction"))
    assert "1 prompt is left out, because it has no active response: bare" in page
    assert "left out" not in text_of(browser_of(lead).get(f"{url('new_round')}?genre=poetry"))


def test_prompts_of_a_live_round_can_be_left_aside(draft, lead, browser_of):
    page = text_of(browser_of(lead).get(f"{url('new_round')}?new=on"))
    assert "No prompt with an active response passes these filters." in page


def test_a_draft_is_made_of_what_the_filters_take(material, lead, browser_of):
    sent = {**NEW, "purpose": "repeat", "genre": ["fiction"], "sample": "", "seed": "1"}
    response = browser_of(lead).post(url("new_round"), sent)
    work = Round.objects.get()
    assert response.url == url("project_round", work)
    assert (work.name, work.purpose, work.state) == ("Main", "repeat", "draft")
    assert sorted(work.prompts.values_list("external_id", flat=True)) == ["p1", "p2"]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"name": ""}, "Give the round a name"),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"purpose": "fun"}, "Choose a purpose."),
        ({"purpose": "exam"}, "Choose a purpose."),
        ({"sample": "many"}, "Write a whole number"),
        ({"sample": "0"}, "one prompt or more"),
        ({"language": ["xx"]}, "Select a valid choice"),
        ({"language": ["zh"], "genre": ["poetry"]}, "Choose others."),
    ],
)
def test_a_new_round_that_cannot_be_comes_back_filled_in(material, lead, browser_of, sent, said):
    response = browser_of(lead).post(url("new_round"), {**NEW, "seed": "my seed", **sent})
    assert response.status_code == 422
    assert said in text_of(response)
    assert 'value="my seed"' in response.content.decode()
    assert not Round.objects.exists()


def test_a_name_that_is_taken_is_said_at_the_field(draft, lead, browser_of):
    response = browser_of(lead).post(url("new_round"), NEW)
    assert response.status_code == 422
    page = response.content.decode()
    assert "There is a round Main already." in page
    assert 'aria-describedby="name-help name-error"' in page


def test_a_project_without_a_rubric_is_refused_with_the_reason(lead, browser_of):
    bare = make_project("bare", with_rubric=False)
    make_response(make_prompt(bare))
    client = browser_of(make_member(bare, "lead"))
    response = client.post(reverse("new_round", args=["bare"]), NEW)
    assert response.status_code == 409
    assert "has no rubric" in text_of(response)


def test_a_draft_takes_other_prompts(draft, lead, browser_of):
    client = browser_of(lead)
    assert client.post(url("round_prompts", draft), {"genre": ["poetry"]}).url == url("project_round", draft)
    assert list(draft.prompts.values_list("external_id", flat=True)) == ["p3"]
    response = client.post(url("round_prompts", draft), {"genre": ["poetry"], "language": ["zh"]})
    assert response.status_code == 422
    assert list(draft.prompts.values_list("external_id", flat=True)) == ["p3"]


# --- A draft -------------------------------------------------------------------------------------


def test_a_draft_says_what_stands_in_its_way(draft, lead, browser_of):
    client = browser_of(lead)
    page = client.get(url("project_round", draft))
    assert "The panels of 3 prompts are not complete: p1, p2, p3." in text_of(page)
    rounds.compose(draft, seed="1", keep=True, by=None, now=NOW)
    assert "not complete" not in text_of(client.get(url("project_round", draft)))


def test_a_draft_says_what_will_be_asked_of_whom(draft, lead, browser_of):
    draft.project.hourly_rate = 20
    draft.project.save(update_fields=["hourly_rate"])
    rounds.compose(draft, seed="1", keep=True, by=None, now=NOW)
    page = text_of(browser_of(lead).get(url("project_round", draft)))
    for said in ("Prompts 3", "Responses 6", "Scores to be given 18", "Reading time", "Cost of reading"):
        assert said in page
    assert "at 20.00 USD an hour" in page
    assert "Judging a text and writing down why comes on top." in page
    for person in ("ann", "ben", "cat"):
        assert f"{person} annotator-0" in page


def test_a_pool_says_what_it_costs(draft, lead, browser_of):
    for _ in range(6):
        make_member(draft.project)
    client = browser_of(lead)
    client.post(url("change_round", draft), {**SETTINGS, "annotators_per_response": "3", "assigning": "pool"})
    page = text_of(client.get(url("project_round", draft)))
    assert "shared evenly among 9 annotators" in page
    assert "chance gives that to 22% of the pairs" in page


def test_a_draft_is_changed_on_its_page(draft, lead, browser_of):
    response = browser_of(lead).post(
        url("change_round", draft), {**SETTINGS, "name": "Renamed", "purpose": "gold"}
    )
    assert response.url == url("project_round", draft)
    draft.refresh_from_db()
    assert (draft.name, draft.purpose, draft.annotators_per_response) == ("Renamed", "gold", 2)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"annotators_per_response": "1"}, "two annotators or more"),
        ({"annotators_per_response": "16"}, "from 1 to 15"),
        ({"annotators_per_response": "three"}, "from 1 to 15"),
        ({"assigning": ""}, "Choose panel or pool."),
        ({"name": " "}, "Give the round a name"),
    ],
)
def test_a_change_that_cannot_be_comes_back_filled_in(draft, lead, browser_of, sent, said):
    response = browser_of(lead).post(url("change_round", draft), {**SETTINGS, "name": "My words", **sent})
    assert response.status_code == 422
    assert said in text_of(response)
    if "name" not in sent:
        assert 'value="My words"' in response.content.decode()
    draft.refresh_from_db()
    assert (draft.name, draft.annotators_per_response) == ("Main", 3)


def test_a_draft_is_deleted_after_asking(draft, lead, browser_of):
    client = browser_of(lead)
    assert "Delete the draft Main?" in text_of(client.get(url("delete_round", draft)))
    assert client.post(url("delete_round", draft)).url == url("rounds")
    assert not Round.objects.exists()


# --- Panels --------------------------------------------------------------------------------------


def seats_sent(page, **changes):
    """What the form would send, with some seats changed: {"p1": (ann, None, None)}."""
    html = page.content.decode()
    prompts = re.findall(r'name="prompt" value="(\d+)"', html)
    sent = {"prompt": prompts}
    for name, options in re.findall(r'<select name="(seat-[\d-]+)".*?>(.*?)</select>', html, re.DOTALL):
        chosen = re.search(r'value="(\d*)" selected', options)
        sent[name] = chosen[1] if chosen else ""
    return {**sent, **changes}


def test_seats_are_set_by_hand_and_shown_again(draft, lead, people, browser_of):
    client = browser_of(lead)
    page = client.get(url("panels", draft))
    p1 = draft.prompts.get(external_id="p1").pk
    chosen = {f"seat-{p1}-1": people[1].pk, f"seat-{p1}-3": people[0].pk}
    response = client.post(url("panels", draft), seats_sent(page, **chosen), follow=True)
    assert "The seats are saved." in text_of(response)
    assert queries.seats(draft) == {p1: {1: people[1].pk, 3: people[0].pk}}
    # Sent as it stands, the page changes nothing.
    client.post(url("panels", draft), seats_sent(client.get(url("panels", draft))))
    assert queries.seats(draft) == {p1: {1: people[1].pk, 3: people[0].pk}}


def test_the_same_annotator_twice_is_said_at_the_second_seat(draft, lead, people, browser_of):
    client = browser_of(lead)
    p1 = draft.prompts.get(external_id="p1").pk
    chosen = {f"seat-{p1}-1": people[1].pk, f"seat-{p1}-2": people[1].pk}
    response = client.post(url("panels", draft), seats_sent(client.get(url("panels", draft)), **chosen))
    assert response.status_code == 422
    assert "Sits on this panel already." in text_of(response)
    assert f'aria-describedby="id_seat-{p1}-2-error"' in response.content.decode()
    assert not draft.seats.exists()
    assert seats_sent(response)[f"seat-{p1}-1"] == str(people[1].pk)


def test_a_seat_for_nobody_on_the_list_is_refused(draft, lead, browser_of):
    client = browser_of(lead)
    p1 = draft.prompts.get(external_id="p1").pk
    sent = seats_sent(client.get(url("panels", draft)), **{f"seat-{p1}-1": lead.pk})
    response = client.post(url("panels", draft), sent)
    assert response.status_code == 422
    assert "Choose an annotator of the list." in text_of(response)


def test_seats_that_another_lead_filled_meanwhile_are_not_emptied(draft, lead, people, browser_of):
    """The page lists prompts with an empty seat; by the time it is sent, others are listed there."""
    client = browser_of(lead)
    address = f"{url('panels', draft)}?empty"
    p1, p2, p3 = (draft.prompts.get(external_id=name).pk for name in ("p1", "p2", "p3"))
    rounds.seat(draft, {p3: {1: people[0].pk, 2: people[1].pk, 3: people[2].pk}}, by=None, now=NOW)
    sent = seats_sent(client.get(address))
    assert set(sent["prompt"]) == {str(p1), str(p2)}
    draft.seats.filter(prompt=p3, seat=3).delete()
    client.post(address, sent)
    assert queries.seats(draft) == {p3: {1: people[0].pk, 2: people[1].pk}}


def test_only_annotators_who_read_the_language_are_offered(draft, lead, people, browser_of):
    reads_only(people[0], ["zh"])
    html = browser_of(lead).get(url("panels", draft)).content.decode()
    offered = {}
    for prompt in draft.prompts.all():
        select = re.search(rf'<select name="seat-{prompt.pk}-1".*?</select>', html, re.DOTALL)[0]
        offered[prompt.external_id] = f'value="{people[0].pk}"' in select
    assert offered == {"p1": False, "p2": True, "p3": False}


def test_prompts_are_shown_fifty_a_page(material, lead, people, browser_of):
    for number in range(60):
        make_response(make_prompt(material, f"q{number:02}"))
    work = rounds.draft(material, "Long", purpose="live", filters=Filters(), by=None, now=NOW)
    client = browser_of(lead)
    first, second = (client.get(f"{url('panels', work)}?page={page}") for page in (1, 2))
    assert [len(seats_sent(page)["prompt"]) for page in (first, second)] == [50, 13]
    assert "Page 1 of 2" in text_of(first)
    for strange in ("0", "99", "-1", "x", "²"):
        assert client.get(f"{url('panels', work)}?page={strange}").status_code == 200


def test_the_preview_says_what_everybody_would_read_and_saves_nothing(draft, lead, browser_of):
    client = browser_of(lead)
    page = text_of(client.get(f"{url('compose_panels', draft)}?seed=7&keep=on"))
    assert "A whole panel for 3 prompts" in page
    assert "Shares prompts with" in page
    assert not draft.seats.exists()
    response = client.post(url("compose_panels", draft), {"seed": "7", "keep": "on"})
    assert response.url == url("project_round", draft)
    assert draft.seats.count() == 9


def test_the_preview_says_which_prompts_cannot_be_covered(draft, lead, people, browser_of):
    reads_only(people[0], ["en"])
    page = text_of(browser_of(lead).get(url("compose_panels", draft)))
    assert "Without a panel: 1 prompt: only 2 of the 3 annotators needed read zh (p2)" in page


def test_a_preview_without_a_seed_comes_back(draft, lead, browser_of):
    response = browser_of(lead).get(f"{url('compose_panels', draft)}?seed=")
    assert response.status_code == 422
    assert "Write any word or number." in text_of(response)


def test_the_panels_of_an_open_round_can_be_read_and_not_changed(opened, lead, browser_of):
    client = browser_of(lead)
    page = client.get(url("panels", opened))
    assert "<select" not in page.content.decode()
    assert "ann" in text_of(page)
    before = list(opened.seats.order_by("pk").values())
    p1 = opened.prompts.first().pk
    assert client.post(url("panels", opened), {"prompt": [p1]}).status_code == 409
    assert list(opened.seats.order_by("pk").values()) == before


# --- Transitions ---------------------------------------------------------------------------------


def test_opening_asks_first_and_shows_the_numbers(draft, lead, browser_of):
    client = browser_of(lead)
    page = client.get(url("open_round", draft))
    assert "It cannot be opened yet" in text_of(page)
    assert "Open the round" not in text_of(page)
    rounds.compose(draft, seed="1", keep=True, by=None, now=NOW)
    page = text_of(client.get(url("open_round", draft)))
    assert "Scores to be given 18" in page
    assert client.post(url("open_round", draft)).url == url("project_round", draft)
    draft.refresh_from_db()
    assert draft.state == "open"
    assert client.post(url("open_round", draft)).status_code == 409


def test_a_draft_that_cannot_be_opened_is_refused_with_the_reason(draft, lead, browser_of):
    response = browser_of(lead).post(url("open_round", draft))
    assert response.status_code == 409
    assert "are not complete" in text_of(response)


def test_a_round_is_paused_resumed_and_locked(opened, lead, browser_of):
    client = browser_of(lead)
    for step, state in (("pause_round", "paused"), ("resume_round", "open"), ("lock_round", "locked")):
        assert client.post(url(step, opened)).url == url("project_round", opened)
        opened.refresh_from_db()
        assert opened.state == state
        assert client.get(url("project_round", opened)).status_code == 200
    for step in ("pause_round", "resume_round", "lock_round", "delete_round"):
        assert client.post(url(step, opened)).status_code == 409


def test_locking_asks_first_and_says_what_is_in_hand(opened, lead, people, browser_of):
    assignments.claim(people[0], opened, now=NOW)
    page = text_of(browser_of(lead).get(url("lock_round", opened)))
    assert "0 of 18 scores have been given." in page
    assert "1 text is in an annotator's hands." in page
    assert "Pause it first" in page


@pytest.mark.parametrize("name", ["project_round", "open_round"])
def test_a_draft_says_which_texts_have_flags_that_nobody_has_decided_on(draft, lead, browser_of, name):
    client = browser_of(lead)
    assert "decided on" not in text_of(client.get(url(name, draft)))
    rounds.compose(draft, seed="1", keep=True, by=None, now=NOW)
    other = make_response(make_prompt(draft.project, "later"), "not-of-the-round")
    for response in (*Response.objects.filter(prompt__external_id="p1"), other):
        for check in ("empty", "refusal"):
            Flag.objects.create(
                project=draft.project, response=response, check_key=check, rules_version=1, raised_at=NOW
            )
    answer = client.get(url(name, draft))
    assert "2 texts have flags that nobody has decided on." in text_of(answer)
    assert f'on. <a href="{url("triage")}">' in " ".join(answer.content.decode().split())
    Flag.objects.update(state="kept", settled_at=NOW)
    assert "decided on" not in text_of(client.get(url(name, draft)))


@pytest.mark.parametrize("name", ["rounds", "project_round", "project"])
def test_the_round_of_imported_scores_is_named_in_the_readers_language(
    opened, lead, browser_of, monkeypatch, name
):
    said = {("name of a round", "Imported scores"): "导入的分数"}
    monkeypatch.setattr(queries, "pgettext", lambda context, text: said[context, text])
    client, page = browser_of(lead), url(name, opened if name == "project_round" else None)
    assert "导入的分数" not in text_of(client.get(page))
    Round.objects.update(name="Imported scores")
    html = text_of(client.get(page))
    assert "导入的分数" in html
    assert "Imported scores" not in html


# --- What annotators see of it -------------------------------------------------------------------


def test_a_paused_round_says_so_on_the_annotators_home_page(opened, people, browser_of):
    client = browser_of(people[0])
    assert "Begin" in text_of(client.get("/"))
    rounds.pause(opened, by=None, now=NOW)
    page = text_of(client.get("/"))
    assert "Main Bridges Paused 0 / 6" in page
    assert "Begin" not in page


def test_whoever_has_scored_is_asked_to_continue(opened, people, browser_of):
    claimed = assignments.claim(people[0], opened, now=NOW)
    scoring.submit(claimed, value=2, justification="", now=NOW)
    page = text_of(browser_of(people[0]).get("/"))
    assert "Continue with item 2" in page
    assert "Begin" not in page


def test_a_score_given_during_the_pause_leads_to_a_page_that_says_why_there_is_no_next(
    opened, people, browser_of
):
    client = browser_of(people[0])
    address = client.post(reverse("next_text", args=[opened.token])).url
    rounds.pause(opened, by=None, now=NOW)
    response = client.post(address, {"value": "2", "justification": ""}, follow=True)
    assert response.status_code == 200
    assert "This round is paused." in text_of(response)
    assert "you have finished 1 item" in text_of(response)
    assert opened.scores.count() == 1
    assert client.post(reverse("next_text", args=[opened.token])).url == reverse(
        "finished", args=[opened.token]
    )


def test_a_round_in_which_an_annotator_has_no_seat_is_not_among_their_work(opened, browser_of):
    outsider = make_member(opened.project)
    assert "Main" not in text_of(browser_of(outsider).get("/"))


def test_drafts_are_not_shown_to_annotators(draft, people, browser_of):
    client = browser_of(people[0])
    assert "Main" not in text_of(client.get("/"))
    assert client.post(reverse("next_text", args=[draft.token])).status_code == 404
