"""Operators alone set the models that the site may ask. Servers and keys are those of the environment."""

import pytest
from django.urls import reverse

from annotation.models import JournalEntry
from authoring.models import Endpoint
from tests.authoring.model_server import KEY
from tests.authoring.plans_under_way import KEY_NAME, make_plan
from tests.factories import NOW, make_member, make_prompt, make_user
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db
ORIGIN = "https://models.example.org"
GIVEN = {
    "name": "tiny",
    "kind": "chat",
    "base_url": f"{ORIGIN}/v1",
    "model": "tiny-1",
    "public_name": "Tiny One",
    "family": "Tiny",
    "key_name": KEY_NAME,
    "input_price": "1.50",
    "output_price": "6",
    "currency": "usd",
    "parallel": "4",
    "tokens_per_minute": "",
    "timeout_seconds": "300",
    "length_parameter": "max_tokens",
    "extra": '{"top_p": 0.9}',
}


@pytest.fixture(autouse=True)
def _allowed(settings, monkeypatch):
    settings.MODEL_ORIGINS = [ORIGIN]
    monkeypatch.delenv(KEY_NAME, raising=False)


@pytest.fixture
def operator(db):
    return make_user("olga", is_superuser=True)


@pytest.fixture
def browser(operator, browser_of):
    return browser_of(operator)


@pytest.fixture
def tiny(db):
    return Endpoint.objects.create(
        name="tiny",
        base_url=f"{ORIGIN}/v1",
        model="tiny-1",
        public_name="Tiny One",
        key_name=KEY_NAME,
        created_at=NOW,
    )


def page_of(response):
    return response.content.decode()


def form_of(browser, name="tiny"):
    return sent_by(page_of(browser.get(reverse("endpoint", args=[name]))), "endpoint")


def test_an_operator_adds_an_end_point(browser, operator):
    made = browser.post(reverse("new_endpoint"), GIVEN)
    assert made["Location"] == "/operator/models/tiny/?added"
    found = Endpoint.objects.get()
    assert (found.model, found.public_name, found.currency) == ("tiny-1", "Tiny One", "USD")
    assert found.extra == {"top_p": 0.9}
    assert found.tokens_per_minute is None
    entry = JournalEntry.objects.get(action="endpoint.added")
    assert (entry.project, entry.actor, entry.data) == (None, operator, {"name": "tiny", "model": "tiny-1"})
    assert "Leads can choose it" in page_of(browser.get(made["Location"]))


@pytest.mark.parametrize("role", ["lead", "instructor", "adjudicator", "annotator"])
def test_nobody_else_reaches_any_of_it(project, tiny, browser_of, role):
    browser = browser_of(make_member(project, role))
    pages = [reverse("endpoints"), reverse("new_endpoint"), reverse("endpoint", args=["tiny"])]
    assert [browser.get(page).status_code for page in pages] == [403, 403, 403]
    acts = [reverse("endpoint_retire", args=["tiny"]), reverse("endpoint_restore", args=["tiny"])]
    assert [browser.post(act).status_code for act in acts] == [403, 403]
    assert browser.post(reverse("new_endpoint"), {**GIVEN, "name": "other"}).status_code == 403
    assert browser.get(reverse("endpoint", args=["nothing"])).status_code == 403  # hides what there is
    assert Endpoint.objects.get().retired_at is None


def test_a_visitor_is_asked_to_sign_in(client, tiny):
    assert client.get(reverse("endpoints")).status_code == 302


def test_an_unknown_end_point_is_not_found(browser):
    assert browser.get(reverse("endpoint", args=["nothing"])).status_code == 404


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": " "}, "Give the end point a name."),
        ({"name": "with blank"}, "Use letters, digits"),
        ({"name": "new"}, "meaning of its own"),
        ({"kind": "images"}, "Select a valid choice"),
        ({"base_url": "https://other.example.org/v1"}, "is not one of the servers that may be asked"),
        ({"base_url": f"{ORIGIN}/v1?key=3"}, "begins with ? or #"),
        ({"base_url": "https://me:x@models.example.org/v1"}, "Leave the user and the password out"),
        ({"model": ""}, "Write the name of the model."),
        ({"public_name": ""}, "Write the public name"),
        ({"key_name": "SECRET_KEY"}, "Write a name such as PLUMB_MODEL_KEY_MAIN"),
        ({"key_name": "plumb_model_key_main"}, "Write a name such as PLUMB_MODEL_KEY_MAIN"),
        ({"input_price": "-1"}, "greater than or equal to 0"),
        ({"output_price": "many"}, "Write an amount"),
        ({"output_price": "NaN"}, "Write an amount"),
        ({"currency": "dollars"}, "Ensure this value"),
        ({"currency": "1$2"}, "Use the three letters"),
        ({"parallel": "0"}, "greater than or equal to 1"),
        ({"tokens_per_minute": "0"}, "greater than or equal to 1"),
        ({"timeout_seconds": "9999"}, "less than or equal to 3600"),
        ({"length_parameter": "most"}, "Select a valid choice"),
        ({"extra": "top_p: 1"}, "not valid JSON"),
        ({"extra": '{"model": "x"}'}, "A plan says this itself: model"),
        ({"extra": '{"api_key": "x"}'}, "looks like a secret"),
        ({"model": "a\x00b"}, "Null characters"),
    ],
)
def test_what_cannot_be_is_said_at_its_field(browser, given, said):
    refused = browser.post(reverse("new_endpoint"), {**GIVEN, **given})
    assert refused.status_code == 422
    assert said in page_of(refused)
    assert not Endpoint.objects.exists()


def test_a_name_is_given_once(browser, tiny):
    refused = browser.post(reverse("new_endpoint"), GIVEN)
    assert refused.status_code == 422
    assert "Another end point has this name." in page_of(refused)


def test_the_pages_list_what_is_allowed_and_say_who_sets_it(browser):
    for page in (reverse("endpoints"), reverse("new_endpoint")):
        shown = page_of(browser.get(page))
        assert ORIGIN in shown
        assert "MODEL_ORIGINS" in shown


def test_where_nothing_is_allowed_the_page_says_so_plainly(browser, settings):
    settings.MODEL_ORIGINS = []
    assert "MODEL_ORIGINS is empty, so this site asks no model at all." in page_of(
        browser.get(reverse("endpoints"))
    )
    refused = browser.post(reverse("new_endpoint"), GIVEN)
    assert "No server may be asked" in page_of(refused)


def test_of_a_key_the_pages_show_no_more_than_whether_it_is_there(browser, tiny, monkeypatch):
    pages = [reverse("endpoints"), reverse("endpoint", args=["tiny"])]
    assert all("is not in the environment" in page_of(browser.get(page)) for page in pages)
    monkeypatch.setenv(KEY_NAME, KEY)
    for page in pages:
        shown = page_of(browser.get(page))
        assert "is in the environment" in shown
        assert KEY not in shown
    assert KEY not in str(list(JournalEntry.objects.values_list("data", flat=True)))


def test_a_server_that_is_allowed_no_more_is_named(browser, tiny, settings):
    settings.MODEL_ORIGINS = ["https://other.example.org"]
    assert "may not be asked" in page_of(browser.get(reverse("endpoints")))


def test_a_change_is_stored_and_journalled_by_its_fields(browser, tiny):
    form = form_of(browser)
    changed = browser.post(reverse("endpoint", args=["tiny"]), {**form, "input_price": "2", "name": "small"})
    assert changed["Location"] == "/operator/models/small/?saved"
    tiny.refresh_from_db()
    assert (tiny.name, tiny.input_price) == ("small", 2)
    assert JournalEntry.objects.get(action="endpoint.changed").data == {
        "name": "small",
        "changed": ["name", "input_price"],
    }


def test_saved_as_it_was_nothing_is_journalled(browser, tiny):
    assert browser.post(reverse("endpoint", args=["tiny"]), form_of(browser)).status_code == 302
    assert not JournalEntry.objects.exists()


def test_a_change_that_somebody_else_overtook_is_shown_and_not_stored(browser, tiny):
    form = form_of(browser)
    Endpoint.objects.filter(pk=tiny.pk).update(model="tiny-2")
    refused = browser.post(reverse("endpoint", args=["tiny"]), {**form, "family": "Mine"})
    assert refused.status_code == 409
    assert "Somebody else has changed this end point" in page_of(refused)
    assert "Now: tiny-2" in page_of(refused)
    again = sent_by(page_of(refused), "endpoint")
    assert browser.post(reverse("endpoint", args=["tiny"]), again).status_code == 302
    tiny.refresh_from_db()
    assert (tiny.family, tiny.model) == ("Mine", "tiny-1")  # as the form that was sent again has it


def test_an_end_point_that_plans_have_used_keeps_name_and_kind(browser, tiny, project):
    make_prompt(project)
    make_plan(project, tiny, started=False)
    form = form_of(browser)
    refused = browser.post(
        reverse("endpoint", args=["tiny"]), {**form, "name": "small", "kind": "embeddings"}
    )
    assert refused.status_code == 422
    assert page_of(refused).count("Plans have used this end point") >= 2
    assert browser.post(reverse("endpoint", args=["tiny"]), {**form, "model": "tiny-2"}).status_code == 302
    assert project.plans.get().sources.get().model == "tiny-1"


def test_an_end_point_is_retired_and_taken_back(browser, tiny, operator):
    browser.post(reverse("endpoint_retire", args=["tiny"]))
    tiny.refresh_from_db()
    assert tiny.retired_at is not None
    assert "Retired" in page_of(browser.get(reverse("endpoints")))
    assert browser.post(reverse("endpoint_retire", args=["tiny"])).status_code == 409
    browser.post(reverse("endpoint_restore", args=["tiny"]))
    tiny.refresh_from_db()
    assert tiny.retired_at is None
    assert browser.post(reverse("endpoint_restore", args=["tiny"])).status_code == 409
    actions = list(JournalEntry.objects.order_by("pk").values_list("action", "actor"))
    assert actions == [("endpoint.retired", operator.pk), ("endpoint.restored", operator.pk)]


def test_retiring_is_a_post(browser, tiny):
    assert browser.get(reverse("endpoint_retire", args=["tiny"])).status_code == 405
