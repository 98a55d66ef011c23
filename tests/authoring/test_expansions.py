"""A model writes a prompt from its blueprint, and somebody takes the text over."""

import pytest

from annotation.errors import DomainError, Invalid
from authoring.models import AuthoredPrompt, Endpoint, ModelRequest
from authoring.queries import expansions as queries
from authoring.services import expansions, prompts
from tests.authoring.writing import begun, handed_in, written
from tests.factories import NOW, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(project):
    return make_member(project, "instructor", "ines")


@pytest.fixture
def authored(project, ines):
    return begun(project, ines)


def code_of(refusal) -> str:
    return refusal.value.code


@pytest.fixture
def endpoint(db):
    return Endpoint.objects.create(
        name="writer", base_url="http://127.0.0.1:1/v1", model="m", public_name="Writer", created_at=NOW
    )


@pytest.fixture
def request_of(authored, endpoint, ines):
    return expansions.ask(authored, endpoint, by=ines.user, now=NOW).requests.get()


def answered(request, text="Write of a bridge."):
    ModelRequest.objects.filter(pk=request.pk).update(state="done", ended_at=NOW, text=text)
    request.refresh_from_db()
    return request


def test_a_model_is_asked_for_the_text_of_a_blueprint(authored, request_of, endpoint, ines):
    assert authored.blueprint in request_of.asked
    assert (request_of.authored, request_of.plan.kind) == (authored, "expansion")
    with pytest.raises(DomainError) as refusal:
        expansions.ask(authored, endpoint, by=ines.user, now=NOW)
    assert code_of(refusal) == "under_way"


def test_who_waits_for_a_paused_plan_may_ask_another_model(authored, request_of, endpoint, ines):
    request_of.plan.state = "paused"
    request_of.plan.save(update_fields=["state"])
    assert expansions.ask(authored, endpoint, by=ines.user, now=NOW) != request_of.plan


def test_no_model_writes_what_is_in_review(authored, endpoint, ines):
    handed_in(authored)
    with pytest.raises(DomainError) as refusal:
        expansions.ask(authored, endpoint, by=ines.user, now=NOW)
    assert code_of(refusal) == "not_open"


def test_the_answer_is_taken_over_and_kept_in_mind(authored, request_of, ines):
    stored = prompts.take_expansion(authored, answered(request_of), by=ines.user, now=NOW)
    assert (stored.text, stored.state, stored.expansion) == ("Write of a bridge.", "draft", request_of)
    assert handed_in(stored, "Write of a long bridge.").expansion == request_of


def test_a_text_of_ones_own_gives_way_only_on_purpose(authored, request_of, ines):
    written(authored)
    request = answered(request_of)
    with pytest.raises(Invalid) as refusal:
        prompts.take_expansion(authored, request, by=ines.user, now=NOW)
    assert code_of(refusal) == "text_there"
    taken = prompts.take_expansion(authored, request, replacing=True, by=ines.user, now=NOW)
    assert taken.text == "Write of a bridge."


@pytest.mark.parametrize("case", ["before the answer", "an empty answer", "of another prompt"])
def test_what_is_no_answer_is_not_taken_over(project, authored, request_of, ines, case):
    if case != "before the answer":
        answered(request_of, "" if case == "an empty answer" else "Write of a bridge.")
    prompt = begun(project, ines, "other") if case == "of another prompt" else authored
    with pytest.raises(DomainError) as refusal:
        prompts.take_expansion(prompt, request_of, by=ines.user, now=NOW)
    assert code_of(refusal) == "no_answer"
    assert not AuthoredPrompt.objects.exclude(text="").exists()


# --- What the writer is told ---------------------------------------------------------------------


def test_nothing_is_told_before_a_model_is_asked(authored):
    assert queries.expansion(authored) is None


def test_the_state_of_the_newest_request_is_told(authored, request_of):
    assert queries.expansion(authored).is_under_way
    answered(request_of)
    found = queries.expansion(authored)
    assert (found.state, found.text, found.model, found.is_under_way) == (
        "done",
        "Write of a bridge.",
        "Writer",
        False,
    )


def test_a_failure_is_told_in_a_sentence(authored, request_of):
    ModelRequest.objects.filter(pk=request_of.pk).update(
        state="failed", ended_at=NOW, error_kind="timed_out", error="SECRET DETAIL"
    )
    found = queries.expansion(authored)
    assert (found.state, found.error) == ("failed", "The server did not answer in time.")


def test_a_plan_that_paused_says_why(authored, request_of):
    request_of.plan.state = "paused"
    request_of.plan.paused_why = "The server refuses the key. An operator has to set another."
    request_of.plan.save(update_fields=["state", "paused_why"])
    found = queries.expansion(authored)
    assert (found.state, found.is_under_way) == ("paused", False)
    assert "refuses the key" in found.error


def test_models_that_are_retired_or_give_no_texts_are_not_offered(endpoint):
    for name, columns in (("old", {"retired_at": NOW}), ("vectors", {"kind": "embeddings"})):
        Endpoint.objects.create(
            name=name,
            base_url="http://127.0.0.1:1/v1",
            model="m",
            public_name=name,
            created_at=NOW,
            **columns,
        )
    assert list(queries.endpoints()) == [endpoint]
