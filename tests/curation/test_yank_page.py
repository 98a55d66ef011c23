"""Yanking a release: a page of its own, a reason, the name typed; and what the release then says."""

import pytest
from django.urls import reverse

from curation.models import Yank
from curation.services import releases
from tests.curation.audits import even, frozen, make_run
from tests.factories import NOW, make_member, make_project

pytestmark = pytest.mark.django_db
WHY = "Two annotators were <one> person."
SENT = {"reason": WHY, "confirm": "bridges-1.0.0"}


@pytest.fixture
def release(project, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    return frozen(make_run(project, even(1)), reason="A pilot.")


def address(name="release_yank", version="1.0.0"):
    return reverse(name, args=["bridges", version])


def test_only_the_leads_of_the_project_come_in(release, lead, stranger, browser_of):
    for person, status in (
        (release.project.memberships.filter(role="annotator").first(), 404),  # releases do not exist for them
        (make_member(release.project, "adjudicator"), 403),
        (make_member(make_project(), "lead"), 404),
        (stranger, 404),
    ):
        for method in ("get", "post"):
            assert getattr(browser_of(person), method)(address(), SENT).status_code == status
    assert not Yank.objects.exists()
    assert browser_of(lead).post(address(), SENT).url == address("release")
    assert Yank.objects.get().yanked_by == lead.user


def test_there_is_a_way_there_for_leads_alone(release, lead, browser_of):
    link = f'href="{address()}"'
    assert link in browser_of(lead).get(address("release")).content.decode()
    adjudicator = make_member(release.project, "adjudicator")
    page = browser_of(adjudicator).get(address("release")).content.decode()
    assert "bridges 1.0.0" in page
    assert link not in page


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"reason": " "}, "reason", "Say why nobody should use this release any more."),
        ({"reason": "x" * 2001}, "reason", "at most 2000 characters"),
        ({"confirm": ""}, "confirm", "Type it here."),
        ({"confirm": "bridges"}, "confirm", "This is not bridges-1.0.0."),
    ],
)
def test_it_takes_a_reason_and_the_name(release, lead, browser_of, fields, field, said):
    answer = browser_of(lead).post(address(), {**SENT, **fields})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert said in page.split(f'id="id_{field}_error"')[1].split("</p>")[0]
    if field == "confirm":
        assert "&lt;one&gt; person.</textarea>" in page
    assert not Yank.objects.exists()


def test_a_yanked_release_says_so_with_the_reason_and_stays(release, lead, browser_of):
    client = browser_of(lead)
    client.post(address(), SENT)
    page = client.get(address("release")).content.decode()
    assert "Two annotators were &lt;one&gt; person." in page
    assert "nobody should use this release any more" in page
    assert f'href="{address()}"' not in page
    file = client.get(reverse("release_file", args=["bridges", "1.0.0", "manifest.json"]))
    assert file.status_code == 200


def test_sent_twice_the_first_reason_stays(release, lead, browser_of):
    client = browser_of(lead)
    client.post(address(), SENT)
    assert client.post(address(), {**SENT, "reason": "Another."}).url == address("release")
    assert client.get(address()).url == address("release")
    assert Yank.objects.get().reason == WHY


def test_somebody_else_may_be_first(release, lead, browser_of, monkeypatch):
    releases.yank(release, reason="First.", by=None, now=NOW)
    monkeypatch.setattr("curation.queries.release_page.yank_of", lambda release: None)
    answer = browser_of(lead).post(address(), SENT)
    assert answer.status_code == 422
    assert "has been yanked already" in answer.content.decode()
    assert Yank.objects.get().reason == "First."


def test_what_is_not_frozen_cannot_be_yanked(release, lead, browser_of):
    releases.request(release.run, name="bridges", version="2.0.0", reason="A pilot.", by=None, now=NOW)
    assert browser_of(lead).post(address(version="2.0.0"), SENT).status_code == 404
