"""The lead's page of progress: what it says of work under way, to whom, and what a lead does from it."""

import re
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.errors import DomainError
from annotation.models import ActiveTime, Assignment, JournalEntry, Membership, Score
from annotation.services import mails, reminders
from curation.domain import ahead, planner
from curation.domain.charts import FEWEST, Table
from curation.models import Run
from curation.queries import pairs_ahead, progress_facts, progress_page
from curation.queries.progress_facts import FIGURES
from curation.services import figures
from curation.services.progress_figures import progress_charts
from tests.factories import make_member, make_project, make_round
from tests.page_tree import tree
from tests.ranking_rounds import make_ranking_round
from tests.work_under_way import (
    PEOPLE,
    compute,
    make_material,
    make_people,
    make_under_way,
    run_recipe,
    score_for,
)

pytestmark = pytest.mark.django_db
NOW = timezone.now().replace(microsecond=0)
PAGE = "/projects/bridges/progress/"


@pytest.fixture
def members(project):
    """Forty prompts of three responses, for three annotators each; 260 of 360 slots are filled, by six of seven."""
    return make_under_way(project, now=NOW)


@pytest.fixture
def drawn(monkeypatch):
    """No picture is drawn: what is said of progress stands beside them."""

    def nothing(charts):
        return [figures.Drawn(chart.heading, chart.table, "", "", "", b"") for chart in charts]

    monkeypatch.setattr(figures, "draw", nothing)


@pytest.fixture
def report(members, project, drawn):
    run_recipe(project, now=NOW)
    return compute(project, now=NOW)


def page_of(client, query=""):
    response = client.get(PAGE + query)
    assert response.status_code == 200, response.content.decode()[-400:]
    return tree(response.content)


def card(page, name):
    cards = page.one("dl", class_="progress-figures").all("div", class_="card")
    return next(each.text for each in cards if each.one("dt").text == name)


def rows(page, table):
    """The cells of its body and foot, line by line."""
    lines = page.one("table", class_=table).all("tr")[1:]
    return [[cell.text for cell in line.all("th", "td")] for line in lines]


def facts(project, now=NOW):
    return compute(project, now=now).result["progress"]


# --- Doors -----------------------------------------------------------------------------------------------


def addresses(member):
    names = ("pause", "go_on", "remind")
    return [
        ("get", PAGE),
        ("get", reverse("progress_remind", args=["bridges", member.pk])),
        *(("post", reverse(f"progress_{name}", args=["bridges", member.pk])) for name in names),
    ]


def test_annotators_and_instructors_are_refused_and_for_strangers_nothing_is_there(
    report, members, stranger, project, browser_of
):
    instructor, elsewhere = make_member(project, "instructor"), make_member(make_project(), "lead")
    before = JournalEntry.objects.count()
    for method, url in addresses(members[0]):
        for person, status in ((members[1], 403), (instructor, 403), (stranger, 404), (elsewhere, 404)):
            assert getattr(browser_of(person), method)(url).status_code == status, url
    assert JournalEntry.objects.count() == before
    assert not mail.outbox


def test_somebody_of_another_project_is_not_found_under_ones_own(report, lead, browser_of):
    other = make_member(make_project("elsewhere"), "annotator")
    for method, url in addresses(other)[1:]:
        assert getattr(browser_of(lead), method)(url).status_code == 404
    assert browser_of(lead).get(PAGE).status_code == 200


def test_what_changes_something_is_not_done_by_opening_an_address(members, lead, browser_of):
    for name in ("pause", "go_on"):
        address = reverse(f"progress_{name}", args=["bridges", members[0].pk])
        assert browser_of(lead).get(address).status_code == 405


# --- What stands there -----------------------------------------------------------------------------------


def test_the_numbers_of_the_cards(report, project, lead, browser_of):
    project.hourly_rate = Decimal("20.00")
    project.save()
    page = page_of(browser_of(lead))
    assert card(page, "Slots filled").startswith("Slots filled 260 / 360 72% · done on")
    assert "95 %:" in card(page, "Slots filled")
    seconds = sum((210, 260, 305, 410, 480, 655)[i % 6] for i in range(260))
    assert f"Time at work {seconds // 3600} h" in card(page, "Time at work")
    assert f"{seconds / 180:,.2f} USD" in card(page, "Time at work")
    run = Run.objects.get()
    pairs = run.pairs.count()
    assert f"{seconds / 3600 / pairs:.2f} Run {run.pk} : {pairs} accepted" in card(
        page, "Hours per accepted pair"
    )
    assert card(page, "Active annotators").startswith("Active annotators 3 of 7 4 idle for more than 3 days")
    assert (
        card(page, "Median time per text") == "Median time per text 5 min active, over 260 openings of a text"
    )
    assert card(page, "Open flags") == "Open flags 4 1 older than 2 days · Triage"


def test_the_forecast_is_that_of_the_planner(report, members, project):
    found = report.result["progress"]
    assert found["days_of_period"] == 7
    page = progress_page.progress_page(project, report, genres={}, ui_language="en")
    end = found["end"]
    assert page.end.day == NOW.date() + timedelta(days=round(7 * end["value"]))
    assert page.end.first <= page.end.day <= page.end.last
    assert found["so_far"][0] == 100
    assert found["so_far"][-1] <= 360
    assert found["so_far"] == sorted(found["so_far"])


def test_who_is_idle_longest_comes_first_and_is_told_in_words(report, lead, browser_of):
    found = rows(page_of(browser_of(lead)), "people-at-work")
    assert [row[0].split(" annotator-")[0] for row in found] == list(reversed(PEOPLE))
    assert "not yet idle for 56 days, the longest" in found[0]
    assert found[0][4:6] == ["–", "–"]
    assert sum("the longest" in " ".join(row) for row in found) == 1
    assert "idle" not in " ".join(found[-1])


def test_names_stand_on_the_page_and_pseudonyms_in_charts(report, members, project, lead, browser_of):
    assert "Ada Lovelace" in page_of(browser_of(lead)).text
    charts = str(
        [(chart.heading, chart.table, chart.specs) for chart in progress_charts(report.result["progress"])]
    )
    assert not any(name in charts + str(report.result) for name in ("Ada", "Mei Lin", "王小明"))


def test_coverage_counts_responses_of_a_genre_and_language_by_their_scores(report, lead, browser_of):
    found = rows(page_of(browser_of(lead)), "coverage")
    assert [row[0] for row in found] == [
        "Fiction English",
        "Fiction Chinese",
        "Poetry English",
        "Poetry Chinese",
    ]
    assert sum(int(row[-1]) for row in found) == 120
    assert [sum(int(row[number]) for row in found) for number in (1, 2, 3, 4)] == [33, 0, 1, 86]


def test_there_are_a_burn_down_and_scores_by_week(report):
    down, weeks = progress_charts(report.result["progress"])
    assert (down.heading.key, weeks.heading.key) == progress_facts.FIGURES
    assert down.heading.finding == "100 slots of 360 are left."
    numbers = [row[1].raw for row in down.table.rows]
    assert 100 in numbers
    assert numbers[-1] == 0
    assert sum(row[1].raw for row in weeks.table.rows) == 260


def test_weeks_without_a_score_have_no_best_one(report):
    weeks = [{**week, "scores": 0} for week in report.result["progress"]["weeks"]]
    _down, chart = progress_charts({**report.result["progress"], "weeks": weeks})
    assert chart.heading.finding == "Nothing was scored in these weeks."


# --- Little, nothing, unknown ----------------------------------------------------------------------------


def test_before_the_first_report_the_page_says_so(project, lead, browser_of):
    page = page_of(browser_of(lead))
    assert "Nothing has been computed yet." in page.text
    assert "Progress appears here once a worker has computed it." in page.text
    assert page.one("input", name="onward")["value"] == "progress"


def test_an_empty_project_says_in_words_what_is_not_there(project, lead, drawn, browser_of):
    compute(project, now=NOW)
    page = page_of(browser_of(lead))
    assert card(page, "Slots filled") == "Slots filled – no round of scores is open"
    assert card(page, "Time at work") == "Time at work – no time at work was recorded"
    assert card(page, "Hours per accepted pair") == "Hours per accepted pair – no curation run is done yet"
    assert card(page, "Active annotators") == "Active annotators – nobody annotates here yet"
    for words in ("Nobody annotates here yet.", "No live round is open.", "There are no responses yet."):
        assert words in page.text
    assert [row[3] for row in rows(page, "ahead")] == ["no prompt is finished yet"] * 3


def test_charts_of_nothing_have_axes_and_say_why(project, drawn):
    down, weeks = progress_charts(facts(project))
    assert down.heading.finding == "No round of scores is open."
    assert weeks.heading.finding == "No score has been given yet, or no file says when."
    assert down.specs["wide"]["layer"]


def test_one_day_of_work_gives_no_forecast(project, drawn, lead, browser_of):
    members = make_under_way(project, now=NOW, done=0)
    score_for(project.rounds.get(), members, done=4, now=NOW, weeks=0, hours_apart=0)
    found = facts(project)
    assert found["end"]["reason"] == "too_few_periods"
    page = page_of(browser_of(lead))
    assert "no forecast: it takes two whole days or weeks of work" in card(page, "Slots filled")
    assert card(page, "Median time per text").startswith(
        "Median time per text 4 min too few · active, over 4"
    )


def test_few_units_are_grey_and_called_too_few(project, drawn, lead, browser_of):
    make_under_way(project, now=NOW, prompts=4, done=36)
    run_recipe(project, now=NOW)
    compute(project, now=NOW)
    page = page_of(browser_of(lead), "?wanted=20&pairs=12")
    assert Run.objects.get().pairs.count() < FEWEST
    few = [each.text for each in page.one("dl", class_="progress-figures").all("dd", class_="few")]
    assert len(few) == 2
    for name in ("Hours per accepted pair", "Alpha, ordinal"):
        assert "too few" in card(page, name)
    assert "few" in page.one("p", class_="width-of-interval").classes
    assert all("too few" in row[3] for row in rows(page, "ahead"))


def test_without_time_at_work_hours_are_unknown_and_not_nothing(project, drawn, lead, browser_of):
    members = make_people(project, ("Ada", "Mei", "Otto", "Paul"), now=NOW)
    make_under_way_without_time(project, members)
    page = page_of(browser_of(lead), "?wanted=500&pairs=500")
    assert [row[4] for row in rows(page, "ahead")] == ["no time at work was recorded"] * 3
    assert card(page, "Hours per accepted pair").startswith(
        "Hours per accepted pair – no time at work was recorded · Run"
    )


def make_under_way_without_time(project, members):
    make_material(project, 40)
    work = make_round(project, "Main round")
    score_for(work, members, done=360, now=NOW, timed=False)
    run_recipe(project, now=NOW)
    compute(project, now=NOW)


# --- What is counted -------------------------------------------------------------------------------------


def test_time_of_somebody_who_left_was_paid_for_and_counts(members, project, drawn):
    before = facts(project)
    Membership.objects.filter(pk=members[0].pk).update(state="left")
    after = facts(project)
    assert after["seconds"] == before["seconds"] > 0
    assert len(after["people"]) == len(before["people"]) - 1


def test_time_at_rankings_is_paid_for_and_says_nothing_of_how_long_a_text_takes(members, project, drawn):
    run_recipe(project, now=NOW)
    before = facts(project)
    ActiveTime.objects.create(
        project=project,
        user=members[0].user,
        activity="judging",
        load=uuid4(),
        seconds=3600,
        started_at=NOW,
        updated_at=NOW,
    )
    after = facts(project)
    assert after["seconds"] == before["seconds"] + 3600
    spent = {person["pseudonym"]: person["seconds"] for person in before["people"]}
    more = {person["pseudonym"]: person["seconds"] - spent[person["pseudonym"]] for person in after["people"]}
    assert {name: seconds for name, seconds in more.items() if seconds} == {members[0].pseudonym: 3600}
    assert (after["median"], after["ahead"]) == (before["median"], before["ahead"])


def test_whoever_only_ranked_has_time_and_no_median(members, project, drawn, lead, browser_of):
    ActiveTime.objects.all().delete()
    ActiveTime.objects.create(
        project=project,
        user=members[0].user,
        activity="judging",
        load=uuid4(),
        seconds=3600,
        started_at=NOW,
        updated_at=NOW,
    )
    compute(project, now=NOW)
    page = page_of(browser_of(lead))
    (line,) = [row for row in rows(page, "people-at-work") if members[0].pseudonym in row[0]]
    assert "1 h" in " ".join(line)
    assert card(page, "Median time per text").endswith("no time at work was recorded")


def test_hours_a_pair_rest_on_the_scores_of_those_whose_time_was_recorded(members, project, drawn):
    ActiveTime.objects.filter(user=members[0].user).delete()
    spent = progress_facts._spent(project)
    own = Score.objects.filter(annotator=members[0]).count()
    assert progress_facts._scores_given(project, spent) == 260 - own


def test_scores_of_a_file_took_no_time_here(members, project, drawn):
    here = facts(project)["ahead"]["fiction"]
    run_recipe(project, now=NOW)
    found = facts(project)["ahead"]["fiction"]
    assert here["hours"]["reason"] == "no_pairs_yet"
    assert found["hours"]["value"] > 0
    spent = progress_facts._spent(project)
    assert progress_facts._scores_given(project, spent) == 260


def test_what_is_left_is_of_rounds_of_scores(members, project, drawn):
    make_ranking_round(project, name="In order")
    found = facts(project)
    assert {each["kind"] for each in found["rounds"]} == {"scores", "rankings"}
    assert (found["slots"], found["done"]) == (360, 260)


def test_weeks_without_a_score_are_there_until_today(members, project, drawn):
    later = NOW + timedelta(weeks=3)
    weeks = facts(project, now=later)["weeks"]
    assert date.fromisoformat(weeks[-1]["monday"]) <= later.date()
    assert [week["scores"] for week in weeks[-2:]] == [0, 0]


# --- The planner -----------------------------------------------------------------------------------------


def test_the_planner_gives_multiples_of_what_the_report_has(report, lead, browser_of):
    page = page_of(browser_of(lead), "?wanted=150&pairs=200")
    stored = report.result["progress"]["ahead"]
    known = {
        key: ahead.Known(one["found"], planner.Band(**one["responses"]), planner.Band(**one["hours"]))
        for key, one in stored.items()
    }
    each, total = ahead.ahead(known, 150)
    found = {row[0]: row for row in rows(page, "ahead")}
    for key, name in (("fiction", "Fiction"), ("poetry", "Poetry")):
        assert found[name][1:3] == [str(each[key].found), str(each[key].missing)]
        assert found[name][3].split()[0] == pairs_ahead._number(each[key].responses.value, 0)
    assert found["All genres"][2] == str(total.missing)
    wide = 100 * planner.width(200)
    assert f"On 200 pairs the 95 % interval of a model's accuracy is at most {wide:.1f}" in page.text


def test_all_pairs_of_the_run_are_found_ones_those_of_unfinished_prompts_too(report, lead, browser_of):
    run = Run.objects.get()
    scores = Counter(run.project.rounds.get().scores.values_list("response__prompt", flat=True))
    unfinished = [prompt for prompt, n in scores.items() if n < 9]
    assert run.pairs.filter(chosen__prompt__in=unfinished).exists()
    found = {row[0]: row for row in rows(page_of(browser_of(lead), "?wanted=150&pairs=200"), "ahead")}
    assert found["All genres"][1] == str(run.pairs.count())


@pytest.mark.parametrize(("value", "said"), [(57.656, "57.7"), (2.98, "3.0"), (0.06, "0.1"), (0.0, "0.0")])
def test_an_estimate_is_rounded_and_not_cut(value, said):
    assert pairs_ahead._number(value, 1) == said


def test_a_genre_with_its_pairs_needs_nothing(report, lead, browser_of):
    found = rows(page_of(browser_of(lead), "?wanted=1&pairs=1"), "ahead")
    assert [row[2:4] for row in found] == [["0", "there are enough"]] * 3


def test_a_genre_without_material_makes_the_sum_unknown(report, project, lead, browser_of):
    project.genres.create(key="speech", name_en="Speech", name_zh="演讲", position=2)
    found = {row[0]: row for row in rows(page_of(browser_of(lead)), "ahead")}
    assert found["Speech"][1:4] == ["0", "20", "no prompt is finished yet"]
    found = {row[0]: row for row in rows(page_of(browser_of(lead), "?wanted=500&pairs=5"), "ahead")}
    assert found["All genres"][3] == "no prompt is finished yet"


@pytest.mark.parametrize(
    "query", ["?wanted=0", "?wanted=many", "?pairs=-1", "?wanted=", "?pairs=99999999999"]
)
def test_a_number_that_cannot_be_is_refused_at_its_field(report, lead, browser_of, query):
    response = browser_of(lead).get(PAGE + query)
    page = tree(response.content)
    assert response.status_code == 422
    (refused,) = page.one("section", id="planner").all("input", aria_invalid="true")
    assert page.one("p", id=refused["aria-describedby"]).text
    assert not page.all("table", class_="ahead")
    assert page.all("table", class_="people-at-work")


# --- What a lead does ------------------------------------------------------------------------------------


def test_a_lead_pauses_somebody_and_lets_them_go_on(report, members, lead, browser_of):
    client, member = browser_of(lead), members[2]
    for name, state in (("pause", "paused"), ("pause", "paused"), ("go_on", "active"), ("go_on", "active")):
        response = client.post(reverse(f"progress_{name}", args=["bridges", member.pk]))
        assert response.url == f"{PAGE}#people"
        member.refresh_from_db()
        assert member.state == state
    acts = JournalEntry.objects.filter(action__in=["membership.paused", "membership.resumed"])
    assert acts.count() == 2  # a second click does nothing again


def test_whoever_is_paused_is_shown_so_at_once_and_is_not_idle(report, members, lead, browser_of):
    client = browser_of(lead)
    client.post(reverse("progress_pause", args=["bridges", members[-1].pk]))
    page = page_of(client)
    assert "3 of 6 3 idle for more than 3 days · 1 paused or declined" in card(page, "Active annotators")
    last = rows(page, "people-at-work")[-1]
    assert last[0].startswith("Paul annotator-07")
    assert last[1] == "Paused"
    assert "Let go on" in last[-1]
    assert "Remind" not in last[-1]


def test_whoever_is_in_preparation_is_neither_at_work_nor_idle(report, members, lead, browser_of):
    members[-1].qualifications.update(stage="training")
    page = page_of(browser_of(lead))
    assert "3 of 6 3 idle for more than 3 days · 1 in preparation" in card(page, "Active annotators")
    (line,) = [row for row in rows(page, "people-at-work") if "annotator-07" in row[0]]
    assert line[1] == "In preparation"
    assert "idle" not in " ".join(line)


@pytest.mark.parametrize(("stage", "said"), [("paused", "Paused"), ("declined", "Declined")])
def test_whoever_a_lead_has_stopped_in_every_language_is_not_at_work(
    report, members, lead, browser_of, stage, said
):
    members[-1].qualifications.update(stage=stage)
    page = page_of(browser_of(lead))
    assert "3 of 6 3 idle for more than 3 days · 1 paused or declined" in card(page, "Active annotators")
    (line,) = [row for row in rows(page, "people-at-work") if "annotator-07" in row[0]]
    assert line[1] == said
    assert "Let go on" not in line[-1]


def test_files_of_the_figures_name_days_alike_in_every_language(report):
    for key in FIGURES:
        files = [Table.from_dict(figure.content["table"]).csv() for figure in report.figures.filter(key=key)]
        assert len(files) == 2
        days = [{line.split(",")[0] for line in file.splitlines()[1:]} for file in files]
        assert days[0] == days[1]
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", day) for day in days[0])


def test_somebody_who_has_left_cannot_be_paused(report, members, lead, browser_of):
    Membership.objects.filter(pk=members[0].pk).update(state="left")
    response = browser_of(lead).post(reverse("progress_pause", args=["bridges", members[0].pk]))
    assert response.status_code == 409


def test_somebody_with_texts_waiting_is_reassigned_on_the_page_of_the_round(
    report, project, lead, browser_of
):
    page = page_of(browser_of(lead))
    links = {link["href"] for link in page.all("a", class_="reassign")}
    work = project.rounds.get()
    assert links == {reverse("round_work", args=["bridges", work.pk]) + "#seats-title"}
    assert browser_of(lead).get(links.pop()).status_code == 200


def test_in_a_pool_nothing_waits_for_one_person_so_nothing_is_reassigned(
    members, project, drawn, lead, browser_of
):
    project.rounds.update(assigning="pool")
    compute(project, now=NOW)
    assert not page_of(browser_of(lead)).all("a", class_="reassign")


def test_somebody_who_joined_since_is_shown_without_numbers(report, project, lead, browser_of):
    make_member(project, "annotator", "newcomer")
    found = rows(page_of(browser_of(lead)), "people-at-work")
    assert found[-1][0].startswith("newcomer")
    assert found[-1][2] == "Joined after these numbers were computed."


# --- Reminding -------------------------------------------------------------------------------------------


def remind(client, member, note=""):
    return client.post(reverse("progress_remind", args=["bridges", member.pk]), {"note": note})


def test_a_reminder_is_written_in_the_annotators_language_with_the_leads_own_line(
    report, members, lead, browser_of
):
    members[1].user.ui_language = "zh-hans"
    members[1].user.save()
    client = browser_of(lead)
    response = remind(client, members[1], "We freeze on Friday.")
    assert response.url == f"{PAGE}?reminded=annotator-02#people"
    (sent,) = mail.outbox
    assert sent.to == ["person-2@example.org"]
    assert "We freeze on Friday." in sent.body
    assert "http://testserver/\n" in sent.body
    assert not any(name in sent.body for name in ("annotator-", "Ada"))
    page = page_of(client, "?reminded=annotator-02")
    assert page.one("p", class_="notice").text == "A reminder to Mei Lin is on its way."
    assert f"Reminded {timezone.now().day}" in " ".join(" ".join(row) for row in rows(page, "people-at-work"))


def test_a_subject_stays_one_line_and_a_person_without_a_language_reads_that_of_the_lead(
    members, lead, project
):
    project.name = "Bridges\nBcc: all@example.org"
    sent = mails.reminder(members[0], by=lead.user, note="", url="http://x/")
    assert sent.subject == "Your work in Bridges Bcc: all@example.org"
    assert sent.recipients() == ["person-1@example.org"]
    assert sent.body.startswith("Hello Ada Lovelace,")


def test_nobody_is_reminded_twice_within_a_day(report, members, lead, browser_of):
    client = browser_of(lead)
    assert remind(client, members[0]).status_code == 302
    again = remind(client, members[0])
    assert again.status_code == 409
    assert "Nobody is reminded twice within 24 hours." in again.content.decode()
    assert len(mail.outbox) == 1
    assert remind(client, members[1]).status_code == 302
    with pytest.raises(DomainError):
        reminders.remind(members[0], by=lead.user, now=timezone.now() + timedelta(hours=23))
    reminders.remind(members[0], by=lead.user, now=timezone.now() + timedelta(hours=25))


def test_a_mail_that_the_server_did_not_take_may_be_tried_again(
    report, members, lead, browser_of, monkeypatch
):
    client = browser_of(lead)
    with monkeypatch.context() as broken:
        broken.setattr(mails, "send_quietly", lambda mail: False)
        failed = remind(client, members[0], "Until Friday, please.")
    assert failed.status_code == 502
    assert "The mail server did not take the mail." in failed.content.decode()
    assert "Until Friday, please." in failed.content.decode()
    assert remind(client, members[0]).status_code == 302
    assert len(mail.outbox) == 1


def test_without_a_mail_server_the_pages_say_so(report, members, lead, browser_of, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    client = browser_of(lead)
    page = page_of(client)
    assert "This site has no mail server, so nobody can be reminded from here." in page.text
    assert "Remind" not in page.one("table", class_="people-at-work").text
    shown = client.get(reverse("progress_remind", args=["bridges", members[0].pk])).content.decode()
    assert "This site has no mail server" in shown
    assert remind(client, members[0]).status_code == 409
    assert not JournalEntry.objects.filter(action="membership.reminded").exists()


def test_whoever_is_paused_or_has_no_address_is_not_reminded(report, members, lead, browser_of):
    Membership.objects.filter(pk=members[0].pk).update(state="paused")
    members[1].user.email = ""
    members[1].user.save()
    for member, words in (
        (members[0], "This role is not active"),
        (members[1], "has given no e-mail address"),
    ):
        refused = remind(browser_of(lead), member)
        assert refused.status_code == 409
        assert words in refused.content.decode()
    assert not mail.outbox


def test_a_line_that_is_too_long_comes_back_as_it_was_written(report, members, lead, browser_of):
    refused = remind(browser_of(lead), members[0], "long " * 200)
    page = tree(refused.content)
    assert refused.status_code == 422
    assert page.one("textarea", id="note")["aria-invalid"] == "true"
    assert page.one("textarea", id="note").text.count("long") == 200
    assert not mail.outbox


# --- Size ------------------------------------------------------------------------------------------------


def test_the_number_of_queries_grows_with_neither_annotators_nor_scores(project, drawn, lead, browser_of):
    members = make_under_way(project, now=NOW, names=("Ada", "Mei", "Otto", "Paul"), prompts=4, done=6)
    compute(project, now=NOW)
    client = browser_of(lead)

    def queries():
        with CaptureQueriesContext(connection) as asked:
            page_of(client)
        return len(asked)

    page_of(client)  # what is kept of a page is rendered once
    few = queries()
    for number in range(20):
        member = make_member(project, "annotator", f"more-{number}")
        member.user.email = f"more-{number}@example.org"
        member.user.save()
        reminders.remind(member, by=lead.user, now=NOW)
    work = project.rounds.get()
    Assignment.objects.filter(round=work, state="open").update(reserved_for=members[0])
    compute(project, now=NOW + timedelta(minutes=1))
    assert queries() == few
    assert few <= 16


def test_the_page_is_read_from_the_report_alone(report, project, lead, browser_of, monkeypatch):
    for name in ("progress", "people", "live_rounds", "finished"):
        monkeypatch.setattr(progress_facts, name, lambda *_, **__: pytest.fail("computed on request"))
    monkeypatch.setattr(planner, "plan", lambda *_, **__: pytest.fail("computed on request"))
    page = page_of(browser_of(lead))
    assert card(page, "Slots filled").startswith("Slots filled 260 / 360")
    assert datetime.now(tz=UTC) >= report.as_of
