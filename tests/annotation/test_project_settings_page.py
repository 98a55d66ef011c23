"""Making a project and changing its settings in the browser: who may, what is stored, what is refused and why."""

from decimal import Decimal
from html import unescape

import pytest
from django.urls import reverse

from annotation.models import JournalEntry, Project, Round
from annotation.queries.projects import work_of
from annotation.services import assignments, projects, scoring
from tests.factories import NOW, make_prompt, make_response, make_round, make_user
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db

NEW = "/projects/new/"
PAYLOAD = '"><script>alert(1)</script>{{ 7*7 }}'


@pytest.fixture
def operator(db):
    return make_user("olga", is_superuser=True)


@pytest.fixture
def page(project):
    return reverse("project_settings", args=[project.slug])


@pytest.fixture
def client_of_lead(browser_of, lead):
    return browser_of(lead)


@pytest.fixture
def send(client_of_lead, page):
    """Open the settings page and send its form with these fields changed."""

    def sending(*, opened=None, without=(), **changes):
        form = opened or sent_by(client_of_lead.get(page).content.decode(), "settings")
        kept = {name: value for name, value in form.items() if name not in without}
        return client_of_lead.post(page, {**kept, **changes})

    return sending


def shown(response):
    return unescape(response.content.decode())


# --- Making one ----------------------------------------------------------------------------------


def test_only_an_operator_makes_projects(browser_of, operator, lead, stranger, client):
    assert browser_of(operator).get(NEW).status_code == 200
    for person in (lead, stranger):
        for send in (browser_of(person).get, browser_of(person).post):
            assert send(NEW, {"name": "Mine", "taxonomy": "own"}).status_code == 403
    assert client.get(NEW).status_code == 302
    assert Project.objects.count() == 1


def test_whoever_makes_a_project_leads_it_and_is_told_what_comes_next(browser_of, operator):
    client = browser_of(operator)
    sent = {
        "name": "  Bridges   and\nroads ",
        "languages": ["en", "zh"],
        "other_languages": "PT_br, zh-hant",
        "taxonomy": "writing-preference",
    }
    answer = client.post(NEW, sent, follow=True)
    project = Project.objects.get()
    assert (project.slug, project.name) == ("bridges-and-roads", "Bridges and roads")
    assert project.languages == ["en", "zh", "pt-BR", "zh-Hant"]
    assert (project.taxonomy, project.genres.count(), project.rubrics.get().version) == (
        "writing-preference",
        59,
        1,
    )
    assert project.rubrics.get().guidelines.count() == 2
    assert project.memberships.get().user == operator
    assert answer.request["PATH_INFO"] == reverse("project_settings", args=[project.slug])
    assert "you lead it" in shown(answer)
    assert [entry.action for entry in project.journal.order_by("pk")] == [
        "project.created",
        "membership.added",
    ]


def test_a_project_may_begin_without_genres(browser_of, operator):
    browser_of(operator).post(NEW, {"name": "Own", "taxonomy": "own"})
    project = Project.objects.get()
    assert (project.taxonomy, project.genres.count()) == ("", 0)
    assert project.rubrics.get().criteria.filter(language="en").count() == 4


@pytest.mark.parametrize(
    ("name", "taken", "slug"),
    [
        ("写作评测", [], "project-1"),
        ("写作评测", ["project-1"], "project-2"),
        ("New", [], "new-2"),
        ("Bridges", ["bridges"], "bridges-2"),
        ("Bridges", ["bridges", "bridges-2"], "bridges-3"),
        ("Ünïcode & Co.", [], "unicode-co"),
        ("x" * 200, [], "x" * 60),
    ],
)
def test_a_short_name_is_made_where_none_is_given(browser_of, operator, name, taken, slug):
    for each in taken:
        projects.create(each, name=each, taxonomy="", by=None, now=NOW)
    browser_of(operator).post(NEW, {"name": name, "taxonomy": "own"})
    assert Project.objects.order_by("pk").last().slug == slug


@pytest.mark.parametrize(
    ("changes", "status", "sentence"),
    [
        ({"name": " "}, 422, "Give the project a name"),
        ({"name": "a\u202eb"}, 422, "cannot be seen"),
        ({"slug": "two words"}, 422, "letters, digits, hyphens"),
        ({"slug": "new"}, 422, "in use by a page"),
        ({"slug": "BRIDGES"}, 409, "a project bridges already"),
        ({"other_languages": "Chinese!"}, 422, "no language tag"),
        ({"other_languages": ",".join(f"a{chr(97 + n)}" for n in range(25))}, 422, "too many"),
        ({"taxonomy": "nothing"}, 422, "Choose genres"),
        ({"taxonomy": ""}, 422, "Choose genres"),
    ],
)
def test_a_project_that_cannot_be_is_refused_with_the_form_filled_in(
    browser_of, operator, project, changes, status, sentence
):
    sent = {"name": "Rivers", "slug": "rivers", "taxonomy": "weval", "other_languages": "fr", **changes}
    answer = browser_of(operator).post(NEW, sent)
    assert answer.status_code == status
    assert sentence in shown(answer)
    assert 'aria-invalid="true"' in shown(answer) or "taxonomy" in changes
    kept = sent_by(answer.content.decode(), "new-project")
    assert kept["other_languages"] == [sent["other_languages"]]
    assert Project.objects.count() == 1


def test_a_name_is_shown_as_it_was_written(browser_of, operator):
    client = browser_of(operator)
    answer = client.post(NEW, {"name": PAYLOAD, "taxonomy": "own"}, follow=True)
    assert PAYLOAD in shown(answer)
    assert "<script>alert" not in answer.content.decode()


# --- Settings ------------------------------------------------------------------------------------


def test_settings_are_for_leads(browser_of, project, lead, annotator, stranger, operator, page):
    assert browser_of(lead).get(page).status_code == 200
    for person, status in ((annotator, 403), (stranger, 404), (operator, 404)):
        assert browser_of(person).get(page).status_code == status
        assert browser_of(person).post(page, {"name": "Mine"}).status_code == status
    project.refresh_from_db()
    assert project.name == "Bridges"


def test_every_setting_says_what_it_does_and_what_it_means_once_work_has_begun(client_of_lead, page):
    html = shown(client_of_lead.get(page))
    assert html.count("Once work has begun:") == len(projects.SETTINGS)
    for field in projects.SETTINGS:
        assert f'id="id_{field}_helptext"' in html
        assert f'name="{field}"' in html


def test_a_refused_form_does_not_say_that_the_project_was_made(client_of_lead, page):
    made = f"{page}?made"
    answer = client_of_lead.get(made)
    assert "you lead it" in shown(answer)
    form = sent_by(answer.content.decode(), "settings")
    refused = client_of_lead.post(made, {**form, "name": ""})
    assert refused.status_code == 422
    assert "you lead it" not in shown(refused)


def test_a_form_that_is_sent_as_it_came_changes_nothing(send, project):
    project.refresh_from_db()
    before = projects.values(project)
    assert send().status_code == 302
    project.refresh_from_db()
    assert projects.values(project) == before
    assert not JournalEntry.objects.filter(action="project.changed").exists()


def test_only_what_changed_is_stored_and_journalled(send, project, lead):
    assert (
        send(
            name="Bridges 2",
            languages=["zh"],
            other_languages="fr",
            annotators_per_response="5",
            assigning="pool",
            criterion_marks="on",
            ties_allowed="on",
            justification_minimum="12",
            time_zone="Asia/Shanghai",
            hourly_rate="12.5",
            currency="cny",
            words_per_minute="200",
            characters_per_minute="400",
            alpha_acceptable="0.5",
            alpha_good="0.8",
            near_duplicate_percent="85",
        ).status_code
        == 302
    )
    project.refresh_from_db()
    assert (project.name, project.languages, project.slug) == ("Bridges 2", ["zh", "fr"], "bridges")
    assert (project.annotators_per_response, project.assigning) == (5, "pool")
    assert project.criterion_marks
    assert project.ties_allowed
    assert (project.justification_minimum, project.time_zone) == (12, "Asia/Shanghai")
    assert (project.hourly_rate, project.currency) == (Decimal("12.50"), "CNY")
    assert (project.words_per_minute, project.characters_per_minute) == (200, 400)
    assert (project.alpha_acceptable, project.alpha_good) == (Decimal("0.500"), Decimal("0.800"))
    entry = JournalEntry.objects.get(action="project.changed")
    assert (entry.actor, set(entry.data)) == (lead.user, set(projects.SETTINGS))
    assert entry.data["hourly_rate"] == [None, "12.5"]
    assert send(hourly_rate="", without=["criterion_marks"]).status_code == 302
    assert JournalEntry.objects.filter(action="project.changed").last().data == {
        "criterion_marks": [True, False],
        "hourly_rate": ["12.50", None],
    }


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "", "Give the project a name"),
        ("name", "n" * 201, "at most 200"),
        ("other_languages", "francais", "no language tag"),
        ("annotators_per_response", "1", "greater than or equal to 2"),
        ("annotators_per_response", "three", "whole number"),
        ("annotators_per_response", "2.5", "whole number"),
        ("assigning", "lottery", "Select a valid choice"),
        ("justification_minimum", "-1", "greater than or equal to 0"),
        ("time_zone", "Mars/Olympus", "time zone of the list"),
        ("hourly_rate", "-1", "greater than or equal to 0"),
        ("hourly_rate", "12,50", "with a point"),
        ("hourly_rate", "NaN", "with a point"),
        ("hourly_rate", "1.999", "2 decimal places"),
        ("currency", "€", "three letters"),
        ("currency", "USDX", "at most 3"),
        ("words_per_minute", "0", "greater than or equal to"),
        ("characters_per_minute", "99999", "less than or equal to"),
        ("alpha_acceptable", "1.1", "less than or equal to 1"),
        ("alpha_good", "0.4", "lies above"),
        ("alpha_good", "Infinity", "from 0 to 1"),
        ("near_duplicate_percent", "0", "greater than or equal to 1"),
        ("near_duplicate_percent", "101", "less than or equal to 100"),
    ],
)
def test_a_value_that_cannot_be_is_refused_at_its_field(send, project, field, value, sentence):
    answer = send(**{field: value})
    assert answer.status_code == 422
    assert sentence in shown(answer)
    assert f'id="id_{field}_error"' in shown(answer)
    if field != "assigning":
        assert sent_by(answer.content.decode(), "settings")[field] in ([value], ["UTC"])
    assert not JournalEntry.objects.filter(action="project.changed").exists()
    assert send(annotators_per_response="4").status_code == 302


def test_what_only_rounds_to_come_take_over_leaves_rounds_as_they_are(send, project, annotator):
    make_response(make_prompt(project))
    work = make_round(project)
    before = (work.annotators_per_response, work.assigning, work.assignments.count())
    assert send(annotators_per_response="6", assigning="pool").status_code == 302
    work.refresh_from_db()
    assert (work.annotators_per_response, work.assigning, work.assignments.count()) == before


def test_a_language_that_prompts_are_in_cannot_be_taken_away(send, project):
    for language in ("en", "zh-Hant", "fr", ""):
        make_prompt(project, language=language)
    assert send(languages=["en", "zh"], other_languages="fr").status_code == 302
    answer = send(without=["languages"], languages=["en"], other_languages="de")
    assert answer.status_code == 422
    assert "2 prompts are in languages that would be missing: fr, zh-Hant" in shown(answer)
    project.refresh_from_db()
    assert project.languages == ["en", "zh", "fr"]
    assert send(languages=["en"], other_languages="zh-hant fr de").status_code == 302
    assert send(without=["languages"], other_languages="").status_code == 302  # any
    project.refresh_from_db()
    assert project.languages == []


@pytest.mark.parametrize("state", ["open", "paused"])
def test_marks_cannot_be_switched_while_a_live_round_is_under_way(send, client_of_lead, page, project, state):
    work = make_round(project, "First round")
    Round.objects.filter(pk=work.pk).update(state=state)
    assert "This cannot be changed while a live round is under way (First round)" in shown(
        client_of_lead.get(page)
    )
    answer = send(criterion_marks="on", name="Another")
    assert answer.status_code == 422
    assert 'id="id_criterion_marks_error"' in shown(answer)
    project.refresh_from_db()
    assert (project.criterion_marks, project.name) == (False, "Bridges")
    assert send(name="Another").status_code == 302
    Round.objects.filter(pk=work.pk).update(state="locked", locked_at=NOW)
    assert send(criterion_marks="on").status_code == 302


def test_marks_may_be_switched_while_people_only_train(send, project):
    make_round(project, purpose=Round.Purpose.TRAINING)
    assert send(criterion_marks="on").status_code == 302


def test_the_shortest_justification_counts_for_scores_to_come(send, project, annotator):
    for _ in range(2):
        make_response(make_prompt(project))
    work = make_round(project)
    first = scoring.submit(assignments.claim(annotator, work, now=NOW), value=2, justification="", now=NOW)
    assert send(justification_minimum="3").status_code == 302
    lease = assignments.claim(annotator, work, now=NOW)
    with pytest.raises(scoring.Invalid, match="at least 3 words"):
        scoring.submit(lease, value=2, justification="too short", now=NOW)
    assert project.rounds.get().scores.get() == first


def test_a_form_that_others_overtook_is_refused_with_both_values(send, client_of_lead, page, project):
    opened = sent_by(client_of_lead.get(page).content.decode(), "settings")
    send(name="Theirs", time_zone="Asia/Shanghai", criterion_marks="on")
    answer = send(opened=opened, name="Mine")
    assert answer.status_code == 409
    html = shown(answer)
    assert "Somebody else changed the settings" in html
    for now in ("Now: Theirs", "Now: Asia/Shanghai", "Now: on"):
        assert now in html
    kept = sent_by(answer.content.decode(), "settings")
    assert kept["name"] == ["Mine"]
    project.refresh_from_db()
    assert project.name == "Theirs"
    assert send(opened=kept, criterion_marks="on").status_code == 302
    project.refresh_from_db()
    assert (project.name, project.time_zone, project.criterion_marks) == ("Mine", "UTC", True)


def test_the_same_form_sent_twice_is_stored_once(send, client_of_lead, page):
    opened = sent_by(client_of_lead.get(page).content.decode(), "settings")
    assert [send(opened=opened, name="Mine").status_code for _ in range(2)] == [302, 302]
    assert JournalEntry.objects.filter(action="project.changed").count() == 1


def test_fields_that_are_no_settings_are_passed_over(send, project):
    send(slug="other", created_at="2020-01-01", pseudonym_key="x", taxonomy="weval", name="Mine")
    before = (project.slug, project.created_at, project.pseudonym_key, project.taxonomy)
    project.refresh_from_db()
    assert (project.slug, project.created_at, project.pseudonym_key, project.taxonomy) == before
    assert project.name == "Mine"


def test_the_page_says_how_far_work_is(client_of_lead, page, project):
    assert "No round has been opened yet" in shown(client_of_lead.get(page))
    make_round(project)
    assert "1 round was opened. 0 scores are stored." in shown(client_of_lead.get(page))
    assert work_of(project).has_begun
