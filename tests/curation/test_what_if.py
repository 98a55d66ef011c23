"""What a recipe would give: asked for by a lead, computed by a worker from a snapshot, once."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.errors import Invalid
from annotation.services import jobs
from curation import tasks
from curation.domain import behind
from curation.models import Snapshot, WhatIf, WhatIfBar, WhatIfFigure
from curation.services import recipes, runs, what_if, what_if_work
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round, score_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("undrawn")]
NAMES = ("ann", "ben", "cat")
LOOSE = {"length_symmetry": False, "min_gap": "1/2"}


@pytest.fixture
def scored(project):
    """Twelve responses to four prompts of two genres, scored by three."""
    for name in NAMES:
        make_member(project, "annotator", name)
    fiction, poetry = project.genres.order_by("position")
    values = {}
    for number in range(4):
        prompt = make_prompt(project, f"p{number}", genre=(fiction, poetry)[number % 2])
        for side in (0, 1, 2):
            make_response(prompt, f"p{number}-{side}", "word " * (4 + number * side) + f"{number} {side}")
            values |= {
                (f"p{number}-{side}", name): (number + 2 * side + (name == "cat")) % 4 for name in NAMES
            }
    score_all(make_round(project), values)
    return project


def asked(project, parameters=LOOSE, snapshot=None):
    return what_if.request(project, parameters=parameters, snapshot=snapshot, by=None, now=NOW)


def computed(project, parameters=LOOSE, snapshot=None, now=NOW):
    job = asked(project, parameters, snapshot)
    what_if_work.execute(job.pk, clock=lambda: now)
    job.refresh_from_db()
    assert job.state == "done", job.error
    return job


def run_of(project, parameters=LOOSE):
    recipe = recipes.save(project, parameters=parameters, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=lambda: NOW)
    run.refresh_from_db()
    assert run.state == "done", run.error
    return run


# --- the work --------------------------------------------------------------------------------------------


def test_it_counts_what_a_run_of_the_same_recipe_on_the_same_snapshot_counts(scored):
    run = run_of(scored)
    found = computed(scored, snapshot=run.snapshot)
    assert found.result["funnel"] == run.funnel
    accepted = found.bars.get(key=behind.rule(behind.ACCEPTED))
    assert accepted.total == accepted.kept == run.pairs.count()


def test_without_a_snapshot_it_takes_the_scores_of_the_moment(scored):
    found = computed(scored)
    assert found.snapshot == Snapshot.objects.get()


def test_the_same_recipe_on_the_same_snapshot_is_not_computed_twice(scored, monkeypatch):
    first = computed(scored)
    assert asked(scored, {**LOOSE, "min_gap": "0.5"}, first.snapshot) == first
    monkeypatch.setattr(what_if_work.what_if, "what_if", lambda *_, **__: pytest.fail("computed again"))
    again = computed(scored)
    assert (again.pk, again.same_as) != (first.pk, None)
    assert (again.same_as, again.result) == (first, None)


def test_other_scores_or_another_recipe_are_computed(scored):
    first = computed(scored)
    assert asked(scored, {}, first.snapshot) != first
    extra = make_response(scored.prompts.first(), "more", "One more text.")
    later = make_round(scored, "Round 2")
    later.assignments.exclude(response=extra).update(state="void")
    score_all(later, {("more", name): 0 for name in NAMES})
    second = computed(scored)
    assert second.same_as is None
    assert second.result["funnel"]["candidates"] > first.result["funnel"]["candidates"]


def test_one_that_waits_is_not_asked_for_again(scored):
    assert asked(scored) == asked(scored)


def test_a_task_that_comes_twice_does_nothing_the_second_time(scored):
    found = computed(scored)
    before = (list(found.bars.values_list("pk", flat=True)), found.finished_at)
    what_if_work.execute(found.pk, clock=lambda: NOW + timedelta(hours=1))
    found.refresh_from_db()
    assert (list(found.bars.values_list("pk", flat=True)), found.finished_at) == before


def test_numbers_are_there_before_the_pictures_and_stay_when_drawing_fails(scored, monkeypatch):
    job = asked(scored)

    def nothing(charts):
        assert WhatIf.objects.get(pk=job.pk).result["funnel"]["candidates"] == 12
        raise what_if_work.figures.DrawingError("no pencil")

    drawing = what_if_work.figures.draw
    monkeypatch.setattr(what_if_work.figures, "draw", nothing)
    with pytest.raises(what_if_work.figures.DrawingError):
        what_if_work.execute(job.pk, clock=lambda: NOW)
    jobs.try_again(job, now=NOW)
    monkeypatch.setattr(what_if_work.figures, "draw", drawing)
    what_if_work.execute(job.pk, clock=lambda: NOW)
    job.refresh_from_db()
    assert (job.state, job.figures.count() > 0) == ("done", True)


def test_it_has_its_figures_in_both_languages(scored, drawn):
    found = computed(scored)
    by_language = {
        language: set(found.figures.filter(language=language).values_list("key", flat=True))
        for language in ("en", "zh-hans")
    }
    assert by_language["en"] == by_language["zh-hans"] == {"funnel", "cells", "lengths", "longer"}
    figure = found.figures.get(key="lengths", language="en")
    assert figure.content["wide"].startswith("<svg")
    assert bytes(figure.png).startswith(b"\x89PNG")


def test_what_cannot_be_curated_fails_with_a_sentence(scored):
    first = computed(scored)
    scored.prompts.filter(external_id="p0").update(language="de")
    other = asked(scored, {}, first.snapshot)
    what_if_work.execute(other.pk, clock=lambda: NOW)
    other.refresh_from_db()
    assert other.state == "failed"
    assert "no longer as it was" in other.error
    assert asked(scored, {}, first.snapshot) != other


def test_parameters_that_cannot_be_are_refused(scored):
    with pytest.raises(Invalid) as refusal:
        asked(scored, {"min_gap": "four"})
    assert refusal.value.code == "bad_parameter"
    assert "a number from 0 to 3" in refusal.value.message
    assert not WhatIf.objects.exists()


def test_old_ones_and_those_beyond_the_newest_are_cleared_up(scored, monkeypatch):
    old = computed(scored)
    later = NOW + what_if.KEPT + timedelta(days=1)
    young = computed(scored, {"quota": 1}, old.snapshot, now=later)
    assert set(WhatIf.objects.all()) == {young}
    assert set(WhatIfBar.objects.values_list("what_if", flat=True)) == {young.pk}
    monkeypatch.setattr(what_if, "MOST", 1)
    waiting = asked(scored, {"quota": 9}, old.snapshot)
    newest = computed(scored, {"quota": 2}, old.snapshot, now=later)
    assert set(WhatIf.objects.all()) == {newest, waiting}
    assert set(WhatIfFigure.objects.values_list("what_if", flat=True)) == {newest.pk}


def test_the_sweep_nudges_one_that_was_lost(scored, monkeypatch):
    nudged = []
    monkeypatch.setattr(tasks.compute_what_if, "delay", nudged.append)
    monkeypatch.setattr(tasks.timezone, "now", lambda: NOW + timedelta(minutes=5))
    monkeypatch.setattr(tasks.reports, "request_due", lambda **_: [])
    monkeypatch.setattr(tasks.audits, "request_due", lambda **_: [])
    job = asked(scored)
    tasks.sweep()
    assert nudged == [job.pk]


# --- the pages -------------------------------------------------------------------------------------------


@pytest.fixture
def nudged(monkeypatch):
    """Which what-ifs a worker was asked for."""
    found = []
    monkeypatch.setattr(tasks.compute_what_if, "delay_on_commit", found.append)
    return found


FORM = {
    "min_gap": "1/2",
    "min_common": "2",
    "max_pairs_per_response": "",
    "max_pairs_per_prompt": "",
    "quota": "",
    "strata": "none",
    "buckets": "10",
    "max_length_ratio": "",
    "length_unit": "auto",
    "seed": "plumb-1",
    "scores": "now",
}


def address(project, *args, name="what_ifs"):
    return reverse(name, args=[project.slug, *args])


def page_of(client, *args, **kwargs):
    return client.get(*args, **kwargs).content.decode()


def test_a_lead_asks_and_reads_what_a_worker_computed(scored, lead, browser_of, nudged):
    client = browser_of(lead)
    answer = client.post(address(scored), FORM)
    job = WhatIf.objects.get()
    assert answer.headers["Location"] == address(scored, job.pk, name="what_if")
    assert nudged == [job.pk]
    assert "It waits for a worker." in page_of(client, answer.headers["Location"])
    what_if_work.execute(job.pk, clock=lambda: NOW)
    page = page_of(client, answer.headers["Location"])
    for said in (
        "What each rule removes",
        "How much longer the chosen text is",
        "Pairs by genre and language",
        "Lengths and scores of both sides",
        "what WritingPreferenceBench prints of its own pairs",
        "1,200 pairs",
        "1450.3",
        "LitBench, before it pruned",
        "65.25%",
        "<svg",
    ):
        assert said in page, said


def test_asking_again_leads_to_the_one_that_is_there(scored, lead, browser_of, nudged):
    client = browser_of(lead)
    first = client.post(address(scored), FORM).headers["Location"]
    what_if_work.execute(nudged[0], clock=lambda: NOW)
    stored = {**FORM, "scores": "stored", "snapshot": str(Snapshot.objects.get().pk)}
    assert client.post(address(scored), stored).headers["Location"] == first
    again = client.post(address(scored), FORM).headers["Location"]
    what_if_work.execute(WhatIf.objects.latest("pk").pk, clock=lambda: NOW)
    assert client.get(again).headers["Location"] == first


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("min_gap", "four", "Use a number from 0 to 3, such as 1, 1.5 or 3/2."),
        ("min_common", "1", "Use a whole number from 2 to 999999999."),
        ("buckets", "7", "Use an even whole number from 2 to 1000000."),
        ("quota", "many", "Use off, or a whole number of 1 or more."),
        ("max_length_ratio", "1/2", "Use off, or a number of 1 or more, such as 2 or 3/2."),
        ("strata", "mood", "Select a valid choice"),
        ("seed", "", "This field is required."),
    ],
)
def test_a_parameter_that_cannot_be_says_what_may_and_nothing_is_lost(
    scored, lead, browser_of, nudged, field, value, said
):
    answer = browser_of(lead).post(address(scored), {**FORM, "max_pairs_per_prompt": "17", field: value})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert said in page
    assert 'value="17"' in page
    if value and field != "strata":
        assert f'value="{value}"' in page
    assert nudged == []


def test_a_recipe_that_leaves_rules_out_is_asked_for_with_what_it_holds(scored, lead, browser_of, nudged):
    parameters = {"rules": ["gap", "identical_text"], "min_gap": "1/2"}
    recipe = recipes.copy(scored, name="bare", parameters=parameters, by=None, now=NOW)
    page = page_of(browser_of(lead), address(scored) + f"?recipe={recipe.pk}")
    assert 'name="rules" value="gap,identical_text"' in page
    assert 'name="quota"' not in page
    sent = {
        "rules": "gap,identical_text",
        **{name: FORM[name] for name in ("min_gap", "strata", "length_unit", "seed", "scores")},
    }
    browser_of(lead).post(address(scored), sent)
    assert WhatIf.objects.get().parameters["rules"] == ["gap", "identical_text"]
    what_if_work.execute(nudged[0], clock=lambda: NOW)
    assert set(WhatIf.objects.get().result["funnel"]["rejected"]) == {"gap", "identical_text"}


def test_that_no_worker_answers_and_why_one_failed_is_said(scored, lead, browser_of, monkeypatch):
    client = browser_of(lead)
    job = asked(scored)
    here = address(scored, job.pk, name="what_if")
    assert "No worker has taken this up" in page_of(client, here)
    monkeypatch.setattr(what_if_work.what_if, "what_if", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        what_if_work.execute(job.pk, clock=lambda: NOW)
    page = page_of(client, here)
    assert "The computation failed." in page
    assert "ZeroDivisionError" in page


def test_the_state_asks_again_until_what_the_page_lacks_is_there(scored, lead, browser_of):
    client, job = browser_of(lead), asked(scored)
    here, polled = address(scored, job.pk, name="what_if"), {"HX-Request": "true"}
    assert "hx-get" in page_of(client, here, headers=polled)
    result = {"result": computed(scored, {"quota": 1}).result}
    WhatIf.objects.filter(pk=job.pk).update(
        state="running", claimed_by="w:1", lease_until=NOW + timedelta(minutes=1), **result
    )
    part = page_of(client, here, headers=polled)
    assert "hx-get" not in part
    assert "<html" not in part
    assert f'hx-get="{here}?numbers"' in page_of(client, here + "?numbers", headers=polled)
    page = page_of(client, here)
    assert "A worker draws the pictures." in page
    assert "What each rule removes" in page


def test_every_number_opens_to_its_pairs_and_each_pair_to_its_story(scored, lead, browser_of):
    client, found = browser_of(lead), computed(scored)
    for bar in found.bars.all():
        listed = client.get(address(scored, found.pk, bar.key, name="pairs_behind"))
        assert listed.status_code == 200
        page = page_of(client, address(scored, found.pk, bar.key, 1, name="pair_behind"))
        assert "Rule by rule" in page
        assert "Priority" in page
        assert "annotator-01" in page
        assert "The bridge" not in page
        assert "word word" in page
    assert client.get(address(scored, found.pk, "rule-gap", name="pairs_behind")).status_code == 404
    accepted = behind.rule(behind.ACCEPTED)
    assert client.get(address(scored, found.pk, accepted, 999, name="pair_behind")).status_code == 404
    assert client.get(address(scored, found.pk, accepted, 0, name="pair_behind")).status_code == 404


def test_names_of_annotators_are_in_no_pair_and_no_file(scored, lead, browser_of):
    client, found = browser_of(lead), computed(scored)
    key = behind.rule(behind.ACCEPTED)
    files = [
        address(scored, found.pk, key, name="pairs_behind_file"),
        *(
            address(scored, found.pk, table, "csv", name="what_if_file")
            for table in ("funnel", "cells", "lengths", "longer", "means")
        ),
    ]
    for file in files:
        body = client.get(file).content.decode()
        assert body.startswith("\ufeff")
        assert not any(f"{name}=" in body or f",{name}," in body for name in NAMES)
    first = client.get(files[0]).content.decode().splitlines()
    assert first[0].endswith("scores_chosen,scores_rejected")
    assert "annotator-01=" in first[1]
    assert len(first) == 1 + found.bars.get(key=key).kept


def test_a_long_list_has_pages_and_a_part_says_so(scored, lead, browser_of, monkeypatch):
    monkeypatch.setattr(behind, "MOST", 4)
    monkeypatch.setattr("curation.queries.pairs_behind.AT_A_TIME", 3)
    client, found = browser_of(lead), computed(scored)
    here = address(scored, found.pk, behind.rule(behind.ACCEPTED), name="pairs_behind")
    page = page_of(client, here)
    assert "Of these the first 4 in the order" in page
    assert "Page 1 of 2" in page
    assert "Pair 3" in page
    assert "Pair 4" not in page
    assert "Pair 4" in page_of(client, here + "?page=2")
    assert "Page 2 of 2" in page_of(client, here + "?page=99")
    assert "Page 1 of 2" in page_of(client, here + "?page=x")


@pytest.mark.parametrize(("kind", "begins"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_a_picture_is_taken_away_as_a_file(drawn, scored, lead, browser_of, kind, begins):
    found = computed(scored)
    answer = browser_of(lead).get(address(scored, found.pk, "lengths", kind, name="what_if_file"))
    assert answer.content.startswith(begins)
    assert f"{scored.slug}-what-if-{found.pk}-lengths.{kind}" in answer.headers["Content-Disposition"]


@pytest.mark.parametrize(("key", "kind"), [("nothing", "csv"), ("funnel", "exe"), ("means", "svg")])
def test_a_file_that_there_is_not_is_not_found(scored, lead, browser_of, key, kind):
    found = computed(scored)
    assert browser_of(lead).get(address(scored, found.pk, key, kind, name="what_if_file")).status_code == 404


def test_two_stand_side_by_side_with_what_differs(scored, lead, browser_of):
    client = browser_of(lead)
    one = computed(scored)
    other = computed(scored, {**LOOSE, "min_gap": "3"}, one.snapshot)
    page = page_of(client, address(scored, one.pk, name="what_if_compare") + f"?with={other.pk}")
    difference = other.result["funnel"]["accepted"] - one.result["funnel"]["accepted"]
    assert difference < 0
    assert f"−{-difference}" in page
    assert '<td class="any-name">1/2</td><td class="any-name">3</td>' in page
    body = client.get(address(scored, one.pk, name="what_if_compare") + f"?with={other.pk}&file=csv")
    assert "text/csv" in body.headers["Content-Type"]
    rows = body.content.decode("utf-8-sig").splitlines()
    assert rows[0] == f"part,row,what_if_{one.pk},what_if_{other.pk},difference"
    accepted = (one.result["funnel"]["accepted"], other.result["funnel"]["accepted"])
    assert f"funnel,Accepted,{accepted[0]},{accepted[1]},{difference}" in rows
    assert "of different snapshots" not in page
    assert "Compare with" in page_of(client, address(scored, one.pk, name="what_if"))
    for wrong in ("", "x", "9" * 30, str(other.pk + 1)):
        asked_for = address(scored, one.pk, name="what_if_compare") + f"?with={wrong}"
        assert client.get(asked_for).status_code == 404
    waiting = asked(scored, {"quota": 3}, one.snapshot)
    page = page_of(client, address(scored, one.pk, name="what_if_compare") + f"?with={waiting.pk}")
    assert "One of the two has no numbers yet." in page


def test_it_is_saved_as_a_version_and_run(scored, lead, browser_of, monkeypatch):
    started = []
    monkeypatch.setattr(tasks.run_curation, "delay_on_commit", started.append)
    client, found = browser_of(lead), computed(scored)
    answer = client.post(address(scored, found.pk, name="what_if_run"))
    (pk,) = started
    assert answer.headers["Location"] == address(scored, pk, name="run")
    recipe = runs.Run.objects.get(pk=pk).recipe
    assert recipe.parameters == found.parameters
    assert client.post(address(scored, found.pk, name="what_if_run")).status_code == 409
    assert client.get(address(scored, found.pk, name="what_if_run")).status_code == 302
    unknown = client.post(address(scored, found.pk, name="what_if_run"), {"recipe": "nobody's"})
    assert unknown.status_code == 404


def test_the_numbers_of_a_run_open_to_its_pairs(scored, lead, browser_of, nudged):
    run, client = run_of(scored), browser_of(lead)
    of_run = address(scored, run.pk, name="what_if_of_run")
    assert f"{of_run}?bar=rule-accepted" in page_of(client, address(scored, run.pk, name="run"))
    assert "Lay its pairs out" in page_of(client, of_run)
    answer = client.post(of_run)
    what_if_work.execute(nudged[0], clock=lambda: NOW)
    found = WhatIf.objects.get()
    assert answer.headers["Location"] == address(scored, found.pk, name="what_if")
    assert client.get(of_run).headers["Location"] == answer.headers["Location"]
    opened = client.get(of_run + "?bar=rule-accepted").headers["Location"]
    assert opened == address(scored, found.pk, "rule-accepted", name="pairs_behind")
    for pair in run.pairs.all():
        assert pair.chosen.external_id in page_of(client, opened)


def test_a_number_of_each_side_of_lengths_opens_before_and_after(scored, lead, browser_of):
    client, found = browser_of(lead), computed(scored, {**LOOSE, "quota": 3})
    page = page_of(client, address(scored, found.pk, name="what_if"))
    for key in found.bars.filter(key__contains="lengths-").values_list("key", flat=True):
        assert address(scored, found.pk, key, name="pairs_behind") in page
    kept = found.bars.filter(key__startswith="kept-lengths-")
    assert sum(kept.values_list("total", flat=True)) == found.result["funnel"]["accepted"] == 3
    opened = page_of(client, address(scored, found.pk, kept.first().key, name="pairs_behind"))
    assert "<h1>Accepted, chosen text" in opened


def test_lengths_have_their_unit_and_those_of_two_units_no_mean(scored, lead, browser_of):
    client = browser_of(lead)
    one = computed(scored)
    page = page_of(client, address(scored, one.pk, name="what_if"))
    assert "All languages" not in page
    assert "lengths in words" in page
    prompt = make_prompt(scored, "zh", language="zh", genre=scored.genres.first())
    make_response(prompt, "zh-0", "山高水长，风平浪静。")
    make_response(prompt, "zh-1", "风。")
    work = make_round(scored, "Round 2")
    work.assignments.exclude(response__prompt=prompt).update(state="void")
    score_all(work, {(f"zh-{side}", name): 3 - 3 * side for side in (0, 1) for name in NAMES})
    other = computed(scored)
    page = page_of(client, address(scored, other.pk, name="what_if"))
    assert "lengths counted in different units" in page
    key = behind.rule(behind.ACCEPTED)
    listed = page_of(client, address(scored, other.pk, key, name="pairs_behind"))
    assert '<span class="quiet">characters</span>' in listed
    assert '<span class="quiet">words</span>' in listed
    assert "different units" not in page_of(
        client, address(scored, one.pk, name="what_if_compare") + f"?with={other.pk}"
    )


def test_a_project_whose_scores_prefer_nothing_says_so(scored, lead, browser_of):
    found = computed(scored, {"min_common": 9})
    page = page_of(browser_of(lead), address(scored, found.pk, name="what_if"))
    assert "No pair stands before length symmetry." in page
    assert "shorter by 0" not in page
    assert "Lengths and scores of both sides" not in page
    compared = page_of(
        browser_of(lead), address(scored, found.pk, name="what_if_compare") + f"?with={found.pk}"
    )
    assert "No pair stands before length symmetry." in compared


def test_parameters_are_said_in_words(scored, lead, browser_of):
    found = computed(scored, {**LOOSE, "strata": "language+genre"})
    page = page_of(browser_of(lead), address(scored))
    for said in (
        "Smallest gap: 1/2",
        "Strata: one for each genre in each language",
        "Length symmetry: off",
    ):
        assert said in page, said
    assert f"What if {found.pk}" in page


def test_a_project_without_pairs_says_so(project, lead, browser_of):
    found = computed(project)
    page = page_of(browser_of(lead), address(project, found.pk, name="what_if"))
    assert "There are no candidate pairs" in page
    assert "Nothing has been asked yet." not in page


def pages_of(project):
    run = run_of(project)
    found = computed(project, snapshot=run.snapshot)
    key = behind.rule(behind.ACCEPTED)
    return [
        address(project),
        address(project, found.pk, name="what_if"),
        address(project, found.pk, name="what_if_compare") + f"?with={found.pk}",
        address(project, found.pk, key, name="pairs_behind"),
        address(project, found.pk, key, 1, name="pair_behind"),
        address(project, found.pk, key, name="pairs_behind_file"),
        address(project, found.pk, "funnel", "csv", name="what_if_file"),
        address(project, found.pk, "funnel", "svg", name="what_if_file"),
        address(project, run.pk, name="what_if_of_run"),
    ]


def test_annotators_and_instructors_are_refused_and_strangers_find_nothing(scored, stranger, browser_of):
    annotator = scored.memberships.get(user__username="ann")
    instructor = make_member(scored, "instructor", "ina")
    pages = pages_of(scored)
    for page in pages:
        assert browser_of(annotator).get(page).status_code == 403
        assert browser_of(instructor).get(page).status_code == 403
        assert browser_of(stranger).get(page).status_code == 404
    for page in (pages[0], pages[-1], pages[1] + "run/"):
        assert browser_of(annotator).post(page, FORM).status_code == 403
        assert browser_of(stranger).post(page, FORM).status_code == 404


def test_a_lead_of_another_project_finds_nothing(scored, browser_of):
    walls = make_project("walls")
    lead = make_member(walls, "lead", "len")
    theirs = computed(walls)
    with_ours = address(walls, theirs.pk, name="what_if_compare") + f"?with={computed(scored).pk}"
    assert browser_of(lead).get(with_ours).status_code == 404
    for page in pages_of(scored):
        assert browser_of(lead).get(page).status_code == 404
        if page != address(scored):
            assert browser_of(lead).get(page.replace(scored.slug, "walls")).status_code == 404


def test_how_many_queries_a_page_takes_does_not_follow_the_pairs(scored, lead, browser_of):
    client = browser_of(lead)

    def queries(found):
        counts = []
        key = behind.rule(behind.ACCEPTED)
        for page in (
            address(scored),
            address(scored, found.pk, name="what_if"),
            address(scored, found.pk, name="what_if_compare") + f"?with={found.pk}",
            address(scored, found.pk, key, name="pairs_behind"),
            address(scored, found.pk, key, 1, name="pair_behind"),
        ):
            client.get(page)
            with CaptureQueriesContext(connection) as taken:
                assert client.get(page).status_code == 200
            counts.append(len(taken))
        return counts

    few = queries(computed(scored))
    for number in range(6):
        prompt = make_prompt(scored, f"more-{number}", language=("en", "zh")[number % 2])
        for side in range(3):
            make_response(prompt, f"more-{number}-{side}")
    work = make_round(scored, "Round 2")
    texts = [f"more-{number}-{side}" for number in range(6) for side in range(3)]
    score_all(work, {(text, name): int(text[-1]) for text in texts for name in NAMES})
    assert queries(computed(scored)) == few
