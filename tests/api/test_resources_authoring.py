"""Prompts in the making, and plans, over REST: to read, for those who make them."""

from decimal import Decimal

import pytest

from annotation.models import Prompt
from authoring.domain.chat import Answer
from authoring.models import AuthoredPrompt, Endpoint, ModelRequest, Plan
from authoring.services import answers, plans
from tests.api.callers import BASE, Caller, refusal_of
from tests.authoring.writing import begun, handed_in, reviewed
from tests.factories import NOW, make_member, make_project, make_prompt

pytestmark = pytest.mark.django_db


@pytest.fixture
def instructors(project):
    return [make_member(project, "instructor", name) for name in ("ines", "otto")]


@pytest.fixture
def authored(project, instructors):
    found = begun(project, instructors[0], "storm", genre=project.genres.get(key="fiction"))
    handed_in(found)
    return AuthoredPrompt.objects.get()


@pytest.fixture
def plan(project):
    endpoint = Endpoint.objects.create(
        name="tiny",
        base_url="http://127.0.0.1:9/v1",
        model="tiny-1",
        public_name="Tiny One",
        input_price=1,
        output_price=2,
        created_at=NOW,
    )
    make_prompt(project, "p0")
    plan = plans.make(
        project,
        name="First",
        kind=Plan.Kind.RESPONSES,
        prompts=Prompt.objects.all(),
        endpoints=[endpoint],
        samples=2,
        temperature=Decimal("0.80"),
        max_tokens=100,
        by=None,
        now=NOW,
    )
    plans.start(plan, by=None, now=NOW)
    first = plan.requests.order_by("pk").first()
    answers.store(first.pk, Answer("A text.", "stop", 1_000, 2_000), sent_at=NOW, now=NOW)
    return plan


def test_a_prompt_comes_with_its_versions_and_what_its_reader_may_know_of_reviews(authored, instructors):
    reviewed(authored.versions.get(), instructors[0])
    [line] = Caller(instructors[1].user).get("authored/").json()["results"]
    assert (line["key"], line["state"], line["author"]) == ("storm", "in_review", "ines")
    [version] = Caller(instructors[1].user).get("authored/storm/").json()["versions"]
    assert (version["reviews"], version["reviews_hidden"], version["prompt"]) == ([], 1, None)
    [version] = Caller(instructors[0].user).get("authored/storm/").json()["versions"]
    assert (len(version["reviews"]), version["reviews_hidden"]) == (1, 0)
    reviewed(authored.versions.get(), instructors[1])
    told = Caller(instructors[1].user).get("authored/storm/").json()
    assert told["state"] == "accepted"
    assert told["versions"][0]["prompt"] == "storm"
    assert [each["accepts"] for each in told["versions"][0]["reviews"]] == [True, True]


def test_a_plan_comes_with_what_was_spent_and_each_request_with_its_answer(plan, lead):
    caller = Caller(lead.user)
    [line] = caller.get("plans/").json()["results"]
    told = caller.get(line["url"]).json()
    assert (told["name"], told["state"], told["temperature"]) == ("First", "running", "0.80")
    assert Decimal(told["spent"]["USD"]) == Decimal("0.005")
    [source] = told["sources"]
    assert (source["name"], source["requests"], source["done"], source["waiting"]) == ("Tiny One", 2, 1, 1)
    done = caller.get(f"plans/{plan.pk}/requests/?state=done").json()["results"]
    [request] = done
    assert (request["text"], request["tokens_out"], request["prompt"]) == ("A text.", 2_000, "p0")
    made = ModelRequest.objects.get(state="done").response
    assert request["response"] == made.external_id
    found = caller.get(f"plans/{plan.pk}/requests/?response={made.external_id}").json()["results"]
    assert found == done, "from a response back to how it came about"
    assert caller.get(f"responses/{made.external_id}/").json()["model"] == "Tiny One"


def test_filters_choose_and_what_they_do_not_know_is_refused(authored, plan, lead, instructors):
    caller = Caller(lead.user)
    assert [each["key"] for each in caller.get("authored/?state=in_review").json()["results"]] == ["storm"]
    assert caller.get("authored/?state=accepted&language=en").json()["results"] == []
    assert caller.get("plans/?kind=dropout").json()["results"] == []
    for url in ("authored/?state=wrong", "plans/?kind=wrong", f"plans/{plan.pk}/requests/?state=wrong"):
        assert refusal_of(caller.get(url)) == (400, "bad_parameter")


def test_leads_and_instructors_read_prompts_and_leads_alone_plans(
    authored, plan, lead, annotator, stranger, instructors
):
    elsewhere = make_member(make_project("other"), "lead")
    of_prompts = ("authored/", "authored/storm/")
    of_plans = ("plans/", f"plans/{plan.pk}/", f"plans/{plan.pk}/requests/")
    for url in (*of_prompts, *of_plans):
        assert Caller(lead.user).get(url).status_code == 200
        assert Caller(annotator.user).get(url).status_code == 403
        for person in (stranger, elsewhere.user):
            assert Caller(person).get(BASE + url if not url.startswith("/") else url).status_code == 404
        assert Caller(instructors[0].user).get(url).status_code == (200 if url in of_prompts else 403)
