"""A version that is saved while people ask for work, and two that are saved at once."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.db import connection

from annotation.errors import DomainError
from annotation.models import Lease
from annotation.queries import rubrics as queries
from annotation.services import assignments
from annotation.services import rubrics as services
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db(transaction=True)

PROMPTS = 12
ANNOTATORS = 5


def at_once(tasks):
    """Run the tasks in a thread each and give back their results."""

    def run(task):
        try:
            return task()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result() for future in [pool.submit(run, task) for task in tasks]]


@pytest.fixture
def work():
    project = make_project()
    for _ in range(PROMPTS):
        make_response(make_prompt(project))
    return make_round(project)


def saving(work, text, *, renewed=()):
    content = replace(queries.content(queries.current(work.project)), guideline={"en": text})

    def task():
        try:
            return services.save(
                work.project, content, note="", based_on=1, by=None, now=NOW, renewed=renewed
            )
        except DomainError as refusal:
            return refusal.code

    return task


def test_a_prompt_is_begun_in_the_old_round_or_goes_to_the_new_one_and_never_both(work):
    members = [make_member(work.project) for _ in range(ANNOTATORS)]
    claims = [lambda member=member: assignments.claim(member, work, now=NOW) for member in members]
    *_leases, saved = at_once([*claims, saving(work, "New.", renewed=[work.pk])])
    (draft,) = saved.rounds
    moved = set(draft.prompts.values_list("pk", flat=True))
    begun = set(Lease.objects.values_list("assignment__response__prompt", flat=True))
    states = {
        prompt: set(work.assignments.filter(response__prompt=prompt).values_list("state", flat=True))
        for prompt in work.project.prompts.values_list("pk", flat=True)
    }
    assert moved
    assert not moved & begun
    assert all(states[prompt] == {"void"} for prompt in moved)
    assert all("void" not in states[prompt] for prompt in states.keys() - moved)


def test_of_two_versions_saved_at_once_one_is_refused(work):
    results = at_once([saving(work, "Mine."), saving(work, "Theirs.")])
    assert sorted(isinstance(result, services.Saved) for result in results) == [False, True]
    assert "rubric_outdated" in results
    assert work.project.rubrics.count() == 2
