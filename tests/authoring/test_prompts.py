"""Prompts are written, handed in, reviewed by two people alone, and become material."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.http import Http404

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import JournalEntry, Prompt
from annotation.services.refusals import FieldsRefused, Outdated
from authoring.models import (
    AcceptedVersion,
    AuthoredPrompt,
    PromptReview,
    PromptVersion,
)
from authoring.services import prompts, reviews
from tests.authoring.writing import ACCEPT, CHANGES, TEXT, accepted, begun, handed_in, reviewed, written
from tests.factories import NOW, make_member, make_project, make_prompt

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(project):
    return make_member(project, "instructor", "ines")


@pytest.fixture
def ivan(project):
    return make_member(project, "instructor", "ivan")


@pytest.fixture
def authored(project, ines):
    return begun(project, ines)


def code_of(refusal) -> str:
    return refusal.value.code


def actions() -> list[str]:
    return [
        entry.action for entry in JournalEntry.objects.filter(action__startswith="authoring.").order_by("pk")
    ]


# --- Beginning -----------------------------------------------------------------------------------


def test_a_prompt_begins_as_a_blueprint(authored, ines):
    assert authored.state == "blueprint"
    assert authored.author == ines
    assert authored.text == authored.title == ""
    assert actions() == ["authoring.begun"]


@pytest.mark.parametrize("key", ["bridge", "of-the-material", "new"])
def test_an_id_is_given_once(project, ines, authored, key):
    make_prompt(project, "of-the-material")
    with pytest.raises(FieldsRefused) as refusal:
        begun(project, ines, key)
    assert list(refusal.value.fields) == ["key"]


def test_another_project_may_use_the_id(authored):
    other = make_project("elsewhere")
    assert begun(other, make_member(other, "lead")).key == authored.key


def test_a_prompt_needs_a_blueprint(project, ines):
    with pytest.raises(FieldsRefused) as refusal:
        begun(project, ines, blueprint=" \n")
    assert code_of(refusal) == "no_blueprint"


@pytest.mark.parametrize("role", ["annotator", "adjudicator"])
def test_only_leads_and_instructors_write(project, role, lead):
    with pytest.raises(NotAllowed):
        begun(project, make_member(project, role))
    assert begun(project, lead).state == "blueprint"


# --- Saving --------------------------------------------------------------------------------------


def test_the_first_text_makes_it_a_draft(authored):
    assert written(authored, "").state == "blueprint"
    stored = written(authored)
    assert (stored.state, stored.text, stored.edits) == ("draft", TEXT, 3)
    assert actions() == ["authoring.begun", "authoring.drafted"]


def test_what_stands_there_already_is_kept_once(authored):
    first = written(authored)
    again = written(authored, edits=0)
    assert again.edits == first.edits


def test_who_saw_an_older_text_is_told_what_stands_there_now(authored):
    written(authored, "One text.")
    with pytest.raises(Outdated) as refusal:
        written(authored, "Another text.", edits=0)
    assert code_of(refusal) == "outdated"
    assert refusal.value.now["text"] == "One text."
    assert refusal.value.version == "2"
    authored.refresh_from_db()
    assert authored.text == "One text."


def test_what_is_in_review_or_settled_is_not_edited(authored, ines, ivan):
    version = handed_in(authored)
    with pytest.raises(DomainError) as refusal:
        written(authored, "Something else.")
    assert code_of(refusal) == "not_open"
    reviewed(version, ines)
    reviewed(version, ivan)
    with pytest.raises(DomainError) as refusal:
        written(authored, "Something else.")
    assert code_of(refusal) == "not_open"


# --- Handing in ----------------------------------------------------------------------------------


def test_a_version_holds_all_that_was_written(authored, ines):
    version = handed_in(authored, note="The first.")
    authored.refresh_from_db()
    assert authored.state == "in_review"
    assert (version.number, version.text, version.note, version.author) == (1, TEXT, "The first.", ines)
    assert version.blueprint == authored.blueprint


def test_handed_in_twice_it_is_one_version(authored, ines):
    version = handed_in(authored)
    authored.refresh_from_db()
    assert prompts.hand_in(authored, author=ines, edits=authored.edits, now=NOW) == version
    assert PromptVersion.objects.count() == 1


def test_what_is_missing_is_named_at_its_field(authored, ines):
    authored.genre = None
    authored.save(update_fields=["genre"])
    with pytest.raises(FieldsRefused) as refusal:
        prompts.hand_in(authored, author=ines, edits=1, now=NOW)
    assert set(refusal.value.fields) == {"title", "text", "genre"}


def test_a_text_that_somebody_changed_since_is_not_handed_in(authored, ines):
    written(authored)
    with pytest.raises(Outdated):
        prompts.hand_in(authored, author=ines, edits=0, now=NOW)
    assert not PromptVersion.objects.exists()


def test_the_same_is_not_handed_in_again(authored, ines, ivan):
    version = handed_in(authored)
    reviewed(version, ines)
    reviewed(version, ivan, CHANGES)
    with pytest.raises(Invalid) as refusal:
        handed_in(authored)
    assert code_of(refusal) == "unchanged"
    assert handed_in(authored, TEXT + " At night.").number == 2


def test_what_was_put_away_before_both_had_spoken_is_handed_in_again_as_it_is(authored, ines):
    reviewed(handed_in(authored), ines)
    prompts.retire(authored, reason="For now.", by=None, now=NOW)
    prompts.reopen(authored, by=None, now=NOW)
    assert handed_in(authored).number == 2


def test_a_version_never_changes(authored):
    version = handed_in(authored)
    for change in (
        lambda: PromptVersion.objects.filter(pk=version.pk).update(text="Another."),
        lambda: PromptVersion.objects.filter(pk=version.pk).delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


# --- Reviews -------------------------------------------------------------------------------------


def test_two_who_accept_make_a_prompt_of_the_material(authored, ines, ivan):
    version = handed_in(authored)
    reviewed(version, ines)
    authored.refresh_from_db()
    assert authored.state == "in_review"
    assert not Prompt.objects.exists()
    reviewed(version, ivan)
    authored.refresh_from_db()
    assert authored.state == "accepted"
    prompt = AcceptedVersion.objects.get(version=version).prompt
    assert (prompt.external_id, prompt.text, prompt.language) == ("bridge", TEXT, "en")
    assert prompt.genre == authored.genre
    assert actions()[-2:] == ["authoring.reviewed", "authoring.accepted"]


@pytest.mark.parametrize(("first", "second"), [(ACCEPT, CHANGES), (CHANGES, ACCEPT), (CHANGES, CHANGES)])
def test_one_who_asks_for_changes_sends_it_back_once_both_have_spoken(authored, ines, ivan, first, second):
    version = handed_in(authored)
    reviewed(version, ines, first)
    authored.refresh_from_db()
    assert authored.state == "in_review"
    reviewed(version, ivan, second)
    authored.refresh_from_db()
    assert authored.state == "changes_asked"
    assert not Prompt.objects.exists()
    assert actions()[-1] == "authoring.changes_asked"


def test_the_journal_tells_no_verdict_before_both_are_given(authored, ines):
    version = handed_in(authored)
    reviewed(version, ines, CHANGES)
    entry = JournalEntry.objects.get(action="authoring.reviewed")
    assert entry.data == {"authored": "bridge", "version": 1}


def test_sent_twice_a_review_is_one_and_another_is_refused(authored, ines, ivan):
    version = handed_in(authored)
    first = reviewed(version, ines)
    assert reviewed(version, ines) == first
    with pytest.raises(DomainError) as refusal:
        reviewed(version, ines, CHANGES)
    assert code_of(refusal) == "already_reviewed"
    reviewed(version, ivan)
    assert reviewed(version, ines) == first  # settled meanwhile


def test_one_person_with_two_roles_is_one_reviewer(project, authored, ines):
    version = handed_in(authored)
    as_lead = ines.user.memberships.create(project=project, role="lead", joined_at=NOW)
    reviewed(version, ines)
    reviewed(version, as_lead)
    authored.refresh_from_db()
    assert authored.state == "in_review"
    assert PromptReview.objects.count() == 1


def test_a_third_does_not_review_what_is_settled(authored, ines, ivan, lead):
    version = accepted(authored, ines, ivan)
    with pytest.raises(DomainError) as refusal:
        reviewed(version, lead)
    assert code_of(refusal) == "not_in_review"
    assert PromptReview.objects.count() == 2


def test_an_older_version_is_not_reviewed(authored, ines, ivan, lead):
    old = handed_in(authored)
    reviewed(old, ines)
    reviewed(old, ivan, CHANGES)
    handed_in(authored, TEXT + " At night.")
    with pytest.raises(DomainError) as refusal:
        reviewed(old, lead)
    assert code_of(refusal) == "superseded"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({**ACCEPT, "difficulty": False}, "not_all_three"),
        ({**CHANGES, "reason": "  "}, "no_reason"),
        ({**ACCEPT, "verdict": "perhaps"}, "no_verdict"),
    ],
)
def test_a_review_says_what_it_means(authored, ines, given, code):
    version = handed_in(authored)
    with pytest.raises(Invalid) as refusal:
        reviewed(version, ines, given)
    assert code_of(refusal) == code
    assert not PromptReview.objects.exists()


def test_nobody_of_another_role_or_project_reviews(project, authored, ines):
    version = handed_in(authored)
    outsider = make_member(make_project("elsewhere"), "instructor")
    for person in (outsider, make_member(project, "annotator"), make_member(project, "adjudicator")):
        with pytest.raises((NotAllowed, Http404)):
            reviewed(version, person)
    ines.user.memberships.create(
        project=project, role="annotator", state="left", pseudonym="x", joined_at=NOW
    )
    with pytest.raises(NotAllowed):
        reviewed(version, ines)
    assert not PromptReview.objects.exists()


def test_remarks_are_about_a_field(authored, ivan):
    version = handed_in(authored)
    made = reviews.comment(version, field="text", text=" Which bridge? ", author=ivan, now=NOW)
    assert (made.text, made.author) == ("Which bridge?", ivan)
    for given, code in (
        ({"field": "colour", "text": "x"}, "not_a_field"),
        ({"field": "text", "text": " "}, "no_remark"),
    ):
        with pytest.raises(Invalid) as refusal:
            reviews.comment(version, **given, author=ivan, now=NOW)
        assert code_of(refusal) == code


# --- After it ------------------------------------------------------------------------------------


def test_an_edit_of_an_accepted_prompt_is_another_prompt_of_the_material(project, authored, ines, ivan):
    accepted(authored, ines, ivan)
    prompts.reopen(authored, by=ines.user, now=NOW)
    authored.refresh_from_db()
    assert authored.state == "draft"
    accepted(authored, ines, ivan, text=TEXT + " At night.")
    assert [(each.external_id, each.text) for each in project.prompts.order_by("pk")] == [
        ("bridge", TEXT),
        ("bridge-v2", TEXT + " At night."),
    ]


def test_an_id_that_an_import_has_taken_is_passed_over(project, authored, ines, ivan):
    make_prompt(project, "bridge")
    version = accepted(authored, ines, ivan)
    assert version.accepted.prompt.external_id == "bridge-v1"


def test_the_language_of_an_accepted_prompt_stays(authored, ines, ivan):
    accepted(authored, ines, ivan)
    prompts.reopen(authored, by=ines.user, now=NOW)
    with pytest.raises(FieldsRefused) as refusal:
        written(authored, language="zh")
    assert code_of(refusal) == "language_fixed"


def test_a_prompt_is_retired_with_a_reason_and_taken_up_again(authored, ines):
    with pytest.raises(Invalid):
        prompts.retire(authored, reason=" ", by=ines.user, now=NOW)
    prompts.retire(authored, reason="Too near to another.", by=ines.user, now=NOW)
    authored.refresh_from_db()
    assert authored.state == "retired"
    with pytest.raises(DomainError) as refusal:
        prompts.retire(authored, reason="Again.", by=ines.user, now=NOW)
    assert code_of(refusal) == "retired"
    assert prompts.reopen(authored, by=ines.user, now=NOW).state == "blueprint"


def test_what_is_under_way_is_not_taken_up_again(authored, ines):
    handed_in(authored)
    with pytest.raises(DomainError) as refusal:
        prompts.reopen(authored, by=ines.user, now=NOW)
    assert code_of(refusal) == "not_settled"


# --- Parallels -----------------------------------------------------------------------------------


def test_a_parallel_prompt_is_in_another_language(project, authored, ines):
    chinese = begun(project, ines, "bridge-zh", language="zh", parallel_to=authored)
    french = begun(project, ines, "bridge-fr", language="fr", parallel_to=chinese)
    assert chinese.parallel_to == french.parallel_to == authored
    with pytest.raises(FieldsRefused) as refusal:
        begun(project, ines, "bridge-2", language="zh", parallel_to=authored)
    assert code_of(refusal) == "language_twice"
    with pytest.raises(FieldsRefused):
        written(french, language="en")


def test_prompts_are_linked_and_unlinked(project, authored, ines):
    chinese, french = (begun(project, ines, f"bridge-{tag}", language=tag) for tag in ("zh", "fr"))
    prompts.link(chinese, authored, by=ines.user, now=NOW)
    prompts.link(french, chinese, by=ines.user, now=NOW)
    assert {each.key for each in authored.parallels.all()} == {"bridge-zh", "bridge-fr"}
    with pytest.raises(DomainError) as refusal:
        prompts.link(authored, french, by=ines.user, now=NOW)
    assert code_of(refusal) in ("linked", "not_a_parallel")
    prompts.unlink(authored, by=ines.user, now=NOW)
    french.refresh_from_db()
    assert french.parallel_to == chinese
    prompts.unlink(french, by=ines.user, now=NOW)
    with pytest.raises(DomainError) as refusal:
        prompts.unlink(french, by=ines.user, now=NOW)
    assert code_of(refusal) == "not_linked"


def test_prompts_of_one_language_or_of_two_projects_are_not_linked(project, authored, ines):
    twin = begun(project, ines, "twin")
    with pytest.raises(FieldsRefused):
        prompts.link(twin, authored, by=ines.user, now=NOW)
    other = make_project("elsewhere")
    elsewhere = begun(other, make_member(other, "lead"), language="zh")
    with pytest.raises(Invalid) as refusal:
        prompts.link(elsewhere, authored, by=ines.user, now=NOW)
    assert code_of(refusal) == "not_a_parallel"


# --- At the same moment --------------------------------------------------------------------------


def at_once(tasks):
    """Run the tasks in a thread each; a refusal is given back as its code."""

    def run(task):
        try:
            return task()
        except DomainError as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result() for future in [pool.submit(run, task) for task in tasks]]


@pytest.mark.django_db(transaction=True)
def test_of_several_second_reviews_at_once_one_settles_the_version(project, ines, ivan, lead):
    version = handed_in(begun(project, ines))
    reviewed(version, ines)
    others = [ivan, lead, *(make_member(project, "instructor") for _ in range(4))]
    found = at_once([lambda one=one: reviewed(version, one).pk for one in others])
    assert found.count("not_in_review") == len(others) - 1
    assert PromptReview.objects.count() == 2
    assert Prompt.objects.count() == AcceptedVersion.objects.count() == 1
    assert version.authored.__class__.objects.get().state == "accepted"


@pytest.mark.django_db(transaction=True)
def test_two_who_disagree_at_once_ask_for_changes(project, ines, ivan):
    version = handed_in(begun(project, ines))
    at_once([lambda: reviewed(version, ines), lambda: reviewed(version, ivan, CHANGES)])
    assert AuthoredPrompt.objects.get().state == "changes_asked"
    assert PromptReview.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_one_person_in_many_tabs_reviews_once(project, ines):
    version = handed_in(begun(project, ines))
    found = at_once([lambda: reviewed(version, ines).pk] * 6)
    assert len(set(found)) == PromptReview.objects.count() == 1
    assert AuthoredPrompt.objects.get().state == "in_review"


@pytest.mark.django_db(transaction=True)
def test_of_several_saves_at_once_none_is_overwritten_unseen(project, ines):
    authored = written(begun(project, ines), "")
    found = at_once([lambda n=n: written_at(authored, f"Text {n}.") for n in range(6)])
    assert found.count("outdated") == 5
    (kept,) = (each for each in found if each != "outdated")
    assert AuthoredPrompt.objects.get().text == kept


def written_at(authored, text):
    stored = prompts.save(
        authored,
        title="T",
        text=text,
        blueprint=authored.blueprint,
        constraints="",
        intended_length=None,
        genre=authored.genre,
        language="en",
        edits=authored.edits,
        by=None,
        now=NOW,
    )
    return stored.text


@pytest.mark.django_db(transaction=True)
def test_handed_in_from_several_tabs_it_is_one_version(project, ines):
    stored = written(begun(project, ines))
    at_once([lambda: prompts.hand_in(stored, author=ines, edits=stored.edits, now=NOW)] * 6)
    assert PromptVersion.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_parallels_that_are_linked_at_once_stay_one_to_a_language(project, ines):
    root = begun(project, ines)
    twins = [begun(project, ines, f"zh-{n}", language="zh") for n in range(4)]
    found = at_once([lambda one=one: prompts.link(one, root, by=None, now=NOW).pk for one in twins])
    assert found.count("language_twice") == 3
    assert root.parallels.count() == 1
