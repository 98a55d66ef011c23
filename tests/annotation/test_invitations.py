"""Inviting people, and what becomes of an invitation: as services."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256

import pytest
from django.db import DatabaseError, connection, transaction

from annotation import access
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Consent, Invitation, JournalEntry, Membership, Qualification, User
from annotation.services import consent, invitations, membership
from tests.factories import NOW, PASSWORD, make_member, make_project, make_user

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(days=1)


@pytest.fixture
def invite(project, lead):
    def invited(email="mei@example.org", *, role="annotator", languages=(), by=None, now=NOW):
        return invitations.invite(
            project, email, full_name="Mei Lin", role=role, languages=languages, by=by or lead.user, now=now
        )

    return invited


def join(invitation, username="mei", *, version=0, now=LATER):
    return invitations.accept_as_new(
        invitation, username=username, password=PASSWORD, full_name="Mei Lin", consents_to=version, now=now
    )


def refused(code, act, *args, **options):
    with pytest.raises(DomainError) as refusal:
        act(*args, **options)
    assert refusal.value.code == code


# --- Inviting ------------------------------------------------------------------------------------


def test_a_token_is_long_and_only_its_digest_is_kept(invite):
    invitation, token = invite()
    assert len(token) >= 43  # 256 bits in base64
    assert invitation.token_digest == sha256(token.encode()).hexdigest()
    kept = str(Invitation.objects.values().get()) + str(list(JournalEntry.objects.values()))
    assert token not in kept


def test_an_address_is_kept_in_lower_case(invite):
    assert invite("  Mei@Example.ORG ")[0].email == "mei@example.org"


@pytest.mark.parametrize(
    "address", ["", "mei", "mei@", "mei@example.org\nBcc: all@example.org", "mei@example.org, b@example.org"]
)
def test_what_is_no_address_is_refused(invite, address):
    refused("bad_address", invite, address)
    assert not Invitation.objects.exists()


def test_one_open_invitation_an_address_and_role(invite, project):
    invite()
    refused("already_invited", invite, "MEI@example.org")
    invite(role="instructor")
    assert project.invitations.count() == 2


def test_an_invitation_that_ran_out_does_not_stand_in_the_way(invite, project):
    first, _token = invite()
    second, _token = invite(now=NOW + timedelta(days=8))
    first.refresh_from_db()
    assert (first.state, second.state) == ("revoked", "open")


def test_only_leads_invite(invite, project, annotator, stranger):
    for person in (annotator.user, make_member(project, "instructor").user, stranger):
        refused("not_a_lead", invite, by=person)
    assert not Invitation.objects.exists()


def test_who_is_here_already_is_not_invited_again(invite, project):
    member = make_member(project, "annotator", "mei")
    User.objects.filter(pk=member.user_id).update(email="mei@example.org")
    refused("already_member", invite)
    refused("roles_exclude_each_other", invite, role="lead")
    invite(role="adjudicator")
    membership.end(member, by=None, now=NOW)
    invite()


def test_an_account_elsewhere_makes_no_difference(invite, project):
    make_user("mei", email="mei@example.org")
    assert invite()[0].state == "open"


def test_inviting_an_annotator_keeps_a_place_in_each_language(invite, project):
    invitation, _token = invite(languages=["zh", "en", "zh"])
    kept = Qualification.objects.filter(invitation=invitation, annotator=None)
    assert set(kept.values_list("language", "stage")) == {("en", "invited"), ("zh", "invited")}
    instructor, _token = invite("tom@example.org", role="instructor")
    assert not instructor.qualifications.exists()


# --- Accepting -----------------------------------------------------------------------------------


def test_accepting_makes_account_role_and_consent(invite, project):
    consent.add_shipped(project, by=None, now=NOW)
    invitation, _token = invite(languages=["zh"])
    user = join(invitation, version=1)
    member = project.memberships.get(user=user)
    assert (user.email, user.get_full_name(), member.role) == ("mei@example.org", "Mei Lin", "annotator")
    assert (member.languages, member.pseudonym) == (["zh"], "annotator-01")
    assert user.check_password(PASSWORD)
    assert list(Consent.objects.values_list("user", "project", "version")) == [(user.pk, project.pk, 1)]
    invitation.refresh_from_db()
    assert (invitation.state, invitation.accepted_by, invitation.decided_at) == ("accepted", user, LATER)
    assert member.qualifications.get().language == "zh"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"password": "short"}, "weak_password"),
        ({"password": "password123"}, "weak_password"),
        ({"password": "mei@example.org"}, "weak_password"),
        ({"username": "lea"}, "username_taken"),
        ({"username": "a b"}, "bad_username"),
        ({"consents_to": 0}, "consent_needed"),
        ({"consents_to": 2}, "consent_changed"),
    ],
)
def test_a_refused_acceptance_leaves_nothing_behind(invite, project, options, code):
    consent.add_shipped(project, by=None, now=NOW)
    invitation, _token = invite()
    before = User.objects.count(), JournalEntry.objects.count()
    given = {"username": "mei", "password": PASSWORD, "full_name": "", "consents_to": 1, **options}
    refused(code, invitations.accept_as_new, invitation, **given, now=LATER)
    assert (User.objects.count(), JournalEntry.objects.count()) == before
    assert not project.memberships.filter(role="annotator").exists()
    invitation.refresh_from_db()
    assert invitation.state == "open"
    join(invitation, version=1)


@pytest.mark.parametrize(
    "password",
    [
        "eight ch",
        "correct horse battery staple " * 2,
        "пароль из многих слов",
        " 春江潮水连海平 ",
        "🦉🦉🦉🦉🦉🦉🦉🦉",
    ],
)
def test_long_passwords_spaces_and_any_script_are_taken_as_they_are(invite, password):
    invitation, _token = invite()
    user = invitations.accept_as_new(
        invitation, username="mei", password=password, full_name="", consents_to=0, now=LATER
    )
    assert user.check_password(password)
    assert not user.check_password(password.strip().upper() + ".")
    assert password == password.strip() or not user.check_password(password.strip())


def test_an_account_accepts_with_its_own_address_or_with_none(invite, project):
    own = make_user("own", email="mei@example.org")
    invitation, _token = invite()
    other = make_user("other", email="other@example.org")
    nameless = make_user("nameless")
    for person in (other, nameless):  # the address is somebody's, so who has none is not meant
        refused("invitation_gone", invitations.accept, invitation, person, consents_to=0, now=LATER)
    invitations.accept(invitation, own, consents_to=0, now=LATER)
    second, _token = invite("tom@example.org")
    invitations.accept(second, nameless, consents_to=0, now=LATER)
    assert set(project.memberships.filter(role="annotator").values_list("user", flat=True)) == {
        own.pk,
        nameless.pk,
    }


@pytest.mark.parametrize("how", ["used", "declined", "revoked", "expired"])
def test_what_is_not_open_is_not_accepted(invite, lead, how):
    invitation, _token = invite()
    if how == "used":
        join(invitation)
    elif how == "declined":
        invitations.decline(invitation, now=LATER)
    elif how == "revoked":
        invitations.revoke(invitation, by=lead.user, now=LATER)
    now = NOW + timedelta(days=7) if how == "expired" else LATER
    before = User.objects.count()
    refused("invitation_gone", join, invitation, "another", now=now)
    refused("invitation_gone", invitations.decline, invitation, now=now)
    assert User.objects.count() == before


def test_nobody_takes_up_an_invitation_of_their_own(invite, project, lead):
    invitation, _token = invite(role="instructor")
    with pytest.raises(NotAllowed):
        invitations.accept(invitation, lead.user, consents_to=0, now=LATER)
    make_member(project, "lead", "second")
    membership.end(lead, by=lead.user, now=NOW)
    with pytest.raises(NotAllowed):
        invitations.accept(invitation, lead.user, consents_to=0, now=LATER)
    assert not project.memberships.filter(role="instructor").exists()


def test_an_invitation_outlives_the_lead_who_sent_it(invite, project, lead):
    invitation, _token = invite()
    make_member(project, "lead", "second")
    membership.end(lead, by=lead.user, now=NOW)
    user = join(invitation)
    assert project.memberships.filter(user=user, state="active").exists()
    added = JournalEntry.objects.get(project=project, action="membership.added", data__user=user.pk)
    assert added.actor is None
    assert JournalEntry.objects.filter(action="invitation.accepted", data__invitation=invitation.pk).exists()


def test_lead_and_annotator_exclude_each_other_here_too(invite, project):
    annotator = make_member(project, "annotator", "ann")
    invitation, _token = invite("new@example.org", role="lead")
    refused(
        "roles_exclude_each_other", invitations.accept, invitation, annotator.user, consents_to=0, now=LATER
    )
    invitation.refresh_from_db()
    assert invitation.state == "open"


def test_who_left_comes_back_by_an_invitation_and_whose_data_were_withdrawn_does_not(invite, project, lead):
    member = make_member(project, "annotator", "mei")
    User.objects.filter(pk=member.user_id).update(email="mei@example.org")
    member.user.refresh_from_db()
    membership.end(member, by=lead.user, now=NOW)
    invitation, _token = invite()
    invitations.accept(invitation, member.user, consents_to=0, now=LATER)
    member.refresh_from_db()
    assert member.state == "active"
    membership.withdraw_data(member, reason="asked", by=lead.user, now=LATER)
    refused("data_withdrawn", invite)


@pytest.mark.django_db(transaction=True)
def test_two_tabs_accept_once(invite, project):
    invitation, _token = invite()

    def accept(name):
        try:
            return join(invitation, name)
        except DomainError as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(accept, [f"mei{number}" for number in range(6)]))
    assert sorted(str(each) for each in outcomes if isinstance(each, str)) == ["invitation_gone"] * 5
    assert User.objects.filter(email="mei@example.org").count() == 1
    assert project.memberships.filter(role="annotator").count() == 1


# --- Renewing, taking back -----------------------------------------------------------------------


def test_renewing_ends_the_old_link(invite, lead):
    old, old_token = invite(languages=["en"])
    new, new_token = invitations.renew(old, by=lead.user, now=LATER)
    assert access.open_invitation(old_token, now=LATER) is None
    assert access.open_invitation(new_token, now=LATER) == new
    assert (new.email, new.languages, new.expires_at) == (old.email, ["en"], LATER + timedelta(days=7))
    assert list(new.qualifications.values_list("language", "stage")) == [("en", "invited")]


def places(project):
    """(language, stage, passings) of all that is kept in the project."""
    held = Qualification.objects.filter(project=project).order_by("language", "pk")
    return [(each.language, each.stage, each.passages.count()) for each in held]


def test_renewing_leaves_one_place_where_it_was(project, invite, lead):
    old, _token = invite(languages=["en", "zh"])
    before = set(Qualification.objects.values_list("pk", flat=True))
    new, _token = invitations.renew(old, by=lead.user, now=LATER)
    newest, _token = invitations.renew(new, by=lead.user, now=LATER)
    assert set(newest.qualifications.values_list("pk", flat=True)) == before
    assert places(project) == [("en", "invited", 1), ("zh", "invited", 1)]
    join(newest)
    assert {stage for _language, stage, _count in places(project)} != {"invited"}
    assert len(places(project)) == 2


def test_inviting_again_after_the_end_of_an_invitation_keeps_the_place(project, invite):
    invite(languages=["en"])
    invite(languages=["en"], now=NOW + timedelta(days=8))
    assert places(project) == [("en", "invited", 1)]


def test_other_languages_than_before_leave_nothing_waiting_behind(project, invite):
    invite(languages=["en", "zh"])
    new, _token = invite(languages=["en"], now=NOW + timedelta(days=8))
    assert places(project) == [("en", "invited", 1), ("zh", "declined", 2)]
    assert list(new.qualifications.values_list("language", "stage")) == [("en", "invited")]


def test_what_was_taken_back_says_so_and_can_be_offered_again_in_its_place(project, invite, lead):
    invitation, _token = invite(languages=["en"])
    invitations.revoke(invitation, by=lead.user, now=LATER)
    held = Qualification.objects.get()
    assert (held.stage, held.passages.latest("pk").reason) == ("declined", "Invitation taken back")
    again, _token = invite(languages=["en"], now=LATER)
    assert places(project) == [("en", "invited", 3)]
    invitations.revoke(again, by=lead.user, now=LATER)
    again.refresh_from_db()
    invitations.renew(again, by=lead.user, now=LATER)
    assert places(project) == [("en", "invited", 5)]


def test_an_invitation_does_not_take_the_place_of_another_address(project, invite, lead):
    first, _token = invite("mei@example.org", languages=["en"])
    invitations.revoke(first, by=lead.user, now=LATER)
    invite("tom@example.org", languages=["en"], now=LATER)
    assert sorted(places(project)) == [("en", "declined", 2), ("en", "invited", 1)]


def test_an_answered_invitation_is_not_taken_back_or_renewed(invite, lead):
    invitation, _token = invite()
    join(invitation)
    refused("invitation_decided", invitations.revoke, invitation, by=lead.user, now=LATER)
    stale, _token = invite("tom@example.org")
    invitations.decline(stale, now=LATER)
    refused("invitation_decided", invitations.revoke, stale, by=lead.user, now=LATER)


def test_what_was_declined_can_be_offered_again(invite, lead):
    invitation, _token = invite()
    invitations.decline(invitation, now=LATER)
    stages = set(Qualification.objects.values_list("stage", flat=True))
    assert stages == {"declined"}
    invitation.refresh_from_db()
    assert invitations.renew(invitation, by=lead.user, now=LATER)[0].state == "open"


def test_another_projects_lead_changes_nothing(invite):
    invitation, _token = invite()
    other = make_member(make_project("elsewhere"), "lead")
    for act in (invitations.revoke, invitations.renew):
        refused("not_a_lead", act, invitation, by=other.user, now=LATER)


# --- A list --------------------------------------------------------------------------------------


def test_each_line_of_a_list_is_whole_or_not_at_all(invite, project, lead):
    invite("old@example.org")
    member = make_member(project, "annotator", "mei")
    User.objects.filter(pk=member.user_id).update(email="mei@example.org")
    text = (
        "new@example.org, New, zh\nold@example.org\nmei@example.org\nnobody\nnew@example.org\ntwo@example.org"
    )
    outcomes = invitations.invite_many(
        project, text, role="annotator", languages=["en"], by=lead.user, now=NOW
    )
    assert [bool(one.token) for one in outcomes] == [True, False, False, False, False, True]
    assert [one.refusal for one in outcomes[1:5]] == [
        "There is an open invitation for this address and role already.",
        "This person has the role already.",
        "'nobody' is no e-mail address",
        "this address stands on line 1 already",
    ]
    assert outcomes[0].invitation.languages == ["zh"]
    assert outcomes[5].invitation.languages == ["en"]
    assert project.invitations.count() == 3


@pytest.mark.parametrize(
    ("text", "code"), [("", "no_lines"), ("\n \n", "no_lines"), ("x\n" * 501, "too_many_lines")]
)
def test_a_list_has_at_least_one_line_and_at_most_500(project, lead, text, code):
    with pytest.raises(Invalid) as refusal:
        invitations.invite_many(project, text, role="annotator", languages=[], by=lead.user, now=NOW)
    assert refusal.value.code == code


# --- What the database keeps ---------------------------------------------------------------------


def test_texts_of_consent_and_consents_only_grow(project, annotator):
    consent.add_shipped(project, by=None, now=NOW)
    consent.agree(project, annotator.user, version=1, now=NOW)
    for rows in (project.consent_texts.all(), Consent.objects.all()):
        for change in (lambda rows=rows: rows.update(version=2), rows.delete):
            with pytest.raises(DatabaseError), transaction.atomic():
                change()
    assert Consent.objects.count() == 1


def test_no_account_or_project_goes_while_anything_points_to_it(invite, lead):
    invitation, _token = invite()
    user = join(invitation)
    with pytest.raises(DatabaseError), transaction.atomic():
        user.delete()
    assert Membership.objects.filter(user=user).exists()
