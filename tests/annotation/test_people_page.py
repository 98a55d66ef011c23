"""A project's people: who may see and change them, what is refused and why, and what the journal keeps of it."""

import re
from threading import Barrier

import pytest
from django.contrib.auth.hashers import make_password
from django.test import Client
from django.urls import reverse

from annotation import access
from annotation.errors import DomainError, NotAllowed
from annotation.models import JournalEntry, Membership, Project, User
from annotation.queries import people as queries
from annotation.services import membership
from tests.factories import (
    NOW,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_round,
    make_user,
    score_all,
)
from tests.test_concurrency import at_once

pytestmark = pytest.mark.django_db
NO_ACCOUNT = "There is no account of that name."


@pytest.fixture
def operator(db):
    return make_user("opal", is_superuser=True)


@pytest.fixture
def second_lead(project):
    return make_member(project, "lead", "leo")


def address(name, project, *more):
    return reverse(name, args=[project.slug, *more])


def pages(project, person):
    return [
        ("get", address("people", project), {}),
        ("post", address("add_member", project), {"username": "stranger", "role": "lead"}),
        ("post", address("add_account", project), {"new-username": "neo", "new-role": "lead"}),
        ("get", address("person", project, person), {}),
        ("post", address("change_role", project, person), {"role": "annotator", "action": "end"}),
        ("post", address("set_languages", project, person), {"languages": "en"}),
    ]


def role(client, project, member, action, role=""):
    url = address("change_role", project, member.user_id)
    return client.post(url, {"role": role or member.role, "action": action})


def said(response):
    """The page's text without its tags and with its spaces evened out."""
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


# --- Doors ---------------------------------------------------------------------------------------


def test_members_of_other_roles_are_refused_and_for_strangers_nothing_is_there(
    project, annotator, lead, stranger, operator, browser_of
):
    leader_elsewhere = make_member(make_project("elsewhere"), "lead")
    people = [
        (annotator, 403),
        (make_member(project, "instructor"), 403),
        (make_member(project, "adjudicator"), 403),
        (stranger, 404),
        (operator, 404),
        (leader_elsewhere, 404),
    ]
    before = list(Membership.objects.order_by("pk").values())
    accounts = User.objects.count()
    for method, url, sent in pages(project, annotator.user_id):
        for person, status in people:
            assert getattr(browser_of(person), method)(url, sent).status_code == status, (url, person)
    assert list(Membership.objects.order_by("pk").values()) == before
    assert User.objects.count() == accounts


def test_nobody_enters_without_signing_in(project, lead, client):
    for method, url, sent in pages(project, lead.user_id):
        assert getattr(client, method)(url, sent).status_code == 302


def test_a_lead_who_was_paused_or_has_left_is_no_lead(project, lead, second_lead, browser_of):
    client = browser_of(second_lead)
    membership.pause(second_lead, by=lead.user, now=NOW)
    assert client.get(address("people", project)).status_code == 404
    membership.resume(second_lead, by=lead.user, now=NOW)
    assert client.get(address("people", project)).status_code == 200
    membership.end(second_lead, by=lead.user, now=NOW)
    assert client.get(address("people", project)).status_code == 404


def test_a_person_without_a_role_in_the_project_has_no_page_there(project, lead, stranger, browser_of):
    other = make_member(make_project("elsewhere"), "annotator", "otto")
    client = browser_of(lead)
    for pk in (stranger.pk, other.user_id, 0, 99_999, 10**30):
        assert client.get(f"/projects/bridges/people/{pk}/").status_code == 404
        assert client.post(f"/projects/bridges/people/{pk}/role/", {}).status_code == 404


def test_every_form_needs_djangos_token(project, lead, annotator):
    client = Client(enforce_csrf_checks=True)
    client.force_login(lead.user)
    for method, url, sent in pages(project, annotator.user_id):
        if method == "post":
            assert client.post(url, sent).status_code == 403


def test_addresses_of_forms_opened_anew_lead_back(project, lead, annotator, browser_of):
    client = browser_of(lead)
    for name in ("add_member", "add_account"):
        assert client.get(address(name, project)).url == address("people", project)
    for name in ("change_role", "set_languages"):
        url = client.get(address(name, project, annotator.user_id)).url
        assert url == address("person", project, annotator.user_id)


# --- What the page shows -------------------------------------------------------------------------


def test_the_page_lists_roles_states_pseudonyms_and_how_much_each_has_scored(project, lead, browser_of):
    ann = make_member(project, "annotator", "ann")
    make_member(project, "annotator", "ben")
    prompt = make_prompt(project)
    make_response(prompt, "a")
    make_response(prompt, "b")
    score_all(make_round(project), {("a", "ann"): 3, ("b", "ann"): 1})
    membership.pause(ann, by=lead.user, now=NOW)
    lines = {line.username: line for line in queries.annotators(project).lines}
    assert (lines["ann"].scores, lines["ben"].scores) == (2, 0)
    assert (lines["ann"].state, lines["ben"].state) == ("paused", "active")
    page = said(browser_of(lead).get(address("people", project)))
    assert "annotator-01" in page
    assert "Paused" in page
    assert "2 Mar 2026" in page


def test_the_page_takes_few_queries_however_many_people_there_are(
    project, lead, browser_of, django_assert_max_num_queries
):
    for _ in range(12):
        make_member(project, "annotator")
    client = browser_of(lead)
    client.get(address("people", project))  # the first page of a session notes when it began
    with django_assert_max_num_queries(8):
        client.get(address("people", project))


def test_many_annotators_come_in_parts_that_lose_nobody(project, lead, browser_of, monkeypatch):
    monkeypatch.setattr(queries, "ANNOTATORS_A_PAGE", 2)
    for number in range(5):
        make_member(project, "annotator", f"person-{number}")
    client, seen, url = browser_of(lead), [], address("people", project)
    while url:
        page = client.get(url).content.decode()
        seen += re.findall(r"<bdi>(person-\d)</bdi>", page)
        more = re.search(r'href="(\?after=\d+)', page)
        url = more and address("people", project) + more[1]
    assert seen == [f"person-{number}" for number in range(5)]


@pytest.mark.parametrize("after", ["x", "-1", "1e3", "٣", "9" * 40, "' OR 1=1"])
def test_a_place_in_the_list_that_is_none_is_the_beginning(project, lead, annotator, browser_of, after):
    page = browser_of(lead).get(address("people", project), {"after": after})
    assert "<bdi>ann</bdi>" in page.content.decode()


def test_names_are_shown_verbatim_and_never_run(project, lead, browser_of):
    name = "<img src=x onerror=alert(1)>\"'{{ 7*7 }}{% debug %}"
    client = browser_of(lead)
    sent = {"new-username": "eve", "new-full_name": name, "new-role": "annotator"}
    answers = [client.post(address("add_account", project), sent), client.get(address("people", project))]
    eve = User.objects.get(username="eve")
    answers.append(client.get(address("person", project, eve.pk)))
    for answer in answers:
        page = answer.content.decode()
        assert "<img" not in page
        assert "&lt;img src=x onerror=alert(1)&gt;&quot;&#x27;{{ 7*7 }}{% debug %}" in page


# --- Adding --------------------------------------------------------------------------------------


def test_a_lead_adds_an_account_by_its_name(project, lead, stranger, browser_of):
    sent = {"username": "stranger", "role": "annotator", "languages": ["en", "zh"]}
    answer = browser_of(lead).post(address("add_member", project), sent)
    assert answer.url == address("people", project)
    member = project.memberships.get(user=stranger)
    assert (member.role, member.state, member.languages) == ("annotator", "active", ["en", "zh"])
    assert member.pseudonym == "annotator-01"
    entry = JournalEntry.objects.get(action="membership.added", actor=lead.user)
    assert (entry.project, entry.data) == (project, {"user": stranger.pk, "role": "annotator"})


def test_of_accounts_that_cannot_be_added_a_lead_learns_nothing(project, lead, browser_of):
    make_user("gone", is_active=False)
    User.objects.create(username="elsewhere.annotator-01", password=make_password(None))
    seen = set()
    for name in ("nobody", "gone", "elsewhere.annotator-01", "two words", "a" * 150):
        answer = browser_of(lead).post(
            address("add_member", project), {"username": name, "role": "annotator"}
        )
        assert answer.status_code == 422
        page = answer.content.decode()
        assert NO_ACCOUNT in page
        seen.add(re.sub(r'value="\w{64}"', "", page).replace(f'value="{name}"', ""))
    assert len(seen) == 1
    assert project.memberships.count() == 1


def test_a_refused_form_comes_back_as_it_was_sent_with_the_reason_at_the_field(project, lead, browser_of):
    sent = {"username": "nobody", "role": "instructor", "languages": "zh"}
    page = browser_of(lead).post(address("add_member", project), sent).content.decode()
    assert 'value="nobody"' in page
    assert '<option value="instructor" selected>' in page
    assert 'name="languages" value="zh" checked' in page
    assert 'aria-invalid="true" aria-describedby="id_username-error"' in page


@pytest.mark.parametrize("sent", [{}, {"username": "stranger"}, {"username": "stranger", "role": "operator"}])
def test_an_incomplete_form_adds_nobody(project, lead, stranger, browser_of, sent):
    assert browser_of(lead).post(address("add_member", project), sent).status_code == 422
    assert not project.memberships.filter(user=stranger).exists()


def test_a_new_account_is_made_and_its_password_shown_once_and_kept_nowhere(
    project, lead, browser_of, client
):
    sent = {"new-username": "neo", "new-full_name": " Neo  Ito ", "new-role": "annotator"}
    answer = browser_of(lead).post(address("add_account", project), {**sent, "new-languages": ["zh"]})
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    password = re.search(r'id="new-login-password" value="([^"]+)"', answer.content.decode())[1]
    assert client.login(username="neo", password=password)
    member = project.memberships.get(user__username="neo")
    assert (member.user.get_full_name(), member.role, member.languages) == ("Neo Ito", "annotator", ["zh"])
    assert password not in browser_of(lead).get(address("people", project)).content.decode()
    assert password not in str(list(JournalEntry.objects.values()))
    made = JournalEntry.objects.get(action="account.created")
    assert (made.project, made.actor, made.data) == (project, lead.user, {"user": member.user_id})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("two words", "will not do as a user name"),
        ("a/b", "will not do as a user name"),
        ("x\r\nSet-Cookie:a", "will not do as a user name"),
        ("stranger", "This user name is taken."),
        ("STRANGER", "This user name is taken."),
        ("", "Write the user name"),
        ("a" * 151, "at most 150"),
    ],
)
def test_a_name_that_will_not_do_makes_neither_account_nor_membership(
    project, lead, stranger, browser_of, name, reason
):
    accounts = User.objects.count()
    answer = browser_of(lead).post(
        address("add_account", project), {"new-username": name, "new-role": "annotator"}
    )
    assert answer.status_code == 422
    assert reason in said(answer)
    assert User.objects.count() == accounts
    assert project.memberships.count() == 1


def test_no_account_is_left_where_its_membership_is_refused(project, lead, annotator):
    with pytest.raises(NotAllowed):
        membership.add_account(
            project, "neo", full_name="", role="annotator", languages=[], by=annotator.user, now=NOW
        )
    assert not User.objects.filter(username="neo").exists()


@pytest.mark.parametrize("form", ["add_member", "add_account"])
def test_what_else_is_sent_changes_nothing(project, lead, stranger, browser_of, form):
    elsewhere = make_project("elsewhere")
    prefix = "new-" if form == "add_account" else ""
    sent = {f"{prefix}username": "neo" if prefix else "stranger", f"{prefix}role": "annotator"}
    extra = {
        "is_superuser": "1",
        "is_staff": "1",
        "project": elsewhere.pk,
        "state": "withdrawn",
        "pseudonym": "x",
        "user": lead.user_id,
        "password": "known",
        "by": lead.user_id,
    }
    browser_of(lead).post(
        address(form, project), {**sent, **extra, **{f"new-{key}": value for key, value in extra.items()}}
    )
    member = project.memberships.get(role="annotator")
    assert (member.state, member.pseudonym) == ("active", "annotator-01")
    assert (member.user.is_superuser, member.user.is_staff) == (False, False)
    assert member.user.username == sent[f"{prefix}username"]
    assert not member.user.check_password("known")
    assert not elsewhere.memberships.exists()


# --- Roles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("held", "wanted"), [("annotator", "lead"), ("lead", "annotator")])
@pytest.mark.parametrize("ended", [False, True])
def test_lead_and_annotator_exclude_each_other_even_one_after_the_other(
    project, lead, browser_of, held, wanted, ended
):
    member = make_member(project, held, "max")
    if ended:
        membership.end(member, by=lead.user, now=NOW)
    client = browser_of(lead)
    answers = [
        role(client, project, member, "give", wanted),
        client.post(address("add_member", project), {"username": "max", "role": wanted}),
    ]
    assert [answer.status_code for answer in answers] == [409, 422]
    for answer in answers:
        assert "cannot be lead and annotator of the same project: a lead sees every score." in said(answer)
    assert set(project.memberships.filter(user=member.user).values_list("role", flat=True)) == {held}
    page = said(client.get(address("person", project, member.user_id)))
    assert f"{wanted.title()} is not on the list" in page


def test_a_person_may_have_several_roles(project, lead, annotator, browser_of):
    client = browser_of(lead)
    for wanted in ("instructor", "adjudicator"):
        assert role(client, project, annotator, "give", wanted).status_code == 302
    roles = project.memberships.filter(user=annotator.user).values_list("role", flat=True)
    assert set(roles) == {"annotator", "instructor", "adjudicator"}


def test_a_role_is_paused_resumed_ended_and_given_again(project, lead, annotator, browser_of):
    client, steps = browser_of(lead), []
    for action in ("pause", "resume", "end", "give"):
        assert role(client, project, annotator, action).status_code == 302
        annotator.refresh_from_db()
        steps.append(annotator.state)
    assert steps == ["paused", "active", "left", "active"]
    journal = JournalEntry.objects.filter(project=project, actor=lead.user).order_by("pk")
    assert list(journal.values_list("action", flat=True)) == [
        f"membership.{what}" for what in ("paused", "resumed", "ended", "returned")
    ]
    data = {"member": annotator.pk, "user": annotator.user_id, "role": "annotator"}
    assert all(entry.data == data for entry in journal)


@pytest.mark.parametrize(
    ("state", "action"),
    [
        ("paused", "pause"),
        ("left", "pause"),
        ("withdrawn", "pause"),
        ("active", "resume"),
        ("left", "resume"),
        ("withdrawn", "resume"),
        ("left", "end"),
        ("withdrawn", "end"),
        ("withdrawn", "give"),
    ],
)
def test_a_change_that_does_not_fit_the_state_is_refused_and_not_journaled(
    project, lead, annotator, browser_of, state, action
):
    Membership.objects.filter(pk=annotator.pk).update(state=state)
    before = JournalEntry.objects.count()
    assert role(browser_of(lead), project, annotator, action).status_code == 409
    annotator.refresh_from_db()
    assert (annotator.state, JournalEntry.objects.count()) == (state, before)


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"role": "operator", "action": "give"},
        {"role": "instructor", "action": "delete"},
        {"role": "lead"},
    ],
)
def test_an_unknown_role_or_change_is_refused(project, lead, annotator, browser_of, sent):
    answer = browser_of(lead).post(address("change_role", project, annotator.user_id), sent)
    assert answer.status_code == 422
    assert project.memberships.count() == 2


def test_a_role_that_the_person_does_not_have_cannot_be_ended(project, lead, annotator, browser_of):
    assert role(browser_of(lead), project, annotator, "end", "instructor").status_code == 404


def test_judgements_stay_when_a_role_ends(project, lead, annotator, browser_of):
    make_response(make_prompt(project), "a")
    score_all(make_round(project), {("a", "ann"): 3})
    role(browser_of(lead), project, annotator, "end")
    assert annotator.scores.count() == 1
    assert queries.annotators(project).lines[0].scores == 1


def test_the_last_lead_cannot_go(project, lead, browser_of):
    answer = role(browser_of(lead), project, lead, "end")
    assert answer.status_code == 409
    assert "A project needs a lead." in said(answer)
    lead.refresh_from_db()
    assert lead.state == "active"


def test_a_lead_whose_account_is_switched_off_does_not_count(project, lead, second_lead, browser_of):
    User.objects.filter(pk=second_lead.user_id).update(is_active=False)
    assert role(browser_of(lead), project, lead, "end").status_code == 409
    assert role(browser_of(lead), project, second_lead, "end").status_code == 302


def test_not_even_a_command_ends_or_pauses_the_last_lead(project, lead):
    for change in (membership.end, membership.pause):
        with pytest.raises(DomainError) as refusal:
            change(lead, by=None, now=NOW)
        assert refusal.value.code == "last_lead"


def test_a_lead_beside_another_may_give_the_role_up_and_then_stands_outside(
    project, lead, second_lead, browser_of
):
    client = browser_of(second_lead)
    assert role(client, project, second_lead, "end").url == reverse("home")
    assert client.get(address("people", project)).status_code == 404


@pytest.mark.parametrize("action", ["pause", "resume", "give"])
def test_nobody_changes_a_role_of_their_own_except_by_ending_it(
    project, lead, second_lead, browser_of, action
):
    wanted = "instructor" if action == "give" else "lead"
    answer = role(browser_of(lead), project, lead, action, wanted)
    assert answer.status_code == 403
    assert "Nobody changes their own role" in said(answer)
    assert project.memberships.filter(user=lead.user).count() == 1


def test_a_lead_cannot_add_a_role_for_themselves_by_name_either(project, lead, browser_of):
    answer = browser_of(lead).post(address("add_member", project), {"username": "lea", "role": "instructor"})
    assert answer.status_code == 422
    assert project.memberships.count() == 1


# --- Languages -----------------------------------------------------------------------------------


def test_languages_are_kept_as_primary_subtags_in_all_roles_of_a_person(project, lead, annotator, browser_of):
    client = browser_of(lead)
    role(client, project, annotator, "give", "instructor")
    url = address("set_languages", project, annotator.user_id)
    answer = client.post(url, {"languages": ["zh"], "others": "FR, yue；en-GB"})
    assert answer.url == address("person", project, annotator.user_id)
    read = list(project.memberships.filter(user=annotator.user).values_list("languages", flat=True))
    assert read == [["en", "fr", "yue", "zh"]] * 2
    assert JournalEntry.objects.get(action="membership.languages").data["languages"] == read[0]
    page = client.get(address("person", project, annotator.user_id)).content.decode()
    assert 'value="fr" checked' in page
    client.post(url, {})
    annotator.refresh_from_db()
    assert annotator.languages == []


@pytest.mark.parametrize("sent", [{"others": "french"}, {"others": "1"}, {"languages": "xx"}])
def test_what_is_no_language_is_refused_at_its_field(project, lead, annotator, browser_of, sent):
    answer = browser_of(lead).post(address("set_languages", project, annotator.user_id), sent)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.content.decode()
    annotator.refresh_from_db()
    assert annotator.languages == []


def test_languages_offered_are_those_of_the_material(project):
    assert [code for code, _ in queries.offered_languages(project)] == ["en", "zh"]
    Project.objects.filter(pk=project.pk).update(languages=["de-CH", "zh-Hans"])
    project.refresh_from_db()
    assert queries.offered_languages(project, also=["tlh"]) == [
        ("de", "German"),
        ("tlh", "tlh"),
        ("zh", "Chinese"),
    ]


# --- An operator's way in ------------------------------------------------------------------------


def test_an_operator_gives_a_lead_to_a_project_that_has_none_and_sees_nothing_else(
    project, annotator, stranger, operator, browser_of
):
    client = browser_of(operator)
    page = client.get(address("people", project))
    assert page.status_code == 200
    assert "This project has no lead" in said(page)
    for hidden in ("annotator-01", "<bdi>ann</bdi>", address("person", project, annotator.user_id)):
        assert hidden not in page.content.decode()
    for url in (address("person", project, annotator.user_id), address("journal", project)):
        assert client.get(url).status_code == 404
    sent = {"username": "stranger", "role": "annotator"}
    assert client.post(address("add_member", project), sent).url == reverse("home")
    assert project.memberships.get(user=stranger).role == "lead"
    assert client.get(address("people", project)).status_code == 404


def test_an_operator_may_make_the_account_of_that_lead(project, operator, browser_of):
    answer = browser_of(operator).post(
        address("add_account", project), {"new-username": "neo", "new-role": "annotator"}
    )
    assert 'id="new-login-password"' in answer.content.decode()
    assert project.memberships.get().role == "lead"


def test_an_operator_is_the_first_lead_of_a_project_or_none(project, operator, browser_of):
    """Where people have worked already, the operator's own account is no way to what they wrote."""
    empty = make_project("empty")
    make_member(project, "annotator", "ann")
    sent = {"username": "opal"}
    assert browser_of(operator).post(address("add_member", project), sent).status_code == 422
    assert not project.memberships.filter(user=operator).exists()
    assert browser_of(operator).post(address("add_member", empty), sent).status_code == 302
    assert empty.memberships.get().user == operator


def test_a_lead_who_is_an_operator_too_sees_the_whole_page(project, operator, browser_of):
    membership.add(project, operator, role="lead", by=None, now=NOW)
    assert "Annotators" in said(browser_of(operator).get(address("people", project)))


def test_services_refuse_whoever_does_not_lead_whatever_the_page_did(project, lead, annotator, operator):
    someone = make_user()
    for by in (annotator.user, operator, someone):
        for refused in (
            lambda by=by: membership.add(project, someone, role="annotator", by=by, now=NOW),
            lambda by=by: membership.pause(lead, by=by, now=NOW),
            lambda by=by: membership.end(lead, by=by, now=NOW),
            lambda by=by: membership.set_languages(project, lead.user, languages=[], by=by, now=NOW),
        ):
            with pytest.raises(NotAllowed):
                refused()
    assert project.memberships.filter(state="active").count() == 2


def test_an_annotator_ends_no_role_but_their_own(project, lead, annotator):
    membership.end(annotator, by=annotator.user, now=NOW)
    annotator.refresh_from_db()
    assert annotator.state == "left"


def test_the_pages_speak_chinese(project, lead, annotator, browser_of):
    client = browser_of(lead)
    for url in (address("people", project), address("person", project, annotator.user_id)):
        page = client.get(url, headers={"accept-language": "zh-CN"})
        assert 'lang="zh-Hans"' in page.content.decode()
    page = client.post(address("add_account", project), {"new-username": "neo", "new-role": "annotator"})
    assert f'name="next" value="{address("people", project)}"' in page.content.decode()


# --- Many at once --------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", [membership.end, membership.pause])
def test_of_two_leads_who_put_each_other_out_at_once_one_stays(project, lead, second_lead, change):
    def put_out(other, by):
        def attempt():
            ready.wait()
            try:
                change(other, by=by.user, now=NOW)
            except DomainError as refusal:
                return refusal.code
            return "done"

        return attempt

    ready = Barrier(2, timeout=30)
    said = at_once([put_out(lead, second_lead), put_out(second_lead, lead)])
    assert sorted(said) == ["done", "not_a_lead"]
    assert access.active_leads(project).count() == 1


@pytest.mark.django_db(transaction=True)
def test_leads_who_all_leave_at_once_leave_one_behind(project, lead, second_lead):
    leads = [lead, second_lead, *(make_member(project, "lead") for _ in range(4))]

    def leave(member):
        def attempt():
            try:
                membership.end(member, by=member.user, now=NOW)
            except DomainError as refusal:
                return refusal.code
            return "done"

        return attempt

    said = at_once([leave(member) for member in leads])
    assert sorted(said) == ["done"] * 5 + ["last_lead"]
    assert access.active_leads(project).count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_person_made_lead_and_annotator_at_once_is_one_of_them(project, lead, stranger):
    def give(wanted):
        def attempt():
            try:
                membership.add(project, stranger, role=wanted, by=lead.user, now=NOW)
            except DomainError as refusal:
                return refusal.code
            return "done"

        return attempt

    said = at_once([give("lead"), give("annotator")] * 3)
    assert set(said) == {"done", "roles_exclude_each_other"}
    assert project.memberships.filter(user=stranger).count() == 1
    assert JournalEntry.objects.filter(action="membership.added", actor=lead.user).count() == 1


@pytest.mark.django_db(transaction=True)
def test_annotators_added_at_once_have_pseudonyms_of_their_own(project, lead):
    people = [make_user() for _ in range(6)]
    at_once(
        [
            lambda user=user: membership.add(project, user, role="annotator", by=lead.user, now=NOW)
            for user in people
        ]
    )
    assert project.memberships.filter(role="annotator").values("pseudonym").distinct().count() == 6


def test_without_the_lock_the_last_leads_would_leave_together(project, lead, second_lead):
    """The negative control: both look before either has gone."""
    seen = [access.active_leads(project).exclude(pk=member.pk).exists() for member in (lead, second_lead)]
    for member, may_go in zip((lead, second_lead), seen, strict=True):
        if may_go:
            Membership.objects.filter(pk=member.pk).update(state="left")
    assert not access.active_leads(project).exists()


@pytest.mark.parametrize("role", ["instructor", "adjudicator", "annotator"])
def test_who_leads_a_project_is_its_lead_while_at_work(project, lead, role):
    assert access.is_lead(lead.user, project)
    assert not access.is_lead(lead.user, make_project("elsewhere"))
    assert not access.is_lead(make_member(project, role).user, project)
    Membership.objects.filter(pk=lead.pk).update(state=Membership.State.PAUSED)
    assert not access.is_lead(lead.user, project)


def test_people_are_called_by_their_name_or_else_by_that_of_their_account():
    assert queries.person_name(User(username="ann", first_name="Anne", last_name="Teller")) == "Anne Teller"
    assert queries.person_name(User(username="ann")) == "ann"
