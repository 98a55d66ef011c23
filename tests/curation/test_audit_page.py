"""The page of an audit, its limits, and freezing from the page of the run: who may, what is said, what is asked."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.services import jobs
from curation import tasks
from curation.domain.audit.limits import Limits
from curation.models import Audit
from curation.queries import audits as queries
from curation.services import audits
from tests.curation.audits import audited, even, frozen, longer, make_run
from tests.factories import NOW, make_member, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("undrawn")]
LEAK = ("As ChatGPT would say, the bridge fell.", "Nobody crossed the cold river that day.")


@pytest.fixture(autouse=True)
def releases_dir(settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"


@pytest.fixture
def nudged(monkeypatch):
    """What would have been sent to a worker."""
    sent = []
    monkeypatch.setattr(tasks.audit_run, "delay_on_commit", lambda pk: sent.append(("audit", pk)))
    monkeypatch.setattr(tasks.freeze_release, "delay_on_commit", lambda pk: sent.append(("release", pk)))
    return sent


def address(run, name="audit", *more):
    return reverse(name, args=[run.project.slug, run.pk, *more])


def page_of(client, url):
    return client.get(url).content.decode()


# --- who may ---------------------------------------------------------------------------------------------


def test_the_pages_are_for_leads_of_the_project_alone(project, lead, stranger, nudged, browser_of):
    run = make_run(project, even(2))
    audited(run)
    others = [
        (make_member(project, "annotator", "other-annotator"), 403),
        (make_member(project, "instructor"), 403),
        (make_member(make_project(), "lead"), 404),
        (stranger, 404),
    ]
    pages = [
        ("get", address(run)),
        ("post", address(run, "audit_compute")),
        ("get", address(run, "audit_figure", "signals", "csv")),
        ("get", address(run, "audit_figure", "signals", "svg")),
        ("post", address(run, "run_cancel")),
        ("get", address(run, "freeze_audit")),
        ("get", reverse("audit_limits", args=["bridges"])),
        ("post", reverse("audit_limits", args=["bridges"])),
    ]
    for method, url in pages:
        for person, status in others:
            assert getattr(browser_of(person), method)(url).status_code == status, url
    assert nudged == []
    assert browser_of(lead).get(address(run)).status_code == 200


def test_a_run_of_another_project_is_not_found_under_ones_own(project, browser_of):
    run = make_run(project, even(1))
    elsewhere = make_member(make_project("elsewhere"), "lead")
    for name in ("audit", "audit_compute", "run_cancel", "freeze_audit", "what_if_of_run"):
        assert browser_of(elsewhere).get(reverse(name, args=["elsewhere", run.pk])).status_code == 404


# --- the page --------------------------------------------------------------------------------------------


def test_a_lead_reads_each_limit_with_what_was_found(project, lead, browser_of):
    run = make_run(project, [*longer(4), LEAK])
    audited(run)
    page = page_of(browser_of(lead), address(run))
    assert "What a machine could guess without reading" in page
    assert "There are fewer than 30 pairs" in page
    assert "The pairs are outside 3 limits." in page
    assert "45 to 55 %" in page
    assert 'id="limit-longer"' in page
    assert page.count("not met") == 3
    assert "These are the defaults." in page


def test_a_leak_is_shown_with_its_place_and_leads_to_the_text(project, lead, browser_of):
    run = make_run(project, [*even(1), (LEAK[0], "Nobody crossed it.")], first=0)
    audited(run)
    page = page_of(browser_of(lead), address(run))
    assert "it names ChatGPT at character 4" in page
    leaking = project.responses.get(external_id="p01-c")
    assert reverse("judged_response", args=["bridges", leaking.pk]) in page


def test_copies_come_by_pages_and_lead_to_both_texts(project, lead, browser_of):
    unlike = [" ".join(chr(ord("a") + n) * size for size in range(3, 12)) for n in range(23)]
    same = [("The same bridge in every text.", other) for other in unlike]
    run = make_run(project, same)
    audited(run)
    client = browser_of(lead)
    first, second = (page_of(client, address(run) + query) for query in ("", "?copies=2"))
    assert "Page 1 of 2" in first
    assert "Page 2 of 2" in second
    pk = {each.external_id: each.pk for each in project.responses.all()}
    assert reverse("judged_response", args=["bridges", pk["p01-c"]]) in first
    assert reverse("judged_response", args=["bridges", pk["p22-c"]]) not in first
    assert reverse("judged_response", args=["bridges", pk["p22-c"]]) in second
    assert "Page 2 of 2" in page_of(client, address(run) + "?copies=99&leaks=x&earlier=-1")


def test_texts_of_a_project_that_the_lead_has_no_sight_of_are_not_named(project, lead, browser_of):
    make_run_of_walls = make_run(make_project("walls"), even(1))
    frozen(make_run_of_walls, name="walls", reason="First.")
    run = make_run(project, even(1))
    audited(run)
    client = browser_of(lead)
    page = page_of(client, address(run))
    assert "a text of another project" in page
    assert "walls" not in page
    make_run_of_walls.project.memberships.create(
        user=lead.user, role="lead", joined_at=NOW, pseudonym="lead-x"
    )
    page = page_of(client, address(run))
    assert reverse("release", args=["walls", "1.0.0"]) in page


def test_before_the_audit_the_page_says_so_and_offers_it(project, lead, nudged, browser_of):
    run = make_run(project, even(1))
    client = browser_of(lead)
    page = page_of(client, address(run))
    assert "This run has not been audited yet." in page
    for _ in range(2):
        assert client.post(address(run, "audit_compute")).url == address(run)
    audit = Audit.objects.get()
    assert (set(nudged), audit.queued_by) == ({("audit", audit.pk)}, lead.user)
    page = page_of(client, address(run))
    assert "The audit waits for a worker." in page
    assert "No worker has taken this up" not in page
    Audit.objects.update(queued_at=timezone.now() - timedelta(minutes=1))
    assert "No worker has taken this up" in page_of(client, address(run))


def test_how_far_it_is_and_why_it_failed_is_said(project, lead, browser_of):
    run = make_run(project, even(1))
    audit = jobs.claim(Audit, audits.request(run, by=None, now=NOW).pk, now=NOW)
    jobs.note(audit, percent_done=40)
    client = browser_of(lead)
    part = client.get(address(run), headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div class="report-state"')
    assert "A worker audits the pairs: 40 %." in part
    jobs.fail(audit, reason="The moon was in the way.", now=NOW)
    assert "The audit failed. The moon was in the way." in page_of(client, address(run))


def test_figures_can_be_taken_away(project, lead, drawn, browser_of):
    run = make_run(project, longer(2))
    audited(run)
    client = browser_of(lead)
    table = client.get(address(run, "audit_figure", "signals", "csv"))
    assert table["Content-Disposition"] == f'attachment; filename="bridges-run-{run.pk}-signals.csv"'
    assert "The longer one,100.0" in table.content.decode()
    assert client.get(address(run, "audit_figure", "signals", "svg")).content.startswith(b"<svg")
    assert client.get(address(run, "audit_figure", "signals", "png")).content.startswith(b"\x89PNG")
    for key, kind in (("signals", "pdf"), ("nothing", "csv")):
        assert client.get(address(run, "audit_figure", key, kind)).status_code == 404


def test_the_page_asks_as_much_of_the_database_for_many_pairs_as_for_few(project, lead, browser_of):
    client, counts = browser_of(lead), []
    for slug, pairs in (("few", even(3)), ("many", [*even(30), LEAK])):
        led = make_project(slug)
        led.memberships.create(user=lead.user, role="lead", joined_at=NOW, pseudonym="lead-x")
        run = make_run(led, pairs)
        audited(run)
        client.get(address(run))
        with CaptureQueriesContext(
            connection,
        ) as asked:
            client.get(address(run))
        counts.append(len(asked))
    assert counts[0] <= counts[1] <= counts[0] + 1  # ids of named responses, where there are any
    assert counts[1] < 20


# --- limits ----------------------------------------------------------------------------------------------


def sent(limits=None, **changes):
    values = {
        "version": audits.version(limits or Limits()),
        "longer": "5",
        "paragraphs": "10",
        "markdown": "10",
        "quotation_marks": "10",
        "type_token_ratio": "10",
        "source_model": "",
        "logistic": "60",
        "exact": "",
        "near": "",
        "earlier_exact": "0",
        "earlier_near": "",
        "leaks": "0",
    }
    return {**values, **changes}


def test_the_form_shows_the_limits_and_what_each_is(project, lead, browser_of):
    page = page_of(browser_of(lead), reverse("audit_limits", args=["bridges"]))
    assert 'name="longer" value="5"' in page
    assert 'name="logistic" value="60"' in page
    assert "Better models do win more" in page
    assert "These are the defaults." in page


def test_a_lead_changes_limits_and_the_page_says_who_did(project, lead, browser_of):
    client, url = browser_of(lead), reverse("audit_limits", args=["bridges"])
    answer = client.post(url, sent(longer="7.5", leaks="", source_model="70"))
    assert answer.url == url + "?saved"
    found = queries.limits_of(project).as_dict()
    assert (found["longer"], found["leaks"], found["source_model"]) == ("0.075", None, "0.7")
    page = page_of(client, answer.url)
    assert "The limits are saved." in page
    assert "Set by lea," in page
    assert client.post(url, sent(longer="7.5", leaks="", source_model="70")).status_code == 302


@pytest.mark.parametrize(
    ("field", "value"),
    [("longer", "51"), ("logistic", "101"), ("longer", "much"), ("leaks", "-1"), ("near", "1.5")],
)
def test_a_limit_that_cannot_be_comes_back_with_what_was_typed(project, lead, browser_of, field, value):
    answer = browser_of(lead).post(reverse("audit_limits", args=["bridges"]), sent(**{field: value}))
    assert answer.status_code == 422
    assert f'name="{field}" value="{value}"' in answer.content.decode()
    assert queries.limits_row(project) is None


def test_limits_that_somebody_else_changed_meanwhile_are_shown_beside_what_was_typed(
    project, lead, browser_of
):
    audits.set_limits(project, Limits(leaks=3), version=audits.version(Limits()), by=None, now=NOW)
    client, url = browser_of(lead), reverse("audit_limits", args=["bridges"])
    answer = client.post(url, sent(leaks="7"))
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Somebody else changed the limits" in page
    assert "Now: at most 3" in page
    assert client.post(url, sent(Limits(leaks=3), leaks="7")).status_code == 302


# --- what a run and a release say of it -------------------------------------------------------------------


def test_what_is_not_defined_meets_no_limit_and_fails_none(project, lead, browser_of):
    run = make_run(project, even(2))
    audited(run)
    row = page_of(browser_of(lead), address(run)).split('id="limit-logistic"')[1].split("</tr>")[0]
    assert "not defined: fewer than 30 pairs" in row
    assert row.endswith("<td>–</td>")


def test_a_run_without_pairs_is_not_checked_before_freezing(project, lead, browser_of):
    run = make_run(project, [])
    page = page_of(browser_of(lead), address(run, "run"))
    assert "there is nothing to release" in page
    assert "Freeze this run" not in page


def test_the_release_says_what_the_audit_found_and_why_it_was_made(project, lead, browser_of):
    run = make_run(project, [LEAK])
    audited(run)
    frozen(run, reason="It is <b>the story's</b> own.")
    page = page_of(browser_of(lead), reverse("release", args=["bridges", "1.0.0"]))
    assert "It is &lt;b&gt;the story&#x27;s&lt;/b&gt; own." in page
    assert "Texts that name a model" in page
    assert "not met" in page


def test_a_release_from_before_there_were_audits_has_a_page(project, lead, browser_of):
    release = frozen(make_run(project, even(1)), reason="Old.")
    page_with = page_of(browser_of(lead), reverse("release", args=["bridges", "1.0.0"]))
    assert "Old." in page_with
    assert release.audit["state"] == "not_done"
