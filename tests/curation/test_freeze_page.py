"""The page on which a lead freezes a run: its checks, and what the release is to be."""

import pytest
from django.urls import reverse

from annotation.models import Flag
from annotation.services import assignments, scoring
from curation import tasks
from curation.models import Audit, Release
from curation.queries import freeze_texts
from curation.services import audit_work, audits, freezing
from tests.curation.audits import audited, even, frozen, longer, make_run
from tests.curation.freezes import SENT, address, check, page_of, send
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round

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


# --- doors -----------------------------------------------------------------------------------------------


def test_only_the_leads_of_the_project_come_in(run, lead, nudged, stranger, browser_of):
    elsewhere = make_member(make_project(), "lead")
    annotator = run.project.memberships.filter(role="annotator").first()
    for method, url in (
        ("get", address(run)),
        ("post", address(run)),
        ("get", address(run, "freeze_audit")),
        ("get", address(run, "freeze_difference")),
    ):
        for person, status in (
            (annotator, 403),
            (make_member(run.project, "adjudicator"), 403),
            (elsewhere, 404),
            (stranger, 404),
        ):
            assert getattr(browser_of(person), method)(url, SENT).status_code == status, url
    assert (Release.objects.count(), nudged) == (0, [])
    assert send(browser_of(lead), run).status_code == 302
    assert nudged == [Release.objects.get().pk]


def test_a_run_without_pairs_or_without_an_end_has_no_such_page(project, lead, nudged, browser_of):
    client = browser_of(lead)
    empty = make_run(project, [])
    assert client.get(address(empty)).url == address(empty, "run")
    assert send(client, empty).url == address(empty, "run")
    assert Release.objects.count() == 0


def test_the_page_of_the_run_leads_here(run, lead, browser_of):
    page = browser_of(lead).get(address(run, "run")).content.decode()
    assert f'href="{address(run)}"' in page
    assert 'name="version"' not in page


# --- checks ----------------------------------------------------------------------------------------------


def test_every_check_has_its_numbers_and_a_way_to_mend_it(run, lead, browser_of):
    page = page_of(browser_of(lead), run)
    for key, said in {
        "quota": "No number is asked for.",
        "agreement": "Krippendorff&#x27;s alpha (ordinal) is 1.000",
        "ratings": "Every pair rests on at least 3 annotators",
        "length": "The longer text wins in 0 pairs, the shorter in 0; of 4 both are as long: 50.00 %.",
        "audit": "The pairs are within every limit that is set.",
        "flags": "No flag on these texts waits for a decision.",
        "licences": "Nobody has said under which licence the texts came.",
        "personal_data": "All 8 texts were read.",
        "identity": "Nothing was found.",
        "copies": "Against 0 texts: 0 the same, 0 nearly the same.",
        "splits": "All 4 prompts are public",
    }.items():
        assert said in check(page, key), key
        if key != "splits":
            assert "<a href=" in check(page, key), key
    assert "Fiction, English: 2" in check(page, "quota")
    assert 'name="reason"' not in page
    assert "unknown" in check(page, "licences")


def test_what_a_lead_asks_for_makes_a_check_fail_until_a_reason_is_given(run, lead, nudged, browser_of):
    client = browser_of(lead)
    answer = send(client, run, act="check", target="3", floor="0.5")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "2 of 2 have fewer than the 3 pairs" in check(page, "quota")
    assert "At least 0.5 is asked for." in check(page, "agreement")
    refused = send(client, run, target="3", floor="0.5")
    assert refused.status_code == 422
    assert "Mend it, or say why the release is made all the same." in check(refused.content.decode(), "quota")
    assert Release.objects.count() == 0
    assert send(client, run, target="3", waiver_quota=" It is\n a pilot. ").status_code == 302
    kept = {each["name"]: each for each in Release.objects.get().terms["checks"]}
    assert (kept["quota"]["state"], kept["quota"]["waiver"]) == ("failed", "It is a pilot.")
    assert kept["agreement"]["waiver"] == ""


def test_a_reason_that_nothing_asks_for_is_not_kept(run, lead, nudged, browser_of):
    assert send(browser_of(lead), run, waiver_quota="Never mind.", reason="Why not?").status_code == 302
    release = Release.objects.get()
    assert {each["waiver"] for each in release.terms["checks"]} == {""}
    assert release.audit["reason"] == ""


def test_without_an_audit_its_reason_is_asked_for_beside_all_else(project, lead, nudged, browser_of):
    run = make_run(project, even(2))
    client = browser_of(lead)
    answer = send(client, run, confirm="")
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "have not been audited yet" in check(page, "audit")
    assert 'name="reason"' in check(page, "audit")
    assert "Type the name of the release here." in page
    assert send(client, run, reason="It is a pilot.").status_code == 302
    release = Release.objects.get()
    kept = {each["name"]: each for each in release.terms["checks"]}
    assert release.audit["reason"] == kept["audit"]["waiver"] == "It is a pilot."


def test_outside_a_limit_of_the_audit_each_limit_is_linked(project, lead, browser_of):
    run = make_run(project, longer(24))
    audited(run)
    page = page_of(browser_of(lead), run)
    assert f"{address(run, 'audit')}#limit-longer" in check(page, "audit")
    assert "failed" in check(page, "length")


def test_a_reason_for_what_the_audit_found_stays_where_something_else_is_refused(
    project, lead, nudged, browser_of
):
    text, other = even(1)[0]
    run = make_run(project, [(f"As ChatGPT would say, {text}", other)])
    audited(run)
    client, told = browser_of(lead), {"reason": "It is the story's own.", "waiver_identity": "The same."}
    refused = send(client, run)
    assert "This run is outside the limits of its audit: Texts that name a model: 1 response" in (
        refused.content.decode()
    )
    refused = send(client, run, version="1", **told)
    assert refused.status_code == 422
    assert "It is the story&#x27;s own.</textarea>" in refused.content.decode()
    assert send(client, run, **told).status_code == 302
    assert Release.objects.get().audit["reason"] == told["reason"]


def test_an_open_flag_on_a_text_of_the_pairs_fails_until_it_is_settled(run, lead, browser_of):
    beside = make_response(make_prompt(run.project, "alone"), "alone")
    for response in (run.pairs.first().chosen, beside):
        Flag.objects.create(
            project=run.project, response=response, check_key="refusal", rules_version=1, raised_at=NOW
        )
    client = browser_of(lead)
    found = check(page_of(client, run), "flags")
    assert "1 flag on these texts waits for a decision." in found
    assert 'name="waiver_flags"' in found
    Flag.objects.exclude(response=beside).update(state="kept", settled_at=NOW)
    assert "No flag on these texts" in check(page_of(client, run), "flags")


def test_personal_data_in_texts_prompts_and_notes_is_listed(project, lead, browser_of):
    ann = make_member(project, "annotator", "kirk_1984")
    ann.user.first_name, ann.user.last_name = "Ann", "Kirk"
    ann.user.save()
    text, other = even(1)[0]
    run = make_run(project, [(f"{text} Ann Kirk.", f"{other} Ann Kirk."), *even(2, first=5)])
    found = check(page_of(browser_of(lead), run), "personal_data")
    assert "2 texts stand out: names of people of the project (2)." in found
    pk = project.responses.get(external_id="p00-c").pk
    assert f'href="{reverse("judged_response", args=["bridges", pk])}">p00-c</a>' in found
    assert 'name="waiver_personal_data"' in found


def test_a_note_of_an_annotator_is_read_too(project, lead, browser_of):
    run = make_run(project, even(1))
    # Scores are never changed; one more, with a note, is given in a round of its own.
    person = make_member(project, "annotator", "noter")
    work = make_round(project, "Notes")
    lease = assignments.claim(person, work, now=NOW)
    scoring.submit(lease, value=1, justification="Ask jo@corp.cn about it.", now=NOW)
    found = check(page_of(browser_of(lead), run), "personal_data")
    assert "1 text stands out: e-mail addresses (1)." in found


def test_a_text_that_speaks_of_itself_as_a_machine_fails(project, lead, browser_of):
    text, other = even(1)[0]
    run = make_run(project, [(f"As an AI language model, I cannot. {text}", other)])
    found = check(page_of(browser_of(lead), run), "identity")
    assert "1 text stands out: speaking of itself as a machine (1)." in found
    assert ">p00-c</a>" in found


def test_names_of_models_are_the_audits_where_there_is_one(project, lead, browser_of):
    text, other = even(1)[0]
    run = make_run(project, [(f"As ChatGPT would say, {text}", other)])
    client = browser_of(lead)
    assert "names of models (1)" in check(page_of(client, run), "identity")
    audited(run)
    assert "1 text stands out: names of models (1)." in check(page_of(client, run), "identity")


def test_a_look_reads_a_bounded_number_of_texts_and_the_next_goes_on(run, lead, browser_of, monkeypatch):
    monkeypatch.setattr(freeze_texts, "AT_A_TIME", 3)
    monkeypatch.setattr(freeze_texts, "AT_A_LOOK", 6)
    client = browser_of(lead)
    found = check(page_of(client, run), "personal_data")
    assert "6 of 8 texts were read so far." in found
    assert "unknown" in found
    assert "All 8 texts were read." in check(page_of(client, run), "personal_data")


def test_the_same_prompt_under_two_ids_must_be_on_one_side(run, lead, nudged, browser_of):
    client = browser_of(lead)
    answer = send(client, run, act="check", heldout="labels", heldout_percent="10")
    # All prompts of the set-up have one text.
    page = answer.content.decode()
    assert "1 prompt stands on both sides" in check(page, "splits")
    assert 'name="waiver_splits"' in check(page, "splits")
    assert "All 4 prompts are public" in check(page_of(client, run), "splits")


def test_a_licence_that_a_file_brought_is_named(project, lead, browser_of):
    run = make_run(project, even(2), parameters={"license": "CC BY 4.0"})
    found = check(page_of(browser_of(lead), run), "licences")
    assert "Stated for every response: CC BY 4.0 (4)." in found
    assert "passed" in found


# --- the release -----------------------------------------------------------------------------------------


def test_what_was_entered_is_asked_of_the_worker(run, lead, nudged, browser_of):
    fields = {
        "note": "The first.\r\nOf many.",
        "licence": "other",
        "licence_other": "artistic-2.0",
        "contested": "on",
        "heldout": "all",
        "heldout_percent": "10",
        "waiver_splits": "They are the same on purpose.",
    }
    assert send(browser_of(lead), run, **fields).url == address(run, "run")
    release = Release.objects.get()
    assert (release.name, release.version, release.queued_by) == ("bridges", "0.1.0", lead.user)
    asked = release.terms
    assert (asked["note"], asked["licence"]) == ("The first.\nOf many.", "artistic-2.0")
    assert (asked["contested"], asked["heldout"], asked["heldout_percent"]) == (True, "all", 10)


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"name": ""}, "name", "This field is required."),
        ({"name": "a/b", "confirm": "a/b"}, "name", "This name will not do"),
        ({"version": "1"}, "version", "use MAJOR.MINOR.PATCH"),
        ({"version": ""}, "version", "This field is required."),
        ({"confirm": "Bridges"}, "confirm", "This is not the name of the release, which is bridges."),
        ({"licence": "other"}, "licence_other", "Write the id of the licence."),
        ({"licence": "other", "licence_other": "CC BY"}, "licence_other", "Use lower-case letters"),
        ({"licence": "other", "licence_other": "CC by"}, "licence_other", "Use lower-case letters"),
        ({"licence": "other", "licence_other": "mine\nodc-by"}, "licence_other", "Use lower-case letters"),
        ({"licence": "other", "licence_other": "odc-by\n"}, "licence_other", "Use lower-case letters"),
        ({"licence": "mine"}, "licence", "Select a valid choice."),
        ({"heldout": "labels"}, "heldout_percent", "Say how many percent"),
        ({"heldout": "labels", "heldout_percent": "91"}, "heldout_percent", "less than or equal to 90"),
        ({"heldout": "all", "heldout_percent": "60"}, "heldout_percent", "would have no prompt"),
        ({"heldout": "some"}, "heldout", "Select a valid choice."),
        ({"target": "many"}, "target", "Write a whole number, or leave it empty."),
        ({"floor": "nan"}, "floor", "Write a number such as 0.4"),
        ({"floor": "2"}, "floor", "less than or equal to 1"),
        ({"note": "x" * 2001}, "note", "at most 2000 characters"),
        ({"annotators": "x" * 2001}, "annotators", "at most 2000 characters"),
        ({"training": "A\u200bcourse."}, "training", "holds an invisible character"),
        ({"pay": "20\u202eEUR"}, "pay", "holds an invisible character"),
    ],
)
def test_what_cannot_be_is_said_beside_its_field_and_what_was_entered_stays(
    run, lead, nudged, browser_of, fields, field, said
):
    answer = send(browser_of(lead), run, **{"note": "As it was.", **fields})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert said in page.split(f'id="id_{field}_error"')[1].split("</p>")[0]
    assert fields.get("note", "As it was.")[:20] in page
    assert (Release.objects.count(), nudged) == (0, [])


def test_what_is_stated_of_the_annotators_is_kept_and_proposed_for_the_next_version(
    run, lead, nudged, browser_of
):
    client = browser_of(lead)
    said = {"annotators": "Four\r\nstudents.", "training": "A <b>course</b>.", "pay": "20 EUR an hour."}
    assert 'name="pay"' in page_of(client, run)
    assert send(client, run, **said).status_code == 302
    kept = Release.objects.get().terms["statements"]
    assert kept == {**said, "annotators": "Four\nstudents."}
    page = page_of(client, run)
    for shown in ("Four\nstudents.", "A &lt;b&gt;course&lt;/b&gt;.", "20 EUR an hour."):
        assert f"{shown}</textarea>" in page
    assert "20 EUR an hour." not in page_of(client, run, name="walls")


def test_a_version_that_is_taken_is_refused_beside_its_field(run, lead, nudged, browser_of):
    frozen(run, version="1.0.0")
    page = send(browser_of(lead), run, version="1.0.0", note="Again.").content.decode()
    assert "a version is never used twice" in page.split('id="id_version_error"')[1].split("</p>")[0]


def test_from_the_second_version_on_somebody_says_what_changed(run, lead, nudged, browser_of):
    frozen(run, version="1.0.0")
    client = browser_of(lead)
    assert "Say what changed since the last version." in send(client, run, version="1.0.1").content.decode()
    assert send(client, run, version="1.0.1", note="Another licence.").status_code == 302


def test_a_form_sent_twice_gives_one_release(run, lead, nudged, browser_of):
    client = browser_of(lead)
    first, second = send(client, run), send(client, run)
    assert (first.status_code, second.status_code) == (302, 302)
    assert second.url == first.url
    assert nudged == [Release.objects.get().pk]
    other = send(client, run, note="In other words.")
    assert other.status_code == 422
    assert Release.objects.count() == 1


def test_two_at_once_give_one_release_too(run, lead, nudged, browser_of, monkeypatch):
    twin = freezing.twin
    calls = []

    def blind_at_first(*args, **options):
        calls.append(args)
        return None if len(calls) == 1 else twin(*args, **options)

    client = browser_of(lead)
    send(client, run)
    monkeypatch.setattr(freezing, "twin", blind_at_first)
    monkeypatch.setattr(freezing.freeze_page, "base_of", lambda project, name: None)
    assert send(client, run).status_code == 302
    assert Release.objects.count() == 1


def test_looking_at_the_page_writes_nothing(run, lead, nudged, browser_of):
    client = browser_of(lead)
    page_of(client, run)
    send(client, run, act="check")
    send(client, run, act="")
    assert (Release.objects.count(), nudged) == (0, [])


def test_while_an_audit_is_on_its_state_alone_is_asked_for_again(project, lead, browser_of):
    run = make_run(project, even(1))
    audits.request(run, by=None, now=NOW)
    client = browser_of(lead)
    assert f'hx-get="{address(run, "freeze_audit")}"' in page_of(client, run)
    url, headers = address(run, "freeze_audit"), {"HX-Request": "true"}
    part = client.get(url, headers=headers).content.decode()
    assert "<form" not in part
    audit_work.execute(Audit.objects.get().pk, clock=lambda: NOW)
    part = client.get(url, headers=headers).content.decode()
    assert "hx-get" not in part
    assert "The audit has ended." in part
    assert client.get(url).url == address(run)
