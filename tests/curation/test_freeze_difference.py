"""What a run would change in the last release, as the page of its freeze and the release tell it."""

import csv
import io

import pytest
from django.urls import reverse

from curation import tasks
from curation.models import Release
from curation.services import recipes, release_differences, releases, runs
from tests.curation.audits import audited, even, frozen, longer, make_run
from tests.curation.freezes import LATER, address, later_run, page_of, send

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("undrawn")]


@pytest.fixture(autouse=True)
def releases_dir(settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"


@pytest.fixture
def nudged(monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.freeze_release, "delay_on_commit", sent.append)
    return sent


@pytest.fixture
def run(project):
    """Sound pairs of two genres, whose audit found nothing."""
    run = make_run(project, even(4))
    audited(run)
    return run


def test_the_first_release_has_nothing_to_differ_from(run, lead, browser_of):
    page = page_of(browser_of(lead), run)
    assert "This is the first release of the project" in page
    assert 'name="version" value="0.1.0"' in page


def test_pairs_that_join_ask_for_the_second_number(run, lead, nudged, browser_of):
    frozen(run, version="1.0.0")
    later = later_run(run, lead, adds=2)
    audited(later)
    client = browser_of(lead)
    page = page_of(client, later)
    assert 'name="version" value="1.1.0"' in page
    assert page.count('<th scope="row">Added<') == 2
    assert "A response is new" in page
    sent = {"note": "Two more.", "version": "1.0.1"}
    refused = send(client, later, **sent)
    assert refused.status_code == 422
    assert "so the second number rises: use 1.1.0, or a later one." in refused.content.decode()
    assert send(client, later, **{**sent, "version": "1.1.0"}).status_code == 302
    kept = {each["name"]: each for each in Release.objects.latest("pk").terms["checks"]}["difference"]
    assert (kept["detail"]["added"], kept["detail"]["same"]) == (2, 4)
    assert kept["detail"]["against"] == {"name": "bridges", "version": "1.0.0"}


def test_a_pair_whose_response_was_removed_asks_for_the_first_number(run, lead, nudged, browser_of):
    frozen(run, version="1.0.0")
    later = later_run(run, lead, removes=["p00-c"])
    audited(later)
    client = browser_of(lead)
    page = page_of(client, later)
    assert 'name="version" value="2.0.0"' in page
    assert "A response was removed: Factual inconsistency" in page
    for version, said in (
        ("1.1.0", "so the first number rises: use 2.0.0"),
        ("0.9.0", "is 1.0.0. Use 2.0.0"),
    ):
        refused = send(client, later, version=version, note="One less.")
        assert refused.status_code == 422
        assert said in refused.content.decode()
        assert f'value="{version}"' in refused.content.decode()
    assert nudged == []
    assert send(client, later, version="2.0.0", note="One less.").status_code == 302


def test_a_pair_that_turned_around_is_told(run, lead, browser_of):
    frozen(run, version="1.0.0")
    later = later_run(run, lead, flips=["p01"])
    page = page_of(browser_of(lead), later)
    assert page.count('<th scope="row">Other side chosen<') == 1
    assert 'name="version" value="2.0.0"' in page


def test_a_pair_that_a_rule_rejects_now_has_the_reason(run, lead, browser_of):
    frozen(run, version="1.0.0")
    recipe = recipes.save(
        run.project, parameters={"length_symmetry": "off", "min_gap": "3"}, by=None, now=LATER
    )
    later = runs.request(run.project, recipe=recipe, by=None, now=LATER)
    runs.execute(later.pk, clock=lambda: LATER)
    later.refresh_from_db()
    found = release_differences.between(run, later)
    changes = list(release_differences.all_with_reasons(found, run, later))
    assert {(each.kind, each.reason) for each in changes} == {("dropped", "gap")}
    back = release_differences.between(later, run)
    changes = list(release_differences.all_with_reasons(back, later, run))
    assert {(each.kind, each.reason) for each in changes} == {("taken", "gap")}


def test_what_length_symmetry_took_out_is_said(project, lead):
    run = make_run(project, longer(4))
    recipe = recipes.save(project, parameters={}, by=None, now=LATER)
    later = runs.request(project, recipe=recipe, by=None, now=LATER)
    runs.execute(later.pk, clock=lambda: LATER)
    later.refresh_from_db()
    found = release_differences.between(run, later)
    changes = release_differences.with_reasons(found.changes, run, later)
    assert {(each.kind, each.reason) for each in changes} == {("dropped", "length_symmetry")}


def test_many_changes_are_paged_and_what_was_typed_goes_along(project, lead, browser_of):
    run = make_run(project, even(60))
    frozen(run, version="1.0.0", reason="A pilot.")
    later = later_run(run, lead, removes=[f"p{number:02}-c" for number in range(55)])
    client = browser_of(lead)
    first = page_of(client, later)
    assert first.count('<th scope="row">Removed<') == 50
    assert '<button class="button" name="page" value="2">' in first
    answer = client.post(address(later), {"page": "2", "name": "bridges", "note": "Half a sentence"})
    second = answer.content.decode()
    assert answer.status_code == 200
    assert second.count('<th scope="row">Removed<') == 5
    assert "Half a sentence</textarea>" in second
    assert "Type the name" not in second


def test_all_changes_are_to_be_had_as_a_file(run, lead, browser_of):
    frozen(run, version="1.0.0")
    later = later_run(run, lead, removes=["p00-c"])
    client = browser_of(lead)
    answer = client.get(address(later, "freeze_difference"), {"name": "bridges"})
    assert answer["Content-Disposition"] == (
        f'attachment; filename="bridges-run-{later.pk}-against-bridges-1.0.0.csv"'
    )
    (row,) = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert (row["change"], row["prompt"], row["chosen_before"], row["reason"]) == (
        "removed",
        "p00",
        "p00-c",
        "removed:factual",
    )


@pytest.mark.parametrize("name", ["\x00", "../bridges", "x" * 1000, "\ud800"])
def test_a_name_in_the_address_that_no_release_can_bear_is_none(run, lead, browser_of, name):
    answer = browser_of(lead).get(address(run), {"name": name.encode("utf-8", "surrogatepass")})
    assert answer.status_code == 200
    assert 'name="name" value="bridges"' in answer.content.decode()


def test_without_an_earlier_release_there_is_no_file(run, lead, browser_of):
    assert browser_of(lead).get(address(run, "freeze_difference")).status_code == 404


def test_another_name_is_held_against_the_newest_of_the_project_and_bound_to_no_version(
    run, lead, nudged, browser_of
):
    frozen(run, version="1.0.0")
    later = later_run(run, lead, removes=["p00-c"])
    audited(later)
    client = browser_of(lead)
    page = page_of(client, later, name="walls")
    assert "Against bridges 1.0.0, the newest release of the project" in page
    assert 'name="version" value="0.1.0"' in page
    assert send(client, later, name="walls", confirm="walls", version="0.0.1").status_code == 302


def test_the_release_tells_what_was_checked_what_changed_and_why(run, lead, nudged, browser_of):
    frozen(run, version="1.0.0")
    later = later_run(run, lead, removes=["p00-c"])
    audited(later)
    client = browser_of(lead)
    send(
        client,
        later,
        version="2.0.0",
        note="One <b>less</b>.",
        target="9",
        waiver_quota="A pilot.",
        heldout="labels",
        heldout_percent="10",
        waiver_splits="On purpose.",
    )
    made = Release.objects.latest("pk")
    releases.execute(made.pk, clock=lambda: LATER)
    page = client.get(reverse("release", args=["bridges", "2.0.0"])).content.decode()
    for said in (
        "One &lt;b&gt;less&lt;/b&gt;.",
        "Creative Commons Attribution 4.0 International (cc-by-4.0)",
        "A pilot.",
        "What changed against bridges 1.0.0",
        "2 of 2 have fewer than the 9 pairs",
        "Held out: which text is chosen of 10 % of prompts.",
    ):
        assert said in page, said
