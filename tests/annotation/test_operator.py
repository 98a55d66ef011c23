"""Operators: made by command, they make projects; an installation begins with one."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import JournalEntry, User
from annotation.services import membership
from tests.factories import NOW, PASSWORD, make_member, make_project, make_user

pytestmark = pytest.mark.django_db
NEW_PROJECT = 'href="/projects/new/"'


@pytest.fixture
def piped(monkeypatch):
    def pipe(text):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return pipe


@pytest.fixture
def operator(db):
    return make_user("opal", is_superuser=True)


# --- The command ---------------------------------------------------------------------------------


def test_a_new_operators_password_is_printed_once_and_works(client, capsys):
    call_command("create_operator", "opal")
    word, role, username, password = capsys.readouterr().out.split()
    assert (word, role, username) == ("login", "operator", "opal")
    assert client.login(username="opal", password=password)
    made = User.objects.get()
    assert (made.is_superuser, made.is_staff, made.is_active) == (True, False, True)
    actions = JournalEntry.objects.order_by("pk").values_list("action", "data")
    assert list(actions) == [("account.created", {"user": made.pk}), ("operator.made", {"user": made.pk})]


def test_an_account_that_is_there_becomes_an_operator_and_keeps_its_password(capsys, stranger):
    for _ in range(2):
        call_command("create_operator", "stranger")
        assert capsys.readouterr().out == ("stranger is an operator. The account's password is as it was.\n")
    stranger.refresh_from_db()
    assert stranger.is_superuser
    assert stranger.check_password(PASSWORD)
    assert JournalEntry.objects.filter(action="operator.made").count() == 1


@pytest.mark.parametrize(
    "password", ["correct horse battery", "口令口令口令口令", "x" * 64, " spaces at both ends "]
)
def test_a_password_may_come_by_standard_input_and_is_not_printed(client, capsys, piped, password):
    piped(f"{password}\r\nsecond line\n")
    call_command("create_operator", "opal", "--password-stdin")
    assert capsys.readouterr().out == "opal is an operator.\n"
    assert client.login(username="opal", password=password)


def test_a_password_by_standard_input_does_not_replace_one(piped, stranger):
    piped("another password\n")
    call_command("create_operator", "stranger", "--password-stdin")
    stranger.refresh_from_db()
    assert stranger.check_password(PASSWORD)


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("", "No password came by standard input"),
        ("short", "too short"),
        ("password1", "too common"),
        ("operator-opal", "too similar"),
    ],
)
def test_a_weak_password_is_refused_and_no_account_is_left(piped, password, reason):
    piped(f"{password}\n")
    with pytest.raises(CommandError, match=reason):
        call_command("create_operator", "operator-opal", "--password-stdin")
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["two words", "", "a/b", "a\nb", "a" * 151])
def test_a_bad_name_is_refused_with_a_sentence(name):
    with pytest.raises(CommandError, match="will not do as a user name"):
        call_command("create_operator", name)
    assert not User.objects.exists()


def test_a_name_that_another_could_be_taken_for_is_refused(stranger):
    with pytest.raises(CommandError, match="This user name is taken"):
        call_command("create_operator", "Stranger")


def test_an_account_that_nobody_signs_in_to_is_no_operator(stranger):
    User.objects.filter(pk=stranger.pk).update(is_active=False)
    with pytest.raises(CommandError, match="is not active"):
        call_command("create_operator", "stranger")
    of_a_file = User(username="bridges.annotator-01")
    of_a_file.set_unusable_password()
    of_a_file.save()
    with pytest.raises(CommandError, match="stands for an annotator of an imported file"):
        call_command("create_operator", "bridges.annotator-01")
    assert not User.objects.filter(is_superuser=True).exists()


# --- The home page -------------------------------------------------------------------------------


def test_the_first_operator_of_an_installation_finds_the_first_step(operator, browser_of):
    page = browser_of(operator).get("/").content.decode()
    assert "Begin with a project" in page
    assert page.count(NEW_PROJECT) == 1
    assert reverse("new_project") == "/projects/new/"
    assert "Nothing is assigned to you." not in page


def test_an_operator_with_projects_may_make_another(operator, project, browser_of):
    membership.add(project, operator, role="lead", by=None, now=NOW)
    page = browser_of(operator).get("/").content.decode()
    assert page.count(NEW_PROJECT) == 1
    assert "Begin with a project" not in page
    assert "Projects you lead" in page


@pytest.mark.parametrize("role", ["lead", "annotator", "instructor", ""])
def test_nobody_else_is_offered_a_new_project(project, stranger, browser_of, role):
    person = make_member(project, role) if role else stranger
    assert NEW_PROJECT not in browser_of(person).get("/").content.decode()


def test_an_operator_learns_which_projects_have_no_lead_and_nobody_else_does(
    operator, project, lead, annotator, stranger, browser_of
):
    make_project("orphan", name="Orphan")
    make_project("quit", name="Quit")
    gone = make_member(make_project("switched-off", name="Switched off"), "lead")
    User.objects.filter(pk=gone.user_id).update(is_active=False)
    page = browser_of(operator).get("/").content.decode()
    for slug in ("orphan", "quit", "switched-off"):
        assert reverse("people", args=[slug]) in page
    assert reverse("people", args=["bridges"]) not in page
    for person in (lead, annotator, stranger):
        assert "Orphan" not in browser_of(person).get("/").content.decode()
