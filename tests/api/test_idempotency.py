"""A write that is sent again is done once: the same key, the same request, the same answer."""

import json
from datetime import timedelta
from threading import Barrier

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from rest_framework.response import Response

from annotation import tasks as annotation_tasks
from annotation.models import IdempotencyKey, Import
from annotation.services import replays
from api import agreement, idempotency
from curation import tasks
from curation.models import Report
from tests.api.callers import Caller, refusal_of
from tests.api.tables import row_counts
from tests.factories import make_member, make_project
from tests.test_concurrency import at_once

pytestmark = pytest.mark.django_db
ASK = "/api/v1/projects/bridges/agreement/"
IMPORTS = "/api/v1/projects/bridges/imports/"
TEXTS = b"prompt,response,model\nWrite.,Once.,a\nWrite.,Twice.,b\n"


@pytest.fixture(autouse=True)
def nudged(monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.compute_report, "delay_on_commit", sent.append)
    monkeypatch.setattr(annotation_tasks.run_import_job, "delay_on_commit", sent.append)
    return sent


@pytest.fixture
def caller(project, lead):
    return Caller(lead.user)


def ask(caller, key="k1", body=None, url=ASK, **headers):
    return caller.post(url, body, **{"idempotency-key": key}, **headers)


def upload(caller, content=TEXTS, name="texts.csv", **headers):
    data = {"file": [SimpleUploadedFile(name, content)]}
    return caller.client.post(IMPORTS, data, headers={**caller.headers, "idempotency-key": "up", **headers})


# --- The same again --------------------------------------------------------------------------------------


def test_a_write_that_is_sent_again_is_done_once_and_answered_alike(caller, nudged):
    first, again = ask(caller), ask(caller)
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json() == first.json()
    assert again["Location"] == first["Location"]
    assert again["Content-Type"] == "application/json"
    assert (first.get("Idempotency-Replayed"), again["Idempotency-Replayed"]) == (None, "true")
    assert (Report.objects.count(), len(nudged)) == (1, 1)


def test_without_a_key_nothing_is_kept(caller):
    caller.post(ASK)
    assert not IdempotencyKey.objects.exists()


def test_reading_with_a_key_keeps_nothing(caller):
    ask(caller)
    IdempotencyKey.objects.all().delete()
    caller.get(ASK, **{"idempotency-key": "k1"})
    assert not IdempotencyKey.objects.exists()


def test_an_upload_is_the_same_however_its_parts_are_divided(caller, settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path
    first, again = upload(caller), upload(caller)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    # What a client puts between the parts is made up anew each time.
    parts = (
        b'--other\r\nContent-Disposition: form-data; name="file"; filename="texts.csv"\r\n'
        b"Content-Type: text/csv\r\n\r\n" + TEXTS + b"\r\n--other--\r\n"
    )
    kind = "multipart/form-data; boundary=other"
    third = ask(caller, "up", parts, IMPORTS, content_type=kind)
    assert third["Idempotency-Replayed"] == "true"
    assert Import.objects.count() == 1
    for other in (upload(caller, TEXTS + b"x"), upload(caller, name="others.csv")):
        assert refusal_of(other) == (409, "idempotency_conflict")
    assert Import.objects.count() == 1


def test_whoever_deletes_again_hears_that_it_is_gone(caller, settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path
    url = upload(caller).json()["url"]
    headers = {**caller.headers, "idempotency-key": "gone"}
    answers = [caller.client.delete(url, headers=headers) for _ in range(2)]
    assert [each.status_code for each in answers] == [204, 204]
    assert answers[1].content == b""
    assert refusal_of(caller.delete(url)) == (404, "not_found")


# --- Something else with the same key ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "url"),
    [
        ({"genre": "poetry"}, ASK),
        (" {}", ASK),
        ({}, ASK + "?genre=poetry"),
        ({}, "/api/v1/projects/tunnels/agreement/"),
    ],
)
def test_a_key_that_was_used_for_something_else_is_refused(caller, lead, body, url):
    make_project("tunnels").memberships.create(user=lead.user, role="lead", joined_at=timezone.now())
    ask(caller, body={})
    before = row_counts()
    assert refusal_of(ask(caller, body=body, url=url)) == (409, "idempotency_conflict")
    assert row_counts() == before


def test_another_person_may_use_the_same_key(caller, project):
    ask(caller)
    other = Caller(make_member(project, "lead", "other").user)
    assert ask(other).get("Idempotency-Replayed") is None
    assert IdempotencyKey.objects.count() == 2


def test_whoever_may_not_write_hears_so_before_any_answer_is_told_again(caller, lead):
    ask(caller)
    reader = Caller(lead.user, scopes=["read"])
    assert refusal_of(ask(reader)) == (403, "scope_missing")


@pytest.mark.parametrize("key", ["", "x" * 201, "ü", "a\tb", "a\x7f"])
def test_a_key_that_is_none_is_refused(caller, key):
    assert refusal_of(ask(caller, key)) == (400, "bad_idempotency_key")
    assert not Report.objects.exists()


def test_the_longest_key_is_taken(caller):
    assert ask(caller, "~" * 200).status_code == 202


# --- What is not kept --------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", ["{", '{"genre": "none"}', "[]"])
def test_a_refusal_is_not_kept_so_that_it_can_be_mended(caller, body):
    assert ask(caller, body=body).status_code == 400
    assert not IdempotencyKey.objects.exists()
    assert ask(caller).status_code == 202


def test_a_refusal_that_a_view_returns_takes_back_what_it_wrote(caller, monkeypatch):
    def refuse(self, request, slug):
        Report.objects.all().delete()
        return Response({}, status=409)

    caller.post(ASK)
    monkeypatch.setattr(agreement.Agreement, "post", refuse)
    assert ask(caller).status_code == 409
    assert Report.objects.count() == 1
    assert not IdempotencyKey.objects.exists()


def test_a_fault_keeps_nothing(caller, monkeypatch):
    caller.client.raise_request_exception = False
    monkeypatch.setattr(agreement, "_head", lambda *args: 1 / 0)
    assert ask(caller).status_code == 500
    assert not IdempotencyKey.objects.exists()
    assert not Report.objects.exists()


@pytest.mark.parametrize("name", idempotency.SECRETS)
def test_an_answer_that_shows_a_secret_is_not_kept_and_the_write_not_done_twice(caller, monkeypatch, name):
    done = []

    def tell(self, request, slug):
        done.append(slug)
        return Response({name: "a-secret-shown-once"}, status=201)

    monkeypatch.setattr(agreement.Agreement, "post", tell)
    assert ask(caller).json() == {name: "a-secret-shown-once"}
    assert refusal_of(ask(caller)) == (409, "answer_not_kept")
    assert len(done) == 1
    assert "a-secret" not in str(IdempotencyKey.objects.values())
    with pytest.raises(IntegrityError), transaction.atomic():
        IdempotencyKey.objects.update(body="a-secret")


# --- A day, and then no more -------------------------------------------------------------------------------


def test_a_key_is_free_again_after_a_day(caller):
    ask(caller)
    IdempotencyKey.objects.update(created_at=timezone.now() - replays.KEPT)
    other = ask(caller, body={"since": "2026-01-01"})
    assert (other.status_code, other.get("Idempotency-Replayed")) == (202, None)
    assert IdempotencyKey.objects.count() == 1


def test_the_sweep_forgets_what_is_over(caller):
    for key in ("old", "new"):
        ask(caller, key)
    IdempotencyKey.objects.filter(key="old").update(created_at=timezone.now() - timedelta(hours=24))
    tasks.sweep()
    assert list(IdempotencyKey.objects.values_list("key", flat=True)) == ["new"]


# --- Two at once -------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_of_several_at_once_one_writes_and_all_hear_of_it(caller, nudged):
    together = Barrier(8)

    def send():
        client = Client()
        together.wait()
        answer = client.post(
            ASK, "{}", content_type="application/json", headers={**caller.headers, "idempotency-key": "k"}
        )
        return answer.status_code, answer.get("Idempotency-Replayed"), answer.content

    answers = at_once([send] * 8)
    told = [json.loads(content) for status, _replayed, content in answers if status == 202]
    assert {status for status, *_ in answers} <= {202, 409}
    assert all(json.loads(body)["code"] == "in_progress" for status, _, body in answers if status == 409)
    assert sum(replayed is None for status, replayed, _ in answers if status == 202) == 1
    assert all(each == told[0] for each in told)
    assert (Report.objects.count(), IdempotencyKey.objects.count(), len(nudged)) == (1, 1, 1)


def test_one_that_is_not_done_yet_is_told_so(caller, monkeypatch):
    def busy(*args, **kwargs):
        raise replays.InProgress("in_progress", "A request with this key is being done.")

    monkeypatch.setattr(replays, "begin", busy)
    refused = ask(caller)
    assert refusal_of(refused) == (409, "in_progress")
    assert refused["Retry-After"] == "1"
