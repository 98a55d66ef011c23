"""REST: agreement and progress as a worker computed them last, for a lead's notebook and nobody else's."""

import io
import json
from datetime import timedelta

import pandas
import pytest
from django.utils import timezone

from annotation.services import assignments, jobs, membership, tokens
from api import agreement as views
from api.tables import TABLES
from curation import tasks
from curation.domain import agreement
from curation.domain.choice import Choice
from curation.domain.version import VERSION
from curation.models import ColumnSnapshot, Report
from curation.services import recipes, report_work, reports, runs
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round, score_all

pytestmark = pytest.mark.django_db

URL = "/api/v1/projects/bridges/agreement/"
PROGRESS = "/api/v1/projects/bridges/progress/"
NAMES = ("ursula", "benedict", "catherine")
EVERYTHING = Choice()


def table_url(name, query=""):
    return f"{URL}tables/{name}.csv{query}"


@pytest.fixture(autouse=True)
def _without_pictures(monkeypatch):
    """Drawing takes longer than everything else here, and no picture leaves by these addresses."""
    monkeypatch.setattr(report_work, "_figures", lambda report, result: [])


@pytest.fixture
def nudged(monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.compute_report, "delay_on_commit", sent.append)
    return sent


class Caller:
    """A client with a token."""

    def __init__(self, client, user):
        self.client = client
        self.token = tokens.create(user, name="script", now=timezone.now(), days=None)
        self.headers = {"authorization": f"Bearer {self.token}"}

    def get(self, url=URL, **headers):
        return self.client.get(url, headers={**self.headers, **headers})

    def post(self, url=URL, body=None):
        if body is None:
            return self.client.generic("POST", url, headers=self.headers)
        raw = body if isinstance(body, str) else json.dumps(body)
        return self.client.post(url, raw, content_type="application/json", headers=self.headers)


@pytest.fixture
def caller(client, lead, nudged):
    return Caller(client, lead.user)


def fill(project):
    """Eight responses to four prompts of two genres and languages, scored by three."""
    for name in NAMES:
        make_member(project, "annotator", name)
    fiction, poetry = project.genres.order_by("position")
    values = {}
    for number in range(4):
        genre, language = ((fiction, "en"), (poetry, "zh"))[number % 2]
        prompt = make_prompt(project, f"p{number}", genre=genre, language=language)
        for side in (0, 1):
            make_response(prompt, f"p{number}-{side}")
            for name in NAMES:
                values[f"p{number}-{side}", name] = (number + 2 * side + (name == "catherine")) % 4
    score_all(make_round(project, "Round 1"), values)


@pytest.fixture
def scored(project):
    fill(project)
    return project


def computed(project, choice=EVERYTHING, now=NOW):
    report = reports.request(project, choice=choice, by=None, now=now)
    report_work.execute(report.pk, clock=lambda: now)
    report.refresh_from_db()
    assert report.state == "done", report.error
    return report


def error_of(response):
    return response.json()


def frame(response):
    assert response.status_code == 200, response.content
    return pandas.read_csv(io.BytesIO(response.content))


# --- What is given -----------------------------------------------------------------------------------


def test_it_gives_the_newest_result_and_what_it_stands_on(caller, scored):
    report = computed(scored)
    told = caller.get().json()
    assert told["result"] == {name: value for name, value in report.result.items() if name != "progress"}
    assert told["result"]["counts"]["scores"] == 24
    assert (told["project"], told["as_of"]) == ("bridges", "2026-03-02T09:00:00Z")
    assert (told["code_version"], told["snapshot"]) == (VERSION, ColumnSnapshot.objects.get().digest)
    assert told["choice"] == dict.fromkeys(("genre", "language", "annotator", "round", "since", "until"))
    assert (told["newest"]["state"], told["newest"]["percent"]) == ("done", 100)


def test_a_choice_has_numbers_of_its_own(caller, scored):
    work = scored.rounds.get()
    computed(scored)
    computed(scored, Choice(genre="poetry", round=str(work.pk), since=NOW.date(), until=NOW.date()))
    query = "?genre=poetry&round=Round+1&since=2026-03-02&until=2026-03-02"
    told = caller.get(URL + query).json()
    assert told["result"]["counts"]["prompts"] == 2
    assert told["choice"] == {
        "genre": "poetry",
        "language": None,
        "annotator": None,
        "round": "Round 1",
        "since": "2026-03-02",
        "until": "2026-03-02",
    }
    assert told["url"].endswith(URL + query)
    assert told["tables"]["genres"].endswith(table_url("genres", query))
    assert len(frame(caller.get(told["tables"]["genres"]))) == 1


def test_empty_parameters_choose_everything(caller, scored):
    computed(scored)
    told = caller.get(URL + "?genre=&since=").json()
    assert told["result"]["counts"]["scores"] == 24
    assert caller.get(URL + "?annotator=annotator-01").status_code == 404


def test_progress_is_that_of_the_whole_project(caller, scored):
    report = computed(scored)
    told = caller.get(PROGRESS).json()
    found = told["progress"]
    assert (found["slots"], found["done"]) == (24, 24)
    assert found["weeks"] == report.result["progress"]["weeks"]
    work = found["rounds"][0]
    assert (work["name"], work["state"], work["slots"], work["done"]) == ("Round 1", "open", 24, 24)
    assert told["snapshot"] == report.snapshot.digest
    refused = caller.get(PROGRESS + "?genre=poetry")
    assert (refused.status_code, error_of(refused)["code"]) == (400, "unknown_parameter")
    assert caller.post(PROGRESS).status_code == 405


def test_rounds_in_which_somebody_has_texts_left_go_by_their_names(caller, scored):
    make_response(make_prompt(scored, "p9"), "p9-0")
    holder = scored.memberships.get(pseudonym="annotator-02")
    assert assignments.claim(holder, make_round(scored, "Round 2"), now=NOW)
    computed(scored)
    people = caller.get(PROGRESS).json()["progress"]["people"]
    assert [person["left_in"] for person in people] == [[], ["Round 2"], []]


def test_a_report_of_a_choice_is_no_progress(caller, scored):
    computed(scored, Choice(genre="poetry"))
    refused = caller.get(PROGRESS)
    assert (refused.status_code, error_of(refused)["code"]) == (404, "not_computed")
    assert URL in error_of(refused)["detail"]


def test_nobody_is_named_and_no_key_is_told(caller, scored):
    recipe = recipes.save(scored, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    runs.execute(runs.request(scored, recipe=recipe, by=None, now=NOW).pk, clock=lambda: NOW)
    scored.memberships.filter(role="annotator").first().user.emailaddress_set.create(email="u@example.org")
    computed(scored)
    addresses = (URL, PROGRESS, *map(table_url, TABLES))
    said = {url: caller.get(url).content.decode() for url in addresses}
    assert "accepted" in said[PROGRESS]
    assert "annotator-01" in said[URL]
    assert "annotator-01" in said[PROGRESS]
    for text in said.values():
        assert not any(name in text for name in (*NAMES, "example.org", '"pk"', '"id"'))


# --- Tables ------------------------------------------------------------------------------------------

COLUMNS = {
    "annotators": ["annotator", "scores", "score_0", "severity", "severity_low", "against_rest", "without"],
    "pairs": ["one", "other", "n", "plain", "linear", "quadratic", "reason"],
    "genres": ["genre", "n_units", "n_pairable", "ordinal", "ordinal_low", "ordinal_high", "nominal"],
    "languages": ["language", "n_units", "ordinal", "interval"],
    "weeks": ["week", "n_units", "ordinal", "ordinal_reason"],
    "rankings": ["statistic", "shown", "n", "value", "value_low", "value_high", "value_reason"],
    "worst": ["place", "response", "prompt", "genre", "language", "spread", "annotator", "score"],
    "ceiling": ["of", "genre", "annotators", "pairs", "prompts", "ceiling", "ceiling_low", "ceiling_high"],
}


def test_every_table_is_loaded_by_pandas_and_agrees_with_the_result(caller, scored):
    result = computed(scored).result
    assert set(COLUMNS) == set(TABLES)
    tables = {}
    for name, columns in COLUMNS.items():
        response = caller.get(table_url(name), accept="text/csv")
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        tables[name] = frame(response)
        assert set(columns) <= set(tables[name].columns)
        assert not tables[name].columns.duplicated().any()
    people = tables["annotators"].set_index("annotator")
    for person in result["annotators"]:
        row = people.loc[person["annotator"]]
        assert row["severity"] == person["severity"]["severity"]["value"]
        assert row["severity_high"] == person["severity"]["severity"]["high"]
        assert row["score_3"] == person["use"][3]
        assert (row["gold_n"], row["gold_kappa_reason"]) == (0, person["gold"]["reason"])
    for found in result["without"]:
        assert people.loc[found["annotator"]]["without"] == found["value"]
        assert people.loc[found["annotator"]]["without_n"] == found["n"] > 0
    statistics = tables["rankings"].set_index("statistic")
    assert statistics["value_reason"].to_dict() == {
        name: result["rankings"][name]["reason"] for name in ("w", "tau", "position")
    }
    genres = tables["genres"].set_index("genre")
    assert genres["ordinal"].to_dict() == {row["key"]: row["ordinal"]["value"] for row in result["genres"]}
    assert set(tables["languages"]["language"]) == {"en", "zh"}
    assert tables["weeks"]["week"].tolist() == ["2026-W10"]
    assert tables["pairs"]["quadratic"].tolist() == [row["quadratic"] for row in result["pairs"]["kappas"]]
    assert len(tables["worst"]) == sum(len(row["scores"]) for row in result["worst"]) > 0
    overall = tables["ceiling"].query("of == 'all'").iloc[0]
    assert overall["ceiling"] == result["ceiling"]["overall"]["value"]


def test_levels_of_a_table_are_those_of_the_report(caller, scored):
    result = computed(scored).result
    row = frame(caller.get(table_url("genres"))).iloc[0]
    for level in agreement.LEVELS:
        assert row[level] == pytest.approx(result["genres"][0][level]["value"])


def test_a_table_of_nothing_has_its_header(caller, project):
    computed(project)
    for name, columns in COLUMNS.items():
        loaded = frame(caller.get(table_url(name)))
        assert set(columns) <= set(loaded.columns)
        assert len(loaded) == {"ceiling": 1, "rankings": 3}.get(name, 0)


def test_what_is_not_defined_is_empty_and_has_its_reason(caller, project):
    make_member(project, "annotator", "ursula")
    make_response(make_prompt(project, "p1", genre=project.genres.first()), "=1+1")
    score_all(make_round(project), {("=1+1", "ursula"): 2})
    computed(project)
    row = frame(caller.get(table_url("genres"))).iloc[0]
    assert pandas.isna(row["ordinal"])
    assert row["ordinal_reason"] == "no_pairable_values"


def test_a_name_that_is_a_formula_is_not_run_by_a_spreadsheet(caller, scored):
    make_response(make_prompt(scored, "p9"), "=1+1")
    score_all(make_round(scored, "Round 2"), {("=1+1", name): place for place, name in enumerate(NAMES)})
    said = {"place": 1, "response": "=1+1", "scores": {"annotator-01": -1}}
    cells = TABLES["worst"].csv({"worst": [said]}).splitlines()[1].split(",")
    assert (cells[1], cells[-1]) == ("'=1+1", "-1")


def test_rankings_stand_beside_the_scores_of_their_annotator(caller, scored):
    computed(scored)
    ranked = {"annotator": "annotator-02", "value": 0.5, "n": 3}
    result = {**Report.objects.get().result, "rankings": {"with_scores": [ranked]}}
    loaded = pandas.read_csv(io.StringIO(TABLES["annotators"].csv(result))).set_index("annotator")
    assert loaded["rankings_tau"].dropna().to_dict() == {"annotator-02": 0.5}


def test_a_table_that_is_not_there_says_which_are(caller, scored):
    computed(scored)
    refused = caller.get(table_url("people"), accept="text/csv")
    assert (refused.status_code, error_of(refused)["code"]) == (404, "no_such_table")
    assert "annotators, pairs" in error_of(refused)["detail"]


@pytest.mark.django_db(transaction=True)
def test_one_line_of_pandas_loads_a_table_from_the_site(caller, scored, live_server):
    computed(scored)
    url, headers = live_server.url + table_url("genres"), {"Authorization": f"Bearer {caller.token}"}
    assert pandas.read_csv(url, storage_options=headers)["genre"].tolist() == ["fiction", "poetry"]


# --- Kept by the one who asks ------------------------------------------------------------------------


@pytest.mark.parametrize("url", [URL, PROGRESS, table_url("pairs")])
def test_what_is_held_already_is_not_sent_again(caller, scored, url, django_assert_max_num_queries):
    computed(scored)
    first = caller.get(url)
    assert first["Cache-Control"] == "private, no-cache"
    assert "Authorization" in first["Vary"]
    with django_assert_max_num_queries(4):
        again = caller.get(url, if_none_match=first["ETag"])
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    computed(scored, now=NOW + timedelta(hours=1))
    anew = caller.get(url, if_none_match=first["ETag"])
    assert anew.status_code == 200
    assert anew["ETag"] != first["ETag"]


def test_no_two_answers_have_the_same_tag(caller, scored):
    computed(scored)
    computed(scored, Choice(genre="poetry"))
    urls = (URL, URL + "?genre=poetry", PROGRESS, *map(table_url, TABLES))
    assert len({caller.get(url)["ETag"] for url in urls}) == len(urls)


def test_a_report_that_is_replaced_while_it_is_read_gives_the_newer(caller, scored, monkeypatch):
    computed(scored)
    state, replaced = views.report_state.state, []

    def overtaken(*args, **kwargs):
        found = state(*args, **kwargs)
        if not replaced:
            replaced.append(computed(scored, now=NOW + timedelta(hours=2)))
        return found

    monkeypatch.setattr(views.report_state, "state", overtaken)
    assert caller.get().json()["as_of"] == "2026-03-02T11:00:00Z"


def test_questions_to_the_database_do_not_grow_with_the_data(caller, scored, django_assert_num_queries):
    """Account, membership, project, report, its result; with a choice the five that there is to choose from."""
    computed(scored)
    caller.get()  # the first of a minute notes the use of the token, and takes a part of what it may ask
    with django_assert_num_queries(5):
        caller.get()
    computed(scored, Choice(genre="poetry"))
    with django_assert_num_queries(10):
        caller.get(URL + "?genre=poetry")


# --- States ------------------------------------------------------------------------------------------


def test_before_anything_is_computed_it_says_how_to_ask(caller, scored):
    for url in (URL, table_url("pairs"), PROGRESS):
        refused = caller.get(url)
        assert (refused.status_code, error_of(refused)["code"]) == (404, "not_computed")
        assert f"POST to http://testserver{URL} asks" in error_of(refused)["detail"]
        assert error_of(refused)["newest"] is None
    assert "?genre=poetry asks" in error_of(caller.get(URL + "?genre=poetry"))["detail"]


def test_asking_answers_with_where_it_stands_and_where_it_will_be(caller, scored, lead, nudged):
    asked = caller.post(URL + "?genre=poetry&round=Round%201")
    report = Report.objects.get()
    assert (asked.status_code, asked.json()["newest"]["state"]) == (202, "queued")
    assert (report.choice, report.queued_by) == (f"genre=poetry&round={scored.rounds.get().pk}", lead.user)
    assert nudged == [report.pk]
    assert asked["Location"] == asked.json()["url"]
    report_work.execute(report.pk, clock=lambda: NOW)
    assert caller.get(asked["Location"]).json()["result"]["counts"]["prompts"] == 2


def test_the_choice_may_stand_in_the_body(caller, scored):
    asked = caller.post(body={"genre": "poetry", "language": None, "annotator": "", "since": "2026-01-31"})
    assert asked.status_code == 202
    assert Report.objects.get().choice == "genre=poetry&since=2026-01-31"
    assert caller.post(body={}).json()["choice"]["genre"] is None


def test_asking_twice_is_one_computation(caller, scored):
    assert [caller.post().status_code for _ in range(2)] == [202, 202]
    assert Report.objects.count() == 1


def test_while_it_waits_or_runs_the_first_time_it_says_how_far_it_is(caller, scored):
    caller.post()
    waiting = caller.get()
    assert (waiting.status_code, waiting["Retry-After"]) == (404, "2")
    assert error_of(waiting)["code"] == "not_computed_yet"
    assert error_of(waiting)["newest"]["state"] == "queued"
    report = jobs.claim(Report, Report.objects.get().pk, now=timezone.now())
    jobs.note(report, percent_done=40)
    running = error_of(caller.get())
    assert (running["newest"]["state"], running["newest"]["percent"]) == ("running", 40)
    assert "40 %" in running["detail"]


def test_when_no_worker_takes_it_up_it_says_so(caller, scored):
    reports.request(scored, choice=EVERYTHING, by=None, now=timezone.now() - timedelta(minutes=5))
    error = error_of(caller.get())
    assert (error["code"], error["newest"]["waits_too_long"]) == ("not_computed_yet", True)
    assert "Celery" in error["detail"]


def test_the_last_numbers_stay_while_newer_ones_are_computed(caller, scored):
    computed(scored)
    before = caller.get()
    asked = caller.post()
    assert (asked.status_code, asked.json()["as_of"]) == (202, "2026-03-02T09:00:00Z")
    report = jobs.claim(Report, Report.objects.latest("pk").pk, now=timezone.now())
    jobs.note(report, percent_done=55)
    told = caller.get(if_none_match=before["ETag"]).json()
    assert told["result"]["counts"]["scores"] == 24
    assert (told["newest"]["state"], told["newest"]["percent"]) == ("running", 55)
    assert caller.get(PROGRESS).json()["newest"]["percent"] == 55


def test_a_computation_that_failed_says_why(caller, scored):
    caller.post()
    report = jobs.claim(Report, Report.objects.get().pk, now=timezone.now())
    jobs.fail(report, reason="The worker ran out of memory.", now=timezone.now())
    refused = error_of(caller.get())
    assert (refused["code"], refused["newest"]["state"]) == ("computation_failed", "failed")
    assert refused["newest"]["error"] == "The worker ran out of memory."
    assert "ran out of memory. POST to" in refused["detail"]
    assert caller.post().json()["newest"]["state"] == "queued"


# --- What is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "code", "said"),
    [
        ("?genre=drama", "bad_parameter", "no genre drama. There are: fiction, poetry."),
        ("?language=fr", "bad_parameter", "no language fr. There are: en, zh."),
        ("?annotator=ursula", "bad_parameter", "annotator-01, annotator-02, annotator-03."),
        ("?round=1", "bad_parameter", "no round 1. There are: Round 1."),
        ("?genre=%00", "bad_parameter", "genre holds a NUL. Leave it out."),
        ("?since=yesterday", "bad_parameter", "since is a day such as 2026-01-31, not yesterday."),
        ("?since=20260131", "bad_parameter", "since is a day such as 2026-01-31, not 20260131."),
        ("?since=2026-W05-6", "bad_parameter", "since is a day such as 2026-01-31, not 2026-W05-6."),
        ("?until=2026-02-30", "bad_parameter", "until is a day"),
        ("?since=2026-02-02&until=2026-02-01", "bad_parameter", "until comes before since"),
        ("?genre=poetry&genre=fiction", "unknown_parameter", "genre stands in the address 2 times"),
        (
            "?genres=poetry",
            "unknown_parameter",
            "genres is not known here; this address takes genre, language",
        ),
    ],
)
def test_a_filter_that_chooses_nothing_there_is_names_what_there_is(caller, scored, query, code, said):
    computed(scored)
    for response in (
        caller.get(URL + query),
        caller.get(table_url("pairs", query)),
        caller.post(URL + query),
    ):
        assert (response.status_code, error_of(response)["code"]) == (400, code)
        assert said in error_of(response)["detail"]
    assert Report.objects.count() == 1


def test_a_project_without_names_says_that_there_are_none(caller, project):
    assert "no round Round 1. There are none." in error_of(caller.get(URL + "?round=Round 1"))["detail"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", "parse_error"),
        ("[]", "parse_error"),
        ('"poetry"', "parse_error"),
        ({"genre": 1}, "bad_parameter"),
        ({"genre": ["poetry"]}, "bad_parameter"),
        ({"genre": "drama"}, "bad_parameter"),
        ({"since": "31.1.2026"}, "bad_parameter"),
        ({"owner": "me"}, "unknown_parameter"),
    ],
)
def test_a_body_that_is_no_choice_is_a_400(caller, scored, body, code):
    response = caller.post(body=body)
    assert (response.status_code, error_of(response)["code"]) == (400, code)
    assert not Report.objects.exists()


def test_a_choice_in_two_places_is_refused(caller, scored):
    response = caller.post(URL + "?genre=poetry", {"language": "en"})
    assert (response.status_code, error_of(response)["code"]) == (400, "parse_error")


# --- Who may -----------------------------------------------------------------------------------------


def answers(caller):
    urls = (URL, PROGRESS, *map(table_url, TABLES), table_url("nothing"), URL + "?genre=drama")
    return {caller.get(url).status_code for url in urls} | {caller.post().status_code}


@pytest.mark.parametrize("role", ["annotator", "instructor", "adjudicator"])
def test_who_does_not_lead_is_refused(client, scored, role, nudged):
    """An adjudicator decides before seeing what others gave, an instructor learns of nobody's hours."""
    computed(scored)
    assert answers(Caller(client, make_member(scored, role, "zoe").user)) == {403}
    assert nudged == []


def test_who_leads_no_longer_is_refused(caller, scored, lead):
    computed(scored)
    make_member(scored, "lead", "another")
    membership.end(lead, by=None, now=NOW)
    assert answers(caller) == {404}


def test_for_strangers_and_leads_of_other_projects_it_does_not_exist(client, scored, stranger, nudged):
    computed(scored)
    elsewhere = make_member(make_project("elsewhere"), "lead")
    for user in (stranger, elsewhere.user):
        assert answers(Caller(client, user)) == {404}
    told = Caller(client, elsewhere.user).get("/api/v1/projects/elsewhere/agreement/")
    assert error_of(told)["code"] == "not_computed"


def test_without_a_token_everything_is_refused(client, scored, browser_of, lead):
    computed(scored)
    for person in (client, browser_of(lead)):
        for url in (URL, PROGRESS, table_url("pairs")):
            assert person.get(url).status_code == 401
        assert person.post(URL).status_code == 401
    assert Report.objects.count() == 1
