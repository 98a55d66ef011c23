"""REST: tables of a project as JSONL, the same bytes each time, whole or in parts, in memory that does not grow."""

import gzip
import json
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
from django.db import connection

from annotation.models import Membership, Prompt
from annotation.services import membership
from api import exports, ranges
from api.resources import rows as rows_of
from tests.api.callers import BASE, Caller, fill, refusal_of
from tests.factories import NOW, make_import, make_prompt, make_response

pytestmark = pytest.mark.django_db
SCORES = "exports/scores.jsonl"
KINDS = tuple(exports.TABLES)


@pytest.fixture
def world(project):
    return fill(project, is_released=False)


@pytest.fixture
def caller(world, lead):
    return Caller(lead.user)


@pytest.fixture
def addresses(world):
    return [*(f"exports/{kind}.jsonl" for kind in KINDS), f"runs/{world.run.pk}/pairs.jsonl"]


def content(answer):
    return b"".join(answer.streaming_content)


def rows(answer):
    return [json.loads(line) for line in content(answer).splitlines()]


# --- What is in them ---------------------------------------------------------------------------------


def test_each_table_has_a_line_for_every_row_and_tells_it_as_the_list_does(caller, world, addresses):
    counts = []
    for url in addresses:
        answer = caller.get(url)
        assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
        assert answer["Content-Disposition"].startswith("attachment")
        exported = rows(answer)
        place = url.removeprefix("exports/").removesuffix(".jsonl") + "/"
        listed = [{k: v for k, v in row.items() if k != "url"} for row in caller.all(place)]
        assert exported == listed
        counts.append(len(exported))
    assert counts == [4, 8, 24, 1, world.run.funnel["accepted"]]


def test_annotators_are_pseudonyms(caller, addresses):
    said = b"".join(content(caller.get(url)) for url in addresses).decode()
    assert "annotator-01" in said
    assert not [name for name in ("ursula", "benedict", '"pk"', "user") if name in said]


def test_scores_of_whoever_withdrew_their_data_are_not_in_it(caller, world, lead):
    member = world.project.memberships.get(user__username="ursula")
    membership.withdraw_data(member, reason="Asked for it.", by=lead.user, now=NOW)
    assert Membership.objects.get(pk=member.pk).state == "withdrawn"
    assert {row["annotator"] for row in rows(caller.get(SCORES))} == {"annotator-02", "annotator-03"}
    assert rows(caller.get("exports/rankings.jsonl")) == []


def test_what_is_still_coming_in_is_not_there(caller, world):
    coming = make_import(world.project, state="storing")
    prompt = make_prompt(world.project, "p9", source=coming)
    make_response(prompt, "p9-0", source=coming, state="incoming")
    assert len(rows(caller.get("exports/prompts.jsonl"))) == 4
    assert len(rows(caller.get("exports/responses.jsonl"))) == 8


def test_a_table_that_is_not_there_is_refused_as_a_problem(caller):
    assert refusal_of(caller.get("exports/people.jsonl", accept="application/x-ndjson")) == (404, "not_found")


def test_an_empty_table_is_an_empty_file(project, lead):
    answer = Caller(lead.user).get(SCORES)
    assert (answer.status_code, content(answer), answer["Content-Length"]) == (200, b"", "0")


# --- Bytes -------------------------------------------------------------------------------------------


def test_the_same_rows_are_the_same_bytes_and_their_digest_is_the_tag(caller, addresses):
    for url in addresses:
        first, second = caller.get(url), caller.get(url)
        assert first["ETag"] == second["ETag"]
        told = content(first)
        assert told == content(second)
        assert first["ETag"] == f'"{sha256(told).hexdigest()}"'
        assert first["Content-Length"] == str(len(told))


def test_what_is_held_already_is_not_sent_again(caller, world):
    tag = caller.get(SCORES)["ETag"]
    again = caller.get(SCORES, if_none_match=tag)
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)


def test_gzip_is_given_where_it_is_asked_for(caller):
    plain = caller.get(SCORES)
    zipped = caller.get(SCORES, accept_encoding="br, gzip;q=0.8")
    assert (zipped["Content-Encoding"], zipped["ETag"] != plain["ETag"]) == ("gzip", True)
    packed = content(zipped)
    assert gzip.decompress(packed) == content(plain)
    assert packed == content(caller.get(SCORES, accept_encoding="gzip"))
    assert "Content-Encoding" not in caller.get(SCORES, accept_encoding="gzip;q=0, identity")
    assert {"Accept-Encoding", "Authorization"} <= set(zipped["Vary"].split(", "))


def test_a_refusal_is_not_said_to_be_compressed(caller):
    refused = caller.get(SCORES, accept_encoding="gzip", if_match='"other"')
    assert refusal_of(refused) == (412, "changed")
    assert "Content-Encoding" not in refused


# --- Parts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_parts_put_together_are_the_whole(caller, encoding):
    whole = caller.get(SCORES, accept_encoding=encoding)
    told, tag = content(whole), whole["ETag"]
    found, size = b"", 500
    while len(found) < len(told):
        asked = f"bytes={len(found)}-{len(found) + size - 1}"
        part = caller.get(SCORES, range=asked, if_range=tag, accept_encoding=encoding)
        got = content(part)
        assert part.status_code == 206
        last = len(found) + len(got) - 1
        assert part["Content-Range"] == f"bytes {len(found)}-{last}/{len(told)}"
        assert part["Content-Length"] == str(len(got))
        found += got
    assert found == told


def test_a_part_is_never_compressed_for_whoever_does_not_name_the_compressed_file(caller):
    """Most clients say that they take gzip, and unpack what comes so: they could not unpack a part."""
    told = content(caller.get(SCORES))
    part = caller.get(SCORES, range="bytes=5-9", accept_encoding="gzip, deflate")
    assert (content(part), "Content-Encoding" in part) == (told[5:10], False)
    zipped = caller.get(SCORES, accept_encoding="gzip")
    again = caller.get(SCORES, range="bytes=5-9", if_range=zipped["ETag"], accept_encoding="gzip")
    assert (content(again), again["Content-Encoding"]) == (content(zipped)[5:10], "gzip")
    plain = caller.get(SCORES, range="bytes=5-9", if_range=part["ETag"], accept_encoding="gzip")
    assert content(plain) == told[5:10]


@pytest.mark.parametrize(
    ("asked", "cut"),
    [
        ("bytes=0-0", slice(0, 1)),
        ("bytes=10-", slice(10, None)),
        ("bytes=-10", slice(-10, None)),
        ("bytes=-999999", slice(None)),
        ("bytes=0-999999", slice(None)),
    ],
)
def test_a_range_is_cut_out(caller, asked, cut):
    told = content(caller.get(SCORES))
    part = caller.get(SCORES, range=asked)
    assert (part.status_code, content(part)) == (206, told[cut])


@pytest.mark.parametrize(
    "asked", ["bytes=0-1,4-5", "bytes=5-2", "bytes=a-b", "lines=0-1", "bytes=-", "bytes=" + "9" * 40 + "-"]
)
def test_what_is_no_single_range_is_answered_with_the_whole(caller, asked):
    assert caller.get(SCORES, range=asked).status_code == 200


def test_a_range_behind_the_end_is_refused_and_says_how_much_there_is(caller):
    size = len(content(caller.get(SCORES)))
    for asked in (f"bytes={size}-", "bytes=-0"):
        refused = caller.get(SCORES, range=asked)
        assert refusal_of(refused) == (416, "range_not_satisfiable")
        assert refused["Content-Range"] == f"bytes */{size}"


def test_an_export_that_has_changed_is_sent_whole_or_refused_and_never_mixed(caller, world):
    url = "exports/prompts.jsonl"
    before = caller.get(url)["ETag"]
    make_prompt(world.project, "p9")
    whole = caller.get(url, range="bytes=100-", if_range=before)
    assert whole.status_code == 200
    assert len(rows(whole)) == 5
    refused = caller.get(url, range="bytes=100-", if_match=before)
    assert refusal_of(refused) == (412, "changed")
    assert refused["ETag"] == whole["ETag"]


def test_a_date_is_no_tag(caller):
    answer = caller.get(SCORES, range="bytes=1-", if_range="Tue, 01 Dec 2026 09:00:00 GMT")
    assert answer.status_code == 200


def test_a_file_is_closed_when_its_part_is(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with path.open("rb") as file:
        part = ranges.Part(file, 2, 4)
        assert (part.read(3), part.read(), part.read()) == (b"234", b"5", b"")
        part.close()
        assert file.closed


# --- Memory ------------------------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_table(caller, world, monkeypatch):
    monkeypatch.setattr(exports, "IN_MEMORY", 10_000)
    prompt = world.project.prompts.get(external_id="p0")
    make_many(prompt, 1500)
    small = peak_of(caller)
    make_many(prompt, 4500)
    large = peak_of(caller)
    assert large < small + 2_000_000


def make_many(prompt, number):
    made = [prompt.responses.model(**columns(prompt, place)) for place in range(number)]
    prompt.responses.model.objects.bulk_create(made)


def columns(prompt, place):
    key = f"many-{prompt.responses.count()}-{place}"
    text = "a long text " * 200
    shared = {"project": prompt.project, "prompt": prompt, "created_at": NOW}
    return {**shared, "external_id": key, "text": text, "text_sha256": sha256(text.encode()).hexdigest()}


def peak_of(caller):
    tracemalloc.start()
    answer = caller.get("exports/responses.jsonl")
    size = sum(map(len, answer.streaming_content))
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size == int(answer["Content-Length"]) > 3_000_000
    return peak


def test_no_cursor_is_open_while_an_export_is_sent(caller, world):
    answer = caller.get(SCORES)
    # A query that is still being read would keep SQLite from forgetting the table.
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE another (n integer)")
        cursor.execute("DROP TABLE another")
    assert len(rows(answer)) == 24


@pytest.mark.django_db(transaction=True)
def test_an_export_is_of_one_instant_and_keeps_nobody_from_writing(project, lead, monkeypatch):
    make_prompt(project, "p0")
    made = [Prompt(project=project, external_id=f"p{n}", created_at=NOW) for n in range(1, 1200)]
    Prompt.objects.bulk_create(made)
    tell, written = rows_of.prompt, []

    def told_while_others_write(found):
        if not written:
            with ThreadPoolExecutor(1) as others:
                written.append(others.submit(_write_another, project).result(timeout=20))
        return tell(found)

    table = exports.Table(rows_of.prompts, told_while_others_write)
    monkeypatch.setitem(exports.TABLES, "prompts", table)
    assert len(rows(Caller(lead.user).get("exports/prompts.jsonl"))) == 1200
    assert written == ["p9999"]
    assert len(rows(Caller(lead.user).get("exports/prompts.jsonl"))) == 1201


def _write_another(project):
    try:
        return make_prompt(project, "p9999").external_id
    finally:
        connection.close()


def test_asked_for_its_head_alone_it_says_how_much_there_is(caller):
    told = content(caller.get(SCORES))
    head = caller.client.head(BASE + SCORES, headers=caller.headers)
    assert (head.status_code, head["Content-Length"], head["Accept-Ranges"]) == (200, str(len(told)), "bytes")


# --- Files of releases -------------------------------------------------------------------------------


def test_a_file_of_a_release_is_given_in_parts_under_its_digest(project, lead, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    release = fill(project).release
    caller, url = Caller(lead.user), "/api/v1/releases/bridges/1.0.0/files/manifest.json"
    whole = caller.get(url)
    told, tag = content(whole), whole["ETag"]
    assert tag == f'"{release.manifest_sha256}"'
    first = content(caller.get(url, range="bytes=0-99"))
    rest = caller.get(url, range="bytes=100-", if_range=tag)
    assert (first + content(rest), rest.status_code) == (told, 206)
    assert caller.get(url, if_none_match=tag).status_code == 304
    assert caller.get(url, range="bytes=100-", if_range='"another"').status_code == 200
    assert refusal_of(caller.get(url, range=f"bytes={len(told)}-"))[0] == 416
