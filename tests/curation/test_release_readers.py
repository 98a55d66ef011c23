"""The access list of a release, and who took what."""

import pytest
from django.urls import reverse

from annotation.models import JournalEntry
from curation.models import ReleaseReader
from curation.services import releases
from tests.curation.audits import even, frozen, make_run
from tests.factories import NOW, make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(project, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    return make_run(project, even(2))


@pytest.fixture
def release(run):
    return frozen(run, reason="A pilot.", heldout="labels", heldout_percent=10)


@pytest.fixture
def rita(db):
    return make_user("rita")


def address(name="release_readers", *more):
    return reverse(name, args=["bridges", "1.0.0", *more])


def test_only_the_leads_of_the_project_come_in(release, lead, rita, stranger, browser_of):
    releases.add_reader(release, rita, by=None, now=NOW)
    remove = address("release_reader_remove", ReleaseReader.objects.get().pk)
    for person, status in (
        (release.project.memberships.filter(role="annotator").first(), 404),
        (make_member(release.project, "adjudicator"), 403),
        (make_member(make_project(), "lead"), 404),
        (stranger, 404),
    ):
        client = browser_of(person)
        assert client.get(address()).status_code == status
        assert client.post(address(), {"username": "stranger"}).status_code == status
        assert client.post(remove).status_code == status
    assert ReleaseReader.objects.get().user == rita
    assert browser_of(lead).post(remove).url == address()
    assert not ReleaseReader.objects.exists()


def test_a_reader_is_added_by_user_name_and_taken_off_again(release, lead, rita, browser_of):
    client = browser_of(lead)
    assert "Nobody is on the list." in client.get(address()).content.decode()
    assert client.post(address(), {"username": " rita "}).url == address()
    reader = ReleaseReader.objects.get()
    assert (reader.user, reader.added_by) == (rita, lead.user)
    page = client.get(address()).content.decode()
    assert '<th scope="row">rita</th>' in page
    remove = address("release_reader_remove", reader.pk)
    assert client.get(remove).url == address()
    assert ReleaseReader.objects.exists()  # looking takes nobody off
    client.post(remove)
    client.post(remove)
    assert not ReleaseReader.objects.exists()
    actions = JournalEntry.objects.filter(action__startswith="release.reader_").order_by("pk")
    assert [entry.action for entry in actions] == ["release.reader_added", "release.reader_removed"]


def test_twice_is_once(release, lead, rita, browser_of):
    client = browser_of(lead)
    for _time in range(2):
        assert client.post(address(), {"username": "rita"}).status_code == 302
    assert ReleaseReader.objects.count() == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "Write the user name of an account."),
        ("nobody", "There is no account of this name."),
        ("gone", "There is no account of this name."),
    ],
)
def test_who_has_no_account_is_refused_beside_the_field(release, lead, browser_of, given, said):
    make_user("gone", is_active=False)
    answer = browser_of(lead).post(address(), {"username": given})
    assert answer.status_code == 422
    assert said in answer.content.decode().split('id="id_username_error"')[1].split("</p>")[0]
    assert not ReleaseReader.objects.exists()


def test_a_reader_of_another_release_is_not_taken_off_here(release, run, lead, rita, browser_of):
    other = frozen(run, version="2.0.0", reason="A pilot.")
    releases.add_reader(other, rita, by=None, now=NOW)
    browser_of(lead).post(address("release_reader_remove", ReleaseReader.objects.get().pk))
    assert ReleaseReader.objects.get().release == other


def test_who_took_what_is_listed_the_newest_first_and_paged(release, lead, rita, browser_of):
    for number in range(51):
        releases.note_download(release, f"data/{number:02}.jsonl", by=rita, now=NOW)
    client = browser_of(lead)
    first = client.get(address()).content.decode()
    assert first.index("data/50.jsonl") < first.index("data/49.jsonl")
    assert "data/00.jsonl" not in first
    second = client.get(address(), {"page": "2"}).content.decode()
    assert "data/00.jsonl" in second
    assert "data/50.jsonl" not in second
    assert client.get(address(), {"page": "many"}).status_code == 200


def test_the_page_of_a_release_leads_there_where_something_is_withheld(release, run, lead, browser_of):
    client = browser_of(lead)
    assert f'href="{address()}"' in client.get(address("release")).content.decode()
    frozen(run, version="2.0.0", reason="A pilot.")
    page = client.get(reverse("release", args=["bridges", "2.0.0"])).content.decode()
    assert reverse("release_readers", args=["bridges", "2.0.0"]) not in page
    page = client.get(reverse("release_readers", args=["bridges", "2.0.0"])).content.decode()
    assert "this list opens nothing" in page
