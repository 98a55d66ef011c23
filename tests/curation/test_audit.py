"""Audits: one for each run, computed by a worker; limits of a project; and what may be frozen without a word."""

import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.conf import settings as django_settings
from django.db import connection, transaction

from annotation.errors import Invalid
from annotation.models import JournalEntry
from annotation.services import jobs
from annotation.services.refusals import Outdated
from curation import tasks
from curation.domain.audit import record
from curation.domain.audit.found import BASELINES
from curation.domain.audit.limits import Limits
from curation.models import Audit, AuditFigure, Release, ReleasedTexts
from curation.queries import audits as queries
from curation.services import audit_work, audits, releases, runs, verification
from tests.curation.audits import audited, even, frozen, longer, make_run, run_again
from tests.factories import NOW, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("undrawn")]
LEAK = [("As ChatGPT would say, the bridge fell.", "Nobody crossed the cold river that day.")]


@pytest.fixture(autouse=True)
def releases_dir(settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    return settings.RELEASES_DIR


@pytest.fixture
def nudged(monkeypatch):
    """Which audits a worker was asked for."""
    found = []
    monkeypatch.setattr(tasks.audit_run, "delay", found.append)
    return found


# --- the job ---------------------------------------------------------------------------------------------


def test_an_audit_says_of_the_pairs_what_the_texts_are(project):
    run = make_run(project, longer(4))
    audit = audited(run)
    shares = audit.result["signals"]["baselines"]
    assert set(shares) == set(BASELINES)
    assert (shares["longer"]["k"], shares["longer"]["n"], shares["longer"]["rate"]) == (4, 4, 1.0)
    assert audit.result["signals"]["logistic"]["accuracy"]["reason"] == "too_few"
    assert [genre["key"] for genre in audit.result["genres"]] == ["fiction", "poetry"]
    assert audit.result["families"]["families"][0]["name"] == "secret"
    assert audit.result["ratings"] == {"asked": 3, "fewest": 3, "below": 0}
    assert (audit.percent_done, audit.code_version) == (100, run.code_version)


def test_of_what_is_read_in_parts_nothing_is_lost(project, monkeypatch):
    run = make_run(project, longer(5))
    whole = audited(run).result
    monkeypatch.setattr(audit_work, "AT_A_TIME", 2)
    assert audited(run).result == whole


def test_a_run_that_is_done_is_audited_without_anybody_asking(project, nudged, monkeypatch):
    run = make_run(project, even(2))
    for _ in range(3):
        tasks.run_curation(run.pk)
    (audit,) = Audit.objects.all()
    assert (audit.run, audit.state, nudged) == (run, "queued", [audit.pk])


def test_a_run_that_was_done_before_there_were_audits_is_found_by_the_sweep(project, nudged, monkeypatch):
    run = make_run(project, even(2))
    monkeypatch.setattr(tasks.compute_report, "delay", lambda pk: None)
    tasks.sweep()
    assert nudged == [Audit.objects.get(run=run).pk]


def test_an_audit_asked_for_twice_is_one_and_carried_out_once(project):
    run = make_run(project, even(2))
    first, second = (audits.request(run, by=None, now=NOW) for _ in range(2))
    assert first == second
    for _ in range(3):
        audit_work.execute(first.pk, clock=lambda: NOW)
    first.refresh_from_db()
    assert (first.state, first.attempt) == ("done", 1)
    assert AuditFigure.objects.filter(audit=first).count() == len(
        AuditFigure.objects.values("key", "language")
    )


def test_who_lost_the_lease_changes_nothing(project, monkeypatch):
    run = make_run(project, even(2))
    audit = audits.request(run, by=None, now=NOW)
    later = NOW + timedelta(seconds=django_settings.JOB_LEASE_SECONDS + 1)
    drawn = audit_work._drawn

    def slowly(*arguments):
        monkeypatch.setattr(audit_work, "_drawn", drawn)
        audit_work.execute(audit.pk, clock=lambda: later)  # meanwhile another worker takes over
        return drawn(*arguments)

    monkeypatch.setattr(audit_work, "_drawn", slowly)
    with pytest.raises(jobs.LostLease):
        audit_work.execute(audit.pk, clock=lambda: NOW)
    audit.refresh_from_db()
    assert (audit.state, audit.attempt) == ("done", 2)
    assert AuditFigure.objects.filter(audit=audit, key="signals").count() == 2


def test_a_failed_audit_says_why_and_can_be_asked_for_again(project, monkeypatch):
    run = make_run(project, even(2))
    audit = audits.request(run, by=None, now=NOW)
    with monkeypatch.context() as patched:
        patched.setattr(audit_work.report, "audit", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            audit_work.execute(audit.pk, clock=lambda: NOW)
    assert queries.state(run, now=NOW).error.startswith("An error that should not happen")
    assert audited(run).state == "done"


def test_a_run_that_is_not_done_has_no_audit(project):
    run = make_run(project, even(2))
    waiting = runs.request(project, recipe=run.recipe, by=None, now=NOW)
    with pytest.raises(Invalid) as refusal:
        audits.request(waiting, by=None, now=NOW)
    assert refusal.value.code == "run_not_done"
    assert audits.request_of(waiting.pk, now=NOW) is None


def test_figures_are_there_in_both_languages(project, drawn):
    audit = audited(make_run(project, longer(4)))
    for language in ("en", "zh-hans"):
        keys = set(audit.figures.filter(language=language).values_list("key", flat=True))
        assert keys >= {"signals", "families", "genres-longer", "genres-logistic"}
    figure = audit.figures.get(key="signals", language="en")
    assert figure.content["wide"].startswith("<svg")
    assert bytes(figure.png).startswith(b"\x89PNG")
    assert "fewer than 30 pairs" in figure.content["finding"]


# --- earlier releases ------------------------------------------------------------------------------------


def test_a_text_of_an_earlier_release_under_another_name_is_found(project):
    frozen(make_run(project, even(2)), reason="First.")
    other = make_project("walls")
    audit = audited(make_run(other, [even(1)[0], *even(1, first=9)]))
    earlier = audit.result["earlier"]
    assert (earlier["exact"], earlier["earlier"]) == (2, 4)
    assert [copy["release"] for copy in earlier["named"]] == ["bridges 1.0.0"] * len(earlier["named"])
    assert [release["name"] for release in audit.result["releases"]] == ["bridges"]


def test_the_same_responses_in_the_next_release_of_a_project_are_no_copies(project):
    run = make_run(project, even(2))
    audited(run)
    frozen(run)
    again = run_again(project)
    audit = audited(again)
    assert (audit.result["earlier"]["exact"], audit.result["earlier"]["near"], audit.result["again"]) == (
        0,
        0,
        4,
    )
    assert frozen(again, version="1.1.0").audit["reason"] == ""


def test_a_run_is_not_held_against_its_own_release(project):
    run = make_run(project, even(2))
    frozen(run, reason="First.")
    assert audited(run).result["releases"] == []


def test_fingerprints_of_a_release_are_made_once(project, monkeypatch):
    frozen(make_run(project, even(2)), reason="First.")
    other = make_run(make_project("walls"), even(2))
    first = audited(other).result
    (kept,) = ReleasedTexts.objects.all()
    with monkeypatch.context() as patched:
        patched.setattr(audit_work.fingerprints, "of_texts", lambda *_: pytest.fail("made again"))
        assert audited(other).result == first
    ReleasedTexts.objects.filter(pk=kept.pk).update(method="of an older library")
    assert audited(other).result == first
    assert ReleasedTexts.objects.get().method == kept.method


def test_that_a_release_came_since_is_known_and_the_audit_can_be_made_anew(project):
    other = make_project("walls")
    run = make_run(other, even(2))
    audited(run)
    assert queries.state(run, now=NOW).newer == 0
    frozen(make_run(project, even(1)), reason="First.")
    assert queries.state(run, now=NOW).newer == 1
    assert audited(run).result["earlier"]["exact"] == 2
    assert queries.state(run, now=NOW).newer == 0


# --- limits ----------------------------------------------------------------------------------------------


def test_a_project_has_the_defaults_until_somebody_changes_them(project, lead):
    assert queries.limits_of(project) == Limits()
    wanted = replace(Limits(), leaks=None, longer=Decimal("0.1"))
    changes = audits.set_limits(project, wanted, version=audits.version(Limits()), by=lead.user, now=NOW)
    assert changes == {"longer": ["0.05", "0.1"], "leaks": [0, None]}
    assert queries.limits_of(project) == wanted
    assert queries.limits_row(project).changed_by == lead.user
    entry = JournalEntry.objects.get(action="audit.limits_changed")
    assert entry.actor == lead.user
    assert entry.data == {
        "before": {"longer": "0.05", "leaks": 0},
        "after": {"longer": "0.1", "leaks": None},
    }


def test_limits_that_are_as_they_were_are_no_change(project):
    assert audits.set_limits(project, Limits(), version="any", by=None, now=NOW) == {}
    assert not JournalEntry.objects.filter(action="audit.limits_changed").exists()


def test_who_began_from_older_limits_is_told(project):
    first = audits.version(Limits())
    audits.set_limits(project, Limits(leaks=3), version=first, by=None, now=NOW)
    with pytest.raises(Outdated) as refusal:
        audits.set_limits(project, Limits(leaks=5), version=first, by=None, now=NOW)
    assert refusal.value.now == {"leaks": 3}
    assert queries.limits_of(project) == Limits(leaks=3)


def test_changed_limits_hold_for_audits_that_are_done(project):
    run = make_run(project, LEAK)
    audit = audited(run)
    assert [each.key for each in queries.record_of(run, audit=audit).exceeded] == ["leaks"]
    audits.set_limits(project, Limits(leaks=1), version=audits.version(Limits()), by=None, now=NOW)
    assert queries.record_of(run, audit=audit).is_within


# --- the gate --------------------------------------------------------------------------------------------


def refused(run, reason=""):
    with pytest.raises(Invalid) as refusal:
        releases.request(run, name="bridges", version="1.0.0", by=None, now=NOW, reason=reason)
    assert not Release.objects.exists()
    return refusal.value


def manifest_of(release):
    return json.loads((releases.folder(release) / "manifest.json").read_text())


def test_within_the_limits_nothing_is_asked(project):
    run = make_run(project, even(2))
    audited(run)
    audit = manifest_of(frozen(run, reason="Nobody asked."))["audit"]
    assert (audit["state"], audit["exceeded"], audit["reason"]) == ("done", [], "")
    assert audit["limits"] == Limits().as_dict()


def test_outside_the_limits_it_takes_a_reason_that_goes_into_the_release(project, lead):
    run = make_run(project, LEAK)
    audited(run)
    refusal = refused(run, reason=" \n ")
    assert refusal.code == "audit_outside"
    assert "Texts that name a model: 1 response, allowed at most 0" in refusal.message
    release = frozen(run, reason="The name is\n part of the *story*.")
    assert verification.verify(releases.folder(release)).ok
    audit = manifest_of(release)["audit"]
    assert audit["reason"] == "The name is part of the *story*."
    assert audit["exceeded"] == [{"key": "leaks", "value": 1, "limit": 0}]
    assert audit["found"]["copies"]["leaks"] == 1
    assert audit["found"]["signals"]["longer"]["n"] == 1
    card = (releases.folder(release) / "README.md").read_text()
    assert "texts that name a model: 1, where at most 0 may be" in card
    assert "> The name is part of the \\*story\\*\\." in card
    asked = JournalEntry.objects.get(action="release.requested")
    assert asked.data["reason"] == "The name is part of the *story*."


def test_without_an_audit_it_takes_a_reason(project, monkeypatch):
    run = make_run(project, even(2))
    assert refused(run).code == "audit_not_done"
    audit = audits.request(run, by=None, now=NOW)
    assert refused(run).code == "audit_not_done"
    jobs.fail(jobs.claim(Audit, audit.pk, now=NOW), reason="The moon was in the way.", now=NOW)
    assert refused(run).code == "audit_failed"
    kept = manifest_of(frozen(run, reason="The worker is being mended."))["audit"]
    assert (kept["state"], kept["found"], kept["reason"]) == ("failed", None, "The worker is being mended.")


def test_a_reason_has_an_end(project):
    run = make_run(project, even(2))
    assert refused(run, reason="x" * (record.LONGEST_REASON + 1)).code == "reason_too_long"


def test_what_changes_after_it_was_asked_for_does_not_reach_a_release(project):
    run = make_run(project, LEAK)
    audited(run)
    release = releases.request(run, name="bridges", version="1.0.0", by=None, now=NOW, reason="Meant so.")
    audits.set_limits(project, Limits(leaks=9), version=audits.version(Limits()), by=None, now=NOW)
    releases.execute(release.pk, clock=lambda: NOW)
    assert manifest_of(release)["audit"]["limits"]["leaks"] == 0
    assert manifest_of(release)["audit"]["reason"] == "Meant so."


def test_the_manifest_names_no_model_and_no_moment(project):
    run = make_run(project, longer(3))
    audited(run)
    one = frozen(run, version="1.0.0", reason="Meant so.")
    audited(run, now=NOW + timedelta(days=9))
    other = frozen(run, version="1.1.0", reason="Meant so.")
    assert manifest_of(one)["audit"] == manifest_of(other)["audit"]
    assert "secret" not in (releases.folder(one) / "manifest.json").read_text()
    assert list(manifest_of(one)["audit"]["found"]["signals"])[:3] == ["pairs", "prompts", "few"]


def test_a_release_of_before_there_were_audits_is_frozen_as_it_was_asked_for(project):
    run = make_run(project, even(2))
    release = releases.request(run, name="bridges", version="1.0.0", by=None, now=NOW, reason="Old.")
    Release.objects.filter(pk=release.pk).update(audit=None)
    releases.execute(release.pk, clock=lambda: NOW)
    assert "audit" not in manifest_of(release)
    assert verification.verify(releases.folder(release)).ok


def test_the_database_refuses_to_change_what_a_frozen_release_says_of_its_audit(project):
    release = frozen(make_run(project, even(2)), reason="Meant so.")
    with pytest.raises(Exception, match="never changes"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE curation_release SET audit = NULL")
    release.refresh_from_db()
    assert release.audit["reason"] == "Meant so."
