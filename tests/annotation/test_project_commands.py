"""Setting a project up by command: project, members, round; and running its recipe."""

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Membership, Project, Round, User
from curation.models import Recipe, Run
from tests.factories import make_prompt, make_response

pytestmark = pytest.mark.django_db


def test_a_project_comes_with_a_taxonomy_and_a_rubric_in_both_languages(capsys):
    call_command("create_project", "wishes", name="Wishes")
    project = Project.objects.get(slug="wishes")
    assert project.genres.filter(parent=None).count() == 8
    assert project.genres.exclude(parent=None).count() == 51
    rubric = project.rubrics.get()
    assert {(level.language, level.value) for level in rubric.levels.all()} == {
        (language, value) for language in ("en", "zh") for value in range(4)
    }
    assert rubric.criteria.filter(genre=None, language="zh").count() == 4
    assert "Project wishes: Wishes." in capsys.readouterr().out


def test_the_other_taxonomy_is_wevals():
    call_command("create_project", "tasks", taxonomy="weval")
    assert Project.objects.get(slug="tasks").genres.count() == 5


def test_a_project_may_begin_without_genres_and_in_some_languages():
    call_command("create_project", "own", taxonomy="own", language=["EN", "zh_hant"])
    project = Project.objects.get(slug="own")
    assert (project.taxonomy, project.languages, project.genres.count()) == ("", ["en", "zh-Hant"], 0)
    with pytest.raises(CommandError, match="'Chinese!' is no language tag"):
        call_command("create_project", "other", language=["Chinese!"])
    assert not Project.objects.filter(slug="other").exists()


@pytest.mark.parametrize("slug", ["two words", "", "a/b"])
def test_a_bad_or_taken_slug_is_refused(slug, project):
    with pytest.raises(CommandError, match="letters, digits and hyphens"):
        call_command("create_project", slug)
    with pytest.raises(CommandError, match="There is a project bridges already"):
        call_command("create_project", "bridges")
    with pytest.raises(CommandError, match="The short name new is in use by a page"):
        call_command("create_project", "new")
    assert Project.objects.count() == 1


def test_a_new_members_password_is_printed_once_and_works(client, project, capsys):
    call_command("add_member", "bridges", "lena", "lead")
    _, role, username, password = capsys.readouterr().out.split()
    assert (role, username) == ("lead", "lena")
    assert client.login(username="lena", password=password)
    call_command("add_member", "bridges", "lena", "instructor")
    assert capsys.readouterr().out == "lena is instructor of bridges.\n"


def test_a_member_that_cannot_be_is_refused_and_no_account_is_left(project, lead):
    with pytest.raises(CommandError, match="cannot be lead and annotator"):
        call_command("add_member", "bridges", "lea", "annotator")
    with pytest.raises(CommandError, match="will not do as a user name"):
        call_command("add_member", "bridges", "two words", "annotator")
    with pytest.raises(CommandError, match="There is no project 'bridge'; did you mean 'bridges'"):
        call_command("add_member", "bridge", "new", "annotator")
    assert User.objects.count() == Membership.objects.count() == 1


def test_a_round_is_opened_once(project, capsys):
    make_response(make_prompt(project))
    call_command("open_round", "bridges", "Round 1")
    assert capsys.readouterr().out == "Round 1 is open: 3 slots.\n"
    with pytest.raises(CommandError, match="There is a round Round 1 already"):
        call_command("open_round", "bridges", "Round 1")
    assert Round.objects.count() == 1


def test_a_run_in_the_foreground_says_what_became_of_the_candidates(project, capsys):
    prompt = make_prompt(project)
    make_response(prompt, "a", "Same text.")
    make_response(prompt, "b", "Same  text.")
    make_response(prompt, "c", "Another text.")
    call_command("run_curation", "bridges", param=["buckets=20"])
    assert capsys.readouterr().out == (
        f"Run {Run.objects.get().pk} with writing-preference 2: 0 pairs of 3 candidates. "
        "Rejected: identical_text 1, insufficient_overlap 2.\n"
    )
    assert Recipe.objects.get(version=2).parameters["buckets"] == 20


def test_a_bad_parameter_starts_no_run(project):
    with pytest.raises(CommandError, match="buckets cannot be '7'"):
        call_command("run_curation", "bridges", param=["buckets=7"])
    assert not Run.objects.exists()
