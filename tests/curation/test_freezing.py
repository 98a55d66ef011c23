"""Whether a release may be made of a run: the rules that page and REST share."""

from dataclasses import replace

import pytest
from django.core.management import call_command

from annotation.errors import DomainError
from annotation.models import Flag
from annotation.services.refusals import FieldsRefused
from curation.domain.release_checks import Lines
from curation.domain.terms import LONGEST_STATEMENT, Statements, Terms
from curation.models import Release
from curation.services import freezing, releases
from curation.services.freezing import Asked
from tests.curation.audits import audited, even, frozen, make_run
from tests.curation.freezes import LATER, later_run
from tests.factories import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("undrawn")]

ASKED = Asked(name="bridges", version="0.1.0")
SAID = Statements("Four students.", "A course.", "20 EUR an hour.")


@pytest.fixture(autouse=True)
def releases_dir(settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"


@pytest.fixture
def run(project):
    """Sound pairs of two genres, whose audit found nothing."""
    run = make_run(project, even(4))
    audited(run)
    return run


def request(run, asked, lead, *, wrong=None):
    found = freezing.facts(run, asked.plan, now=NOW)
    return freezing.request(run, asked, found, wrong=wrong or {}, by=lead.user, now=NOW)


def refusal_of(run, asked, lead, **options):
    before = Release.objects.count()
    with pytest.raises(FieldsRefused) as refusal:
        request(run, asked, lead, **options)
    assert Release.objects.count() == before
    return refusal.value


def done(release):
    releases.execute(release.pk, clock=lambda: NOW)
    release.refresh_from_db()
    assert (release.state, release.error) == ("done", "")
    return release


def text_of(release, path):
    return (releases.folder(release) / path).read_text(encoding="utf-8")


# --- what stands against it --------------------------------------------------------------------------------


def test_a_run_with_pairs_that_is_done_is_freezable_and_no_other(project, run):
    assert freezing.is_freezable(run)
    empty = make_run(project, [], first=50)
    empty.funnel = {**empty.funnel, "accepted": 0}
    assert not freezing.is_freezable(empty)
    run.state = "running"
    assert not freezing.is_freezable(run)


def test_what_stands_against_it_is_said_at_once_beside_what_is_not_well_formed(project, lead):
    run = make_run(project, even(4))
    frozen(run, reason="A pilot.")
    asked = replace(ASKED, version="0.9.0", lines=Lines(target=3), heldout="all", heldout_percent=60)
    refused = refusal_of(run, asked, lead, wrong={"floor": "Write a number."})
    assert refused.code == "not_accepted"
    assert set(refused.fields) == {"floor", "waivers.quota", "note", "version", "heldout_percent", "reason"}


def test_what_the_form_says_of_a_field_goes_before_what_the_world_says(project, lead):
    run = make_run(project, even(4))
    refused = refusal_of(run, ASKED, lead, wrong={"reason": "Too long."})
    assert refused.fields == {"reason": "Too long."}


def test_without_an_audit_a_reason_is_asked_for_and_kept(project, lead):
    run = make_run(project, even(2))
    refused = refusal_of(run, ASKED, lead)
    assert (refused.code, [*refused.fields]) == ("audit_not_done", ["reason"])
    release = request(run, replace(ASKED, reason="A pilot."), lead)
    assert release.audit["reason"] == "A pilot."


def test_a_check_that_fails_takes_a_reason_of_its_own(run, lead):
    Flag.objects.create(
        project=run.project,
        response=run.pairs.first().chosen,
        check_key="refusal",
        rules_version=1,
        raised_at=NOW,
    )
    found = freezing.facts(run, ASKED.plan, now=NOW)
    assert (found.failing, found.takes("flags"), found.takes("quota")) == (["flags"], "waivers.flags", None)
    assert [*refusal_of(run, ASKED, lead).fields] == ["waivers.flags"]
    given = {"flags": "It is none.", "quota": "Nothing asks for it."}
    kept = {
        each["name"]: each["waiver"]
        for each in request(run, replace(ASKED, waivers=given), lead).terms["checks"]
    }
    assert (kept["flags"], kept["quota"]) == ("It is none.", "")


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("0.9.0", "The last version of this name is 1.0.0. Use 1.1.0, or a later one."),
        (
            "1.0.1",
            "Pairs join those of 1.0.0 or change, so the second number rises: use 1.1.0, or a later one.",
        ),
    ],
)
def test_a_version_follows_the_last_as_far_as_the_difference_demands(run, lead, version, says):
    frozen(run)
    later = later_run(run, lead, adds=2)
    audited(later, now=LATER)
    asked = replace(ASKED, version=version, note="Two more.")
    assert refusal_of(later, asked, lead).fields == {"version": says}
    assert request(later, replace(asked, version="1.1.0"), lead).version == "1.1.0"


def test_from_the_second_version_on_somebody_says_what_changed(run, lead):
    frozen(run)
    asked = replace(ASKED, version="1.0.1")
    assert refusal_of(run, asked, lead).fields == {"note": "Say what changed since the last version."}
    assert request(run, replace(asked, note="Other words."), lead).terms["note"] == "Other words."


def test_what_is_held_out_leaves_prompts_in_both_splits(run, lead):
    asked = replace(ASKED, heldout="all", heldout_percent=60, waivers={"splits": "On purpose."})
    assert [*refusal_of(run, asked, lead).fields] == ["heldout_percent"]
    assert request(run, replace(asked, heldout_percent=10), lead).terms["heldout_percent"] == 10


@pytest.mark.parametrize(
    ("more", "code", "field"),
    [
        ({"name": "a/b"}, "bad_name", "name"),
        ({"version": "1"}, "bad_version", "version"),
        ({"licence": "CC BY"}, "bad_licence", "licence"),
        ({"note": "x" * 2001}, "note_too_long", "note"),
        ({"heldout": "all", "heldout_percent": 0}, "bad_heldout_percent", "heldout_percent"),
    ],
)
def test_what_no_release_may_be_is_said_at_its_field(run, lead, more, code, field):
    refused = refusal_of(run, replace(ASKED, **more), lead)
    assert (refused.code, [*refused.fields]) == (code, [field])


def test_a_version_is_never_used_twice_and_the_twin_of_a_request_is_found(run, lead, stranger):
    made = request(run, ASKED, lead)
    assert freezing.twin(run, ASKED, by=lead.user) == made
    assert freezing.twin(run, replace(ASKED, statements=SAID), by=lead.user) is None
    assert freezing.twin(run, ASKED, by=stranger) is None
    assert refusal_of(run, replace(ASKED, note="Again."), lead).code == "version_taken"


def test_a_run_that_ended_meanwhile_without_pairs_is_refused(run, lead):
    found = freezing.facts(run, ASKED.plan, now=NOW)
    run.funnel = {**run.funnel, "accepted": 0}
    with pytest.raises(DomainError) as refusal:
        freezing.request(run, ASKED, found, wrong={}, by=lead.user, now=NOW)
    assert refusal.value.code == "no_pairs"


# --- what the team states ----------------------------------------------------------------------------------


def test_what_the_team_states_is_kept_and_printed(run, lead):
    release = done(request(run, replace(ASKED, statements=SAID), lead))
    assert release.terms["statements"] == SAID.as_dict()
    sheet = text_of(release, "DATASHEET.md")
    for said in ("Four students\\.", "A course\\.", "20 EUR an hour\\."):
        assert said in sheet
    assert "20 EUR an hour." in text_of(release, "croissant.json")
    assert '"training":"A course."' in text_of(release, "manifest.json").replace('": "', '":"')


def test_where_nothing_is_stated_the_datasheet_says_so(run, lead):
    sheet = text_of(done(request(run, ASKED, lead)), "DATASHEET.md")
    assert sheet.count("The team has not stated") == 3
    assert "ask the team" not in sheet


def test_the_next_release_of_a_name_says_what_the_last_one_said(run, lead):
    assert freezing.facts(run, ASKED.plan, now=NOW).stated == Statements()
    done(request(run, replace(ASKED, statements=SAID), lead))
    assert freezing.facts(run, ASKED.plan, now=NOW).stated == SAID
    assert freezing.facts(run, replace(ASKED, name="walls").plan, now=NOW).stated == Statements()


@pytest.mark.parametrize("field", ["annotators", "training", "pay"])
@pytest.mark.parametrize("text", ["x" * (LONGEST_STATEMENT + 1), "Paid\u202e well.", "A\x00b"])
def test_a_statement_that_cannot_be_kept_is_refused_at_its_field(run, lead, field, text):
    refused = refusal_of(run, replace(ASKED, statements=replace(SAID, **{field: text})), lead)
    assert (refused.code, [*refused.fields]) == ("bad_statement", [field])


def test_lines_of_a_statement_end_in_one_way(run, lead):
    told = replace(SAID, pay=" One.\r\nTwo.\r ")
    assert request(run, replace(ASKED, statements=told), lead).terms["statements"]["pay"] == "One.\nTwo."


def test_a_release_from_before_teams_were_asked_is_made_again_to_the_byte(run, lead, capsys):
    """Its terms have no such key, and nothing of it may speak of one."""
    waiting = request(run, ASKED, lead)
    kept = {name: value for name, value in waiting.terms.items() if name != "statements"}
    Release.objects.filter(pk=waiting.pk).update(terms=kept)
    waiting.refresh_from_db()
    release = done(waiting)
    assert Terms.from_dict(release.terms).statements is None
    assert "statements" not in text_of(release, "manifest.json")
    assert text_of(release, "DATASHEET.md").count("Not recorded here: ask the team.") == 3
    call_command("rebuild_release", "bridges", "0.1.0")
    assert "all the same to the byte" in capsys.readouterr().out


def test_a_release_with_statements_is_made_again_to_the_byte(run, lead, capsys):
    done(request(run, replace(ASKED, statements=SAID), lead))
    call_command("rebuild_release", "bridges", "0.1.0")
    assert "all the same to the byte" in capsys.readouterr().out
