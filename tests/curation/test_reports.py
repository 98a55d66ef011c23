"""Reports: computed by a worker for a choice of the judgements, from a snapshot, again when enough is new."""

from datetime import date, timedelta

import pytest

from annotation.services import jobs, membership, rankings, triage
from curation import tasks
from curation.domain import agreement
from curation.domain.choice import Choice
from curation.models import ColumnSnapshot, Figure, Report
from curation.queries import report_state
from curation.queries.material import live_scores
from curation.services import report_work, reports
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round, score_all
from tests.ranking_rounds import hand_out, make_ranking_round, make_set, tiers

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("undrawn")]
NAMES = ("ann", "ben", "cat")


def clock():
    return NOW


@pytest.fixture
def scored(project):
    """Eight responses to four prompts of two genres, scored by three."""
    for name in NAMES:
        make_member(project, "annotator", name)
    fiction, poetry = project.genres.order_by("position")
    values = {}
    for number in range(4):
        prompt = make_prompt(project, f"p{number}", genre=(fiction, poetry)[number % 2])
        for side in (0, 1):
            make_response(prompt, f"p{number}-{side}")
            values |= {
                (f"p{number}-{side}", name): (number + 2 * side + (name == "cat")) % 4 for name in NAMES
            }
    score_all(make_round(project), values)
    return project


EVERYTHING = Choice()


def computed(project, choice=EVERYTHING, now=NOW):
    report = reports.request(project, choice=choice, by=None, now=now)
    report_work.execute(report.pk, clock=lambda: now)
    report.refresh_from_db()
    assert report.state == "done", report.error
    return report


def test_a_report_says_what_agreement_says_of_the_same_scores(scored):
    result = computed(scored).result
    rows = live_scores(scored)
    prompt = dict(scored.responses.values_list("external_id", "prompt__external_id"))
    expected = agreement.report(
        [row.response_id for row in rows],
        [row.annotator for row in rows],
        [row.score for row in rows],
        clusters=[prompt[row.response_id] for row in rows],
    )
    for level in agreement.LEVELS:
        found = result["alpha"][level]
        assert found["value"] == pytest.approx(expected.alpha[level].value, abs=1e-12)
        assert (found["low"], found["high"]) == (expected.alpha[level].low, expected.alpha[level].high)
    assert result["counts"] == {"scores": 24, "responses": 8, "prompts": 4, "annotators": 3}
    assert {group["key"] for group in result["genres"]} == {"fiction", "poetry"}


def test_it_has_its_figures_in_both_languages(scored, drawn):
    report = computed(scored)
    by_language = {
        language: set(report.figures.filter(language=language).values_list("key", flat=True))
        for language in ("en", "zh-hans")
    }
    assert by_language["en"] == by_language["zh-hans"] >= {"genres", "severity", "use", "pairs"}
    figure = report.figures.get(key="genres", language="en")
    assert figure.content["wide"].startswith("<svg")
    assert bytes(figure.png).startswith(b"\x89PNG")
    assert "Fiction" in figure.content["wide"]
    assert "小说" in report.figures.get(key="genres", language="zh-hans").content["wide"]


def test_names_of_annotators_are_in_no_figure_and_no_result(scored):
    report = computed(scored)
    said = str(report.result) + "".join(str(figure.content) + figure.svg for figure in report.figures.all())
    assert "annotator-01" in said
    assert not any(name in said.split() or f"'{name}'" in said for name in NAMES)


def test_a_choice_is_a_report_of_its_own(scored):
    everything = computed(scored)
    poetry = computed(scored, Choice(genre="poetry"))
    assert poetry.choice == "genre=poetry"
    assert poetry.result["counts"]["prompts"] == 2
    assert "progress" in everything.result
    assert "progress" not in poetry.result
    assert poetry.snapshot == everything.snapshot


@pytest.mark.parametrize("choice", [Choice(until=date.max), Choice(since=date.min)])
def test_the_first_and_the_last_day_that_there_are_choose_everything(scored, choice):
    assert computed(scored, choice).result["counts"] == computed(scored).result["counts"]


def test_a_newer_report_of_a_choice_takes_the_place_of_the_older(scored):
    first, other = computed(scored), computed(scored, Choice(genre="poetry"))
    second = computed(scored, now=NOW + timedelta(hours=2))
    assert set(Report.objects.all()) == {other, second}
    assert not Figure.objects.filter(report=first.pk).exists()
    old = computed(scored, now=NOW + timedelta(days=20))
    assert set(Report.objects.all()) == {old}


def test_figures_of_a_report_that_was_just_replaced_can_still_be_taken_away(scored):
    first = computed(scored)
    computed(scored, now=NOW + timedelta(minutes=30))
    assert Figure.objects.filter(report=first.pk).exists()


def test_of_an_unchanged_project_no_score_is_read_again(scored, monkeypatch):
    first = computed(scored)
    read = report_work.stored.columns
    monkeypatch.setattr(report_work.stored, "columns", lambda project: pytest.fail("read again"))
    assert computed(scored, Choice(genre="poetry")).snapshot == first.snapshot
    assert computed(scored).result["alpha"] == first.result["alpha"]
    monkeypatch.setattr(report_work.stored, "columns", read)
    score_all(make_round(scored, "Round 2"), {("p0-0", "ann"): 3})
    assert computed(scored).result["counts"] == first.result["counts"] | {"scores": 24}
    assert computed(scored).snapshot != first.snapshot


def test_a_removed_response_is_seen_though_no_score_is_new(scored, lead):
    assert computed(scored).result["counts"]["responses"] == 8
    triage.decide(scored.responses.get(external_id="p0-0"), "remove", kind="other", by=lead.user, now=NOW)
    assert computed(scored).result["counts"]["responses"] == 7


def test_a_snapshot_without_a_report_goes(scored, project):
    computed(scored)
    make_response(make_prompt(project, "p9"), "p9-0")
    score_all(make_round(project, "Round 2"), {("p9-0", "ann"): 1} | {(f"p0-{s}", "ann"): 0 for s in (0, 1)})
    second = computed(scored, now=NOW + timedelta(hours=2))
    assert list(ColumnSnapshot.objects.all()) == [second.snapshot]


def test_asking_twice_gives_the_report_that_waits(scored):
    first = reports.request(scored, choice=Choice(), by=None, now=NOW)
    assert reports.request(scored, choice=Choice(), by=None, now=NOW) == first
    assert reports.request(scored, choice=Choice(language="en"), by=None, now=NOW) != first


def test_executing_twice_computes_once(scored, monkeypatch):
    report = computed(scored)
    monkeypatch.setattr(report_work.reports, "compute", lambda *_, **__: pytest.fail("computed again"))
    report_work.execute(report.pk, clock=clock)


def test_how_far_it_is_can_be_seen_meanwhile(scored, monkeypatch):
    seen = []
    note = jobs.note
    monkeypatch.setattr(jobs, "note", lambda job, **said: (seen.append(said), note(job, **said)))
    computed(scored)
    percents = [said["percent_done"] for said in seen]
    assert percents == sorted(percents)
    assert 0 < percents[0] < percents[-1] < 100


def test_agreement_rests_on_the_responses_that_two_people_scored(scored):
    prompt = make_prompt(scored, "p9", genre=scored.genres.get(key="poetry"))
    make_response(prompt, "p9-0")
    everything = scored.responses.values_list("external_id", flat=True)
    score_all(make_round(scored, "Round 2"), {(response, "ann"): 1 for response in everything})
    result = computed(scored).result
    assert (result["alpha"]["n_units"], result["alpha"]["n_pairable_units"]) == (9, 8)
    sizes = {group["key"]: (group["n_units"], group["n_pairable_units"]) for group in result["genres"]}
    assert sizes == {"fiction": (4, 4), "poetry": (5, 4)}
    assert sum(week["n_pairable_units"] for week in result["weeks"]) == 8


def test_an_empty_project_has_a_report_that_says_why(project):
    result = computed(project).result
    assert result["alpha"]["ordinal"] == {"value": None, "low": None, "high": None, "reason": "empty"}
    assert result["annotators"] == []


def test_one_score_alone_is_no_agreement(project):
    make_member(project, "annotator", "ann")
    make_response(make_prompt(project, "p1"), "r1")
    score_all(make_round(project), {("r1", "ann"): 2})
    result = computed(project).result
    assert result["alpha"]["ordinal"]["reason"] == "no_pairable_values"
    assert result["worst"] == []


# --- When one is due -----------------------------------------------------------------------------------


def test_the_first_scores_ask_for_a_report(scored):
    asked = reports.request_due(now=NOW)
    assert [(report.project, report.choice) for report in asked] == [(scored, "")]


def test_a_project_without_scores_asks_for_none(project):
    assert reports.request_due(now=NOW) == []


def test_without_new_scores_none_is_due(scored):
    computed(scored)
    assert reports.request_due(now=NOW + timedelta(days=1)) == []


def test_enough_new_scores_ask_for_another(scored, monkeypatch):
    computed(scored)
    monkeypatch.setattr(reports, "NEW_SCORES", 4)
    make_response(make_prompt(scored, "p9"), "p9-0")
    everything = {
        (response, name): 1
        for response in scored.responses.values_list("external_id", flat=True)
        for name in NAMES
    }
    score_all(make_round(scored, "Round 2"), dict(list(everything.items())[:3]))
    assert reports.request_due(now=NOW + timedelta(hours=1)) == []
    score_all(scored.rounds.get(name="Round 2"), everything)
    assert reports.request_due(now=NOW + timedelta(minutes=1)) == []
    assert len(reports.request_due(now=NOW + timedelta(hours=1))) == 1


def test_a_failed_report_is_asked_for_again_an_hour_later(scored, monkeypatch):
    report = reports.request(scored, choice=Choice(), by=None, now=NOW)
    monkeypatch.setattr(report_work.reports, "compute", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report_work.execute(report.pk, clock=clock)
    report.refresh_from_db()
    assert report.state == "failed"
    assert reports.request_due(now=NOW + timedelta(minutes=30)) == []
    assert len(reports.request_due(now=NOW + timedelta(hours=2))) == 1


def test_data_that_were_withdrawn_ask_for_a_report_and_the_ones_that_count_them_go(scored, lead):
    first, poetry = computed(scored), computed(scored, Choice(genre="poetry"))
    leaver = scored.memberships.get(user__username="cat")
    membership.withdraw_data(leaver, reason="Asked to.", by=lead.user, now=NOW + timedelta(minutes=1))
    asked = reports.request_due(now=NOW + timedelta(minutes=30))
    assert [report.choice for report in asked] == [""]
    assert not Report.objects.filter(pk__in=[first.pk, poetry.pk]).exists()
    assert not ColumnSnapshot.objects.exists()
    newer = computed(scored, now=NOW + timedelta(minutes=31))
    assert newer.result["counts"]["annotators"] == first.result["counts"]["annotators"] - 1


def test_withdrawn_data_wait_for_no_pause(scored, lead):
    computed(scored)
    leaver = scored.memberships.get(user__username="cat")
    membership.withdraw_data(leaver, reason="Asked to.", by=lead.user, now=NOW + timedelta(minutes=1))
    assert len(reports.request_due(now=NOW + timedelta(minutes=1, seconds=15))) == 1


def test_rankings_ask_for_a_report_as_scores_do(project, annotator, monkeypatch):
    for _ in range(2):
        make_set(project)
    work = make_ranking_round(project)
    assert reports.request_due(now=NOW) == []

    def rank(now):
        rankings.submit(
            hand_out(annotator, work, now=now), tiers=tiers("A > B > C"), justification="", now=now
        )

    rank(NOW)
    (report,) = reports.request_due(now=NOW)
    report_work.execute(report.pk, clock=clock)
    monkeypatch.setattr(reports, "NEW_SCORES", 1)
    assert reports.request_due(now=NOW + timedelta(hours=1)) == []
    rank(NOW + timedelta(minutes=1))
    assert len(reports.request_due(now=NOW + timedelta(hours=1))) == 1


def test_what_an_earlier_version_of_the_program_said_is_not_shown_and_is_computed_anew(scored):
    computed(scored)
    Report.objects.update(code_version="0.0.1")
    assert report_state.state(scored, Choice(), now=NOW).report is None
    assert len(reports.request_due(now=NOW + timedelta(days=1))) == 1


def test_the_sweep_asks_for_what_is_due(scored, monkeypatch):
    nudged = []
    monkeypatch.setattr(tasks.compute_report, "delay", nudged.append)
    tasks.sweep()
    assert nudged == [Report.objects.get().pk]


def test_projects_have_reports_of_their_own(scored):
    other = make_project("walls")
    assert computed(other).result["counts"]["scores"] == 0
    assert computed(scored).result["counts"]["scores"] == 24
