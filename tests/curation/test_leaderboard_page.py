"""The leaderboard of a release, the form, a submission and two of them: who may, what is said, what is sorted."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from curation import tasks
from curation.models import Comparison, Publication, Submission
from curation.services import releases, submission_work, submissions
from tests.curation.submissions import make_release, right_in, scores, submit
from tests.factories import NOW, make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nudged(monkeypatch):
    """What would have been sent to a worker."""
    sent = []
    for name in ("score_submission", "compare_submissions"):
        monkeypatch.setattr(
            getattr(tasks, name), "delay_on_commit", lambda pk, name=name: sent.append((name, pk))
        )
    return sent


@pytest.fixture
def release(project, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    return make_release(project)


@pytest.fixture
def reader(release):
    """Somebody who may read the release, and neither leads nor annotates."""
    return make_member(release.project, "adjudicator", "reader")


def address(name="leaderboard", *more):
    return reverse(name, args=["bridges", "1.0.0", *more])


def file_of(content):
    return SimpleUploadedFile("scores.jsonl", content)


def sent(content=None, **fields):
    content = right_in(4) if content is None else content
    return {"file": file_of(content), "model": "judge-1", "family": "", "note": "", **fields}


# --- who may ---------------------------------------------------------------------------------------------


def test_the_pages_are_for_whoever_reads_the_release(release, lead, reader, stranger, browser_of):
    done = submit(release, lead.user)
    submissions.publish(done, by=lead.user, now=NOW)
    pages = [
        ("get", address()),
        ("get", address("leaderboard_file")),
        ("get", address("submission_new")),
        ("post", address("submission_new")),
        ("get", address("submission", done.pk)),
        ("post", address("submission_compare", done.pk)),
        ("post", address("submission_publish", done.pk)),
    ]
    annotator = release.project.memberships.filter(role="annotator").first()
    for person in (annotator, make_member(make_project(), "lead"), stranger):
        for method, url in pages:
            assert getattr(browser_of(person), method)(url).status_code == 404, url
    assert Publication.objects.count() == Submission.objects.count() == 1
    for url in (
        address(),
        address("leaderboard_file"),
        address("submission_new"),
        address("submission", done.pk),
    ):
        for person in (lead, reader):
            assert browser_of(person).get(url).status_code == 200, url


def test_a_submission_is_its_senders_and_the_leads_until_it_is_published(release, lead, reader, browser_of):
    other = make_member(release.project, "adjudicator", "other")
    done = submit(release, reader.user, model="hidden-judge")
    page = address("submission", done.pk)
    assert [browser_of(each).get(page).status_code for each in (reader, lead, other)] == [200, 200, 404]
    for person, is_there in ((reader, True), (lead, True), (other, False)):
        client = browser_of(person)
        assert ("hidden-judge" in client.get(address()).content.decode()) is is_there
        assert ("hidden-judge" in client.get(address("leaderboard_file")).content.decode()) is is_there
    assert browser_of(lead).post(address("submission_publish", done.pk)).url == page
    assert browser_of(other).get(page).status_code == 200
    assert "hidden-judge" in browser_of(other).get(address()).content.decode()
    browser_of(lead).post(address("submission_publish", done.pk), {"take_back": "1"})
    assert browser_of(other).get(page).status_code == 404


def test_only_leads_publish(release, lead, reader, browser_of):
    done = submit(release, reader.user)
    button = "Publish to all readers"
    assert button not in browser_of(reader).get(address("submission", done.pk)).content.decode()
    assert browser_of(reader).post(address("submission_publish", done.pk)).status_code == 403
    assert not Publication.objects.exists()
    assert button in browser_of(lead).get(address("submission", done.pk)).content.decode()


def test_a_submission_is_found_under_its_own_release_alone(release, lead, browser_of):
    done = submit(release, lead.user)
    make_release_again = reverse("submission", args=["bridges", "2.0.0", done.pk])
    assert browser_of(lead).get(make_release_again).status_code == 404
    assert browser_of(lead).get(address("submission", done.pk)).status_code == 200


# --- the form --------------------------------------------------------------------------------------------


def test_a_reader_submits_a_file(release, reader, nudged, browser_of):
    answer = browser_of(reader).post(address("submission_new"), sent(family="Judges", note="Greedy."))
    made = Submission.objects.get()
    assert answer.url == address("submission", made.pk)
    assert (made.queued_by, made.family, made.note) == (reader.user, "Judges", "Greedy.")
    assert nudged == [("score_submission", made.pk)]
    page = browser_of(reader).get(answer.url).content.decode()
    assert "waits for a worker" in page
    assert 'hx-trigger="every 2s"' in page


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"model": " "}, "model", "Write the name of the model."),
        ({"model": "x" * 101}, "model", "at most 100 characters"),
        ({"model": "judge\u202e"}, "model", "cannot be seen"),
        ({"file": ""}, "file", "Choose a file."),
        ({"file": b""}, "file", "it needs at least one row"),
        ({"file": b'{"response_id": "a", "score": "x"}'}, "file", "Line 1, column score"),
        ({"file": b'{"response_id": "a", "score": 1}\n\xff'}, "file", "Line 2 is not UTF-8"),
    ],
)
def test_what_is_wrong_stands_at_its_field(release, reader, browser_of, fields, field, said):
    given = {name: file_of(value) if isinstance(value, bytes) else value for name, value in fields.items()}
    answer = browser_of(reader).post(address("submission_new"), {**sent(), **given})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert said in page.split(f'id="id_{field}_error"')[1].split("</p>")[0]
    assert not Submission.objects.exists()


def test_a_file_that_is_too_large_is_cut_off_and_refused(release, reader, browser_of, monkeypatch):
    monkeypatch.setattr(submissions, "MOST_BYTES", 20)
    answer = browser_of(reader).post(address("submission_new"), sent())
    assert answer.status_code == 422
    assert "The file is larger than" in answer.content.decode()


# --- the leaderboard -------------------------------------------------------------------------------------


@pytest.fixture
def three(release, lead):
    return [
        submit(release, lead.user, right_in(n), model=model) for n, model in ((2, "b"), (5, "a"), (3, "C"))
    ]


def models_of(page):
    table = page.split("<tbody>")[1].split("</tbody>")[0]
    return [row.split("</a>")[0].rpartition(">")[2] for row in table.split("<tr")[1:]]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("", "aCb"),
        ("?sort=accuracy", "bCa"),
        ("?sort=model", "abC"),
        ("?sort=-model", "Cba"),
        ("?sort=nonsense", "aCb"),
        ("?sort=-pairs", "abC"),
    ],
)
def test_it_is_sorted_by_links(three, lead, browser_of, sort, order):
    page = browser_of(lead).get(address() + sort).content.decode()
    assert "".join(models_of(page)) == order
    assert page.count("aria-sort=") == 1


def test_it_says_how_well_each_does_and_what_stands_beside(three, lead, browser_of):
    page = browser_of(lead).get(address()).content.decode()
    assert "83.3" in page
    assert "The longer one" in page
    assert "People, against pairs that the others accept" in page
    assert "Nobody has submitted" not in page


def test_the_file_has_the_same_with_all_digits(three, lead, browser_of):
    answer = browser_of(lead).get(address("leaderboard_file"))
    assert answer["Content-Disposition"] == 'attachment; filename="bridges-1.0.0-leaderboard.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["model"] for row in rows] == ["a", "C", "b"]
    assert float(rows[0]["accuracy"]) == pytest.approx(5 / 6)
    assert (rows[0]["pairs"], rows[0]["published"]) == ("6", "0")


def test_a_formula_in_a_name_is_none_in_the_file(release, lead, browser_of):
    submit(release, lead.user, model="=HYPERLINK(1)")
    assert "'=HYPERLINK(1)" in browser_of(lead).get(address("leaderboard_file")).content.decode()


def test_an_empty_one_says_so_and_failed_ones_stand_apart(release, lead, browser_of):
    client = browser_of(lead)
    assert "Nobody has submitted a model that you may see." in client.get(address()).content.decode()
    submit(release, lead.user, scores({"who": 1}), model="<i>lost</i>")
    page = client.get(address()).content.decode()
    assert "no id of the file occurs in the release" in page
    assert "&lt;i&gt;lost&lt;/i&gt;" in page
    assert "<i>lost" not in page


def test_the_way_there_is_on_the_page_of_the_release(release, reader, browser_of):
    assert f'href="{address()}"' in browser_of(reader).get(address("release")).content.decode()


# --- a submission ----------------------------------------------------------------------------------------


def test_it_says_each_genre_and_each_problem(release, lead, browser_of):
    values = {f"p{n:02}-{side}": 2 - "cr".index(side) for n in range(5) for side in "cr"}
    done = submit(release, lead.user, scores({**values, "<b>who</b>": 1}))
    page = browser_of(lead).get(address("submission", done.pk)).content.decode()
    for said in (
        "By genre",
        "How far genres differ",
        "binomial p",
        "missing",
        "&lt;b&gt;who&lt;/b&gt;",
        "p05-c",
    ):
        assert said in page, said
    assert "<b>who</b>" not in page


def test_a_failed_one_says_why(release, lead, browser_of):
    done = submit(release, lead.user, scores({"who": 1}))
    page = browser_of(lead).get(address("submission", done.pk)).content.decode()
    assert "The submission could not be scored." in page
    assert "give the predictions for this release" in page
    assert "hx-trigger" not in page


def test_its_parts_are_a_file_with_all_digits(release, lead, stranger, browser_of):
    done, failed = submit(release, lead.user), submit(release, lead.user, scores({"who": 1}))
    url = address("submission_parts", done.pk)
    assert browser_of(stranger).get(url).status_code == 404
    assert browser_of(lead).get(address("submission_parts", failed.pk)).status_code == 404
    answer = browser_of(lead).get(url)
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [(row["split"], row["axis"]) for row in rows[:2]] == [("test", "all"), ("test", "genres")]
    assert float(rows[0]["accuracy"]) == pytest.approx(4 / 6)
    assert sum(int(row["pairs"]) for row in rows if row["axis"] == "genres") == 6


# --- two of them -----------------------------------------------------------------------------------------


def test_two_are_compared_by_a_worker_and_read_either_way(three, lead, nudged, browser_of):
    client, (low, high, _middle) = browser_of(lead), three
    answer = client.post(address("submission_compare", low.pk), {"against": high.pk})
    assert answer.url == f"{address('submission', low.pk)}?against={high.pk}#against"
    made = Comparison.objects.get()
    assert nudged == [("compare_submissions", made.pk)]
    assert "A worker compares the two." in client.get(answer.url).content.decode()
    submission_work.compare(made.pk, clock=lambda: NOW)
    page = client.get(answer.url).content.decode()
    assert "<b>−50.0</b>" in page
    assert "only the first right: 0, only the second: 3" in page
    turned = client.get(f"{address('submission', high.pk)}?against={low.pk}").content.decode()
    assert "<b>50.0</b>" in turned
    assert "only the first right: 3, only the second: 0" in turned


def test_nothing_is_compared_with_what_one_may_not_see(release, lead, reader, nudged, browser_of):
    own, hidden = submit(release, reader.user), submit(release, lead.user, right_in(5), model="hidden-judge")
    submissions.compare(own, hidden, by=lead.user, now=NOW)
    client, page = browser_of(reader), address("submission", own.pk)
    for given in (hidden.pk, "", "x", 10**30, -1):
        assert client.post(address("submission_compare", own.pk), {"against": given}).url == page
        assert "hidden-judge" not in client.get(f"{page}?against={given}").content.decode()
    assert nudged == []
    submissions.publish(hidden, by=lead.user, now=NOW)
    assert "hidden-judge" in client.get(f"{page}?against={hidden.pk}").content.decode()


def test_a_named_reader_of_what_is_withheld_reads_the_leaderboard_too(release, browser_of):
    outsider = make_user("outsider")
    assert browser_of(outsider).get(address()).status_code == 404
    releases.add_reader(release, outsider, by=None, now=NOW)
    assert browser_of(outsider).get(address()).status_code == 200
