"""A prepared query gives what its queryset gives; its SQL is built once for each shape."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from annotation.models import Draft, JournalEntry, Lease, Prompt, Response
from annotation.models.prepared import insert, prepared, prepared_delete, prepared_update
from annotation.services import assignments
from tests.factories import NOW, make_member, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def prompt(project):
    found = make_prompt(project)
    for _ in range(3):
        make_response(found)
    return found


@pytest.fixture
def lease(project, prompt):
    return assignments.claim(make_member(project), make_round(project), now=NOW)


@prepared
def responses(*, prompt):
    return Response.objects.filter(prompt=prompt).select_related("prompt").order_by("pk")


def test_rows_come_as_the_queryset_gives_them(prompt):
    assert responses(prompt=prompt.pk) == list(Response.objects.filter(prompt=prompt).order_by("pk"))


def test_what_is_selected_along_needs_no_query_of_its_own(prompt, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert {one.prompt.text for one in responses(prompt=prompt.pk)} == {prompt.text}


def test_columns_come_as_python_has_them(prompt):
    @prepared
    def moments(*, prompt):
        return Response.objects.filter(prompt=prompt).values_list("created_at", flat=True)

    @prepared
    def pairs(*, prompt):
        return Response.objects.filter(prompt=prompt).order_by("pk").values_list("text", "created_at")

    assert set(moments(prompt=prompt.pk)) == set(prompt.responses.values_list("created_at", flat=True))
    assert pairs(prompt=prompt.pk) == list(prompt.responses.order_by("pk").values_list("text", "created_at"))


def test_a_query_is_built_once_and_then_run_with_other_values(project, prompt):
    built = []

    @prepared
    def texts(*, prompt):
        built.append(prompt)
        return Response.objects.filter(prompt=prompt).values_list("pk", flat=True)

    other = make_prompt(project)
    theirs = make_response(other)
    assert len(texts(prompt=prompt.pk)) == 3
    assert texts(prompt=other.pk) == [theirs.pk]
    assert len(built) == 1


def test_each_shape_and_each_set_of_values_has_a_statement_of_its_own(prompt):
    @prepared
    def texts(newest, *, prompt, until=None):
        found = Response.objects.filter(prompt=prompt).order_by("-pk" if newest else "pk")
        found = found if until is None else found.filter(created_at__lte=until)
        return found.values_list("pk", flat=True)

    forward = texts(False, prompt=prompt.pk)
    assert texts(True, prompt=prompt.pk) == forward[::-1]
    assert texts(True, prompt=prompt.pk, until=NOW - timedelta(days=9000)) == []
    assert texts(False, prompt=prompt.pk) == forward


def test_what_can_find_nothing_asks_nothing(prompt, django_assert_num_queries):
    @prepared
    def none(*, prompt):
        return Response.objects.filter(prompt=prompt).none()

    with django_assert_num_queries(0):
        assert none(prompt=prompt.pk) == []


@pytest.mark.parametrize("value", [True, 1.5, [1]])
def test_a_value_that_has_no_place_in_a_statement_is_refused_with_its_name(value):
    @prepared
    def texts(*, prompt):
        return Response.objects.filter(prompt=prompt)

    with pytest.raises(TypeError, match="prompt cannot be a value of a prepared query"):
        texts(prompt=value)


def test_none_is_refused_however_often_the_query_has_run(prompt):
    responses(prompt=prompt.pk)
    with pytest.raises(TypeError, match="A value of responses is None"):
        responses(prompt=None)


def test_a_query_that_would_fill_in_more_than_its_rows_is_refused(prompt):
    @prepared
    def theirs(*, pk):
        return Prompt.objects.filter(pk=pk).prefetch_related("responses")

    with pytest.raises(TypeError, match="prefetches nothing"):
        theirs(pk=prompt.pk)


def test_a_change_tells_how_many_rows_it_met(lease):
    @prepared_update
    def save(*, lease, version, now):
        return Draft.objects.filter(lease=lease), {"version": version, "saved_at": now}

    draft = Draft.objects.create(lease=lease, content={}, saved_at=NOW)
    later = NOW + timedelta(hours=1)
    assert save(lease=lease.pk, version=7, now=later) == 1
    assert save(lease=lease.pk + 1000, version=8, now=later) == 0
    draft.refresh_from_db()
    assert (draft.version, draft.saved_at) == (7, later)


def test_rows_are_deleted_and_counted(lease):
    @prepared_delete
    def drop(*, lease):
        return Draft.objects.filter(lease=lease)

    Draft.objects.create(lease=lease, content={}, saved_at=NOW)
    assert (drop(lease=lease.pk), drop(lease=lease.pk)) == (1, 0)


def test_a_new_row_is_stored_as_save_stores_it(project):
    given = {"project": project, "action": "test.done", "data": {"number": 1, "words": "é"}, "at": NOW}
    one, other = insert(JournalEntry(**given)), JournalEntry.objects.create(**given)
    columns = JournalEntry.objects.values_list("project", "actor", "action", "data", "at")
    assert columns.get(pk=one.pk) == columns.get(pk=other.pk)
    one.refresh_from_db()
    assert one == JournalEntry.objects.get(pk=one.pk)


def test_an_insert_that_the_database_refuses_is_djangos_error(lease):
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(
            Lease(
                assignment=lease.assignment,
                annotator=lease.annotator,
                token="other",
                leased_at=NOW,
                position=1,
            )
        )
