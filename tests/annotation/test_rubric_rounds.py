"""A new version of the rubric while rounds are under way: it is asked what becomes of them, and no score is touched."""

from html import unescape

import pytest
from django.urls import reverse

from annotation.models import PanelSeat, Round, Score
from annotation.queries import rubric_versions as history
from annotation.queries import rubrics as queries
from annotation.services import assignments, leases, rounds, scoring
from annotation.services import rubrics as services
from tests.factories import NOW, make_member, make_prompt, make_response, make_round
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db


@pytest.fixture
def prompts(project):
    found = [make_prompt(project, name) for name in ("scored", "held", "fresh", "untouched")]
    for prompt in found:
        for _ in range(2):
            make_response(prompt)
    return {prompt.external_id: prompt for prompt in found}


@pytest.fixture
def work(project, prompts, annotator):
    """A round in which one text of a prompt is scored, and one of another is in somebody's hands."""
    opened = make_round(project, "Main")
    opened.assignments.update(reserved_for=None)
    other = make_member(project, "annotator", "otto")
    hand_out(opened, annotator, prompts["scored"])
    scoring.submit(assignments.claim(annotator, opened, now=NOW), value=2, justification="", now=NOW)
    hand_out(opened, other, prompts["held"])
    return opened


def hand_out(work, member, prompt):
    """A lease on a text of that prompt, as a claim would have made it."""
    slot = work.assignments.filter(response__prompt=prompt, state="open").first()
    work.assignments.filter(pk=slot.pk).update(
        state="leased", annotator=member, leased_until=NOW + leases.LEASE
    )
    return leases.make(slot.pk, member, position=1, now=NOW)


@pytest.fixture
def client(browser_of, lead):
    return browser_of(lead)


@pytest.fixture
def edit(project):
    return reverse("rubric_edit", args=[project.slug])


@pytest.fixture
def ask(client, edit):
    """Send the editor's form with a change: what the server asks then."""

    def asking(**changes):
        form = sent_by(client.get(edit).content.decode(), "rubric-form")
        sent = {**form, "level-3-en-name": "Superb", "note": "Why.\r\nSecond line.", **changes, "do": "save"}
        return client.post(edit, sent)

    return asking


def shown(response):
    return unescape(response.content.decode())


def states(work):
    return sorted(work.assignments.values_list("response__prompt__external_id", "state").distinct())


def test_without_a_round_under_way_nothing_is_asked(ask, project, work):
    Round.objects.update(state="locked", locked_at=NOW)
    make_round(project, "Draft").assignments.all().delete()
    Round.objects.filter(name="Draft").update(state="draft", opened_at=None)
    assert ask().status_code == 302
    assert project.rubrics.count() == 2


@pytest.mark.parametrize("state", ["open", "paused"])
def test_it_is_asked_first_and_nothing_is_saved_yet(ask, project, work, state):
    Round.objects.update(state=state)
    answer = ask()
    assert answer.status_code == 200
    html = shown(answer)
    assert "Rounds are under way. What should version 2 mean for them?" in html
    assert "Main" in html
    assert "4 prompts" in html
    assert "The 2 prompts that nobody has begun go to a new round" in html
    assert sent_by(answer.content.decode(), "rubric-form")[f"round-{work.pk}"] == ["stay"]
    assert project.rubrics.count() == 1


def test_what_was_written_comes_back_from_the_question(ask, client, edit, work):
    form = sent_by(ask(**{"guideline-en": "# A\n\n b"}).content.decode(), "rubric-form")
    answer = client.post(edit, {**form, "do": "stay"})
    kept = sent_by(answer.content.decode(), "rubric-form")
    assert kept["level-3-en-name"] == ["Superb"]
    assert kept["guideline-en"] == ["# A\r\n\r\n b"]
    assert kept["note"] == ["Why.\r\nSecond line."]


def test_a_form_that_says_nothing_new_is_refused_before_anything_is_asked(ask, work):
    answer = ask(**{"level-3-en-name": "en level 3"})
    assert answer.status_code == 422
    assert "Nothing was changed" in shown(answer)


def test_rounds_stay_on_their_version_unless_told_otherwise(ask, client, edit, project, work):
    before = states(work)
    form = sent_by(ask().content.decode(), "rubric-form")
    answer = client.post(edit, {**form, "do": "confirm"})
    assert answer["Location"].endswith("?saved=0")
    second = queries.current(project)
    assert (second.version, second.note) == (2, "Why.\nSecond line.")
    work.refresh_from_db()
    assert work.rubric.version == 1
    assert states(work) == before
    assert project.rounds.count() == 1


def test_prompts_that_nobody_has_begun_go_to_a_draft_under_the_new_version(
    ask, client, edit, project, work, prompts
):
    scores = list(Score.objects.values())
    work.prompts.set(project.prompts.all())
    form = sent_by(ask().content.decode(), "rubric-form")
    answer = client.post(edit, {**form, f"round-{work.pk}": "renew", "do": "confirm"}, follow=True)
    assert "Open the new draft among the rounds" in shown(answer)
    draft = project.rounds.get(state="draft")
    assert (draft.name, draft.rubric.version, draft.purpose) == ("Main (rubric 2)", 2, work.purpose)
    assert draft.annotators_per_response == work.annotators_per_response
    assert draft.assigning == work.assigning
    assert set(draft.prompts.all()) == {prompts["fresh"], prompts["untouched"]}
    assert set(work.prompts.all()) == {prompts["scored"], prompts["held"]}
    assert states(work) == [
        ("fresh", "void"),
        ("held", "leased"),
        ("held", "open"),
        ("scored", "done"),
        ("scored", "open"),
        ("untouched", "void"),
    ]
    work.refresh_from_db()
    assert (work.rubric.version, work.state) == (1, "open")
    assert list(Score.objects.values()) == scores
    entries = {entry.action: entry.data for entry in project.journal.filter(action__startswith="round.")}
    assert entries["round.prompts_left"] == {"round": work.pk, "to_round": draft.pk}
    assert entries["round.drafted"]["prompts"] == 2


def test_a_prompt_that_is_being_read_as_the_version_is_saved_stays(ask, client, edit, project, work, prompts):
    form = sent_by(ask().content.decode(), "rubric-form")
    third = make_member(project, "annotator", "late")
    hand_out(work, third, prompts["fresh"])
    client.post(edit, {**form, f"round-{work.pk}": "renew", "do": "confirm"})
    assert set(project.rounds.get(state="draft").prompts.all()) == {prompts["untouched"]}
    assert "void" not in dict.fromkeys(
        work.assignments.filter(response__prompt=prompts["fresh"]).values_list("state", flat=True)
    )


def test_a_lease_that_has_run_out_is_a_beginning_all_the_same(project, work, prompts):
    work.assignments.filter(state="leased").update(leased_until=NOW.replace(year=2020))
    assert set(history.unbegun_prompts(work)) == {prompts["fresh"], prompts["untouched"]}


def test_nobody_is_given_a_text_that_has_left_the_round(ask, client, edit, project, work, prompts):
    form = sent_by(ask().content.decode(), "rubric-form")
    client.post(edit, {**form, f"round-{work.pk}": "renew", "do": "confirm"})
    newcomer, given = make_member(project, "annotator", "newcomer"), set()
    while lease := assignments.claim(newcomer, work, now=NOW):
        given.add(lease.assignment.response.prompt.external_id)
        scoring.submit(lease, value=1, justification="", now=NOW)
    assert given == {"scored", "held"}


def test_places_on_a_panel_go_along_with_their_prompts(ask, client, edit, project, work, prompts, annotator):
    for prompt in (prompts["scored"], prompts["fresh"]):
        PanelSeat.objects.create(round=work, prompt=prompt, seat=1, annotator=annotator)
    form = sent_by(ask().content.decode(), "rubric-form")
    client.post(edit, {**form, f"round-{work.pk}": "renew", "do": "confirm"})
    draft = project.rounds.get(state="draft")
    assert draft.seats.get().prompt == prompts["fresh"]
    assert work.seats.get().prompt == prompts["scored"]


def test_where_everything_is_begun_no_round_is_offered_or_made(ask, client, edit, project, work, prompts):
    for name, who in (("fresh", "p1"), ("untouched", "p2")):
        hand_out(work, make_member(project, "annotator", who), prompts[name])
    answer = ask()
    assert "Somebody has begun each of its prompts" in shown(answer)
    form = sent_by(answer.content.decode(), "rubric-form")
    client.post(edit, {**form, f"round-{work.pk}": "renew", "do": "confirm"})
    assert project.rubrics.count() == 2
    assert project.rounds.count() == 1


def test_a_round_that_was_locked_meanwhile_is_not_renewed(project, work):
    rounds.lock(work, by=None, now=NOW)
    content = queries.content(queries.current(project))
    changed = services.RubricContent(content.levels, content.criteria, {"en": "New."})
    with pytest.raises(services.DomainError, match="no longer under way"):
        services.save(project, changed, note="", based_on=1, by=None, now=NOW, renewed=[work.pk])
    assert project.rubrics.count() == 1


def test_a_second_draft_of_the_same_name_gets_a_number(ask, client, edit, project, work):
    Round.objects.create(project=project, name="Main (rubric 2)", rubric=work.rubric, created_at=NOW)
    form = sent_by(ask().content.decode(), "rubric-form")
    client.post(edit, {**form, f"round-{work.pk}": "renew", "do": "confirm"})
    assert set(project.rounds.values_list("name", flat=True)) == {
        "Main",
        "Main (rubric 2)",
        "Main (rubric 2, 2)",
    }
