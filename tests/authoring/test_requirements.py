"""Requirements of a prompt: set as a whole while nothing has come of them, and proposed by a model."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from annotation.errors import DomainError, Invalid
from annotation.models import JournalEntry, Prompt, Ranking, Requirement, Round
from annotation.services import assignments, rankings
from annotation.services.refusals import FieldsRefused, Outdated
from authoring.domain.countable import Check
from authoring.models import ModelRequest, Plan, RequirementCheck
from authoring.queries import requirement_proposals
from authoring.queries import requirements as queries
from authoring.services import plans, requirements
from tests.authoring.model_server import ModelServer
from tests.authoring.plans_under_way import make_endpoint, make_plan
from tests.factories import NOW, make_project, make_prompt, make_response
from tests.ranking_rounds import make_ranking_round

pytestmark = pytest.mark.django_db

ROWS = [
    ("content", "Name a bridge.", None),
    ("length", "Write at least 300 words.", Check("words", least=300)),
    ("", "Use the phrase “so be it”.", Check("string", string="so be it")),
]


@pytest.fixture
def prompt(project):
    return make_prompt(project, "p0")


@pytest.fixture
def tiny(db):
    server = ModelServer()
    server.server_close()  # nothing is asked here
    return make_endpoint(server)


def put(prompt, rows=ROWS, seen=None):
    seen = requirements.mark(queries.rows_of(prompt)) if seen is None else seen
    return requirements.put(prompt, rows, seen=seen, by=None, now=NOW)


def told(prompt):
    return [(row.kind, row.text, row.check) for row in queries.rows_of(prompt)]


# --- Setting them --------------------------------------------------------------------------------


def test_they_stand_in_their_order_with_kinds_and_checks_and_in_the_journal(prompt):
    made = put(prompt)
    assert [each.position for each in made] == [1, 2, 3]
    assert told(prompt) == ROWS
    entry = JournalEntry.objects.get(action="requirements.set")
    assert entry.data == {"prompt": "p0", "n": 3}


def test_they_are_replaced_as_a_whole(prompt):
    put(prompt)
    put(prompt, [ROWS[1], ROWS[0]])
    assert told(prompt) == [ROWS[1], ROWS[0]]
    assert RequirementCheck.objects.count() == 1
    put(prompt, [])
    assert not Requirement.objects.exists()


def test_what_stands_there_already_is_kept_once_whoever_asks(prompt):
    before = put(prompt)
    assert put(prompt, seen="something older") == before
    assert JournalEntry.objects.filter(action="requirements.set").count() == 1


def test_another_persons_change_is_not_overwritten_unseen(prompt):
    seen = requirements.mark(())
    put(prompt)
    with pytest.raises(Outdated) as refusal:
        put(prompt, ROWS[:1], seen=seen)
    assert told(prompt) == ROWS
    put(prompt, ROWS[:1], seen=refusal.value.version)
    assert told(prompt) == ROWS[:1]


def test_a_requirement_is_one_line(prompt):
    put(prompt, [("style", "  Write \n\n in verse.\t", None)])
    assert told(prompt) == [("style", "Write in verse.", None)]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (("content", " \n", None), "1-text"),
        (("content", "x" * 2001, None), "1-text"),
        (("content", "a\0b", None), "1-text"),
        (("content", "Name  a bridge.", None), "1-text"),
        (("mood", "Be gay.", None), "1-kind"),
        (("length", "Be brief.", Check("words")), "1-least"),
        (("length", "Be brief.", Check("words", least=-1)), "1-least"),
        (("length", "Be brief.", Check("words", most=1_000_001)), "1-most"),
        (("length", "Be brief.", Check("words", least=3, most=2)), "1-most"),
        (("length", "Be brief.", Check("letters", least=3)), "1-measure"),
        (("content", "Say it.", Check("string", string=" ")), "1-string"),
        (("content", "Say it.", Check("string", string="x" * 201)), "1-string"),
    ],
)
def test_a_row_that_cannot_be_kept_is_named_and_nothing_is_stored(prompt, row, field):
    with pytest.raises(FieldsRefused) as refusal:
        put(prompt, [ROWS[0], row])
    assert list(refusal.value.fields) == [field]
    assert not Requirement.objects.exists()


def test_there_are_not_more_than_fit_a_page(prompt):
    with pytest.raises(Invalid) as refusal:
        put(prompt, [("", f"Requirement {n}.", None) for n in range(51)])
    assert refusal.value.code == "too_many_requirements"


# --- In use --------------------------------------------------------------------------------------


def refused(prompt) -> str:
    with pytest.raises(DomainError) as refusal:
        put(prompt, ROWS[:1])
    assert refusal.value.code == "in_use"
    assert queries.in_use(prompt) == refusal.value.message
    assert told(prompt) == ROWS
    return refusal.value.message


def test_those_that_responses_were_written_to_stay(prompt):
    made = put(prompt)
    make_response(prompt, "r0")
    assert queries.in_use(prompt) == "", "it keeps none"
    make_response(prompt, "r1").kept_requirements.set(made[:1])
    assert "Responses were written" in refused(prompt)


def test_a_plan_holds_those_of_its_prompts_until_it_is_removed_or_cancelled(project, prompt, tiny):
    put(prompt)
    other = make_prompt(project, "p1")
    chosen = Prompt.objects.filter(pk=prompt.pk)
    draft = make_plan(project, tiny, kind=Plan.Kind.DROPOUT, prompts=chosen, started=False)
    assert f"draft of the plan {draft.name}" in refused(prompt)
    assert queries.in_use(other) == ""
    plans.remove(draft, by=None, now=NOW)
    assert queries.in_use(prompt) == ""
    plan = make_plan(project, tiny, kind=Plan.Kind.DROPOUT, prompts=chosen)
    assert f"The plan {plan.name}" in refused(prompt)
    plans.cancel(plan, by=None, now=NOW)
    put(prompt, ROWS[:2])
    assert told(prompt) == ROWS[:2]


def test_a_plan_of_plain_responses_holds_none(project, prompt, tiny):
    put(prompt)
    make_plan(project, tiny)
    put(prompt, ROWS[:2])
    assert told(prompt) == ROWS[:2]


def test_those_that_annotators_rank_by_stay(project, prompt, annotator):
    put(prompt)
    for name in ("r0", "r1"):
        make_response(prompt, name)
    work = make_ranking_round(project, instruction=Round.Instruction.REQUIREMENTS)
    assert "in the round Ranking" in refused(prompt)
    lease = assignments.claim(annotator, work, now=NOW)
    rankings.submit(lease, tiers=[["A"], ["B"]], justification="A is nearer to what was asked.", now=NOW)
    assert Ranking.objects.exists()
    assert "have been ranked" in refused(prompt)


# --- At once -------------------------------------------------------------------------------------


def at_once(*tasks):
    def run(task):
        try:
            return task()
        except DomainError as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result() for future in [pool.submit(run, task) for task in tasks]]


@pytest.mark.django_db(transaction=True)
def test_of_two_that_set_them_at_once_one_is_refused():
    prompt = make_prompt(make_project("bridges"))
    seen = requirements.mark(())
    mine, theirs = [("", "Mine.", None)], [("", "Theirs.", None)]
    results = at_once(lambda: put(prompt, mine, seen), lambda: put(prompt, theirs, seen))
    assert results.count("requirements_outdated") == 1
    assert told(prompt) in (mine, theirs)


@pytest.mark.django_db(transaction=True)
def test_a_model_is_asked_once_by_two_at_once(tiny):
    prompt = make_prompt(make_project("bridges"))
    results = at_once(*[lambda: requirements.propose(prompt, tiny, by=None, now=NOW)] * 2)
    assert results.count("under_way") == 1
    assert Plan.objects.count() == 1


# --- Proposals -----------------------------------------------------------------------------------


def answered(prompt, text, **columns):
    request = requirement_proposals.newest(prompt)
    ModelRequest.objects.filter(pk=request.pk).update(
        **{"state": "done", "ended_at": NOW, "text": text, "finish_reason": "stop", **columns}
    )
    return requirement_proposals.proposed(prompt)


def test_a_model_reads_the_prompt_and_its_answer_is_a_list_that_stores_nothing(prompt, tiny):
    plan = requirements.propose(prompt, tiny, by=None, now=NOW)
    assert (plan.kind, plan.state) == ("proposal", "running")
    assert prompt.text in plan.requests.get().asked
    assert requirement_proposals.proposed(prompt).is_under_way
    found = answered(prompt, '[{"kind": "style", "text": "Write in verse."}]')
    assert [(each.kind, each.text) for each in found.proposals] == [("style", "Write in verse.")]
    assert (found.state, found.error, found.model) == ("done", "", "Tiny One")
    assert not Requirement.objects.exists()


def test_what_is_no_list_is_said(prompt, tiny):
    requirements.propose(prompt, tiny, by=None, now=NOW)
    found = answered(prompt, "I would rather not.", finish_reason="length")
    assert found.proposals == ()
    assert found.error.startswith("No list of requirements was found")
    assert found.is_cut


def test_one_model_at_a_time_is_at_work_on_a_prompt(prompt, tiny):
    plan = requirements.propose(prompt, tiny, by=None, now=NOW)
    with pytest.raises(DomainError) as refusal:
        requirements.propose(prompt, tiny, by=None, now=NOW)
    assert refusal.value.code == "under_way"
    plans.pause(plan, by=None, now=NOW)
    assert requirement_proposals.proposed(prompt).state == "paused"
    requirements.propose(prompt, tiny, by=None, now=NOW)


def test_a_prompt_without_a_text_or_in_use_has_none_proposed(project, prompt, tiny):
    empty = make_prompt(project, "p1", text=" ")
    with pytest.raises(Invalid) as refusal:
        requirements.propose(empty, tiny, by=None, now=NOW)
    assert refusal.value.code == "prompt_without_text"
    make_response(prompt).kept_requirements.set(put(prompt))
    with pytest.raises(DomainError) as refusal:
        requirements.propose(prompt, tiny, by=None, now=NOW)
    assert refusal.value.code == "in_use"


# --- The list ------------------------------------------------------------------------------------


def test_the_list_tells_how_many_of_which_kind(project, prompt):
    put(prompt)
    make_prompt(project, "p1", genre=project.genres.first(), text="word " * 100)

    def names(**wanted):
        shown = queries.page(project, queries.Filter(**wanted), "", language="en")
        return [line.name for line in shown.object_list]

    first, second = queries.page(project, queries.Filter(), "", language="en").object_list
    assert (first.requirements, first.checks, first.has_order) == (3, 2, False)
    assert first.kinds == "Content 1 · Length 1 · Not said 1"
    assert (second.requirements, second.kinds) == (0, "")
    assert second.opening.endswith("…")
    assert names(having="with") == ["p0"]
    assert names(having="without") == ["p1"]
    assert names(genre="fiction") == ["p1"]
    assert names(genre="poetry") == []
