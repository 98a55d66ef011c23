"""Leads make plans, see what they cost before and while they run, and steer them. Nobody else learns of it."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Response
from authoring import tasks
from authoring.models import Endpoint, ModelRequest, Plan, RequestAttempt
from authoring.services import answers, plans
from tests.authoring import model_server
from tests.authoring import plans_under_way as under_way
from tests.authoring.model_server import completion
from tests.authoring.plans_under_way import make_plan
from tests.factories import NOW, make_import, make_member, make_project, make_prompt, make_response
from tests.page_forms import sent_by
from tests.page_tree import tree

pytestmark = pytest.mark.django_db
GIVEN = {
    "name": "First round",
    "kind": "responses",
    "endpoints": ["tiny"],
    "samples": "2",
    "temperature": "0.8",
    "max_tokens": "256",
    "instruction": "",
    "seed": "1",
}
State = ModelRequest.State


@pytest.fixture(autouse=True)
def nudged(monkeypatch):
    """The plans of which workers are told."""
    told = []
    monkeypatch.setattr(tasks.work_on_plan, "delay_on_commit", told.append)
    return told


@pytest.fixture
def tiny(db):
    return make_endpoint("tiny")


@pytest.fixture
def prompts(project):
    genre = project.genres.get(key="poetry")
    make_prompt(project, "p1", text="Write about a bridge.")
    make_prompt(project, "p2", text="写一座桥。", language="zh", genre=genre)
    make_response(make_prompt(project, "p3", text="Write about a tunnel."), "r3")


@pytest.fixture
def browser(lead, browser_of):
    return browser_of(lead)


@pytest.fixture
def plan(project, prompts, tiny):
    return make_plan(project, tiny, started=False, prompts=project.prompts.filter(external_id="p1"))


def make_endpoint(name, **columns):
    told = {"model": f"{name}-1", "public_name": f"{name.title()} One", "input_price": 2, "output_price": 8}
    return Endpoint.objects.create(
        name=name, base_url="https://models.example.org/v1", created_at=NOW, **{**told, **columns}
    )


def page_of(response):
    return response.content.decode()


def at(plan, page="plan", **more):
    return reverse(page, kwargs={"slug": plan.project.slug, "pk": plan.pk, **more})


def answer(request, text="A bridge sings.", now=NOW, **more):
    return answers.store(
        request.pk, answers.Answer(text=text, finish_reason="stop", **more), sent_at=now, now=now
    )


def fail(request, kind="refused", detail="No, never."):
    number = request.attempts.count() + 1
    ModelRequest.objects.filter(pk=request.pk).update(
        state=State.FAILED, attempt=number, ended_at=NOW, error_kind=kind, error=detail
    )
    request.attempts.create(
        number=number, sent_at=NOW, ended_at=NOW, status=400, error_kind=kind, detail=detail
    )


# --- Who may -------------------------------------------------------------------------------------

PAGES = ["plan", "plan_cancel", "plan_requests", "plan_batches"]
ACTS = [
    "plan_start",
    "plan_pause",
    "plan_resume",
    "plan_cancel",
    "plan_remove",
    "plan_again",
    "plan_to_triage",
]


@pytest.mark.parametrize("role", ["instructor", "adjudicator", "annotator"])
def test_members_who_do_not_lead_are_refused(project, plan, browser_of, role):
    browser = browser_of(make_member(project, role))
    request = plan.requests.first()
    pages = [at(plan, page) for page in PAGES]
    pages += [reverse("plans", args=["bridges"]), reverse("new_plan", args=["bridges"])]
    pages.append(reverse("plan_request", args=["bridges", plan.pk, request.pk]))
    assert {browser.get(page).status_code for page in pages} == {403}
    assert {browser.post(at(plan, act), {"seen": "on"}).status_code for act in ACTS} == {403}
    assert browser.post(reverse("new_plan", args=["bridges"]), GIVEN).status_code == 403
    assert project.plans.get().state == Plan.State.DRAFT


def test_strangers_and_leads_of_other_projects_find_nothing(plan, stranger, browser_of):
    elsewhere = make_member(make_project("tunnels"), "lead")
    for person in (stranger, elsewhere):
        browser = browser_of(person)
        assert {browser.get(at(plan, page)).status_code for page in PAGES} == {404}
        assert {browser.post(at(plan, act)).status_code for act in ACTS} == {404}


def test_a_plan_is_reached_through_its_own_project_alone(plan, lead, browser_of, browser):
    other = make_project("tunnels")
    browser = browser_of(make_member(other, "lead"))
    assert browser.get(reverse("plan", args=["tunnels", plan.pk])).status_code == 404
    request = plan.requests.first()
    assert browser.get(reverse("plan_request", args=["tunnels", plan.pk, request.pk])).status_code == 404


def test_an_operator_who_leads_nothing_finds_no_plan(plan, browser_of, stranger):
    stranger.is_superuser = True
    stranger.save()
    assert browser_of(stranger).get(at(plan)).status_code == 404


# --- Making --------------------------------------------------------------------------------------


def make_by_page(browser, **given):
    return browser.post(reverse("new_plan", args=["bridges"]), {**GIVEN, **given})


def test_a_lead_makes_a_draft_and_sees_what_it_costs_before_it_runs(project, prompts, tiny, browser, nudged):
    made = make_by_page(browser, without_responses="on", max_tokens="1000")
    plan = Plan.objects.get()
    assert made["Location"] == at(plan)
    assert (plan.state, plan.samples, plan.temperature) == ("draft", 2, Decimal("0.80"))
    assert set(plan.requests.values_list("prompt__external_id", flat=True)) == {"p1", "p2"}
    shown = tree(browser.get(made["Location"]).content).text
    assert "4 requests, not asked yet" in shown
    assert "at most about 0.03 USD" in shown  # 4 x 1000 tokens at 8 a million, and a little input
    assert nudged == []


def test_the_form_begins_with_the_usual_numbers(prompts, tiny, browser):
    sent = sent_by(page_of(browser.get(reverse("new_plan", args=["bridges"]))), "make")
    assert (sent["samples"], sent["temperature"], sent["max_tokens"]) == (["5"], ["0.8"], ["4096"])
    assert sent["without_responses"] == ["on"]
    assert sent["kind"] == ["responses"]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, {"p1", "p2", "p3"}),
        ({"without_responses": "on"}, {"p1", "p2"}),
        ({"language": ["zh"]}, {"p2"}),
        ({"genre": ["poetry"]}, {"p2"}),
        ({"genre": ["?"]}, {"p1", "p3"}),
        ({"genre": ["?", "poetry"], "without_responses": "on"}, {"p1", "p2"}),
        ({"names": "p3\r\n p1 \r\n\r\np3"}, {"p1", "p3"}),
        ({"names": "p3", "without_responses": "on"}, set()),
        ({"with_requirements": "on"}, set()),
    ],
)
def test_filters_combine_and_their_count_is_shown(project, prompts, tiny, browser, filters, names):
    shown = browser.post(reverse("new_plan", args=["bridges"]), {**GIVEN, **filters, "look": "1"})
    assert shown.status_code == 200
    assert f"This takes {len(names)} prompt" in tree(shown.content).one(id="selection").text
    assert not Plan.objects.exists()
    made = make_by_page(browser, **filters)
    assert made.status_code == (302 if names else 422)
    assert set(ModelRequest.objects.values_list("prompt__external_id", flat=True)) == names


def require(project, name, n):
    prompt = project.prompts.get(external_id=name)
    for position in range(1, n + 1):
        prompt.requirements.create(
            position=position, kind="content", text=f"Name the river number {position}."
        )


def test_a_dropout_asks_each_variant_of_prompts_with_requirements_enough(project, prompts, tiny, browser):
    require(project, "p1", 5)
    require(project, "p3", 1)
    refused = make_by_page(browser, kind="dropout", names="p3")
    assert refused.status_code == 422
    assert "a dropout takes" in tree(refused.content).text
    make_by_page(browser, kind="dropout", with_requirements="on", samples="2", seed="a seed")
    plan = Plan.objects.get()
    assert (plan.kind, plan.seed) == ("dropout", "a seed")
    assert set(plan.requests.values_list("prompt__external_id", "variant")) == {
        ("p1", n) for n in range(1, 6)
    }
    request = plan.requests.filter(variant=5).first()
    shown = tree(browser.get(reverse("plan_request", args=["bridges", plan.pk, request.pk])).content).text
    assert "variant 5" in shown
    assert request.kept.get().text in shown
    assert "Variant" in tree(browser.get(at(plan, "plan_requests")).content).text


def test_prompts_are_taken_by_the_import_that_brought_them(project, prompts, tiny, browser):
    brought = make_import(project)
    make_prompt(project, "p9", source=brought)
    make_by_page(browser, imported=str(brought.pk))
    assert list(ModelRequest.objects.values_list("prompt__external_id", flat=True).distinct()) == ["p9"]


def test_what_is_not_there_yet_is_not_asked_about(project, prompts, tiny, browser):
    make_prompt(project, "p8", source=make_import(project, state="storing"))
    make_by_page(browser)
    assert not ModelRequest.objects.filter(prompt__external_id="p8").exists()


def test_of_another_project_nothing_can_be_chosen(prompts, tiny, browser):
    other = make_project("tunnels")
    brought = make_import(other)
    make_prompt(other, "q1", source=brought)
    assert make_by_page(browser, imported=str(brought.pk)).status_code == 422
    shown = browser.post(reverse("new_plan", args=["bridges"]), {**GIVEN, "names": "q1\np1", "look": "1"})
    assert "1 of the ids is of no prompt: q1" in tree(shown.content).text


def test_prompts_without_a_text_are_left_out_and_counted(project, prompts, tiny, browser):
    make_prompt(project, "empty", text="")
    shown = tree(browser.get(reverse("new_plan", args=["bridges"])).content).text
    assert "1 prompt is left out, because it has no text." in shown


def test_the_count_alone_answers_a_change_of_the_filters(prompts, tiny, browser):
    address = reverse("new_plan", args=["bridges"])
    piece = browser.post(address, {**GIVEN, "language": "zh"}, headers={"HX-Request": "true"})
    assert piece.status_code == 200
    assert page_of(piece).strip().startswith('<div id="selection">')
    assert not Plan.objects.exists()


def test_looking_keeps_what_was_filled_in(prompts, tiny, browser):
    other = make_endpoint("other")
    sent = {**GIVEN, "name": "Half", "endpoints": [other.name], "samples": "many", "look": "1"}
    kept = sent_by(page_of(browser.post(reverse("new_plan", args=["bridges"]), sent)), "make")
    assert (kept["name"], kept["endpoints"], kept["samples"]) == (["Half"], ["other"], ["many"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": " "}, "Give the plan a name."),
        ({"name": "x" * 101}, "100"),
        ({"kind": "expansion"}, "Select a valid choice"),
        ({"endpoints": []}, "Choose one model or more."),
        ({"endpoints": ["vectors"]}, "Select a valid choice"),
        ({"endpoints": ["retired"]}, "Select a valid choice"),
        ({"endpoints": ["tiny", "twin"]}, "one public name"),
        ({"samples": "0"}, "greater than or equal to 1"),
        ({"samples": "x"}, "Write a whole number."),
        ({"temperature": "2.1"}, "less than or equal to 2"),
        ({"temperature": "hot"}, "Write a number from 0 to 2"),
        ({"max_tokens": "0"}, "greater than or equal to 1"),
        ({"name": "Taken"}, "has this name"),
        ({"names": "nobody"}, "No prompt is chosen."),
        ({"language": ["xx"]}, "Select a valid choice"),
    ],
)
def test_what_no_plan_can_be_is_said(project, prompts, tiny, browser, given, said):
    make_endpoint("vectors", kind="embeddings")
    make_endpoint("retired", retired_at=NOW)
    make_endpoint("twin", public_name="Tiny One")
    make_plan(project, tiny, name="Taken", started=False)
    refused = make_by_page(browser, **given)
    assert refused.status_code == 422
    assert said in tree(refused.content).text
    assert project.plans.count() == 1


def test_without_a_model_the_page_says_whose_task_that_is(prompts, browser):
    assert "An operator of this site adds one." in page_of(browser.get(reverse("new_plan", args=["bridges"])))


# --- Steering ------------------------------------------------------------------------------------


def test_a_plan_begins_only_once_somebody_says_that_they_saw_the_cost(plan, browser, nudged):
    refused = browser.post(at(plan, "plan_start"))
    assert refused.status_code == 422
    assert "Tick this first" in page_of(refused)
    plan.refresh_from_db()
    assert (plan.state, nudged) == ("draft", [])
    assert browser.post(at(plan, "plan_start"), {"seen": "on"}).status_code == 302
    plan.refresh_from_db()
    assert (plan.state, nudged) == ("running", [plan.pk])
    assert browser.post(at(plan, "plan_start"), {"seen": "on"}).status_code == 409


def test_it_is_paused_resumed_and_cancelled(plan, browser, nudged):
    plans.start(plan, by=None, now=NOW)
    browser.post(at(plan, "plan_pause"))
    assert "Paused" in page_of(browser.get(at(plan)))
    browser.post(at(plan, "plan_resume"))
    assert nudged == [plan.pk]
    assert "2 requests that wait are never asked." in tree(browser.get(at(plan, "plan_cancel")).content).text
    plan.refresh_from_db()
    assert plan.state == "running"  # looking at the question cancels nothing
    browser.post(at(plan, "plan_cancel"))
    shown = tree(browser.get(at(plan)).content).text
    assert "Cancelled" in shown
    assert "2 requests were cancelled before they were asked." in shown
    assert browser.post(at(plan, "plan_resume")).status_code == 409


def test_a_draft_is_removed_and_nothing_else_is(project, plan, browser):
    assert browser.post(at(plan, "plan_remove"))["Location"] == reverse("plans", args=["bridges"])
    assert not project.plans.exists()
    other = make_plan(project, Endpoint.objects.get(), name="Runs")
    assert browser.post(at(other, "plan_remove")).status_code == 409


def test_why_it_paused_by_itself_is_said_in_the_readers_language(plan, browser):
    plans.start(plan, by=None, now=NOW)
    plans.pause(plan, why=answers.MEANINGS["key_refused"], by=None, now=NOW)
    assert "The server refuses the key. An operator has to set another." in page_of(browser.get(at(plan)))
    in_chinese = browser.get(at(plan), headers={"Accept-Language": "zh-CN"})
    assert "服务器不接受该密钥" in page_of(in_chinese)


def test_failed_requests_wait_again_or_go_to_triage(plan, browser, nudged):
    plans.start(plan, by=None, now=NOW)
    first, second = plan.requests.order_by("pk")
    fail(first)
    fail(second)
    shown = tree(browser.get(at(plan)).content).text
    assert "The server refused the request." in shown
    browser.post(at(plan, "plan_again"))
    assert plan.requests.filter(state="waiting").count() == 2
    assert nudged == [plan.pk]
    assert browser.post(at(plan, "plan_again")).status_code == 409
    fail(second)
    browser.post(at(plan, "plan_to_triage"))
    handed = Response.objects.get(model_request=second)
    assert handed.text == ""
    assert handed.flags.exists()
    assert browser.post(at(plan, "plan_to_triage")).status_code == 409


def test_acts_are_posts(plan, browser):
    acts = [act for act in ACTS if act != "plan_cancel"]
    assert {browser.get(at(plan, act)).status_code for act in acts} == {405}


# --- While it runs -------------------------------------------------------------------------------


def test_the_page_counts_and_says_what_was_spent(project, prompts, tiny, browser):
    other = make_endpoint("other", currency="CNY", input_price=0, output_price=1000)
    plan = make_plan(project, tiny, other, samples=1)
    mine = plan.requests.filter(source__endpoint=tiny).order_by("pk")
    answer(mine[0], tokens_in=500_000, tokens_out=250_000)
    fail(mine[1])
    answer(plan.requests.filter(source__endpoint=other).first(), tokens_in=10, tokens_out=2_000)
    page = tree(browser.get(at(plan)).content)
    assert "2 of 6 answered" in page.text
    assert "2.00 CNY + 3.00 USD" in page.text or "3.00 USD + 2.00 CNY" in page.text
    rows = {row.one("th").text: [cell.text for cell in row.all("td")] for row in page.all("tr")[1:]}
    assert rows["Tiny One tiny-1"] == ["1", "0", "1", "1", "500,000 / 250,000", "3.00 USD"]
    assert rows["Other One other-1"] == ["2", "0", "1", "0", "10 / 2,000", "2.00 CNY"]
    assert "3.00 USD" in page_of(browser.get(reverse("plans", args=["bridges"])))


def test_answers_without_a_count_are_said_to_be_missing_from_the_sum(plan, browser):
    plans.start(plan, by=None, now=NOW)
    answer(plan.requests.first())
    assert "counted no tokens of 1 answer" in page_of(browser.get(at(plan)))


def test_it_says_how_fast_it_goes_and_how_long_it_takes(plan, browser):
    now = timezone.now()
    plans.start(plan, by=None, now=now - timedelta(minutes=1))
    answer(plan.requests.first(), now=now)
    shown = tree(browser.get(at(plan)).content).text
    assert "answers a minute of late" in shown
    assert "about 1 minute more" in shown


def test_a_plan_that_no_worker_takes_up_says_so(plan, browser):
    plans.start(plan, by=None, now=timezone.now() - timedelta(minutes=2))
    assert "No worker has taken this up." in page_of(browser.get(at(plan)))
    Plan.objects.update(served_until=timezone.now())
    assert "No worker has taken this up." not in page_of(browser.get(at(plan)))


def test_the_page_looks_again_by_itself_while_it_changes(plan, browser):
    assert "hx-get" not in page_of(browser.get(at(plan)))
    plans.start(plan, by=None, now=NOW)
    assert 'hx-trigger="every 3s"' in page_of(browser.get(at(plan)))
    piece = page_of(browser.get(at(plan), headers={"HX-Request": "true"}))
    assert piece.strip().startswith('<div id="plan"')
    plans.pause(plan, by=None, now=NOW)
    assert "hx-get" not in page_of(browser.get(at(plan)))


def test_single_requests_of_writing_have_a_list_of_their_own(project, plan, tiny, browser):
    prompt = project.prompts.get(external_id="p1")
    asked = plans.ask_once(
        project, kind="proposal", endpoint=tiny, asked="Propose.", prompt=prompt, by=None, now=NOW
    )
    address = reverse("plans", args=["bridges"])
    assert asked.name not in page_of(browser.get(address))
    assert asked.name in page_of(browser.get(f"{address}?kind=single"))
    assert browser.get(at(asked)).status_code == 200


# --- Requests ------------------------------------------------------------------------------------


def test_requests_are_listed_and_filtered(project, prompts, tiny, browser):
    other = make_endpoint("other")
    plan = make_plan(project, tiny, other, samples=1)
    fail(plan.requests.filter(source__endpoint=other).first())
    source = plan.sources.get(endpoint=other)

    def listed(query=""):
        page = tree(browser.get(at(plan, "plan_requests") + query).content)
        return len(page.all("tr")) - bool(page.all("tr"))

    assert listed() == 6
    assert listed("?state=failed") == 1
    assert listed(f"?source={source.pk}") == 3
    assert listed(f"?source={source.pk}&state=waiting") == 2
    assert listed("?state=nonsense&source=99999999999999999999") == 6


def test_requests_come_in_pages(project, tiny, browser, monkeypatch):
    make_prompt(project, "p1")
    plan = make_plan(project, tiny, samples=60)
    first = tree(browser.get(at(plan, "plan_requests") + "?state=waiting").content)
    assert "1 to 50 of 60" in first.text
    following = next(link for link in first.all("a") if link.text == "Next")
    assert "state=waiting" in following["href"]
    second = tree(browser.get(at(plan, "plan_requests") + following["href"]).content)
    assert "51 to 60 of 60" in second.text


def test_one_request_is_shown_with_all_that_was_kept(plan, browser):
    plans.start(plan, by=None, now=NOW)
    request = plan.requests.first()
    RequestAttempt.objects.create(
        request=request,
        number=1,
        sent_at=NOW,
        ended_at=NOW + timedelta(seconds=2),
        status=500,
        error_kind="server_error",
        detail="<b>Out of order</b>",
    )
    ModelRequest.objects.filter(pk=request.pk).update(attempt=1)
    raw = completion("A bridge sings.", finish="length")
    found = answers.Answer("A bridge sings.", "length", 10, 20, "tiny-1", raw)
    answers.store(request.pk, found, sent_at=NOW, now=NOW + timedelta(seconds=3))
    content = browser.get(reverse("plan_request", args=["bridges", plan.pk, request.pk])).content
    shown = tree(content).text
    for said in (
        "Write about a bridge.",
        "A bridge sings.",
        "cut off where it reached its limit",
        "10 / 20",
        "3.0 seconds",
        "The server met an error of its own.",
        "<b>Out of order</b>",
        "chatcmpl-1",
    ):
        assert said in shown
    assert b"<b>Out of order" not in content
    response = Response.objects.get(model_request=request)
    assert reverse("triage_response", args=["bridges", response.pk]) in content.decode()


def test_a_request_that_was_never_asked_says_so(plan, browser):
    request = plan.requests.first()
    shown = page_of(browser.get(reverse("plan_request", args=["bridges", plan.pk, request.pk])))
    assert "It has not been asked yet." in shown


def test_a_request_is_reached_through_its_own_plan_alone(project, plan, tiny, browser):
    other = make_plan(project, tiny, name="Other")
    request = other.requests.first()
    assert browser.get(reverse("plan_request", args=["bridges", plan.pk, request.pk])).status_code == 404


# --- The whole way -------------------------------------------------------------------------------


def test_from_the_form_to_responses_and_no_page_shows_the_key(
    project, prompts, browser, settings, monkeypatch, stranger, browser_of
):
    stranger.is_superuser = True
    stranger.save()
    with under_way.asked_server(settings, monkeypatch) as server:
        under_way.make_endpoint(server, "tiny")
        said = f"You sent {model_server.KEY}, which is odd."
        server.acts = [model_server.error(400, said), model_server.error(500, said)]
        make_by_page(browser, without_responses="on")
        plan = Plan.objects.get()
        browser.post(at(plan, "plan_start"), {"seen": "on"})
        under_way.run(plan)
    shown = tree(browser.get(at(plan)).content).text
    assert "Done" in shown
    assert "3 of 4 answered" in shown
    assert Response.objects.filter(source_model="Tiny One").count() == 3
    pages = [
        at(plan),
        at(plan, "plan_requests"),
        at(plan, "plan_batches"),
        reverse("plans", args=["bridges"]),
    ]
    requests = plan.requests.values_list("pk", flat=True)
    pages += [reverse("plan_request", args=["bridges", plan.pk, pk]) for pk in requests]
    contents = [page_of(browser.get(page)) for page in [*pages, reverse("journal", args=["bridges"])]]
    operator = browser_of(stranger)
    contents += [
        page_of(operator.get(page)) for page in (reverse("endpoints"), reverse("endpoint", args=["tiny"]))
    ]
    assert any("which is odd" in content for content in contents)
    assert not any(model_server.KEY in content for content in contents)
