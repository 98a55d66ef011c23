"""REST: who takes part in a project, for those who lead it."""

import pytest

from annotation.models import Membership, User
from tests.api.callers import Caller, refusal_of
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def caller(lead):
    return Caller(lead.user)


def test_each_role_is_a_row_with_name_and_pseudonym(caller, annotator):
    rows = caller.all("members/")
    assert [(row["username"], row["role"], row["pseudonym"], row["state"]) for row in rows] == [
        ("lea", "lead", "", "active"),
        ("ann", "annotator", "annotator-01", "active"),
    ]
    assert [row["username"] for row in caller.all("members/?role=annotator")] == ["ann"]
    assert caller.all("members/?state=left") == []


def test_a_person_is_told_with_every_role(caller, project):
    person = make_member(project, "instructor", "inge").user
    caller.post("members/", {"username": "inge", "role": "adjudicator"})
    told = caller.get("members/inge/").json()
    assert [each["role"] for each in told["roles"]] == ["instructor", "adjudicator"]
    assert (told["username"], person.username) == ("inge", "inge")


def test_an_account_is_given_a_role(caller, project):
    make_user("ben")
    added = caller.post("members/", {"username": "ben", "role": "annotator", "languages": ["en", "zh"]})
    assert (added.status_code, added.json()["password"]) == (201, None)
    assert added["Cache-Control"] == "no-store"
    member = project.memberships.get(user__username="ben")
    assert (member.role, member.languages, member.pseudonym) == ("annotator", ["en", "zh"], "annotator-01")


def test_an_account_is_made_and_its_password_told_once(caller, project):
    body = {"username": "newcomer", "full_name": "New Comer", "role": "annotator", "new_account": True}
    told = caller.post("members/", body).json()
    made = User.objects.get(username="newcomer")
    assert made.check_password(told["password"])
    assert told["name"] == "New Comer"
    assert "password" not in caller.get("members/newcomer/").json()


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ({"username": "nobody", "role": "annotator"}, (422, "no_account")),
        ({"username": "lea", "role": "annotator"}, (403, "own_role")),
        ({"username": "ann", "role": "lead"}, (409, "roles_exclude_each_other")),
        ({"username": "ann", "role": "annotator"}, (422, "has_the_role")),
        ({"username": "ann", "role": "annotator", "new_account": True}, (422, "username_taken")),
        ({"username": "a b", "role": "annotator", "new_account": True}, (422, "bad_username")),
        ({"username": "ben", "role": "annotator", "languages": ["english"]}, (422, "not_accepted")),
        ({"username": "ben", "role": "annotator", "full_name": "Ben"}, (422, "name_of_an_account")),
    ],
)
def test_who_cannot_be_added_is_not(caller, annotator, body, refused):
    make_user("ben")
    before = Membership.objects.count(), User.objects.count()
    assert refusal_of(caller.post("members/", body)) == refused
    assert (Membership.objects.count(), User.objects.count()) == before


@pytest.mark.parametrize(
    "more",
    [
        {"role": "owner"},
        {"role": 1},
        {"pseudonym": "annotator-99"},
        {"state": "active"},
        {"is_superuser": True},
        {"password": "a long enough password"},
        {"new_account": "yes"},
        {"project": "tunnels"},
        {"begins": "now"},
    ],
)
def test_no_name_is_taken_that_is_not_on_the_list(caller, project, more):
    make_user("ben")
    answer = caller.post("members/", {"username": "ben", "role": "annotator", **more})
    assert refusal_of(answer)[0] == 400
    assert not project.memberships.filter(user__username="ben").exists()


def test_a_role_is_paused_resumed_ended_and_given_again(caller, annotator):
    for action, state in (("pause", "paused"), ("resume", "active"), ("end", "left"), ("give", "active")):
        told = caller.patch("members/ann/", {"role": "annotator", "action": action})
        assert (told.status_code, told.json()["roles"][0]["state"]) == (200, state)
    assert refusal_of(caller.patch("members/ann/", {"role": "annotator", "action": "resume"})) == (
        409,
        "not_paused",
    )


def test_languages_are_those_of_the_person_in_all_roles(caller, annotator):
    told = caller.patch("members/ann/", {"languages": ["fr"]}).json()
    assert told["roles"][0]["languages"] == ["fr"]
    assert caller.patch("members/ann/", {"languages": []}).json()["roles"][0]["languages"] == []


@pytest.mark.parametrize(
    ("name", "body", "refused"),
    [
        ("ann", {}, (422, "one_change")),
        ("ann", {"role": "annotator"}, (422, "one_change")),
        ("ann", {"action": "pause"}, (422, "one_change")),
        ("ann", {"role": "annotator", "action": "pause", "languages": ["en"]}, (422, "one_change")),
        ("ann", {"role": "instructor", "action": "pause"}, (422, "not_held")),
        ("lea", {"role": "lead", "action": "pause"}, (403, "own_role")),
        ("lea", {"role": "lead", "action": "end"}, (409, "last_lead")),
    ],
)
def test_a_change_that_cannot_be_is_refused(caller, annotator, name, body, refused):
    assert refusal_of(caller.patch(f"members/{name}/", body)) == refused
    assert set(Membership.objects.values_list("state", flat=True)) == {"active"}


def test_people_of_other_projects_are_nobody(caller):
    make_member(make_project("tunnels"), "annotator", "theirs")
    assert caller.get("members/theirs/").status_code == 404
    answer = caller.patch("members/theirs/", {"role": "annotator", "action": "pause"})
    assert answer.status_code == 404
